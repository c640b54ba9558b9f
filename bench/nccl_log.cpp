// SPDX-License-Identifier: Apache-2.0
#include "bench/nccl_log.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>

#include "base/rank_tag.h"
#include "bench/collective.h"
#include "bench/nccl_row.h"

namespace topolaunch::bench {
namespace {

std::optional<double> number(const std::string& word) {
  char* end = nullptr;
  const double v = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0' || !std::isfinite(v)) return std::nullopt;
  return v;
}

bool whole(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

std::int64_t integer(const std::string& word, std::int64_t fallback) {
  std::int64_t v = fallback;
  std::from_chars(word.data(), word.data() + word.size(), v);
  return v;
}

/// The word behind `name`, or nothing.
const std::string* behind(const std::vector<std::string>& words, std::string_view name) {
  const auto it = std::ranges::find(words, name);
  return it == words.end() || it + 1 == words.end() ? nullptr : &*(it + 1);
}

/// "#  Rank  0 Group  0 Pid 440010 on cnode2-001 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3"
std::optional<Device> device_of(const std::vector<std::string>& words) {
  if (words.size() < 8 || words[1] != "Rank" || !whole(words[2])) return std::nullopt;
  const std::string *pid = behind(words, "Pid"), *host = behind(words, "on"),
                    *index = behind(words, "device");
  if (pid == nullptr || host == nullptr) return std::nullopt;
  Device d;
  d.rank = static_cast<int>(integer(words[2], 0));
  d.pid = static_cast<int>(integer(*pid, 0));
  d.host = *host;
  if (index != nullptr) d.index = static_cast<int>(integer(*index, -1));
  const auto address =
      std::ranges::find_if(words, [](const std::string& w) { return w.starts_with("["); });
  if (address != words.end()) {
    d.device = address->substr(
        1, address->find(']') == std::string::npos ? address->size() : address->find(']') - 1);
    for (auto it = address + 1; it != words.end(); ++it)
      d.info += (d.info.empty() ? "" : " ") + *it;
  }
  return d;
}

bool tells_an_error(std::string_view line) {
  if (line.find("NCCL INFO") != std::string_view::npos) return false;
  return line.find("failure") != std::string_view::npos ||
         line.find("Error") != std::string_view::npos ||
         line.find("error") != std::string_view::npos ||
         line.find("exited on signal") != std::string_view::npos;
}

class Reader {
 public:
  void line(std::string_view text, int number) {
    const std::string_view own =
        runs_.empty() ? text : before_message(text, runs_.back().measurement.devices);
    const auto words = words_of(own);
    if (!words.empty() && words[0] == "#") {
      end_row();
      comment(own, words, number);
    } else if (begins_row(words)) {
      end_row();
      row_ = words;
      row_line_ = number;
      current(number);
    } else if (!row_.empty() && continues_row(words) && !row_of(row_)) {
      row_.insert(row_.end(), words.begin(), words.end());
    } else if (tells_an_error(text) && !runs_.empty()) {
      runs_.back().complaints.emplace_back(text);
    }
  }
  std::vector<NcclRun> take() {
    end_row();
    unmix();
    for (NcclRun& run : runs_) finish(run);
    return std::move(runs_);
  }

 private:
  /// Lines of several programs, mixed, look like runs that begin without devices and end twice.
  /// Where all that a log names is rank 0, several times, it is one start of so many worlds.
  void unmix() {
    std::size_t roots = 0, without_devices = 0;
    for (const NcclRun& run : runs_) {
      without_devices += run.measurement.devices.empty() ? 1U : 0U;
      for (const Device& d : run.measurement.devices) {
        if (d.rank != 0) return;
        ++roots;
      }
    }
    if (without_devices == 0 || roots < 2) return;
    NcclRun all = std::move(runs_.front());
    for (std::size_t i = 1; i < runs_.size(); ++i) {
      Measurement &into = all.measurement, &from = runs_[i].measurement;
      into.devices.insert(into.devices.end(), from.devices.begin(), from.devices.end());
      into.results.insert(into.results.end(), from.results.begin(), from.results.end());
      all.complaints.insert(all.complaints.end(), runs_[i].complaints.begin(),
                            runs_[i].complaints.end());
      all.unread.insert(all.unread.end(), runs_[i].unread.begin(), runs_[i].unread.end());
      all.ended = all.ended && runs_[i].ended;
      all.said_failed = all.said_failed || runs_[i].said_failed;
    }
    runs_.clear();
    runs_.push_back(std::move(all));
  }
  NcclRun& fresh(int line) {
    NcclRun& run = runs_.emplace_back();
    run.line = line;
    run.measurement.backend = "nccl";
    run.measurement.backend_why = "nccl-tests";
    run.measurement.collective = program_;
    run.measurement.backend_version = version_;
    return run;
  }
  /// The run that a line belongs to: the last one unless that has ended.
  NcclRun& current(int line) {
    return runs_.empty() || runs_.back().ended ? fresh(line) : runs_.back();
  }

  void comment(std::string_view text, const std::vector<std::string>& words, int line) {
    if (const auto device = device_of(words)) {
      current(line).measurement.devices.push_back(*device);
    } else if (text.find("Collective test starting:") != std::string_view::npos) {
      if (const auto collective = collective_named(words.back())) {
        program_ = name_of(*collective);
      } else {
        program_ = words.back();
      }
    } else if (const auto at = text.find("nccl-library="); at != std::string_view::npos) {
      const std::int64_t v = integer(std::string(text.substr(at + 13)), 0);
      version_ = std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." +
                 std::to_string(v % 100);
    } else if (words.size() > 2 && words[1] == "nThread") {
      Configuration& c = current(line).measurement.configuration;
      const auto take = [&](const char* name) {
        const std::string* v = behind(words, name);
        return v == nullptr ? std::int64_t{0} : integer(*v, 0);
      };
      c.minimum_bytes = take("minBytes");
      c.maximum_bytes = take("maxBytes");
      c.iterations = static_cast<int>(take("iters:"));
      c.check_iterations = static_cast<int>(take("validation:"));
      const std::string* const step = behind(words, "step:");
      if (step != nullptr && step->ends_with("(factor)")) {
        c.step_factor = static_cast<int>(take("step:"));
      } else {
        c.step_bytes = take("step:");
      }
    } else if (text.find("Out of bounds values") != std::string_view::npos) {
      current(line).said_failed = words.back() == "FAILED";
    } else if (text.find("Avg bus bandwidth") != std::string_view::npos) {
      NcclRun& run = current(line);
      run.said_average = number(words.back()).value_or(0);
      run.ended = true;
    }
  }

  /// The row that was begun is whole, or will never be.
  void end_row() {
    if (row_.empty()) return;
    NcclRun& run = current(row_line_);
    if (auto row = row_of(row_)) {
      run.measurement.results.push_back(std::move(*row));
    } else {
      run.unread.push_back(row_line_);
    }
    row_.clear();
  }

  static void finish(NcclRun& run) {
    Measurement& m = run.measurement;
    std::set<std::string> hosts;
    int roots = 0;
    for (const Device& d : m.devices) {
      hosts.insert(d.host);
      roots += d.rank == 0 ? 1 : 0;
    }
    run.worlds = std::max(roots, 1);
    m.ranks = static_cast<int>(m.devices.size());
    m.hosts = static_cast<int>(hosts.size());
    if (m.collective.empty()) m.collective = collective_by_rows(m);
    if (m.collective.empty()) m.collective = "an unnamed collective";
    summarise(m);
  }

  std::string program_, version_;
  std::vector<std::string> row_;  ///< begun and, in a log of NCCL's messages, perhaps in pieces
  int row_line_ = 0;
  std::vector<NcclRun> runs_;
};

}  // namespace

int sizes_asked_for(const Configuration& c) {
  if (c.maximum_bytes < c.minimum_bytes || c.minimum_bytes <= 0) return 0;
  if (c.step_factor < 2) {
    if (c.step_bytes <= 0) return 0;
    return static_cast<int>((c.maximum_bytes - c.minimum_bytes) / c.step_bytes) + 1;
  }
  int sizes = 1;
  for (std::int64_t size = c.minimum_bytes; size <= c.maximum_bytes / c.step_factor; ++sizes) {
    size *= c.step_factor;
  }
  return sizes;
}

bool is_nccl_log(std::string_view text) {
  return text.find("# nThread ") != std::string_view::npos ||
         text.find("# nccl-tests version") != std::string_view::npos ||
         (text.find("#  Rank ") != std::string_view::npos &&
          text.find("busbw") != std::string_view::npos);
}

Result<std::vector<NcclRun>> nccl_runs(std::string_view text, const std::string& file) {
  Reader reader;
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    reader.line(without_rank_tag(line), ++number);
    at = end + 1;
  }
  auto runs = reader.take();
  if (runs.empty()) {
    return fail(Error{Code::invalid_input, "no run of nccl-tests in it",
                      "the whole output of all_reduce_perf "
                      "and the like, or its JSON (-J)",
                      file, 0});
  }
  for (const NcclRun& run : runs) {
    if (!run.measurement.results.empty() || run.unread.empty()) continue;
    return fail(Error{Code::invalid_input, "no row of figures can be read, from this one on",
                      "nccl-tests' columns: size count type [redop] [root], then time algbw busbw "
                      "#wrong twice",
                      file, run.unread.front()});
  }
  return runs;
}

}  // namespace topolaunch::bench
