// SPDX-License-Identifier: Apache-2.0
//
// delay_relay MICROSECONDS A B: makes TAP devices A and B in this network namespace and carries
// frames between them, each one late by the given time. Takes the place of netem, which not every
// kernel has. Prints "ready" when both devices are there.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Frame {
  Clock::time_point due;
  std::vector<char> bytes;
};

int open_tap(const char* name) {
  const int fd = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  std::strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  if (fd < 0 || ::ioctl(fd, TUNSETIFF, &request) != 0) {
    std::perror("delay_relay: /dev/net/tun");
    std::exit(1);
  }
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: delay_relay MICROSECONDS A B\n");
    return 64;
  }
  constexpr std::size_t kMostFrames = 4096;  // a queue that is full drops, as a switch does
  const auto delay = std::chrono::microseconds(std::atoll(argv[1]));
  const std::array<int, 2> taps{open_tap(argv[2]), open_tap(argv[3])};
  std::array<std::deque<Frame>, 2> queues;
  ::prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
  std::puts("ready");
  std::fflush(stdout);
  while (true) {
    auto next = Clock::now() + std::chrono::seconds(1);
    for (std::size_t i = 0; i < 2; ++i) {
      while (!queues[i].empty() && queues[i].front().due <= Clock::now()) {
        const Frame& frame = queues[i].front();
        if (::write(taps[1 - i], frame.bytes.data(), frame.bytes.size()) < 0) {
          // The other side's queue is full: the frame is lost, as on a wire.
        }
        queues[i].pop_front();
      }
      if (!queues[i].empty()) next = std::min(next, queues[i].front().due);
    }
    std::array<pollfd, 2> watch{{{taps[0], POLLIN, 0}, {taps[1], POLLIN, 0}}};
    const auto wait = std::max(next - Clock::now(), Clock::duration::zero());
    const timespec timeout{std::chrono::duration_cast<std::chrono::seconds>(wait).count(),
                           (wait % std::chrono::seconds(1)).count()};
    ::ppoll(watch.data(), watch.size(), &timeout, nullptr);
    for (std::size_t i = 0; i < 2; ++i) {
      if ((watch[i].revents & POLLIN) == 0) continue;
      std::array<char, 9216> buffer;
      for (int k = 0; k < 64; ++k) {
        const ssize_t n = ::read(taps[i], buffer.data(), buffer.size());
        if (n <= 0) break;
        if (queues[i].size() >= kMostFrames) continue;
        queues[i].push_back({Clock::now() + delay, {buffer.data(), buffer.data() + n}});
      }
    }
  }
}
