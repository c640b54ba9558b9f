// SPDX-License-Identifier: Apache-2.0
#include "topo/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "topo/csv_rows.h"
#include "topo/ibnetdiscover.h"
#include "topo/json_format.h"
#include "topo/matrix_market.h"
#include "topo/nccl_pair_log.h"
#include "topo/nccl_xml.h"
#include "topo/pair_csv.h"
#include "topo/plain_text.h"
#include "topo/slurm_conf.h"
#include "topo/slurm_yaml.h"
#include "topo/smi/text.h"
#include "topo/source/hwloc.h"
#include "topo/xml_lines.h"
#include "topo/yaml_as_json.h"

namespace topolaunch::topo {
namespace {

std::string_view without_lead(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) {
    text.remove_prefix(1);
  }
  return text;
}

Result<std::vector<Fact>> read_hwloc(const GivenText& given) {
  // pugixml first: it knows the line of a fault, hwloc doesn't.
  const XmlLines lines(given.text);
  pugi::xml_document document;
  if (auto parsed = parse_xml(given.text, given.file, lines, document); !parsed) {
    return tl::unexpected(std::move(parsed.error()));
  }
  document.reset();
  auto facts = facts_from_hwloc_xml(std::string(given.text), given.file);
  if (facts && !given.host.empty()) {
    for (auto& fact : *facts) {
      if (fact.host.empty()) fact.host = given.host;
    }
  }
  return facts;
}

bool is_nameless_matrix(std::string_view body) {
  const CsvTable table = csv_rows(body.substr(0, 1 << 16));
  if (table.rows.empty() || table.rows.front().cells.size() < 2) return false;
  return std::ranges::all_of(table.rows.front().cells, [&](const std::string& cell) {
    return csv_number(cell, table.separator).has_value();
  });
}

std::string read_by_us() {
  std::string text = "topolaunch reads";
  for (const auto& format : formats()) text += fmt::format(" {};", format.name);
  return text +
         " folders with a machine's /sys and /proc, and the specs synthetic:... and tree:...; "
         "variables and job requests are for topolaunch lint --env, --job";
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> table{
      {"hwloc XML (lstopo topo.xml)",
       [](std::string_view body) { return first_element(body) == "topology"; }, read_hwloc},
      {"NCCL topology XML (NCCL_TOPO_DUMP_FILE)",
       [](std::string_view body) {
         const auto name = first_element(body);  // graphs: recognised to be refused by name
         return name == "system" || name == "graphs" || name == "graph";
       },
       [](const GivenText& given) {
         return facts_from_nccl_xml(given.text, given.file, given.host);
       }},
      {"JSON (docs/formats.md)",
       [](std::string_view body) {
         return body.starts_with('{') || (body.starts_with('[') && looks_like_json_list(body));
       },
       [](const GivenText& given) { return facts_from_json(given); }},
      {"Slurm's topology.yaml", looks_like_topology_yaml,
       [](const GivenText& given) {
         return facts_from_topology_yaml(given.text, given.file, given.part);
       }},
      {"YAML of what JSON says (kubectl get nodes -o yaml)", looks_like_json_in_yaml,
       facts_from_json_in_yaml},
      {"Slurm's topology.conf and scontrol show topology",
       [](std::string_view body) { return looks_like_topology_conf(body); },
       [](const GivenText& given) { return facts_from_topology_conf(given.text, given.file); }},
      {"ibnetdiscover", looks_like_ibnetdiscover,
       [](const GivenText& given) { return facts_from_ibnetdiscover(given.text, given.file); }},
      {"what nvidia-smi prints (topo -m, topo -p2p r, nvlink -s, -R, -L, --query-gpu)", looks_like_smi,
       [](const GivenText& given) {
         return facts_from_smi(given.text, given.file, given.host);
       }},
      {"Matrix Market", looks_like_matrix_market,
       [](const GivenText& given) { return facts_from_matrix_market(given.text, given.file); }},
      {"logs of nccl-tests over two hosts", looks_like_nccl_log,
       [](const GivenText& given) { return facts_from_nccl_log(given.text, given.file); }},
      {"tables of measured pairs (CSV)", looks_like_pair_csv,
       [](const GivenText& given) { return facts_from_pair_csv(given.text, given.file); }},
  };
  return table;
}

std::string_view first_element(std::string_view text) {
  if (!text.starts_with('<')) return {};
  while (true) {
    const auto open = text.find('<');
    if (open == std::string_view::npos) return {};
    text.remove_prefix(open);
    if (text.starts_with("<!--")) {
      const auto end = text.find("-->");
      if (end == std::string_view::npos) return {};
      text.remove_prefix(end + 3);
    } else if (text.starts_with("<?") || text.starts_with("<!")) {
      const auto end = text.find('>');
      if (end == std::string_view::npos) return {};
      text.remove_prefix(end + 1);
    } else {
      text.remove_prefix(1);
      return text.substr(0, text.find_first_of(" \t\r\n/>"));
    }
  }
}

std::string_view recognise(std::string_view text) {
  const std::string_view body = without_lead(text);
  if (body.empty() || text.find('\0') != std::string_view::npos) return {};
  const auto found = std::find_if(formats().begin(), formats().end(),
                                  [body](const Format& format) { return format.fits(body); });
  return found == formats().end() ? std::string_view() : found->name;
}

Result<std::vector<Fact>> facts_from_file(const std::string& text, const std::string& file,
                                          const std::string& host, const std::string& part) {
  const std::string_view body = without_lead(text);
  const auto lead = text.size() - body.size();
  const auto refuse = [&](std::string message, std::string next, std::size_t at) {
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    return fail(Error{Code::invalid_input, std::move(message), std::move(next), file,
                      static_cast<int>(line)});
  };
  if (auto plain = plain_text(text, file, "the topology file", read_by_us()); !plain)
    return tl::unexpected(std::move(plain.error()));
  for (const auto& format : formats()) {
    if (format.fits(body)) return format.read(GivenText{text, body, file, host, part});
  }
  if (is_nameless_matrix(body)) {
    return refuse("the matrix of numbers names no hosts",
                  "its first row and first column name them: ,n1,n2", lead);
  }
  if (body.front() != '<') {
    return refuse("the topology file is of no kind that topolaunch knows", read_by_us(), lead);
  }
  const auto name = first_element(body);
  if (name.empty()) {
    return refuse("the XML is cut off before its first element", {}, text.size() - 1);
  }
  return refuse(fmt::format("XML that begins with <{}> is no topology that topolaunch knows",
                            name.substr(0, 40)),
                read_by_us(), lead);
}

}  // namespace topolaunch::topo
