// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/rank_command.h"

#include <algorithm>

#include "topo/smi/lines.h"

namespace topolaunch::topo {
namespace {

bool same_option(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return x == y || (x == '_' && y == '-') || (x == '-' && y == '_');
  });
}

std::string_view bare(std::string_view word) {
  while (!word.empty() && (word.front() == '"' || word.front() == '\'')) word.remove_prefix(1);
  while (!word.empty() && (word.back() == '"' || word.back() == '\'')) word.remove_suffix(1);
  return word;
}

}  // namespace

std::optional<std::string_view> option_of(std::string_view command, std::string_view name) {
  const auto words = smi::words_of(command);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    if (!same_option(words[i].substr(0, equals), name)) continue;
    if (equals != std::string_view::npos) return bare(words[i].substr(equals + 1));
    if (i + 1 < words.size()) return bare(words[i + 1]);
  }
  return {};
}

RankCommand rank_command(std::string_view command) {
  RankCommand out;
  for (const auto word : smi::words_of(command)) {
    const auto program = bare(word).substr(bare(word).rfind('/') + 1);
    if (program == "torchrun" || program == "torch.distributed.run" ||
        program == "torch.distributed.launch") {
      out.torchrun = true;
    }
  }
  if (!out.torchrun) return out;
  const auto ranks = option_of(command, "--nproc-per-node");
  if (ranks) {
    out.ranks_per_host = smi::whole_number(*ranks);
  } else {
    out.ranks_per_host = 1;  // torchrun's own default
  }
  return out;
}

}  // namespace topolaunch::topo
