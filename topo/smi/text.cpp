// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "topo/smi/device_list.h"
#include "topo/smi/matrix.h"
#include "topo/smi/prefix.h"
#include "topo/smi/query.h"

namespace topolaunch::topo {
namespace {

using smi::Line;

constexpr const char* kOneFile =
    "give each machine a file of its own: nvidia-smi topo -m > HOST.txt";
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

/// rocm-smi --showtopo, amd-smi topology: tables much like nvidia-smi's, of other words.
bool is_amd(const Line& line) {
  static constexpr std::array<std::string_view, 5> kMarks{
      "ROCm System Management", "ROCm SMI Log",
      " between two GPUs =", "LINK TYPE TABLE:", "ACCESS TABLE:"};
  return std::ranges::any_of(kMarks,
                             [&](auto mark) { return line.text.find(mark) != std::string::npos; });
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file, const std::string& host)
      : lines_(smi::pasted_lines_of(text)), prefix_(smi::strip_prefix(lines_)), file_(file), host_(host) {
    if (host_.empty()) host_ = prefix_.host;
  }

  Result<std::vector<Fact>> read() {
    if (auto fits = refuse_others(); !fits) return fail(std::move(fits.error()));
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
    if (auto one = is_one_machine(); !one) return fail(std::move(one.error()));
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

  tl::unexpected<Error> bad(int line, std::string message, std::string next) const {
    return fail(Error{Code::invalid_input, std::move(message), std::move(next), file_, line});
  }

  /// Texts that are recognised to be refused by name.
  Status refuse_others() const {
    if (const auto amd = std::ranges::find_if(lines_, is_amd); amd != lines_.end()) {
      return bad(
          amd->number, "this is what AMD's rocm-smi or amd-smi prints, which is not read",
          "give the topology XML of RCCL (NCCL_TOPO_DUMP_FILE) or of lstopo (lstopo topo.xml)");
    }
    if (!prefix_.other.empty()) {
      return bad(prefix_.other_line,
                 fmt::format("lines of '{}' behind lines of '{}': a file is of one machine",
                             prefix_.other, prefix_.text),
                 kOneFile);
    }
    return {};
  }

  /// The driver's numbers are one machine's: a number has one UUID.
  Status is_one_machine() const {
    std::map<int, std::string> uuids;
    for (const Fact& fact : facts_) {
      const auto* gpu = std::get_if<GpuFact>(&fact.what);
      if (gpu == nullptr || !gpu->index || gpu->uuid.empty()) continue;
      const auto [at, added] = uuids.emplace(*gpu->index, gpu->uuid);
      if (added || at->second == gpu->uuid) continue;
      return bad(fact.origin.line,
                 fmt::format("GPU {} is {}, and {} further up: a file is of one machine",
                             *gpu->index, gpu->uuid, at->second),
                 kOneFile);
    }
    return {};
  }

  /// A table that stands in the text already is passed over. Of topo -p2p there are several (read,
  /// write, atomics) of one machine.
  Result<bool> is_new(const smi::Matrix& matrix) const {
    for (const auto& before : matrices_) {
      if (smi::same_table(before, matrix)) return false;
      const bool p2p = smi::is_p2p(matrix);
      if (smi::is_p2p(before) != p2p || (p2p && before.columns == matrix.columns)) continue;
      return bad(
          matrix.line,
          fmt::format("the table says other things than the one on line {}: a file is of one "
                      "machine",
                      before.line),
          kOneFile);
    }
    return true;
  }

  Status take_matrix() {
    auto matrix = smi::take_matrix(lines_, at_, file_);
    if (!matrix) return fail(std::move(matrix.error()));
    const auto added = is_new(*matrix);
    if (!added) return tl::unexpected(added.error());
    if (!*added) return {};
    auto facts = smi::facts_of(*matrix, file_, host_);
    if (!facts) return fail(std::move(facts.error()));
    links_seen_ = links_seen_ || std::any_of(facts->begin(), facts->end(), [](const Fact& fact) {
                    return std::holds_alternative<GpuLinkFact>(fact.what);
                  });
    take(std::move(*facts));
    matrices_.push_back(std::move(*matrix));
    return {};
  }

  /// Of several lists the first that has links that are down tells of them.
  void take_list(std::vector<smi::ListedGpu> list) {
    const auto down = [](const auto& gpu) { return gpu.inactive > 0; };
    for (auto& gpu : list) gpu.inactive = down_seen_ ? 0 : gpu.inactive;
    down_seen_ = down_seen_ || std::ranges::any_of(list, down);
    lists_.push_back(std::move(list));
  }

  Status read_output() {
    const Line& line = lines_[at_];
    if (auto lost = smi::lost_gpu(line, file_, host_)) {
      take({std::move(*lost)});
      ++at_;
    } else if (smi::begins_matrix(line)) {
      return take_matrix();
    } else if (smi::begins_device_list(line)) {
      auto list = smi::take_device_list(lines_, at_, file_);
      if (!list) return fail(std::move(list.error()));
      take_list(std::move(*list));
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
  smi::Prefix prefix_;
  const std::string& file_;
  std::string host_;
  std::size_t at_ = 0;
  std::vector<Fact> facts_;
  std::vector<std::vector<smi::ListedGpu>> lists_;
  std::vector<smi::Matrix> matrices_;
  bool links_seen_ = false, down_seen_ = false;
  int strange_ = 0, first_strange_ = 0;
};

}  // namespace

bool looks_like_smi(std::string_view text) {
  // Enough for any banner, little enough for a file of another kind.
  auto lines = smi::pasted_lines_of(text.substr(0, std::size_t{1} << 16));
  if (lines.size() > kLookedAt) lines.resize(kLookedAt);
  smi::strip_prefix(lines);
  return std::ranges::any_of(lines, [](const Line& line) {
    return begins_output(line) || is_amd(line);  // AMD's: to be refused by name
  });
}

Result<std::vector<Fact>> facts_from_smi(std::string_view text, const std::string& file,
                                         const std::string& host) {
  return Reader(text, file, host).read();
}

}  // namespace topolaunch::topo
