// SPDX-License-Identifier: Apache-2.0
#include "launcher/run_directory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "quota/uuid.h"

namespace topolaunch::launcher {

Result<RunDirectory> RunDirectory::create(const Environment& environment, const std::string& id) {
  auto state = state_directory(environment);
  if (!state) return fail(std::move(state).error());
  const std::string path = *state + "/runs/" + id;
  // Commands and host names are in these files: they are the user's alone.
  if (Status ok = make_folders(path, 0700); !ok) {
    Error error = std::move(ok).error();
    error.code = Code::unavailable;
    error.next = "set TOPOLAUNCH_STATE_DIR to a folder that can be written";
    return fail(std::move(error));
  }
  return RunDirectory(path);
}

Status RunDirectory::store(const std::string& name, std::string_view content) const {
  // Not synced: seven files of a run would cost more time than many a job.
  return write_file(path_ + "/" + name, content, 0600, false);
}

Status RunDirectory::event(double unix_time, const std::string& name, const Json& details) const {
  Json line;
  line["time"] = unix_time;
  line["event"] = name;
  if (details.is_object()) line.update(details);
  const std::string text = to_line(line) + "\n";
  const std::string path = path_ + "/events.jsonl";
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  // One write of one line: a reader never sees half of one.
  const bool written =
      fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int number = errno;
  if (fd >= 0) ::close(fd);
  if (written) return {};
  return fail(Error{Code::unavailable, std::string("can't write: ") + std::strerror(number), {},
                    path, 0});
}

Result<std::vector<std::string>> saved_runs(const Outside& outside) {
  auto state = state_directory(outside.environment);
  if (!state) return fail(std::move(state).error());
  auto names = outside.files.list(*state + "/runs");
  if (!names && names.error().code == Code::not_found) return std::vector<std::string>{};
  if (!names) return names;
  // UUIDv7 sorts by time.
  std::erase_if(*names, [](const std::string& name) { return !quota::is_uuid(name); });
  return names;
}

Result<std::string> find_run(const std::string& name, const Outside& outside) {
  if (name.find('/') != std::string::npos || name == "." || name == "..") {
    if (outside.files.exists(name + "/plan.json")) return name;
    return fail(Error{Code::invalid_input, "no run: it has no plan.json", "give a run's folder or id",
                      name, 0});
  }
  auto state = state_directory(outside.environment);
  if (!state) return fail(std::move(state).error());
  auto runs = saved_runs(outside);
  if (!runs) return fail(std::move(runs).error());
  if (name == "last") {
    if (runs->empty()) {
      return fail(Code::invalid_input, "there are no saved runs in " + *state + "/runs",
                  "start one: topolaunch -- COMMAND");
    }
    return *state + "/runs/" + runs->back();
  }
  std::vector<std::string> found;
  for (const std::string& run : *runs) {
    if (!name.empty() && run.starts_with(name)) found.push_back(run);
  }
  if (found.size() == 1) return *state + "/runs/" + found.front();
  if (found.empty()) {
    return fail(Code::invalid_input, "no saved run begins with '" + name + "' in " + *state + "/runs",
                "topolaunch ps --all lists them");
  }
  return fail(Code::invalid_input,
              std::to_string(found.size()) + " saved runs begin with '" + name + "'",
              "give more of the id");
}

std::string short_path(const std::string& path, const Environment& environment) {
  const std::string home = environment.get_or("HOME", "");
  if (home.size() > 1 && path.starts_with(home + "/")) return "~" + path.substr(home.size());
  return path;
}

}  // namespace topolaunch::launcher
