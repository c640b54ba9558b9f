// SPDX-License-Identifier: Apache-2.0
//
// On what kind of file system a path is: magic numbers of linux/magic.h and of each project's own
// headers (Lustre 2.15 lustre_user.h, GPFS gpfs.h, BeeGFS 7 and PanFS as coreutils 9.1's stat knows).
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "quota/store/sqlite_book.h"

namespace topolaunch::quota {
namespace {

constexpr std::uint32_t kFuse = 0x65735546;
constexpr std::array<std::pair<std::uint32_t, std::string_view>, 15> kMagic{{
    {0x6969, "nfs"},          {0x517b, "smb"},           {0xff534d42, "cifs"},     {0xfe534d42, "smb2"},
    {0x0bd00bd0, "lustre"},   {0x47504653, "gpfs"},      {0x00c36400, "ceph"},     {0x5346414f, "afs"},
    {0x6b414653, "kafs"},     {0x19830326, "beegfs"},    {0xaad7aaea, "panfs"},    {0x7461636f, "ocfs2"},
    {0x01161970, "gfs2"},     {0x73757245, "coda"},      {0x20030528, "pvfs2"},
}};

/// Type field of the mount that holds device `device`: the one behind " - " in mountinfo(5).
std::string mounted_type(const Files& files, dev_t device) {
  const auto text = files.read("/proc/self/mountinfo");
  if (!text) return "fuse";
  const std::string wanted = fmt::format(" {}:{} ", major(device), minor(device));
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const auto dash = line.find(" - ");
    if (dash == std::string_view::npos || line.substr(0, dash).find(wanted) == std::string_view::npos) continue;
    const std::string_view type = line.substr(dash + 3);
    return std::string(type.substr(0, type.find(' ')));
  }
  return "fuse";
}

}  // namespace

FileSystemType file_system_type(const Files& files) {
  return [&files](const std::string& path) -> std::string {
    struct statfs info {};
    if (::statfs(path.c_str(), &info) != 0) return "";
    const auto magic = static_cast<std::uint32_t>(info.f_type);
    for (const auto& [number, name] : kMagic) {
      if (number == magic) return std::string(name);
    }
    if (magic != kFuse) return "local";
    struct stat where {};
    return ::stat(path.c_str(), &where) == 0 ? mounted_type(files, where.st_dev) : "fuse";
  };
}

bool is_shared_file_system(const std::string& type) {
  if (std::ranges::any_of(kMagic, [&](const auto& known) { return known.second == type; })) return true;
  // FUSE is mostly a network behind it (sshfs, gcsfuse, JuiceFS, GlusterFS); these two are local disks.
  return type.starts_with("fuse") && type != "fuse.fuse-overlayfs" && type != "fuseblk";
}

}  // namespace topolaunch::quota
