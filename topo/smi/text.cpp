// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "topo/smi/device_list.h"
#include "topo/smi/matrix.h"
#include "topo/smi/query.h"

namespace topolaunch::topo {
namespace {

using smi::Line;

constexpr std::size_t kLookedAt = 200;  ///< lines; a banner, prompts and warnings may stand before

/// Prompts and what else surrounds the outputs and says nothing.
bool is_frame(const Line& line) {
  const auto text = smi::trimmed(line.text);
  return text.empty() || text.find("nvidia-smi") != std::string_view::npos ||
         text.starts_with("```");
}

bool begins_output(const Line& line) {
  return smi::begins_matrix(line) || smi::begins_device_list(line) || smi::begins_query(line) ||
         smi::lost_gpu(line, {}, {}).has_value();
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file, const std::string& host)
      : lines_(smi::lines_of(text)), file_(file), host_(host) {}

  Result<std::vector<Fact>> read() {
    while (at_ < lines_.size()) {
      const std::size_t before = at_;
      if (auto done = read_output(); !done) return fail(std::move(done.error()));
      if (at_ == before) ++at_;  // a line of no output
    }
    for (const auto& list : lists_) {
      take(smi::facts_of(list, links_seen_, file_, host_));
      // Of nvlink -s and -R in one text only the first tells of links, or they would be counted twice.
      links_seen_ = links_seen_ ||
                    std::ranges::any_of(list, [](const auto& gpu) { return gpu.links > 0; });
    }
    if (facts_.empty()) {
      return fail(Error{Code::invalid_input, "the text of nvidia-smi holds no GPU", {}, file_, 0});
    }
    if (strange_ > 0) {
      take({Fact{{"nvidia-smi", file_, first_strange_},
                 host_,
                 WarningFact{{"smi-passed-over", Warning::Severity::note, file_, first_strange_,
                              fmt::format("{} {} no output of nvidia-smi that is read here",
                                          strange_, strange_ == 1 ? "line is" : "lines are")}}}});
    }
    return std::move(facts_);
  }

 private:
  void take(std::vector<Fact> facts) { std::ranges::move(facts, std::back_inserter(facts_)); }

  Status read_output() {
    const Line& line = lines_[at_];
    if (auto lost = smi::lost_gpu(line, file_, host_)) {
      take({std::move(*lost)});
      ++at_;
    } else if (smi::begins_matrix(line)) {
      auto matrix = smi::take_matrix(lines_, at_, file_);
      if (!matrix) return fail(std::move(matrix.error()));
      auto facts = smi::facts_of(*matrix, file_, host_);
      if (!facts) return fail(std::move(facts.error()));
      links_seen_ = links_seen_ || std::any_of(facts->begin(), facts->end(), [](const Fact& fact) {
                      return std::holds_alternative<GpuLinkFact>(fact.what);
                    });
      take(std::move(*facts));
    } else if (smi::begins_device_list(line)) {
      auto list = smi::take_device_list(lines_, at_, file_);
      if (!list) return fail(std::move(list.error()));
      lists_.push_back(std::move(*list));
    } else if (smi::begins_query(line)) {
      auto facts = smi::take_query(lines_, at_, file_, host_);
      if (!facts) return fail(std::move(facts.error()));
      take(std::move(*facts));
    } else if (!is_frame(line)) {
      if (strange_++ == 0) first_strange_ = line.number;
    }
    return {};
  }

  std::vector<Line> lines_;
  const std::string& file_;
  const std::string& host_;
  std::size_t at_ = 0;
  std::vector<Fact> facts_;
  std::vector<std::vector<smi::ListedGpu>> lists_;
  bool links_seen_ = false;
  int strange_ = 0, first_strange_ = 0;
};

}  // namespace

bool looks_like_smi(std::string_view text) {
  // Enough for any banner, little enough for a file of another kind.
  auto lines = smi::lines_of(text.substr(0, std::size_t{1} << 16));
  if (lines.size() > kLookedAt) lines.resize(kLookedAt);
  return std::any_of(lines.begin(), lines.end(), begins_output);
}

Result<std::vector<Fact>> facts_from_smi(std::string_view text, const std::string& file,
                                         const std::string& host) {
  return Reader(text, file, host).read();
}

}  // namespace topolaunch::topo
