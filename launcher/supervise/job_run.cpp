// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/job_run.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "launcher/shim/order.h"

namespace topolaunch::launcher {
namespace {

/// Seconds. A job that isn't running by then says which ranks are missing.
constexpr double kStartLimit = 60;

/// A file without a name, to be read from its beginning; none if it can't be had.
Descriptor file_with(const std::string& text) {
  Descriptor file(::memfd_create("topolaunch-input", MFD_CLOEXEC));
  for (std::size_t at = 0; file && at < text.size();) {
    const ssize_t n = ::write(file.get(), text.data() + at, text.size() - at);
    if (n < 0 && errno != EINTR) file.reset();
    if (n > 0) at += static_cast<std::size_t>(n);
  }
  if (file) ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

}  // namespace

JobRun::JobRun(const Plan& plan, const Outside& outside, Launch launch)
    : plan_(plan), outside_(outside), launch_(std::move(launch)) {}

Result<std::unique_ptr<Run>> JobRun::start(const Plan& plan, const Outside& outside,
                                           Launch launch) {
  if (plan.ranks.empty() || plan.command.empty()) {
    return fail(Code::internal, "a plan without ranks or command can't be started");
  }
  std::unique_ptr<JobRun> run(new JobRun(plan, outside, std::move(launch)));
  if (auto begun = run->begin(); !begun) return tl::unexpected(std::move(begun).error());
  return std::unique_ptr<Run>(std::move(run));
}

Status JobRun::begin() {
  begun_ = now();
  auto server = ControlServer::open();
  if (!server) return tl::unexpected(std::move(server).error());
  server_ = std::move(*server);
  if (auto opened = open_hosts(); !opened) return opened;
  auto keeper = Keeper::start(plan_.id, outside_);
  if (!keeper) return tl::unexpected(std::move(keeper).error());
  keeper_.emplace(std::move(*keeper));
  signals_.ignore_sigpipe();
  auto processes = prepare();
  if (!processes) return tl::unexpected(std::move(processes).error());
  if (auto written = write_scratch(); !written) return written;
  if (!keeper_->launch(std::move(*processes), launch_.scratch)) lost_keeper();
  memory_.emplace(outside_.files, std::string());
  while (!done_ && !start_error_ && !by_ &&
         !all([](const RankProcess& r) { return r.stage >= Stage::running; })) {
    turn();
    if (!start_error_ && now() - begun_ > kStartLimit) {
      if (const std::string hosts = unanswered_hosts(); !hosts.empty()) {
        fail_start({Code::unavailable,
                    "no answer within a minute from " + hosts,
                    "look whether they are up and reached by " + launch_.agent.front(),
                    {},
                    0});
      }
      std::string missing;
      for (const RankProcess& rank : ranks_) {
        if (rank.stage >= Stage::running) continue;
        missing += (missing.empty() ? "" : ", ") + std::to_string(rank.plan->rank) + " (" +
                   rank.plan->host + ")";
      }
      fail_start({Code::unavailable,
                  "ranks not started within a minute: " + missing,
                  "look at these hosts",
                  {},
                  0});
    }
  }
  if (!start_error_) return {};
  output_->show_engine_words();
  // Nothing that was started may stay.
  while (!done_) {
    kill_at_ = sooner(kill_at_, now());
    turn();
  }
  drain_output();
  keeper_->finish();
  return fail(std::move(*start_error_));
}

/// Pipes, control variables, and who shares our terminal.
Result<std::vector<KeptProcess>> JobRun::prepare() {
  passes_stdio_ = plan_.ranks.size() == 1 && plan_.tag == Plan::Tag::none &&
                  plan_.log_directory.empty() && !links_ && !plan_.unheard;
  if (plan_.unheard) nowhere_.reset(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  output_.emplace(RankOutput::Options{plan_.tag == Plan::Tag::rank, plan_.log_directory,
                                      nowhere_ ? nowhere_.get() : 1, nowhere_ ? nowhere_.get() : 2,
                                      plan_.quiet});
  const bool terminal =
      ::isatty(0) != 0 || (passes_stdio_ && (::isatty(1) != 0 || ::isatty(2) != 0));
  ranks_.resize(plan_.ranks.size());
  streams_.resize(plan_.ranks.size());
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    ranks_[r].plan = &plan_.ranks[r];
    if (links_) ranks_[r].link = links_->find(plan_.ranks[r].host);
    // mpirun signals the whole group of a rank, so ours must not be one of them.
    ranks_[r].own_group = !(r == 0 && terminal && launch_.shims);
    if (r == 0) {
      const bool relayed = ranks_[r].link != nullptr || (!launch_.shims && ::isatty(0) != 0);
      Descriptor in = plan_.input ? file_with(*plan_.input)
                      : relayed   ? stdin_relay_.begin(0)
                                  : Descriptor(::fcntl(0, F_DUPFD_CLOEXEC, 3));
      if (!in) in.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
      if (ranks_[r].link != nullptr) {
        remote_input_ = std::move(in);
      } else {
        streams_[r].push_back(std::move(in));
      }
    }
    if (ranks_[r].link != nullptr) {
      for (const int number : {1, 2}) {
        if (auto ok = output_->open_remote(static_cast<int>(r), number); !ok) {
          return tl::unexpected(std::move(ok).error());
        }
      }
      continue;
    }
    for (const int number : {1, 2}) {
      if (passes_stdio_) {
        Descriptor own(::fcntl(number, F_DUPFD_CLOEXEC, 3));
        if (!own) own.reset(::open("/dev/null", O_WRONLY | O_CLOEXEC));
        streams_[r].push_back(std::move(own));
        continue;
      }
      auto pipe = output_->open_stream(static_cast<int>(r), number);
      if (!pipe) return tl::unexpected(std::move(pipe).error());
      streams_[r].push_back(std::move(*pipe));
    }
  }
  for (KeptProcess& process : launch_.processes) {
    process.environment[kControlAddress] = server_->address();
    process.environment[kControlSecret] = server_->secret();
    process.environment["TOPOLAUNCH_RUN_ID"] = plan_.id;
    if (launch_.shims) continue;
    auto out = output_->open_stream(RankOutput::kEngine, 1);
    auto err = output_->open_stream(RankOutput::kEngine, 2);
    if (!out) return tl::unexpected(std::move(out).error());
    if (!err) return tl::unexpected(std::move(err).error());
    process.out = std::move(*out);
    process.err = std::move(*err);
  }
  return std::move(launch_.processes);
}

Status JobRun::write_scratch() const {
  if (launch_.files.empty()) return {};
  if (auto made = make_folders(launch_.scratch, 0700); !made) return made;
  for (const auto& [name, text] : launch_.files) {
    if (auto ok = write_file(launch_.scratch + "/" + name, text); !ok) return ok;
  }
  return {};
}

void JobRun::fail_start(Error error) {
  if (!start_error_ && !by_) start_error_ = std::move(error);
}

bool JobRun::all(bool (*is)(const RankProcess&)) const { return std::ranges::all_of(ranks_, is); }

int JobRun::milliseconds(double at) const {
  double next = at + (waiting_ ? kHeartbeat : 1.0);
  const auto consider = [&](double when) {
    if (when > 0) next = std::min(next, when);
  };
  if (waiting_) consider(next_heartbeat_);
  if (!by_ && plan_.time_limit && first_run_ > 0) consider(first_run_ + plan_.time_limit->count());
  if (!killed_) consider(kill_at_);
  consider(patience_);
  consider(engine_verdict_);
  consider(next_mpi_look_);
  if (killed_) consider(at + 0.05);
  int wait = static_cast<int>(std::ceil(std::max(0.0, next - at) * 1000));
  const int to_show = output_ ? output_->milliseconds_to_show(at) : -1;
  if (to_show >= 0) wait = std::min(wait, to_show);
  return wait;
}

void JobRun::turn() {
  PollSet set;
  set.add(signals_.fd(), POLLIN, [this](short) { hear_signals(); });
  if (server_) set.add(server_->fd(), POLLIN, [this](short) { greet(); });
  for (const auto& stranger : strangers_) {
    set.add(stranger->channel.fd(), POLLIN,
            [this, s = stranger.get()](short) { hear_stranger(*s); });
  }
  for (RankProcess& rank : ranks_) {
    if (rank.channel.open()) {
      const short events = rank.channel.has_outbox() ? POLLIN | POLLOUT : POLLIN;
      set.add(rank.channel.fd(), events, [this, &rank](short) { hear_rank(rank); });
    }
    if (!launch_.shims && !rank.ended()) {
      set.add(rank.pidfd.get(), POLLIN, [this](short) { look_at_ranks(); });
    }
  }
  if (links_) watch_hosts(set);
  if (keeper_->alive()) set.add(keeper_->fd(), POLLIN, [this](short) { hear_keeper(); });
  if (output_) output_->watch(set);
  stdin_relay_.watch(set);
  set.wait(milliseconds(now()));

  if (links_) hear_hosts();
  std::erase_if(strangers_, [](const auto& s) { return !s->channel.open(); });
  judge_ends();
  const double at = now();
  output_->show_due(at);
  proceed(at);
}

void JobRun::drain_output() {
  output_->finish();
  while (output_->pending()) {
    PollSet set;
    output_->watch_sinks(set);
    bool enough = false;
    set.add(signals_.fd(), POLLIN, [&](short) {
      for (const auto& message : signals_.take()) {
        enough = enough || message.number == SIGINT || message.number == SIGTERM ||
                 message.number == SIGHUP;
      }
    });
    set.wait(-1);
    if (enough) break;  // the reader of our output has stopped, and the user wants to leave
  }
}

Result<Ending> JobRun::wait(const std::function<std::string(Seconds)>& heartbeat) {
  heartbeat_ = heartbeat;
  waiting_ = true;
  next_heartbeat_ = now() + kHeartbeat;
  while (!done_) turn();
  drain_output();
  keeper_->finish();
  Ending out = ending();
  drain_output();  // an engine's words, if they are all that tells
  return out;
}

}  // namespace topolaunch::launcher
