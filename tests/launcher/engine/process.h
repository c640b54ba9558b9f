// SPDX-License-Identifier: Apache-2.0
//
// A program that a test starts, talks to by signals, and whose two outputs it reads.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/json.h"

namespace topolaunch::launcher::testing {

struct Outcome {
  int status = -1;  ///< 128 + n for a signal; -1: it was still there at the deadline
  std::string out, err;
};

class Process {
 public:
  explicit Process(const std::vector<std::string>& argv,
                   const std::vector<std::pair<std::string, std::string>>& environment = {},
                   const std::string& input = {}) {
    std::array<int, 2> in{}, out{}, err{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0 ||
        ::pipe2(err.data(), O_CLOEXEC) != 0) {
      return;
    }
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      ::dup2(err[1], 2);
      for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
      std::vector<char*> words;
      for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
      words.push_back(nullptr);
      ::execvp(words[0], words.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    ::close(err[1]);
    static_cast<void>(!::write(in[1], input.data(), input.size()));
    ::close(in[1]);
    out_ = out[0];
    err_ = err[0];
  }
  ~Process() {
    if (out_ >= 0) ::close(out_);
    if (err_ >= 0) ::close(err_);
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const { ::kill(pid_, number); }
  void close_out() {
    ::close(out_);
    out_ = -1;
  }
  /// Reads until stdout holds `text`, or ten seconds are over.
  bool until(const std::string& text) {
    for (int i = 0; i < 1000 && seen_.out.find(text) == std::string::npos; ++i) pump(10);
    return seen_.out.find(text) != std::string::npos;
  }
  Outcome wait(double seconds = 30) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    int status = 0;
    while (std::chrono::steady_clock::now() < end) {
      pump(10);
      if (out_ >= 0 || err_ >= 0) {
        // The outputs of a program that has ended may be held open by what it left behind.
        if (::waitpid(pid_, &status, WNOHANG) != pid_) continue;
        pump(0);
      } else if (::waitpid(pid_, &status, 0) != pid_) {
        break;
      }
      while (pump(50)) {
      }
      pid_ = 0;
      seen_.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
      return seen_;
    }
    return seen_;
  }

 private:
  bool pump(int milliseconds) {
    std::array<pollfd, 2> watch{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
    if (::poll(watch.data(), watch.size(), milliseconds) <= 0) return false;
    bool got = false;
    for (std::size_t i = 0; i < 2; ++i) {
      if (watch[i].revents == 0) continue;
      std::array<char, 65536> buffer;
      int& fd = i == 0 ? out_ : err_;
      const ssize_t n = ::read(fd, buffer.data(), buffer.size());
      if (n > 0) {
        (i == 0 ? seen_.out : seen_.err).append(buffer.data(), static_cast<std::size_t>(n));
        got = true;
      } else {
        ::close(fd);
        fd = -1;
      }
    }
    return got;
  }

  pid_t pid_ = 0;
  int out_ = -1, err_ = -1;
  Outcome seen_;
};

/// A folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = "/tmp/topolaunch-test-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() {
    if (!path_.empty()) static_cast<void>(!::system(("rm -rf '" + path_ + "'").c_str()));
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string text(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string path_;
};

/// engine_driver ENGINE RANKS OPTIONS -- COMMAND
inline std::vector<std::string> driver(const std::string& engine, int ranks,
                                       std::vector<std::string> options,
                                       const std::vector<std::string>& command) {
  std::vector<std::string> argv{ENGINE_DRIVER, engine, std::to_string(ranks)};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.emplace_back("--");
  argv.insert(argv.end(), command.begin(), command.end());
  return argv;
}

inline std::vector<std::string> sh(const std::string& script) {
  return {"/bin/bash", "-c", script};
}

/// Live (not zombie) processes that have NAME=VALUE in their environment.
inline std::vector<int> processes_marked(const std::string& mark) {
  std::vector<int> out;
  const auto names = RootedFiles().list("/proc");
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto text = RootedFiles().read("/proc/" + name + "/environ", 1 << 20);
    const auto stat = RootedFiles().read("/proc/" + name + "/stat", 1 << 16);
    if (!text || !stat || text->find(mark) == std::string::npos) continue;
    const auto close = stat->rfind(')');
    if (close != std::string::npos && stat->substr(close + 2, 1) != "Z")
      out.push_back(std::stoi(name));
  }
  return out;
}

/// True when no process with the mark is left within `seconds`.
inline bool none_left(const std::string& mark, double seconds) {
  for (double spent = 0; spent < seconds; spent += 0.05) {
    if (processes_marked(mark).empty()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return processes_marked(mark).empty();
}

inline Json json_in(const std::string& text) {
  auto json = parse_json(text, "summary");
  return json ? *json : Json::object();
}

inline bool has_mpirun() {
  static const bool there =
      Process({"mpirun", "--version"}).wait().out.find("Open MPI") != std::string::npos;
  return there;
}

}  // namespace topolaunch::launcher::testing
