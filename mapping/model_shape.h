// SPDX-License-Identifier: Apache-2.0
//
// ModelShape: from the shape of a transformer and how it is trained to the bytes of each process
// group per step. Formulas: Megatron-LM core 0.14 with sequence parallelism (Korthikanti et al.
// 2022), ZeRO (Rajbhandari et al. 2020), FSDP (Zhao et al. 2023). The values here are GPT-3 175B's
// (Brown et al. 2020, table 2.1): what is assumed where nothing is said.
#pragma once

#include <string>
#include <string_view>

#include "mapping/parallel.h"

namespace topolaunch::mapping {

struct ModelShape {
  double layers = 96, hidden = 12288, sequence = 2048;
  double kv_width = 12288;         ///< of K, and of V: heads x width of a head
  double parameters = 175e9;         ///< without those of experts
  double expert_parameters = 175e9;  ///< of all experts together
  bool experts_are_its_own = false;  ///< they are replicated as the rest is where there is no expert parallelism
  double moe_layers = 96, top_k = 8, capacity = 1;
  double micro = 1;           ///< sequences of a micro-batch
  /// Per step and replica, where global is 0; 0 = four for each stage of the pipeline, from where on its
  /// bubble hardly counts (GPipe, Huang et al. 2019, section 2.3).
  double micro_batches = 24;
  double global = 0;          ///< sequences of a step
  double virtual_stages = 1;
  double activation_bytes = 2, parameter_bytes = 2, gradient_bytes = 4;
  bool sequence_parallel = true;
  bool distributed_optimizer = true;
  bool hide_data_parallel = false, hide_tensor = false;  ///< overlapped with compute

  /// With the sequence and batch that `sizes` name.
  ModelShape trained_as(const ParallelSizes& sizes) const;
  /// Whether each replica updates its part of the parameters only: Megatron's distributed optimizer, ZeRO
  /// 1 and 2.
  bool shards_optimizer(const ParallelSizes& sizes) const;
  double micro_batch_count(const ParallelSizes& sizes) const;
  /// Payload of the group's collective per rank and step, as nccl-tests counts "size"; the
  /// collective is the one that graph_from_parallel() gives the group. "fsdp": one all-gather's;
  /// "fsdp-grad".
  double payload(const ParallelSizes& sizes, std::string_view group) const;
};

}  // namespace topolaunch::mapping
