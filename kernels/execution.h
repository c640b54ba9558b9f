// SPDX-License-Identifier: Apache-2.0
//
// What lets one source serve nvcc and a host compiler: functions marked TOPOLAUNCH_BOTH_SIDES are
// compiled for the GPU too where nvcc reads them, and are plain functions elsewhere.
#pragma once

#ifdef __CUDACC__
#define TOPOLAUNCH_BOTH_SIDES __host__ __device__
#else
#define TOPOLAUNCH_BOTH_SIDES
#endif
