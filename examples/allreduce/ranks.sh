#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Starts a program as N ranks on this machine by hand, with the standard environment and nothing
# else, to show that it needs no launcher in particular:  ranks.sh N PROGRAM [ARGS...]
set -eu
ranks=$1
shift
# A port that is free now: the kernel gives one out, and it is closed again.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
pids=()
for ((rank = 0; rank < ranks; ++rank)); do
  env -i PATH="$PATH" RANK=$rank WORLD_SIZE="$ranks" LOCAL_RANK=$rank LOCAL_WORLD_SIZE="$ranks" \
    MASTER_ADDR=127.0.0.1 MASTER_PORT="$port" "$@" &
  pids+=($!)
done
status=0
for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
exit $status
