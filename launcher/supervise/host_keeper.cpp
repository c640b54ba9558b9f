// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/host_keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/commands.h"
#include "launcher/json_fields.h"
#include "launcher/shim/order.h"
#include "launcher/supervise/kin.h"

namespace topolaunch::launcher {
namespace {

/// How long orted has to clear up after itself when topolaunch is gone.
constexpr int kFarewellMilliseconds = 500;
/// How long topolaunch has to take the last words.
constexpr int kLastWordsMilliseconds = 5000;

}  // namespace

Json to_json(const HostHello& hello) {
  return Json{{"schema", "topolaunch.hosts/1"}, {"run", hello.run_id},
              {"host", hello.host},             {"secret", hello.secret},
              {"addresses", hello.addresses},   {"port", hello.port},
              {"wanted_address", hello.wanted_address}, {"wanted_port", hello.wanted_port}};
}

Result<HostHello> host_hello_from_json(const Json& json) {
  JsonFields in(json, "hello", "");
  HostHello hello;
  const std::string schema = in.text("schema");
  if (schema != "topolaunch.hosts/1") {
    in.wrong("schema", "is '" + schema + "': another version of topolaunch started this");
  }
  hello.run_id = in.text("run");
  hello.host = in.text("host");
  hello.secret = in.text("secret");
  hello.addresses = in.texts("addresses");
  hello.port = in.integer("port", 1, 65535);
  hello.wanted_address = in.text_or("wanted_address", {});
  hello.wanted_port = in.integer_or("wanted_port", 0, 65535, 0);
  if (in.error()) return fail(*in.error());
  return hello;
}

std::string cgroup_of(const HostHello& hello, const Files& files) {
  return job_cgroup_path(own_cgroup(files), hello.run_id, hello.host);
}

HostKeeper::HostKeeper(Channel launcher, HostHello hello, ControlServer server,
                       const Outside& outside)
    : launcher_(std::move(launcher)),
      hello_(std::move(hello)),
      server_(std::move(server)),
      outside_(outside),
      group_(JobCgroup::make(cgroup_of(hello_, outside.files))),
      memory_(outside.files, std::string()) {}

bool HostKeeper::start(const std::vector<std::string>& daemon) {
  Environment variables = outside_.environment;
  variables.set(kControlAddress, server_.address());
  variables.set(kControlSecret, server_.secret());
  variables.set("TOPOLAUNCH_RUN_ID", hello_.run_id);
  const std::vector<std::string> entries = variables.entries();
  std::vector<char*> words, environment;
  for (const std::string& word : daemon) words.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& entry : entries) environment.push_back(const_cast<char*>(entry.c_str()));
  words.push_back(nullptr);
  environment.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  const auto found = find_executable(daemon[0], variables.get_or("PATH", "/usr/bin:/bin"));
  const std::string path = found ? *found : daemon[0];
  daemon_ = group_.fork();
  if (daemon_ == 0) {
    ::setpgid(0, 0);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(path.c_str(), words.data(), environment.data());
    const int number = errno;
    static_cast<void>(!::write(ends[1], &number, sizeof number));
    ::_exit(127);
  }
  ::close(ends[1]);
  int number = 0;
  const bool failed = daemon_ < 0 || ::read(ends[0], &number, sizeof number) == sizeof number;
  ::close(ends[0]);
  if (!failed) return true;
  say(Json{{"error",
            {{"code", exit_status(Code::unavailable)},
             {"message", "can't start " + daemon.front() + ": " + std::strerror(number)},
             {"next", "install openmpi-bin there, or give mpirun --prefix by --engine-args"}}}});
  return false;
}

int HostKeeper::run(const std::vector<std::string>& daemon, int child_signals) {
  if (!start(daemon)) alone_ = true;
  hear_launcher();  // what came with its proof is in already, and no poll tells of it
  while (!launcher_gone_) {
    reap();
    if (alone_) break;
    if (killing_) kill_round();
    PollSet set;
    watch(set);
    set.add(child_signals, POLLIN, [&](short) {
      signalfd_siginfo drain;
      while (::read(child_signals, &drain, sizeof drain) > 0) {
      }
    });
    // A process that is being killed may fork on: look again until nothing is left.
    set.wait(killing_ ? 10 : -1);
    std::erase_if(strangers_, [](const auto& s) { return !s->channel.open(); });
    if (!launcher_.flush()) launcher_gone_ = true;
  }
  if (launcher_gone_) {
    farewell();
  } else {
    say_empty();
  }
  group_.remove();
  return 0;
}

void HostKeeper::watch(PollSet& set) {
  const short events = launcher_.has_outbox() ? POLLIN | POLLOUT : POLLIN;
  set.add(launcher_.fd(), events, [this](short) { hear_launcher(); });
  set.add(server_.fd(), POLLIN, [this](short) { greet(); });
  for (const auto& stranger : strangers_) {
    set.add(stranger->channel.fd(), POLLIN, [this, s = stranger.get()](short) { hear(*s); });
  }
  for (auto& [rank, seat] : seats_) {
    Seat* const s = &seat;
    if (seat.process.channel.open()) {
      const short wanted = seat.process.channel.has_outbox() ? POLLIN | POLLOUT : POLLIN;
      set.add(seat.process.channel.fd(), wanted, [this, s](short) { hear(*s); });
    }
    if (!seat.process.ended()) {
      set.add(seat.process.pidfd.get(), POLLIN, [this, s](short) { look_at(*s); });
    }
    for (std::size_t stream = 0; stream < 2; ++stream) {
      // topolaunch's reader is behind: so are the ranks.
      if (unanswered_ > kOutputWindow) break;
      set.add(seat.pipes[stream].get(), POLLIN,
              [this, s, stream](short) { read_output(*s, stream, false); });
    }
    if (!seat.waiting_input.empty()) {
      set.add(seat.input.get(), POLLOUT, [this, s](short) { move_input(*s); });
    }
  }
}

void HostKeeper::hear_launcher() {
  std::vector<Json> messages;
  bool alive = launcher_.flush();
  alive = launcher_.receive(messages) && alive;
  for (Json& message : messages) obey(message);
  if (!alive) launcher_gone_ = true;
}

HostKeeper::Seat* HostKeeper::seat_of(const Json& message, const char* key) {
  const auto it = seats_.find(JsonFields(message, "order", "").integer_or(key, 0, INT_MAX - 1, -1));
  return it == seats_.end() ? nullptr : &it->second;
}

void HostKeeper::obey(Json& message) {
  JsonFields in(message, "order", "");
  if (const Json* const orders = in.has("orders") ? in.array("orders") : nullptr) {
    for (const Json& order : *orders) {
      const Json* const place = JsonFields(order, "order", "").object("place");
      if (place == nullptr) continue;
      const int rank = JsonFields(*place, "order", "").integer("rank", 0, INT_MAX - 1);
      Seat& seat = seats_[rank];
      seat.rank = rank;
      seat.order = std::make_shared<const Json>(order);
      if (seat.process.stage == Stage::greeted) give_order(seat);
    }
  }
  if (in.has("signal")) {
    if (Seat* const seat = seat_of(message, "rank")) {
      if (!seat->process.ended()) seat->process.signal(in.integer_or("signal", 1, 64, SIGTERM));
    }
  }
  if (in.has("took")) {
    const auto took = static_cast<std::size_t>(in.integer_or("took", 0, INT_MAX - 1, 0));
    unanswered_ -= std::min(unanswered_, took);
  }
  if (Seat* const seat = in.has("input") ? seat_of(message, "input") : nullptr) {
    if (message.contains("bytes") && message["bytes"].is_binary()) {
      const auto& bytes = message["bytes"].get_binary();
      seat->waiting_input.append(bytes.begin(), bytes.end());
    } else {
      seat->input_ended = true;
    }
    move_input(*seat);
  }
  if (in.has("sweep")) signal_kin(kin_below(::getpid()), in.integer_or("sweep", 1, 64, SIGTERM));
  if (in.has("kill")) killing_ = true;
}

// ---- ends

void HostKeeper::reap() {
  while (true) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == ECHILD) alone_ = true;
    if (pid <= 0) return;
    if (pid == daemon_) {
      // Its ranks end because of it: what they said and how they ended comes first.
      for (auto& [rank, seat] : seats_) look_at(seat);
      say(Json{{"daemon", status}});
      continue;
    }
    for (auto& [rank, seat] : seats_) {  // a rank whose orted is gone
      if (seat.process.pid != pid || seat.process.ended()) continue;
      seat.process.status = status;
      ended(seat);
    }
  }
}

void HostKeeper::look_at(Seat& seat) {
  if (!seat.process.ended() && seat.process.look_for_end()) ended(seat);
}

void HostKeeper::ended(Seat& seat) {
  hear(seat);  // what it said before comes first
  seat.process.stage = Stage::ended;
  seat.process.channel.close();
  seat.input.reset();
  Json message{{"ended", seat.rank}};
  if (seat.process.status) message["status"] = *seat.process.status;
  // 137: a shell says so of the command that it waited for.
  if (seat.process.status && seat.process.exit_status() == 128 + SIGKILL) {
    message["memory"] = memory_.evidence(seat.process.pid);
  }
  for (const std::size_t stream : {0U, 1U}) read_output(seat, stream, false);
  say(message);
}

void HostKeeper::kill_round() {
  group_.kill();
  signal_kin(kin_below(::getpid()), SIGKILL);
}

void HostKeeper::farewell() {
  const auto gone = [this] {
    while (true) {
      const pid_t pid = ::waitpid(-1, nullptr, WNOHANG);
      if (pid < 0 && errno == ECHILD) return true;
      if (pid == daemon_) daemon_ = 0;
      if (pid <= 0) return false;
    }
  };
  if (daemon_ > 0) ::kill(daemon_, SIGTERM);
  for (int spent = 0; spent < kFarewellMilliseconds && daemon_ > 0; spent += 10) {
    if (gone()) return;
    ::poll(nullptr, 0, 10);
  }
  // 30 s: a process in an uninterruptible wait (a hung file server) can't be ended by anybody.
  for (int round = 0; !gone() && round < 3000; ++round) {
    kill_round();
    ::poll(nullptr, 0, 10);
  }
}

/// Nothing of the job is left here. The last words have to arrive before the connection closes:
/// closed with something unread in it, it would be reset, and they could be lost.
void HostKeeper::say_empty() {
  for (auto& [rank, seat] : seats_) {
    for (const std::size_t stream : {0U, 1U}) read_output(seat, stream, true);
  }
  say(Json{{"empty", true}});
  for (int spent = 0; spent < kLastWordsMilliseconds; spent += 100) {
    std::vector<Json> ignored;
    if (!launcher_.flush() || !launcher_.receive(ignored)) return;
    pollfd ready{launcher_.fd(),
                 static_cast<short>(launcher_.has_outbox() ? POLLIN | POLLOUT : POLLIN), 0};
    if (::poll(&ready, 1, 100) > 0) spent -= 100;
  }
}

}  // namespace topolaunch::launcher
