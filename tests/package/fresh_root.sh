#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Shows that ./bootstrap needs nothing but a fresh Debian 12: makes a minimal root with mmdebstrap,
# copies a clone of the last commit in, and runs both commands inside. As root; takes about half an
# hour on two CPUs. Package sources, proxy and certificates are this machine's.
#
#   tests/package/fresh_root.sh FOLDER [run|test|all]     FOLDER must not exist; it is left behind
set -euo pipefail
root=${1:?usage: fresh_root.sh FOLDER [run|test|all]}
what=${2:-all}
source=$(cd "$(dirname "$0")/../.." && pwd)
[ ! -e "$root" ] || { echo "$root is there already" >&2; exit 64; }

mmdebstrap --variant=minbase --mode=root bookworm "$root"
rm -rf "$root/etc/apt"
cp -a /etc/apt "$root/etc/apt"
for file in /etc/resolv.conf /etc/hosts; do cp -L "$file" "$root$file"; done
if [ -d /etc/ssl/certs ]; then
  mkdir -p "$root/etc/ssl"
  cp -aL /etc/ssl/certs "$root/etc/ssl/"
fi
mkdir -p "$root/proc" "$root/sys" "$root/dev/shm"
unmount() {
  local place
  for place in dev/shm dev/pts dev sys proc; do
    mountpoint -q "$root/$place" && umount -l "$root/$place"
  done
}
trap unmount EXIT
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount --bind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"

git clone -q --no-hardlinks "$source" "$root/root/topolaunch"
inside() {
  env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin CI=true \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    chroot "$root" bash -c "cd /root/topolaunch && $*" </dev/null
}
status=0
if [ "$what" != test ]; then inside ./bootstrap run || status=$?; fi
if [ "$what" != run ]; then inside ./bootstrap test || status=$?; fi
exit $status
