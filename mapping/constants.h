// SPDX-License-Identifier: Apache-2.0
//
// Every number of the cost model, in one place, with its source, version and date.
//
// NCCL: v2.28.9-1 (November 2025), src/graph/topo.h (bandwidths), src/graph/search.cc (channel
// speeds), src/graph/tuning.cc (latencies, caps). Bandwidths in GB/s = 1e9 bytes/s, latencies in
// microseconds. Later versions differ (2.30 changed Blackwell's caps): the version is part of every
// estimate.
#pragma once

#include <array>
#include <string_view>

namespace topolaunch::mapping::constants {

inline constexpr std::string_view kNcclVersion = "2.28.9";

/// GPU generation as NCCL's tuning tables know it.
enum class Generation { volta = 0, ampere = 1, hopper = 2, blackwell = 3 };
constexpr Generation generation_of(int compute_capability) {
  return compute_capability >= 100 ? Generation::blackwell
         : compute_capability >= 90 ? Generation::hopper
         : compute_capability >= 80 ? Generation::ampere
                                    : Generation::volta;
}

/// One NVLink, one direction. topo.h SM60_, SM70_, SM80_, SM86_, SM90_, SM100_NVLINK_BW.
constexpr double nvlink_gbps(int compute_capability) {
  return compute_capability >= 100  ? 40.1
         : compute_capability >= 90 ? 20.6
         : compute_capability == 86 ? 12.0
         : compute_capability >= 70 ? 20.0
                                    : 18.0;
}

/// PCIe by generation, x16, one direction. topo.cc kvDictPciGen (hundreds of Mb/s a lane): 15, 30, 60, 120,
/// 240, 480; x width / 80. An unknown generation counts as 3, an unknown width as 16.
inline constexpr std::array<double, 7> kPcieX16 = {12.0, 3.0, 6.0, 12.0, 24.0, 48.0, 96.0};
/// GPU to GPU through an Intel root complex: bandwidth / 1.2. topo.h INTEL_P2P_OVERHEAD.
inline constexpr double kIntelP2pOverhead = 1.2;

/// CPU to CPU. topo.h *_QPI_BW, AMD_BW, P9_BW, ARM_BW; Intel family 6 by model number.
inline constexpr double kIntelBroadwell = 6, kIntelSkylake = 10, kIntelSapphireRapids = 22,
                        kIntelEmeraldRapids = 40, kAmd = 16, kPower9 = 32, kArm = 6;
inline constexpr int kModelSkylake = 0x55, kModelSapphireRapids = 0x8F, kModelEmeraldRapids = 0xCF;

/// A NIC of unknown speed: 10 Gb/s. topo.cc ncclTopoAddNet.
inline constexpr double kUnknownNicGbps = 1.25;

/// Channel speeds tried inside a host and between hosts. search.cc speedArrayIntra / Inter and the
/// sm90, sm100 ones.
/// 24 is what NCCL reaches between two PCIe 4 GPUs.
inline constexpr std::array<double, 14> kIntraSpeeds = {40, 30, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
inline constexpr std::array<double, 11> kIntraSpeedsHopper = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
inline constexpr std::array<double, 12> kIntraSpeedsBlackwell = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18};
inline constexpr std::array<double, 19> kInterSpeeds = {48, 30, 28, 24, 20, 18, 15, 12, 10, 9,
                                                        7,  6,  5,  4,  3,  2.4, 1.2, 0.24, 0.12};
/// Largest channel of NVLS: fits what NCCL predicts for 8 H100 (476 GB/s) and 8 B200 (720) and from how
/// many GPUs it picks NVLS (6 and 8).
constexpr double nvls_channel_gbps(Generation g) { return g == Generation::blackwell ? 70 : 50; }
/// device.h NCCL_MAX_NVLS_ARITY: GPUs that head a part of an NVLS operation, at most.
inline constexpr int kNvlsHeads = 32;
/// tuning.cc nvlsEfficiency.
constexpr double nvls_efficiency(Generation g) { return g == Generation::blackwell ? 0.74 : 0.85; }

/// tuning.cc tables: [generation][hosts: 1, 2, more].
using PerHosts = std::array<double, 3>;
inline constexpr std::array<PerHosts, 4> kLlMax = {
    {{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}}};
inline constexpr std::array<PerHosts, 4> kRingLl128PerChannel = {
    {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {73.4, 34.6, 73.4}}};
inline constexpr std::array<PerHosts, 4> kTreeLl128PerChannel = {
    {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}}};
inline constexpr std::array<PerHosts, 4> kTreePerChannel = {
    {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}}};
inline constexpr std::array<PerHosts, 4> kNvlsTreePerChannel = {
    {{0, 0, 0}, {0, 0, 0}, {0, 57.7, 45.5}, {0, 96, 43.8}}};
/// Tree (Simple) and ring LL128 reach this part of their channels' bandwidth; a tree of few channels
/// over hosts (pattern TREE) 0.85 of that again.
inline constexpr double kTreeEfficiency = 0.92, kLl128Efficiency = 0.92, kPlainTree = 0.85;
inline constexpr double kTreeLl = 1 / 3.8, kTreeLl128OneHost = 7.0 / 9.0, kTreeLl128 = 120.0 / 128.0;

/// tuning.cc baseLatencies and hwLatencies; protocols LL, LL128, Simple.
struct Latency {
  double ll, ll128, simple;
};
inline constexpr Latency kTreeBase = {6.8, 14.0, 8.4}, kRingBase = {6.6, 14.0, 8.4};
inline constexpr Latency kTreeNvlink = {0.6, 1.25, 4.0}, kRingNvlink = {0.6, 1.9, 3.4};
inline constexpr Latency kTreePcie = {1.0, 1.9, 4.0}, kRingPcie = {1.0, 2.5, 5.7};
inline constexpr Latency kTreeNet = {5.0, 8.5, 14.0}, kRingNet = {2.7, 4.0, 14.0};
inline constexpr double kNvlsLatency = 25, kNvlsTreeNet = 20.9;
/// Ring/Simple over several hosts, compute capability 8.0 and up.
inline constexpr double kRingManyHosts = 1.4;

/// TCP over Ethernet with an MTU of 1500: 1448 bytes of payload (timestamps on) in a frame of 1514,
/// as a shaper counts it. RFC 9293, RFC 7323.
inline constexpr double kTcpPayload = 1448.0 / 1514.0;
/// A step of a ring through host memory touches its part about three times on the way: into the
/// socket, out of it, and the sum.
inline constexpr double kRingStepCopies = 3;

/// Host memory under MPI: order of magnitude, from osu_bw and osu_allreduce 7.4 with Open MPI 4.1.4 on
/// two shared cloud CPUs (2026): 8.7 GB/s at 64 KiB, 1.6 GB/s at 16 MiB, 0.4 us for 8 bytes. One
/// rank's copy rate, all ranks' together, one step in shared memory and over TCP.
inline constexpr double kHostCopyGbps = 4, kHostMemoryGbps = 20;
inline constexpr double kHostStepUs = 1.0, kHostNetStepUs = 30;

}  // namespace topolaunch::mapping::constants
