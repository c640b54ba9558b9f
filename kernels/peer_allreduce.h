// SPDX-License-Identifier: Apache-2.0
//
// Launching the kernels of peer_allreduce.cuh on a GPU; T is float or Bf16. Returns the runtime's
// number of the error, 0 = success. `call` points to memory that this GPU can reach (peer access
// or CUDA IPC). All ranks launch the same number of blocks, at most as many as run at once on the
// smallest of the GPUs: blocks wait for each other.
#pragma once

struct CUstream_st;

namespace topolaunch::kernels {

template <class T>
struct PeerCall;

enum class Shots { one, two };

template <class T>
int launch_peer_allreduce(Shots shots, const PeerCall<T>& call, unsigned blocks,
                          CUstream_st* stream);

}  // namespace topolaunch::kernels
