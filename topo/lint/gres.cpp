// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/gres.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/lower_case.h"
#include "topo/host_list.h"
#include "topo/smi/lines.h"

namespace topolaunch::topo {
namespace {

constexpr std::size_t kMostFiles = 4096;
constexpr std::size_t kMostLines = 4096, kMostNames = std::size_t{1} << 20;

struct Pair {
  std::string key, value;
};

std::vector<Pair> pairs_of(std::string_view line) {
  std::vector<Pair> pairs;
  for (const auto word : smi::words_of(line.substr(0, line.find('#')))) {
    const auto equals = word.find('=');
    pairs.push_back({lower_case(word.substr(0, equals)),
                     std::string(equals == std::string_view::npos ? "" : word.substr(equals + 1))});
  }
  return pairs;
}

std::string value_of(const std::vector<Pair>& pairs, std::string_view key) {
  for (const auto& pair : pairs) {
    if (pair.key == key) return pair.value;
  }
  return {};
}

/// "/dev/nvidia[0-3],/dev/nvidia7": a host list behind a path that a host list may not hold.
std::optional<std::vector<std::string>> files_of(const std::string& text) {
  std::vector<std::string> files;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    const std::string part = text.substr(begin, i - begin);
    begin = i + 1;
    const auto slash = part.rfind('/', part.find('['));
    const auto path = slash == std::string::npos ? std::string() : part.substr(0, slash + 1);
    const auto names = expand_host_list(part.substr(path.size()));
    if (!names || files.size() + names->size() > kMostFiles) return {};
    for (const auto& name : *names) files.push_back(path + name);
  }
  return files;
}

}  // namespace

bool looks_like_gres(std::string_view text) {
  for (const auto& line : smi::lines_of(text.substr(0, std::size_t{1} << 16))) {
    const auto pairs = pairs_of(line.text);
    if (pairs.empty()) continue;
    if (pairs[0].key == "autodetect" || pairs[0].key == "name") return true;
    return pairs[0].key == "nodename" && pairs.size() > 1 &&
           (!value_of(pairs, "name").empty() || !value_of(pairs, "autodetect").empty());
  }
  return false;
}

Result<std::vector<GresLine>> read_gres(std::string_view text, const std::string& file) {
  std::vector<GresLine> out;
  std::size_t names = 0;
  for (const auto& line : smi::lines_of(text)) {
    const auto pairs = pairs_of(line.text);
    if (value_of(pairs, "name") != "gpu") continue;
    const auto bad = [&](const std::string& what) {
      return fail(Error{Code::invalid_input, fmt::format("{} can't be read", what),
                        "a line is like NodeName=n[1-8] Name=gpu File=/dev/nvidia[0-3] Cores=0-55",
                        file, line.number});
    };
    GresLine gres;
    gres.line = line.number;
    if (const auto nodes = value_of(pairs, "nodename"); !nodes.empty()) {
      auto hosts = expand_host_list(nodes);
      if (!hosts) return bad("NodeName=" + nodes);
      gres.hosts = std::move(*hosts);
      names += gres.hosts.size();
    }
    const auto many = value_of(pairs, "multiplefiles");
    gres.multiple_files = !many.empty();
    if (const auto files = many.empty() ? value_of(pairs, "file") : many; !files.empty()) {
      auto paths = files_of(files);
      if (!paths) return bad("File=" + files);
      gres.files = std::move(*paths);
    }
    for (const char* key : {"cores", "cpus"}) {
      const auto cores = value_of(pairs, key);
      if (cores.empty()) continue;
      auto set = CpuSet::from_list(cores);
      if (!set) return bad("Cores=" + cores);
      gres.cores = std::move(*set);
    }
    if (const auto list = value_of(pairs, "links"); !list.empty()) {
      std::string_view links = list;
      while (true) {
        const auto comma = links.find(',');
        const auto number = links.substr(0, comma);
        const auto count = smi::whole_number(number);
        if (!count && number != "-1") return bad("Links=" + list);
        gres.links.push_back(count.value_or(-1));
        if (comma == std::string_view::npos) break;
        links.remove_prefix(comma + 1);
      }
    }
    out.push_back(std::move(gres));
    if (out.size() > kMostLines || names > kMostNames) {
      return fail(
          Error{Code::invalid_input, "more GPUs than any cluster has", {}, file, line.number});
    }
  }
  return out;
}

}  // namespace topolaunch::topo
