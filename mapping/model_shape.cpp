// SPDX-License-Identifier: Apache-2.0
#include "mapping/model_shape.h"

#include <algorithm>

namespace topolaunch::mapping {

ModelShape ModelShape::trained_as(const ParallelSizes& sizes) const {
  ModelShape shape = *this;
  if (sizes.seq > 0) shape.sequence = sizes.seq;
  if (sizes.mbs > 0) shape.micro = sizes.mbs;
  if (sizes.gbs > 0) shape.global = sizes.gbs;
  if (shape.experts_are_its_own && sizes.ep == 1 && (sizes.etp == 0 || sizes.etp == sizes.tp)) {
    shape.parameters += shape.expert_parameters;
    shape.expert_parameters = 0;
  }
  return shape;
}

double ModelShape::micro_batch_count(const ParallelSizes& sizes) const {
  if (global > 0) return std::max(1.0, global / (micro * sizes.dp));
  return micro_batches > 0 ? micro_batches : 4.0 * sizes.pp;
}

double ModelShape::payload(const ParallelSizes& s, std::string_view group) const {
  const double m = micro_batch_count(s);
  const double stage = std::max(1.0, layers / s.pp), moe_stage = std::max(1.0, moe_layers / s.pp);
  const double activation = micro * sequence * hidden * activation_bytes / s.cp;
  // With sequence parallelism 6 all-gathers and 4 reduce-scatters a layer = 5 allreduces' worth;
  // without, 4 allreduces.
  if (group == "tp" || group == "etp") return (sequence_parallel ? 5 : 4) * stage * m * activation;
  // K and V forward, K, V and their gradients backward: three rounds of two tensors.
  if (group == "cp") return 6 * stage * m * activation * kv_width / hidden / s.tp * (s.cp - 1);
  // Dispatch and combine, forward and backward.
  if (group == "ep") return 4 * moe_stage * m * top_k * capacity * activation / s.tp;
  // Without sequence parallelism every rank of tp sends the whole activation.
  if (group == "pp") return 2 * m * activation / (sequence_parallel ? s.tp : 1) * virtual_stages;
  const double shard = parameters / (static_cast<double>(s.tp) * s.pp);
  if (group == "fsdp")
    return 2 * m * parameter_bytes * shard;  // gathered forward and backward, each micro-batch
  if (group == "fsdp-grad") return m * gradient_bytes * shard;
  // Reduce-scatter of gradients and all-gather of parameters: the mean of both; or an allreduce of
  // gradients.
  const double bytes = shards_optimizer(s) ? (gradient_bytes + parameter_bytes) / 2 : gradient_bytes;
  if (group == "dp")
    return s.zero == 3 && s.shard > 0 ? gradient_bytes * shard / s.shard : bytes * shard;
  const int expert_tp = s.etp > 0 ? s.etp : s.tp;
  return bytes * expert_parameters / (static_cast<double>(expert_tp) * s.pp * s.ep);  // edp
}

bool ModelShape::shards_optimizer(const ParallelSizes& s) const {
  return s.zero > 0 || (s.zero < 0 && distributed_optimizer);
}

}  // namespace topolaunch::mapping
