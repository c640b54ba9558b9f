// SPDX-License-Identifier: Apache-2.0
#include "launcher/program_solver.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "launcher/placement_file.h"
#include "mapping/problem_json.h"
#include "mapping/seats.h"

namespace topolaunch::launcher {
namespace {

/// A solver may think for long; this only ends one that hangs.
constexpr Seconds kDeadline{24 * 3600.0};

/// Text in a file that is gone when this is.
class ScratchFile {
 public:
  static Result<ScratchFile> with(const std::string& text, const Environment& environment) {
    std::string path = environment.get_or("TMPDIR", "/tmp") + "/topolaunch-problem-XXXXXX";
    const int fd = ::mkstemp(path.data());
    if (fd < 0)
      return fail(Code::unavailable, "no temporary file can be made: " + path,
                  "set TMPDIR to a folder that can be written");
    ::close(fd);
    ScratchFile file(path);
    if (auto status = write_file(path, text, 0600, false); !status) return fail(status.error());
    return file;
  }
  ~ScratchFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  ScratchFile(ScratchFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFile& operator=(ScratchFile&&) = delete;
  const std::string& path() const { return path_; }

 private:
  explicit ScratchFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

class ProgramSolver final : public mapping::Solver {
 public:
  ProgramSolver(std::vector<std::string> argv, const Outside& outside)
      : argv_(std::move(argv)), outside_(outside) {}
  std::string name() const override { return argv_.front(); }

  Result<std::vector<mapping::Seat>> place(const mapping::Problem& problem) const override {
    const auto& constraints = problem.constraints;
    auto file = ScratchFile::with(
        to_line(mapping::problem_json(problem.topology, problem.graph, constraints, problem.pool)) + "\n",
        outside_.environment);
    if (!file) return fail(file.error());
    // The port for programs gives an empty stdin: a shell opens the file in its place.
    std::vector<std::string> argv{"/bin/sh", "-c", "file=$1; shift; exec \"$@\" <\"$file\"", "sh",
                                  file->path()};
    argv.insert(argv.end(), argv_.begin(), argv_.end());
    auto answer = outside_.commands.run(argv, kDeadline);
    if (!answer) return fail(std::move(answer).error().within("--solver-command"));
    if (answer->status != 0)
      return fail(Code::unavailable,
                  fmt::format("--solver-command: {} ended with status {}: {}", argv_.front(),
                              answer->status, answer->err.substr(0, answer->err.find('\n'))),
                  "give it a problem by hand: --solver-command 'tee problem.json' writes one");
    auto placed = placement_from_text(answer->out, argv_.front());
    if (!placed) return fail(std::move(placed).error().within("--solver-command"));
    if (std::ssize(*placed) != problem.ranks())
      return fail(Code::invalid_input, fmt::format("--solver-command: {} placed {} of {} ranks",
                                                   argv_.front(), placed->size(), problem.ranks()));
    auto seats = seats_of(*placed, argv_.front(), problem.topology, constraints, false);
    if (!seats) return fail(std::move(seats).error().within("--solver-command"));
    for (std::size_t r = 0; r < seats->size(); ++r)
      if ((*seats)[r].host < 0)
        return fail(
            Code::invalid_input,
            fmt::format("--solver-command: rank {} is on '{}', which is no host with such a GPU", r,
                        (*placed)[r].host));
    return seats;
  }

 private:
  std::vector<std::string> argv_;
  const Outside& outside_;
};

}  // namespace

Result<std::unique_ptr<mapping::Solver>> program_solver(const std::string& command,
                                                        const Outside& outside) {
  auto words = shell_words(command);
  if (!words) return fail(std::move(words).error().within("--solver-command"));
  if (words->empty()) return fail(Code::wrong_usage, "--solver-command names no program");
  auto found = find_executable(words->front(), outside.environment.get_or("PATH", "/usr/bin:/bin"));
  if (!found) return fail(std::move(found).error().within("--solver-command"));
  return std::make_unique<ProgramSolver>(std::move(*words), outside);
}

}  // namespace topolaunch::launcher
