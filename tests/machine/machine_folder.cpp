// SPDX-License-Identifier: Apache-2.0
#include "tests/machine/machine_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace topolaunch::test {

namespace fs = std::filesystem;

Status unpack_root(const std::string& text, const std::string& file, const std::string& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  fs::create_directories(folder);
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.empty() || line.starts_with('#')) continue;
    const auto equals = line.find(" = ");
    const auto arrow = line.find(" -> ");
    const std::string name = line.substr(0, std::min({equals, arrow, line.size()}));
    const fs::path path = fs::path(folder) / name;
    fs::create_directories(line.ends_with('/') ? path : path.parent_path(), error);
    if (equals < arrow) {
      std::ofstream(path) << line.substr(equals + 3) << '\n';
    } else if (arrow != std::string::npos) {
      fs::create_symlink(line.substr(arrow + 4), path, error);
    } else if (!line.ends_with('/')) {
      return fail(Error{Code::invalid_input, "neither ' = ' nor ' -> ' nor a folder", {}, file, number});
    }
    if (error) return fail(Error{Code::invalid_input, error.message(), {}, file, number});
  }
  return {};
}

std::vector<std::string> machine_names(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (fs::exists(entry.path() / "nvml.json")) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace topolaunch::test
