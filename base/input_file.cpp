// SPDX-License-Identifier: Apache-2.0
#include "base/input_file.h"

#include <utility>

namespace topolaunch {

Result<std::string> read_input(const Files& files, const std::string& path) {
  auto text = files.read(path == "-" ? "/dev/stdin" : path);
  if (text) return text;
  Error error = std::move(text).error();
  error.code = Code::invalid_input;
  return fail(std::move(error));
}

}  // namespace topolaunch
