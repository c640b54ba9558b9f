// SPDX-License-Identifier: Apache-2.0
#include "topo/format.h"

#include <gmock/gmock.h>

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Format, IsRecognisedByTheContent) {
  EXPECT_THAT(recognise("\xEF\xBB\xBF \n<?xml version=\"1.0\"?><!-- <system> --><topology>"),
              StartsWith("hwloc XML"));
  EXPECT_THAT(recognise("<!DOCTYPE topology SYSTEM \"hwloc2.dtd\"><topology version=\"2.0\">"),
              StartsWith("hwloc XML"));
  EXPECT_THAT(recognise("<!-- c --><system><cpu numaid=\"0\"/></system>"), StartsWith("NCCL"));
  EXPECT_THAT(recognise("<graphs version=\"1\">"), StartsWith("NCCL"));
  EXPECT_THAT(recognise(" {\"schema\""), StartsWith("JSON"));
  EXPECT_THAT(recognise("[ {\"InstanceId\""), StartsWith("JSON"));
  EXPECT_THAT(recognise("#c\nSwitchName=a Nodes=b"), StartsWith("Slurm's topology.conf"));
  EXPECT_THAT(recognise("---\n# c\n- topology: t1\n  flat: true\n"),
              StartsWith("Slurm's topology.yaml"));
  EXPECT_EQ(recognise("systemd"), "");
  EXPECT_EQ(recognise("[general]\nkey=1"), "");
  EXPECT_EQ(recognise("<html>"), "");
}

TEST(Format, NamesTheLineOfWhatItRefuses) {
  const auto refused = [](const std::string& text) {
    return facts_from_file(text, "f", "").error();
  };
  EXPECT_EQ(refused("\n\nhello").line, 3);
  EXPECT_THAT(refused("hello").next, HasSubstr("Slurm's topology.yaml"));
  EXPECT_EQ(refused(std::string("a\nb\0c", 5)).line, 2);
  EXPECT_EQ(refused("\n<html/>").line, 2);
  EXPECT_EQ(refused("<!-- c\n").line, 1);
  EXPECT_EQ(refused("").line, 1);
  EXPECT_THAT(refused(std::string("\x1f\x8b\x08\0", 4)).next, StartsWith("unpack it"));
}

TEST(Format, FindsTheFirstElementOnly) {
  EXPECT_EQ(first_element("<?xml?><!-- <a> --><b c=\"d\">"), "b");
  EXPECT_EQ(first_element("<!-- open"), "");
  EXPECT_EQ(first_element("text <a>"), "");
}

}  // namespace
}  // namespace topolaunch::topo
