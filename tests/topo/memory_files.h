// SPDX-License-Identifier: Apache-2.0
//
// An outside world that holds the files given to it and nothing else.
#pragma once

#include <map>
#include <string>

#include "base/outside.h"

namespace topolaunch::topo {

class MemoryFiles final : public Files {
 public:
  explicit MemoryFiles(std::map<std::string, std::string, std::less<>> content)
      : content_(std::move(content)) {}
  Result<std::string> read(std::string_view path, std::size_t) const override {
    const auto at = content_.find(path);
    if (at == content_.end()) {
      return fail(Error{Code::not_found, "no such file", {}, std::string(path), 0});
    }
    return at->second;
  }
  Result<std::vector<std::string>> list(std::string_view path) const override {
    return fail(Error{Code::not_found, "no such folder", {}, std::string(path), 0});
  }
  Result<std::string> resolve(std::string_view path) const override { return std::string(path); }
  bool exists(std::string_view path) const override {
    return content_.find(path) != content_.end();
  }

 private:
  std::map<std::string, std::string, std::less<>> content_;
};

struct MemoryOutside {
  explicit MemoryOutside(std::map<std::string, std::string, std::less<>> content = {})
      : files(std::move(content)) {}
  MemoryFiles files;
  SystemCommands commands;
  SystemClock clock;
  Environment environment;
  Outside outside() const { return {files, commands, clock, environment}; }
};

}  // namespace topolaunch::topo
