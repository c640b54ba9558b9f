// SPDX-License-Identifier: Apache-2.0
//
// What the cells of nvidia-smi's tables mean: the legends below `topo -m` and `topo -p2p`.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "topo/smi/affinity.h"
#include "topo/smi/matrix.h"
#include "topo/smi/told_paths.h"

namespace topolaunch::topo::smi {
namespace {

struct Word {
  std::string_view text;
  PciRelation relation;
};
constexpr std::array<Word, 6> kRelations{{{"X", PciRelation::same},
                                          {"PIX", PciRelation::pix},
                                          {"PXB", PciRelation::pxb},
                                          {"PHB", PciRelation::phb},
                                          {"NODE", PciRelation::node},
                                          {"SYS", PciRelation::sys}}};

struct P2pWord {
  std::string_view text;
  P2pStatus status;
};
constexpr std::array<P2pWord, 7> kStatuses{{{"OK", P2pStatus::ok},
                                            {"CNS", P2pStatus::not_supported},
                                            {"GNS", P2pStatus::not_supported},
                                            {"TNS", P2pStatus::not_supported},
                                            {"NS", P2pStatus::not_supported},
                                            {"DR", P2pStatus::disabled},
                                            {"U", P2pStatus::unknown}}};

class Reading {
 public:
  Reading(const Matrix& matrix, const std::string& file, const std::string& host)
      : matrix_(matrix), file_(file), host_(host), size_(matrix.columns.size()) {
    relations_.assign(size_, std::vector<PciRelation>(size_, PciRelation::unknown));
  }

  Result<std::vector<Fact>> facts() {
    read_cells();
    symmetrise();
    std::vector<bool> unread(size_);
    for (std::size_t i = 0; i < size_; ++i) unread[i] = !read(i);
    paths_ = told_paths(relations_, unread);
    check_paths();
    places_.resize(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      if (gpu_number(i)) read_place(i);
    }
    add_cpus();
    for (std::size_t i = 0; i < size_; ++i) add_device(i);
    for (std::size_t a = 0; a < size_; ++a) add_links(a);
    check_width();
    check_whole();
    return std::move(facts_);
  }

 private:
  std::optional<int> gpu_number(std::size_t column) const {
    return number_behind(matrix_.columns[column], "GPU");
  }
  const Matrix::Row* row(std::size_t column) const {
    const auto at = matrix_.rows.find(matrix_.columns[column]);
    return at == matrix_.rows.end() ? nullptr : &at->second;
  }
  bool read(std::size_t column) const { return row(column) != nullptr && row(column)->whole; }
  int line_of(std::size_t column) const {
    const auto* found = row(column);
    return found == nullptr ? matrix_.line : found->line;
  }
  void add(int line, auto what) {
    facts_.push_back({{"nvidia-smi", file_, line}, host_, std::move(what)});
  }
  void warn(int line, std::string code, std::string message) {
    add(line, WarningFact{
                  {std::move(code), Warning::Severity::warning, file_, line, std::move(message)}});
  }

  void read_cells() {
    for (std::size_t a = 0; a < size_; ++a) {
      const auto* cells = row(a);
      if (cells == nullptr) continue;
      for (std::size_t b = 0; b < cells->cells.size(); ++b) read_cell(a, b, cells->cells[b]);
    }
  }

  void read_cell(std::size_t a, std::size_t b, const std::string& cell) {
    for (const auto& word : kRelations) {
      if (word.text == cell) {
        relations_[a][b] = word.relation;
        return;
      }
    }
    for (const auto& status : kStatuses) {
      if (status.text != cell) continue;
      const auto from = gpu_number(a);
      const auto to = gpu_number(b);
      if (!from || !to || status.status == P2pStatus::unknown) return;
      P2pFact fact;
      fact.a.index = from;
      fact.b.index = to;
      fact.status = status.status;
      add(line_of(a), std::move(fact));
      return;
    }
    if (const auto count = number_behind(cell, "NV"); count && *count > 0) {
      links_[{a, b}] = *count;
    } else if (cell != "N/A") {
      warn(line_of(a), "smi-unknown-cell",
           fmt::format("{} to {} is '{}', which is no word of nvidia-smi's legend",
                       matrix_.columns[a], matrix_.columns[b], cell.substr(0, 40)));
    }
  }

  /// A table that is cut, or whose rows were lost, says the other half of each pair still.
  void symmetrise() {
    for (std::size_t a = 0; a < size_; ++a) {
      for (std::size_t b = 0; b < size_; ++b) {
        const bool said = row(a) != nullptr && b < row(a)->cells.size();
        if (said) {
          if (a < b && relations_[b][a] != PciRelation::unknown &&
              relations_[a][b] != relations_[b][a] && row(b) != nullptr) {
            warn(line_of(b), "smi-asymmetric",
                 fmt::format("{} to {} is another word than the way back", matrix_.columns[a],
                             matrix_.columns[b]));
          }
          continue;
        }
        relations_[a][b] = a == b ? PciRelation::same : relations_[b][a];
        if (const auto back = links_.find({b, a}); back != links_.end())
          links_[{a, b}] = back->second;
      }
    }
  }

  /// Words that no tree of bridges gives: A is PIX to B and B to C, but A is SYS to C.
  void check_paths() {
    Host host;
    for (std::size_t i = 0; i < size_; ++i) {
      Gpu gpu;
      gpu.index = static_cast<int>(i);
      gpu.pcie_path = paths_[i];
      host.gpus.push_back(std::move(gpu));
    }
    for (std::size_t a = 0; a < size_; ++a) {
      for (std::size_t b = a + 1; b < size_; ++b) {
        const auto said = relations_[a][b];
        if (said == PciRelation::unknown || (!read(a) && !read(b)) ||
            host.relation(host.gpus[a], host.gpus[b]) == said)
          continue;
        warn(line_of(a), "smi-no-tree",
             fmt::format("{} to {} is {}, but both are closer by way of others", matrix_.columns[a],
                         matrix_.columns[b],
                         row(a) != nullptr && b < row(a)->cells.size() ? row(a)->cells[b]
                                                                       : "another word"));
        return;
      }
    }
  }

  void read_place(std::size_t column) {
    const auto* cells = row(column);
    if (cells == nullptr || !cells->whole || matrix_.affinity_columns == 0) return;
    if (auto place = read_affinity(cells->affinity, matrix_.affinity_columns)) {
      places_[column] = std::move(*place);
      return;
    }
    warn(cells->line, "smi-affinity-unreadable",
         fmt::format("the affinity of {} can't be read: '{}'", matrix_.columns[column],
                     fmt::join(cells->affinity, " ")));
  }

  void add_cpus() {
    HostFact host;
    std::map<int, CpuSet> nodes;
    for (const auto& place : places_) {
      host.cpus = host.cpus | place.cpus;
      if (place.numa) nodes[*place.numa] = nodes[*place.numa] | place.cpus;
      if (place.memory_numa) nodes.try_emplace(*place.memory_numa);
    }
    for (const auto& [id, cpus] : nodes) {
      NumaFact numa;
      numa.node.id = id;
      numa.node.cpus = cpus;
      add(matrix_.line, std::move(numa));
    }
    if (!host.cpus.empty()) add(matrix_.line, std::move(host));
  }

  void add_device(std::size_t column) {
    const Place& place = places_[column];
    if (const auto number = gpu_number(column)) {
      GpuFact gpu;
      gpu.index = number;
      gpu.pci_vendor = 0x10de;
      gpu.numa = place.numa;
      gpu.memory_numa = place.memory_numa;
      gpu.affinity = place.cpus;
      gpu.pcie_path = paths_[column];
      add(line_of(column), std::move(gpu));
      return;
    }
    NicFact fact;
    Nic& nic = fact.nic;
    const auto legend = matrix_.nic_names.find(matrix_.columns[column]);
    nic.name = legend == matrix_.nic_names.end() ? matrix_.columns[column] : legend->second;
    nic.rdma = true;  // nvidia-smi lists RDMA devices alone
    if (nic.name.starts_with("roce")) nic.layer = Nic::Layer::ethernet;
    if (nic.name.starts_with("ibp")) nic.layer = Nic::Layer::infiniband;
    nic.pcie_path = paths_[column];
    for (std::size_t other = 0; other < size_ && !nic.numa; ++other) {
      if (relations_[column][other] <= PciRelation::node) nic.numa = places_[other].numa;
    }
    add(line_of(column), std::move(fact));
  }

  void add_links(std::size_t a) {
    for (std::size_t b = 0; b < size_; ++b) {
      const auto found = links_.find({a, b});
      const auto from = gpu_number(a);
      const auto to = gpu_number(b);
      if (found == links_.end() || !from || !to) continue;
      GpuLinkFact link;
      link.from.index = from;
      link.to = GpuLink::To::gpu;
      link.peer.index = to;
      link.count = found->second;
      add(line_of(a), std::move(link));
    }
    if (read(a) || !gpu_number(a) || links_.empty()) return;
    GpuLinkFact more;  // how many, its own row would say
    more.from.index = gpu_number(a);
    add(line_of(a), std::move(more));
  }

  /// What the terminal cut off at the right.
  void check_width() {
    if (matrix_.lost.empty() && !matrix_.headings_cut) return;
    auto lost = matrix_.lost;
    if (matrix_.affinity_columns == 0) lost.insert(lost.end(), {"CPU Affinity", "NUMA Affinity"});
    warn(matrix_.line, "smi-partial",
         fmt::format("the table is cut at the right: of its columns {} {} lost",
                     fmt::join(lost, ", "), lost.size() == 1 ? "is" : "are"));
  }

  void check_whole() {
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < size_; ++i) {
      if (!read(i)) missing.push_back(matrix_.columns[i]);
    }
    if (missing.empty()) return;
    warn(line_of(size_ - 1), "smi-partial",
         fmt::format(
             "the table is cut: {} of {} rows are whole; {} known from the others' rows alone",
             size_ - missing.size(), size_,
             missing.size() == 1 ? missing[0] + " is"
                                 : fmt::format("{} are", fmt::join(missing, ", "))));
  }

  const Matrix& matrix_;
  const std::string& file_;
  const std::string& host_;
  std::size_t size_;
  Relations relations_;
  std::map<std::pair<std::size_t, std::size_t>, int> links_;
  std::vector<std::vector<PciAddress>> paths_;
  std::vector<Place> places_;
  std::vector<Fact> facts_;
};

}  // namespace

bool is_p2p(const Matrix& matrix) {
  return std::ranges::any_of(matrix.rows, [](const auto& row) {
    return std::ranges::any_of(row.second.cells, [](const std::string& cell) {
      return std::ranges::find(kStatuses, cell, &P2pWord::text) != kStatuses.end();
    });
  });
}

Result<std::vector<Fact>> facts_of(const Matrix& matrix, const std::string& file,
                                   const std::string& host) {
  return Reading(matrix, file, host).facts();
}

}  // namespace topolaunch::topo::smi
