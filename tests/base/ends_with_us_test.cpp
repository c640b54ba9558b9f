// SPDX-License-Identifier: Apache-2.0
#include "base/ends_with_us.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/commands.h"

namespace topolaunch {
namespace {

namespace fs = std::filesystem;

TEST(EndsWithUs, GoesWhenASignalEndsUs) {
  const fs::path file =
      fs::temp_directory_path() / ("topolaunch-command-" + std::to_string(::getpid()));
  const pid_t us = ::fork();
  ASSERT_GE(us, 0);
  if (us == 0) {
    ::signal(SIGINT, SIG_DFL);
    const std::string name = file.string();
    const std::string script =
        "echo $$ >" + name + ".new && mv " + name + ".new " + name + " && exec sleep 300";
    SystemCommands().run({"sh", "-c", script}, Seconds(300));
    ::_exit(0);
  }
  pid_t command = 0;
  for (int i = 0; i < 2000 && command == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::ifstream(file) >> command;
  }
  ASSERT_GT(command, 0);
  ::kill(us, SIGINT);
  int status = 0;
  ASSERT_EQ(::waitpid(us, &status, 0), us);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
  bool gone = false;
  for (int i = 0; i < 2000 && !gone; ++i) {
    // A zombie is gone, if whoever it fell to has not waited for it yet.
    std::ifstream stat("/proc/" + std::to_string(command) + "/stat");
    std::string number, name, state;
    gone = !(stat >> number >> name >> state) || state == "Z";
    if (!gone) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(gone);
  fs::remove(file);
}

}  // namespace
}  // namespace topolaunch
