// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/device_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace topolaunch::topo::smi {
namespace {

constexpr int kMostLinks = 64;  ///< a GPU has at most 18 today (NVLink 5)
constexpr std::size_t kMostGpus = 256, kMostMig = 64;

constexpr std::string_view kUuid = "(UUID: ";
constexpr std::string_view kAllDown = "all links are in";  // "inActive", "inactive"

/// "GPU-..." of "(UUID: GPU-...)"; empty if there is none or it isn't closed.
std::string uuid_of(std::string_view text) {
  const auto at = text.find(kUuid);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + kUuid.size());
  const auto end = text.find(')');
  return end == std::string_view::npos ? std::string() : std::string(text.substr(0, end));
}

/// "GPU 0: NAME (UUID: ...)", "GPU 0: NAME"
std::optional<ListedGpu> gpu_of(const Line& line) {
  const auto words = words_of(line.text);
  if (words.size() < 3 || words[0] != "GPU" || !words[1].ends_with(':')) return {};
  const auto number = whole_number(words[1].substr(0, words[1].size() - 1));
  if (!number) return {};
  ListedGpu gpu;
  gpu.line = line.number;
  gpu.number = *number;
  gpu.uuid = uuid_of(line.text);
  const std::string_view text = line.text;
  const auto begin = text.find(": ") + 2;
  gpu.model = trimmed(text.substr(begin, text.find(kUuid) - begin));
  return gpu;
}

enum class Read { yes, no, other };

/// "MIG 1g.10gb+me  Device  3: (UUID: MIG-...)"
Read read_mig(const std::vector<std::string_view>& words, const Line& line, ListedGpu& gpu) {
  if (words[0] != "MIG") return Read::other;
  MigInstance mig;
  mig.uuid = uuid_of(line.text);
  if (words.size() < 4 || words[2] != "Device" || mig.uuid.empty()) return Read::no;
  mig.profile = words[1];
  gpu.mig.push_back(std::move(mig));
  return gpu.mig.size() <= kMostMig ? Read::yes : Read::no;
}

/// "Link 3: 26.562 GB/s", "Link 3: <inactive>"; of nvlink -p "Link 3: 00000000:CD:00.0", of nvlink -R
/// "Link 3: Remote Device 00000000:CD:00.0: Link 25". The text does not tell which GPU has that
/// address, nor whether it is one: only that the link is up.
Read read_link(const std::vector<std::string_view>& words, ListedGpu& gpu) {
  if (words[0] != "Link" || words.size() < 3) return Read::other;
  if (words[2] == "<inactive>") {
    return ++gpu.inactive + gpu.links <= kMostLinks ? Read::yes : Read::no;
  }
  std::string_view end = words[2];
  if (words.size() >= 5 && words[2] == "Remote" && words[3] == "Device") {
    end = words[4].substr(0, words[4].find_last_not_of(':') + 1);
  }
  if (PciAddress::parse(end)) {
    return ++gpu.links + gpu.inactive <= kMostLinks ? Read::yes : Read::no;
  }
  const auto rate =
      parse_bandwidth(fmt::format("{}", fmt::join(words.begin() + 2, words.end(), "")));
  if (!rate) return Read::no;
  gpu.bandwidth =
      Bandwidth::bytes_per_second(gpu.bandwidth.bytes_per_second() + rate->bytes_per_second());
  return ++gpu.links + gpu.inactive <= kMostLinks ? Read::yes : Read::no;
}

}  // namespace

bool begins_device_list(const Line& line) { return gpu_of(line).has_value(); }

Result<std::vector<ListedGpu>> take_device_list(const std::vector<Line>& lines, std::size_t& at,
                                                const std::string& file) {
  std::vector<ListedGpu> gpus;
  const auto bad = [&](const Line& line, std::string message) {
    return fail(Error{Code::invalid_input, std::move(message),
                      "paste the whole output of nvidia-smi -L or nvidia-smi nvlink -s, -p, -R", file,
                      line.number});
  };
  for (; at < lines.size(); ++at) {
    const Line& line = lines[at];
    const auto words = words_of(line.text);
    if (words.empty()) continue;
    if (auto gpu = gpu_of(line)) {
      const auto same = [&](const ListedGpu& other) { return other.number == gpu->number; };
      if (std::any_of(gpus.begin(), gpus.end(), same)) break;  // the next list begins
      if (gpus.size() == kMostGpus) return bad(line, fmt::format("more than {} GPUs", kMostGpus));
      gpus.push_back(std::move(*gpu));
      continue;
    }
    ListedGpu& last = gpus.back();  // a list begins with a GPU
    Read read = read_mig(words, line, last);
    if (read == Read::other) read = read_link(words, last);
    if (read == Read::other && line.text.find(kAllDown) != std::string::npos) {
      last.all_down = true;
      read = Read::yes;
    }
    if (read == Read::other) break;
    if (read == Read::yes) continue;
    if (at + 1 == lines.size() && !line.whole) break;  // cut here; what is whole counts
    return bad(line, fmt::format("'{}' can't be read", trimmed(line.text).substr(0, 60)));
  }
  return gpus;
}

std::vector<Fact> facts_of(const std::vector<ListedGpu>& gpus, bool ends_known,
                           const std::string& file, const std::string& host) {
  std::vector<Fact> facts;
  for (const auto& listed : gpus) {
    const auto add = [&](auto what) {
      facts.push_back({{"nvidia-smi", file, listed.line}, host, std::move(what)});
    };
    GpuFact gpu;
    gpu.index = listed.number;
    gpu.uuid = listed.uuid;
    gpu.model = listed.model;
    gpu.pci_vendor = 0x10de;
    gpu.mig = listed.mig;
    gpu.mig_enabled = !listed.mig.empty();
    add(std::move(gpu));
    if (listed.inactive > 0 || (listed.links > 0 && !ends_known)) {
      GpuLinkFact link;
      link.from.uuid = listed.uuid;
      link.from.index = listed.number;
      link.count = ends_known ? 0 : listed.links;
      link.inactive = listed.inactive;
      if (!ends_known) link.bandwidth = listed.bandwidth;
      if (link.count + link.inactive > 0) add(std::move(link));
    }
    if (listed.all_down) {
      add(WarningFact{
          {"nvlink-all-down", Warning::Severity::warning, file, listed.line,
           fmt::format("GPU {} has NVLinks, and all of them are down", listed.number)}});
    }
  }
  return facts;
}

}  // namespace topolaunch::topo::smi
