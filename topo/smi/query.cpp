// SPDX-License-Identifier: Apache-2.0
#include "topo/smi/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace topolaunch::topo::smi {
namespace {

constexpr std::size_t kMostGpus = 4096, kMostColumns = 512;

/// What a column says; `other` for all that is about no topology (ECC, clocks, driver).
enum class Column {
  other,
  index,
  name,
  uuid,
  pci,
  memory,
  capability,
  mig,
  generation,
  generation_max,
  width,
  width_max,
  fabric_state,
  fabric_clique,
  fabric_cluster
};

struct Named {
  std::string_view name;
  Column column;
};
/// nvidia-smi --help-query-gpu (driver 570); old and new names of one property.
constexpr std::array<Named, 19> kColumns{{{"index", Column::index},
                                          {"name", Column::name},
                                          {"gpu_name", Column::name},
                                          {"uuid", Column::uuid},
                                          {"gpu_uuid", Column::uuid},
                                          {"pci.bus_id", Column::pci},
                                          {"gpu_bus_id", Column::pci},
                                          {"memory.total", Column::memory},
                                          {"compute_cap", Column::capability},
                                          {"mig.mode.current", Column::mig},
                                          {"pcie.link.gen.current", Column::generation},
                                          {"pcie.link.gen.gpucurrent", Column::generation},
                                          {"pcie.link.gen.max", Column::generation_max},
                                          {"pcie.link.width.current", Column::width},
                                          {"pcie.link.width.max", Column::width_max},
                                          {"fabric.state", Column::fabric_state},
                                          {"fabric.cliqueId", Column::fabric_clique},
                                          {"fabric.clusterUuid", Column::fabric_cluster},
                                          {"fabric.status", Column::other}}};

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (cells.size() <= kMostColumns) {
    const auto comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    line.remove_prefix(comma + 1);
  }
  return cells;
}

/// "memory.total [MiB]" -> memory
std::optional<Column> named(std::string_view cell) {
  cell = trimmed(cell.substr(0, cell.find(" [")));
  for (const auto& known : kColumns) {
    if (known.name == cell) return known.column;
  }
  return {};
}

bool is_header(const Line& line) {
  const auto cells = cells_of(line.text);
  const auto is_property = [](std::string_view cell) {
    return !cell.empty() && std::islower(static_cast<unsigned char>(cell[0])) != 0;
  };
  // "index" and "name" stand in headers of many programs.
  const auto is_gpus_own = [](std::string_view cell) {
    const auto column = named(cell);
    return column && *column != Column::index && *column != Column::name;
  };
  return named(cells.front()) && std::all_of(cells.begin(), cells.end(), is_property) &&
         (cells.size() == 1 || std::any_of(cells.begin(), cells.end(), is_gpus_own));
}

bool says_nothing(std::string_view cell) {
  return cell.empty() || cell == "N/A" || (cell.front() == '[' && cell.back() == ']');
}

/// "20918fa7-7405-7241-9f45-2c075f27ff08"
bool is_bare_uuid(std::string_view cell) {
  if (cell.size() != 36) return false;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? cell[i] != '-' : std::isxdigit(static_cast<unsigned char>(cell[i])) == 0)
      return false;
  }
  return true;
}

bool is_gpu_uuid(std::string_view cell) {
  return cell.starts_with("GPU-") && is_bare_uuid(cell.substr(4));
}

bool is_pci(std::string_view cell) {
  return std::count(cell.begin(), cell.end(), ':') == 2 && PciAddress::parse(cell).has_value();
}

/// Columns of an answer without a header, from its first line. A number is an index if it stands
/// first, a clique if it stands next to a cluster; others could be anything.
std::vector<Column> guessed(const std::vector<std::string_view>& cells) {
  std::vector<Column> columns(cells.size(), Column::other);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (is_gpu_uuid(cells[i])) columns[i] = Column::uuid;
    if (is_pci(cells[i])) columns[i] = Column::pci;
    if (is_bare_uuid(cells[i])) columns[i] = Column::fabric_cluster;
    if (cells[i].ends_with(" MiB") &&
        std::find(columns.begin(), columns.end(), Column::memory) == columns.end()) {
      columns[i] = Column::memory;
    }
    if (cells[i].starts_with("NVIDIA ") || cells[i].starts_with("Tesla "))
      columns[i] = Column::name;
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (columns[i] != Column::other || !whole_number(cells[i])) continue;
    const bool beside = (i > 0 && columns[i - 1] == Column::fabric_cluster) ||
                        (i + 1 < cells.size() && columns[i + 1] == Column::fabric_cluster);
    if (beside) {
      columns[i] = Column::fabric_clique;
    } else if (i == 0) {
      columns[i] = Column::index;
    }
  }
  return columns;
}

bool is_answer_without_header(const Line& line) {
  const auto cells = cells_of(line.text);
  return cells.size() > 1 && std::any_of(cells.begin(), cells.end(), [](std::string_view cell) {
           return is_gpu_uuid(cell) || is_pci(cell) || is_bare_uuid(cell);
         });
}

bool looks_like_row(const std::vector<std::string_view>& cells) {
  return cells.size() > 1 && (whole_number(cells.front()) ||
                              std::any_of(cells.begin(), cells.end(), [](std::string_view cell) {
                                return cell.starts_with("GPU-") || is_pci(cell) ||
                                       is_bare_uuid(cell);
                              }));
}

std::optional<double> leading_number(std::string_view cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || !(value >= 0) || value > 1e9) return {};
  return value;
}

void fill(GpuFact& gpu, Column column, std::string_view cell) {
  if (column == Column::fabric_state) {
    // "Not Started" and "In Progress" end in "Completed"; "N/A" means a GPU without such a fabric.
    gpu.fabric_pending = cell == "In Progress" || cell == "Not Started";
    return;
  }
  if (says_nothing(cell)) return;
  const auto small = [&] { return whole_number(cell).value_or(0); };
  switch (column) {
    case Column::index:
      gpu.index = whole_number(cell);
      break;
    case Column::name:
      gpu.model = cell;
      break;
    case Column::uuid:
      gpu.uuid = cell;
      break;
    case Column::pci:
      if (auto pci = PciAddress::parse(cell)) gpu.pci = *pci;
      break;
    case Column::memory:  // MiB with and without its unit
      gpu.memory = Bytes::mib(std::llround(leading_number(cell).value_or(0)));
      break;
    case Column::capability:
      gpu.compute_capability =
          static_cast<int>(std::lround(std::min(leading_number(cell).value_or(0), 100.0) * 10));
      break;
    case Column::mig:
      gpu.mig_enabled = cell == "Enabled";
      break;
    case Column::generation:
      gpu.pcie_generation = small();
      break;
    case Column::generation_max:
      gpu.pcie_generation_max = small();
      break;
    case Column::width:
      gpu.pcie_width = small();
      break;
    case Column::width_max:
      gpu.pcie_width_max = small();
      break;
    case Column::fabric_clique:
      gpu.fabric_clique = small();
      break;
    case Column::fabric_cluster:
      gpu.fabric_cluster = cell;
      break;
    case Column::fabric_state:
    case Column::other:
      break;
  }
}

}  // namespace

bool begins_query(const Line& line) { return is_header(line) || is_answer_without_header(line); }

Result<std::vector<Fact>> take_query(const std::vector<Line>& lines, std::size_t& at,
                                     const std::string& file, const std::string& host) {
  std::vector<Column> columns;
  std::vector<Fact> facts;
  if (is_header(lines[at])) {
    for (const auto cell : cells_of(lines[at].text))
      columns.push_back(named(cell).value_or(Column::other));
    ++at;
  } else {
    columns = guessed(cells_of(lines[at].text));
  }
  int next = 0;
  for (; at < lines.size(); ++at) {
    const Line& line = lines[at];
    if (trimmed(line.text).empty()) continue;
    const auto cells = cells_of(line.text);
    if (lost_gpu(line, file, host)) break;
    if (cells.size() != columns.size()) {
      if (!looks_like_row(cells)) break;  // the next output, a prompt
      if (at + 1 == lines.size() && !line.whole) {
        facts.push_back({{"nvidia-smi", file, line.number},
                         host,
                         WarningFact{{"smi-partial", Warning::Severity::warning, file, line.number,
                                      "the answer is cut within this line, which is left out"}}});
        ++at;
        break;
      }
      return fail(Error{
          Code::invalid_input,
          fmt::format("{} cells where the first line has {}", cells.size(), columns.size()),
          "paste the answer of one nvidia-smi --query-gpu=... --format=csv", file, line.number});
    }
    if (facts.size() >= kMostGpus) {
      return fail(Error{
          Code::invalid_input, fmt::format("more than {} GPUs", kMostGpus), {}, file, line.number});
    }
    GpuFact gpu;
    gpu.pci_vendor = 0x10de;
    for (std::size_t i = 0; i < cells.size(); ++i) fill(gpu, columns[i], cells[i]);
    // Lines that name no GPU are in the driver's order, all of them or none.
    if (gpu.uuid.empty() && !gpu.pci && !gpu.index) gpu.index = next;
    ++next;
    facts.push_back({{"nvidia-smi", file, line.number}, host, std::move(gpu)});
  }
  return facts;
}

std::optional<Fact> lost_gpu(const Line& line, const std::string& file, const std::string& host) {
  if (line.text.find("Unable to determine the device handle for") == std::string::npos) return {};
  std::string which = "a GPU";
  for (auto word : words_of(line.text)) {
    if (word.starts_with("GPU")) word.remove_prefix(3);
    while (!word.empty() && word.back() == ':') word.remove_suffix(1);
    if (!is_pci(word)) continue;
    which = "the GPU at " + PciAddress::parse(word)->text();
    break;
  }
  return Fact{{"nvidia-smi", file, line.number},
              host,
              WarningFact{{"gpu-lost", Warning::Severity::error, file, line.number,
                           which + " does not answer its driver"}}};
}

}  // namespace topolaunch::topo::smi
