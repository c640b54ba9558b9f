// SPDX-License-Identifier: Apache-2.0
//
// What lets one source serve nvcc and a host compiler. Functions marked TOPOLAUNCH_BOTH_SIDES run
// on either side where nvcc reads them; TOPOLAUNCH_KERNEL_SIDE ones only inside kernels. To a host
// compiler, whose threads take the place of the GPU's, both are plain functions.
#pragma once

#ifdef __CUDACC__
#define TOPOLAUNCH_BOTH_SIDES __host__ __device__
#define TOPOLAUNCH_KERNEL_SIDE __device__
#else
#define TOPOLAUNCH_BOTH_SIDES
#define TOPOLAUNCH_KERNEL_SIDE
#endif
