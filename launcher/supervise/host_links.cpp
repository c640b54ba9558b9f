// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/host_links.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "launcher/json_fields.h"
#include "launcher/supervise/handshake.h"

namespace topolaunch::launcher {
namespace {

/// What a stranger may say, and how long he may take for it.
constexpr std::size_t kMaxGreeting = 4096;
constexpr double kPatience = 10;
constexpr int kAnswerMilliseconds = 15'000;
/// For a connection to one address.
constexpr double kConnectSeconds = 4;

std::string why_lost(const Channel& channel) {
  switch (channel.broken_by()) {
    case 0:
    case ECONNRESET:
    case EPIPE: return "its keeper was killed, or the host went down";
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case ENETUNREACH: return "it has fallen silent: the link is cut, or the host is dead";
    default: return std::strerror(channel.broken_by());
  }
}

Result<Channel> shake_hands(Descriptor socket, const std::string& host, const std::string& secret,
                            const HostGreeting& self) {
  notice_silence(socket.get());
  const std::string address = self.address.empty() ? own_address_of(socket.get()) : self.address;
  Channel channel(std::move(socket), kMaxGreeting);
  auto first = channel.await(kAnswerMilliseconds);
  if (!first) return fail(std::move(first).error());
  auto mine = random_name(16);
  if (!mine) return fail(std::move(mine).error());
  const std::string theirs = JsonFields(*first, "greeting", "").text_or("challenge", {});
  channel.send(Json{{"host", host},
                    {"challenge", *mine},
                    {"proof", proof_of(secret, "keeper", host, theirs, *mine)},
                    {"address", address},
                    {"free_port", self.free_port},
                    {"id", self.id},
                    {"version", self.version}});
  auto answer = channel.await(kAnswerMilliseconds);
  if (!answer) return fail(std::move(answer).error());
  const std::string proof = JsonFields(*answer, "greeting", "").text_or("proof", {});
  if (!same_secret(proof, proof_of(secret, "launcher", host, theirs, *mine))) {
    return fail(Code::denied, "who answers there isn't the topolaunch that started this");
  }
  channel.set_limit(Channel::kMaxMessage);
  return channel;
}

}  // namespace

Result<HostLinks> HostLinks::open(const std::vector<std::string>& hosts, std::string secret) {
  HostLinks links;
  auto listener = listen_for_hosts();
  if (!listener) return fail(std::move(listener).error());
  links.listener_ = std::move(*listener);
  links.addresses_ = reachable_addresses();
  if (links.addresses_.empty()) {
    return fail(Code::unavailable, "this machine has no address that other hosts could reach",
                "bring an interface up, or start on this host only");
  }
  links.secret_ = std::move(secret);
  for (const std::string& name : hosts) links.hosts_.emplace_back().name = name;
  return links;
}

HostLink* HostLinks::find(const std::string& name) {
  const auto it = std::ranges::find(hosts_, name, &HostLink::name);
  return it == hosts_.end() ? nullptr : &*it;
}

void HostLinks::watch(PollSet& set) {
  set.add(listener_.socket.get(), POLLIN, [this](short) { accept(); });
  for (const auto& stranger : strangers_) {
    set.add(stranger->channel.fd(), POLLIN, [this, s = stranger.get()](short) { hear(*s); });
  }
  for (std::size_t h = 0; h < hosts_.size(); ++h) {
    Channel& channel = hosts_[h].channel;
    const short events = channel.has_outbox() ? POLLIN | POLLOUT : POLLIN;
    if (channel.open()) set.add(channel.fd(), events, [this, h](short) { hear(h); });
  }
}

void HostLinks::accept() {
  while (true) {
    Descriptor socket(
        ::accept4(listener_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return rest_after_failed_accept(errno);
    // A crowd of strangers must not take all descriptors, nor keep ours out for long.
    if (strangers_.size() > 2 * hosts_.size() + 16) {
      const auto oldest = std::ranges::find_if(
          strangers_, [](const auto& stranger) { return stranger->channel.open(); });
      if (oldest == strangers_.end()) return;
      (*oldest)->channel.close();  // it goes at the end of this turn
    }
    auto challenge = random_name(16);
    if (!challenge) return;
    notice_silence(socket.get());
    auto stranger = std::make_unique<Stranger>();
    stranger->channel = Channel(std::move(socket), kMaxGreeting);
    stranger->challenge = *challenge;
    stranger->channel.post(Json{{"challenge", *challenge}});
    if (stranger->channel.flush()) strangers_.push_back(std::move(stranger));
  }
}

void HostLinks::hear(Stranger& stranger) {
  std::vector<Json> messages;
  const bool alive = stranger.channel.receive(messages);
  if (messages.empty()) {
    if (!alive) stranger.channel.close();
    return;
  }
  Channel channel = std::move(stranger.channel);  // closed at the end of this function, or kept
  JsonFields in(messages.front(), "greeting", "");
  const std::string name = in.text_or("host", {});
  const std::string challenge = in.text_or("challenge", {});
  const std::string proof = in.text_or("proof", {});
  HostLink* const host = find(name);
  const bool knows = same_secret(
      proof, proof_of(secret_, "keeper", name, stranger.challenge, challenge));
  if (!alive || !knows || host == nullptr || host->stage != HostLink::Stage::expected) return;
  host->channel = std::move(channel);
  host->channel.set_limit(Channel::kMaxMessage);
  host->channel.post(
      Json{{"proof", proof_of(secret_, "launcher", name, stranger.challenge, challenge)}});
  host->channel.flush();
  host->said = {in.text_or("address", {}), in.integer_or("free_port", 0, 65535, 0),
                in.text_or("id", {}), in.text_or("version", {})};
  host->our_address = own_address_of(host->channel.fd());
  host->stage = HostLink::Stage::arrived;
  const auto number = static_cast<std::size_t>(host - hosts_.data());
  news_.push_back({HostNews::What::arrived, number, {}, {}});
}

void HostLinks::hear(std::size_t number) {
  HostLink& host = hosts_[number];
  std::vector<Json> messages;
  bool alive = host.channel.flush();
  alive = host.channel.receive(messages) && alive;
  for (Json& message : messages) {
    if (message.is_object() && message.contains("empty")) {
      host.stage = HostLink::Stage::empty;
      alive = false;
    }
    news_.push_back({HostNews::What::said, number, std::make_shared<Json>(std::move(message)), {}});
  }
  if (alive) return;
  if (host.stage == HostLink::Stage::arrived) {
    host.stage = HostLink::Stage::lost;
    news_.push_back({HostNews::What::lost, number, {}, why_lost(host.channel)});
  }
  host.channel.close();
}

std::vector<HostNews> HostLinks::take_news() { return std::exchange(news_, {}); }

void HostLinks::let_strangers_go(double now) {
  std::erase_if(strangers_, [&](const auto& stranger) {
    if (stranger->since == 0) stranger->since = now;
    return !stranger->channel.open() || now - stranger->since > kPatience;
  });
  if (std::ranges::find(hosts_, HostLink::Stage::expected, &HostLink::stage) == hosts_.end()) {
    listener_.socket.reset();
    strangers_.clear();
  }
}

Result<Channel> greet_launcher(const std::vector<std::string>& addresses, int port,
                               const std::string& host, const std::string& secret,
                               const HostGreeting& self) {
  std::string tried;
  for (const std::string& address : addresses) {
    auto socket = connect_to(address, port, kConnectSeconds);
    auto channel = socket ? shake_hands(std::move(*socket), host, secret, self)
                          : Result<Channel>(fail(std::move(socket).error()));
    if (channel) return channel;
    tried += (tried.empty() ? "" : ", ") + address + " (" + channel.error().message + ")";
  }
  return fail(Code::unavailable,
              "topolaunch can't be reached at port " + std::to_string(port) + " of " +
                  (tried.empty() ? "any address" : tried),
              "the hosts need a network in common, and no firewall between them");
}

}  // namespace topolaunch::launcher
