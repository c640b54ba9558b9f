// SPDX-License-Identifier: Apache-2.0
#include "bench/nccl_log.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>

#include "bench/collective.h"

namespace topolaunch::bench {
namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::istringstream in{std::string(line)};
  for (std::string word; in >> word;) words.push_back(std::move(word));
  return words;
}

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

/// time algbw busbw #wrong
bool read_timing(const std::vector<std::string>& words, std::size_t at, Timing& t) {
  const auto time = number(words[at]), algbw = number(words[at + 1]), busbw = number(words[at + 2]);
  if (!time || !algbw || !busbw) return false;
  t.time = t.p50 = Seconds(*time / 1e6);
  t.algbw = *algbw * 1e9;
  t.busbw = *busbw * 1e9;
  t.wrong = -1;
  // "1.5e+06" where there are many; releases before 2.12 print the largest error there: 4e-07 is
  // none.
  if (const auto wrong = number(words[at + 3])) t.wrong = std::llround(*wrong);
  return true;
}

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  Status line(std::string_view text, int number) {
    const auto words = words_of(text);
    if (words.empty()) return {};
    if (words[0] == "#") {
      comment(text, words, number);
      return {};
    }
    if (whole(words[0]) && words.size() >= 12) return row(words, number);
    if (text.find("failure") != std::string_view::npos ||
        text.find("Error") != std::string_view::npos ||
        text.find("error") != std::string_view::npos) {
      if (!runs_.empty()) runs_.back().complaints.emplace_back(text);
    }
    return {};
  }
  std::vector<NcclRun> take() {
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
    } else if (text.find("Out of bounds values") != std::string_view::npos) {
      current(line).said_failed = words.back() == "FAILED";
    } else if (text.find("Avg bus bandwidth") != std::string_view::npos) {
      NcclRun& run = current(line);
      run.said_average = number(words.back()).value_or(0);
      run.ended = true;
    }
  }

  Status row(const std::vector<std::string>& words, int line) {
    NcclRun& run = current(line);
    SizeResult r;
    r.size = integer(words[0], 0);
    r.count = integer(words[1], 0);
    r.type = words[2];
    r.redop = words[3];
    // Releases before 2.11 have no column for the root.
    const bool has_root = words.size() >= 13;
    if (has_root) r.root = static_cast<int>(integer(words[4], -1));
    const std::size_t at = has_root ? 5 : 4;
    if (!read_timing(words, at, r.out_of_place) || !read_timing(words, at + 4, r.in_place)) {
      return fail(Error{Code::invalid_input, "a row of figures that can't be read",
                        "nccl-tests' columns: "
                        "size count type redop root, then time algbw busbw #wrong twice",
                        file_, line});
    }
    run.measurement.results.push_back(std::move(r));
    return {};
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
    summarise(m);
  }

  const std::string& file_;
  std::string program_ = "allreduce", version_;
  std::vector<NcclRun> runs_;
};

}  // namespace

bool is_nccl_log(std::string_view text) {
  return text.find("# nThread ") != std::string_view::npos ||
         text.find("# nccl-tests version") != std::string_view::npos ||
         (text.find("#  Rank ") != std::string_view::npos &&
          text.find("busbw") != std::string_view::npos);
}

Result<std::vector<NcclRun>> nccl_runs(std::string_view text, const std::string& file) {
  Reader reader(file);
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (auto s = reader.line(line, ++number); !s) return fail(std::move(s).error());
    at = end + 1;
  }
  auto runs = reader.take();
  if (runs.empty()) {
    return fail(Error{Code::invalid_input, "no run of nccl-tests in it",
                      "the whole output of all_reduce_perf "
                      "and the like, or its JSON (-J)",
                      file, 0});
  }
  return runs;
}

}  // namespace topolaunch::bench
