// SPDX-License-Identifier: Apache-2.0
#include "examples/allreduce/rendezvous.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace example {
namespace {

constexpr std::uint32_t kMagic = 0x746c6131;  // "tla1": whoever doesn't say it isn't a rank of ours

struct Hello {
  std::uint32_t magic, rank, ranks, port;
};
struct Address {
  std::array<char, 64> host;
  std::uint32_t port;
};

int number(const char* name, int least, int most) {
  const char* text = std::getenv(name);
  if (text == nullptr) {
    throw std::runtime_error(std::string(name) + " is not set, though others of RANK, WORLD_SIZE, "
                                                 "MASTER_ADDR and MASTER_PORT are");
  }
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < least || value > most) {
    throw std::runtime_error(std::string(name) + "=" + text + " is not a number from " +
                             std::to_string(least) + " to " + std::to_string(most));
  }
  return static_cast<int>(value);
}

}  // namespace

Job job_from_environment() {
  bool any = false;
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    any = any || std::getenv(name) != nullptr;
  }
  if (!any) return {};
  Job job;
  job.ranks = number("WORLD_SIZE", 1, 65536);
  job.rank = number("RANK", 0, job.ranks - 1);
  job.port = number("MASTER_PORT", 1, 65535);
  const char* master = std::getenv("MASTER_ADDR");
  if (master == nullptr || *master == '\0') throw std::runtime_error("MASTER_ADDR is not set");
  job.master = master;
  return job;
}

Neighbours meet(const Job& job, Clock::time_point until) {
  const Socket mine = Socket::listen(0);
  const auto my_port = static_cast<std::uint32_t>(mine.local_port());
  Address next{};
  if (job.rank == 0) {
    const auto ranks = static_cast<std::size_t>(job.ranks);
    const Socket door = Socket::listen(job.port);
    std::vector<Socket> guests(ranks);
    std::vector<Address> addresses(ranks);
    addresses[0].port = my_port;
    std::memcpy(addresses[0].host.data(), job.master.c_str(),
                std::min(job.master.size(), addresses[0].host.size() - 1));
    for (int missing = job.ranks - 1; missing > 0;) {
      Socket guest = door.accept(until);
      Hello hello{};
      try {
        guest.receive(&hello, sizeof hello, std::min(until, Clock::now() + std::chrono::seconds(5)));
      } catch (const std::exception&) {
        continue;  // somebody else who knocked on the port
      }
      if (hello.magic != kMagic || hello.ranks != ranks || hello.rank == 0 || hello.rank >= ranks ||
          guests[hello.rank].fd() >= 0) {
        continue;
      }
      Address& address = addresses[hello.rank];
      const std::string host = guest.peer_address();
      std::memcpy(address.host.data(), host.c_str(), std::min(host.size(), address.host.size() - 1));
      address.port = hello.port;
      guests[hello.rank] = std::move(guest);
      --missing;
    }
    for (std::size_t r = 1; r < ranks; ++r) {
      guests[r].send(&addresses[(r + 1) % ranks], sizeof(Address), until);
    }
    next = addresses[1];
  } else {
    const Socket master = Socket::connect(job.master, job.port, until);
    const Hello hello{kMagic, static_cast<std::uint32_t>(job.rank),
                      static_cast<std::uint32_t>(job.ranks), my_port};
    master.send(&hello, sizeof hello, until);
    master.receive(&next, sizeof next, until);
  }
  Neighbours neighbours;
  neighbours.next = Socket::connect(next.host.data(), static_cast<int>(next.port), until);
  neighbours.next.send(&kMagic, sizeof kMagic, until);
  for (std::uint32_t magic = 0; magic != kMagic;) {
    neighbours.previous = mine.accept(until);
    neighbours.previous.receive(&magic, sizeof magic, until);
  }
  return neighbours;
}

}  // namespace example
