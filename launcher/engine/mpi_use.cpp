// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine/mpi_use.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <vector>

#include "launcher/supervise/kin.h"

namespace topolaunch::launcher {
namespace {

/// Reads a T at `offset` of the file's bytes; false where the file is too short.
template <class T>
bool at(const std::string& bytes, std::uint64_t offset, T& value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return true;
}

std::string_view text_at(const std::string& bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const auto end = bytes.find('\0', offset);
  return std::string_view(bytes).substr(offset, end == std::string::npos ? 0 : end - offset);
}

}  // namespace

bool is_mpi_library(std::string_view path) {
  const std::string_view name =
      path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
  // Open MPI and Intel MPI: libmpi.so.N; MPICH and Cray: libmpich.so.N, libmpi_gnu...so.N
  for (const std::string_view known :
       {"libmpi.so", "libmpich.so", "libmpi_cray.so", "libmpi_gnu"}) {
    if (name.starts_with(known)) return true;
  }
  return false;
}

std::string mpi_library_of(const std::string& executable, const Files& files) {
  // 64-bit, this machine's byte order; anything else can't be a program that runs here as a rank.
  const auto file = files.read(executable, std::size_t{64} << 20);
  Elf64_Ehdr header{};
  if (!file || !at(*file, 0, header)) return {};
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
    return {};
  }
  std::vector<Elf64_Phdr> segments;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!at(*file, header.e_phoff + i * sizeof segment, segment)) return {};
    segments.push_back(segment);
  }
  const auto file_offset = [&](std::uint64_t address) -> std::uint64_t {
    for (const Elf64_Phdr& s : segments) {
      if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz) {
        return s.p_offset + (address - s.p_vaddr);
      }
    }
    return UINT64_MAX;
  };
  for (const Elf64_Phdr& s : segments) {
    if (s.p_type != PT_DYNAMIC) continue;
    std::vector<std::uint64_t> needed;
    std::uint64_t names = UINT64_MAX;
    for (std::uint64_t i = 0; i < s.p_filesz / sizeof(Elf64_Dyn); ++i) {
      Elf64_Dyn entry{};
      if (!at(*file, s.p_offset + i * sizeof entry, entry) || entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED) needed.push_back(entry.d_un.d_val);
      if (entry.d_tag == DT_STRTAB) names = file_offset(entry.d_un.d_ptr);
    }
    for (const std::uint64_t name : needed) {
      if (names == UINT64_MAX || name > file->size()) continue;
      const std::string_view library = text_at(*file, names + name);
      if (is_mpi_library(library)) return std::string(library);
    }
  }
  return {};
}

std::string mapped_mpi_library(pid_t pid) {
  std::vector<pid_t> pids{pid};
  for (const Kin& kin : kin_below(pid)) pids.push_back(kin.pid);
  constexpr std::size_t kMost = 64;
  pids.resize(std::min(pids.size(), kMost));
  for (const pid_t one : pids) {
    const auto maps =
        RootedFiles().read("/proc/" + std::to_string(one) + "/maps", std::size_t{16} << 20);
    if (!maps) continue;
    std::istringstream lines(*maps);
    for (std::string line; std::getline(lines, line);) {
      const auto slash = line.find('/');
      if (slash != std::string::npos && is_mpi_library(std::string_view(line).substr(slash))) {
        return line.substr(slash);
      }
    }
  }
  return {};
}

}  // namespace topolaunch::launcher
