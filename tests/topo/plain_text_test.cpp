// SPDX-License-Identifier: Apache-2.0
#include "topo/plain_text.h"

#include <gmock/gmock.h>

#include "topo/format.h"
#include "topo/lint/lint.h"

namespace topolaunch::topo {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

Error refused(const std::string& text) {
  const auto plain = plain_text(text, "f", "the file", "it is to be text");
  return plain ? Error{} : plain.error();
}

TEST(PlainText, SaysWhatAFileIsAndWhatIsWanted) {
  for (const auto& text : {""s, " \n\t\r\n"s, "\xEF\xBB\xBF\n"s}) {
    EXPECT_EQ(refused(text).message, "the file is empty");
    EXPECT_EQ(refused(text).next, "it is to be text");
    EXPECT_EQ(refused(text).line, 1);
  }
  EXPECT_EQ(refused("a\nb\0c"s).message, "the file holds binary data");
  EXPECT_EQ(refused("a\nb\0c"s).line, 2);
  EXPECT_EQ(refused("\x7f"
                    "ELF\x02\x01\x01\0\0"s)
                .message,
            "the file holds binary data");
  EXPECT_THAT(refused("\x1f\x8b\x08\0"s).next, HasSubstr("gunzip"));
  EXPECT_EQ(refused("plain \xC2\xB5s\n").message, "");
}

TEST(PlainText, SaysHowToConvertWideText) {
  EXPECT_EQ(refused("\xFF\xFE#\0!\0"s).message, "the file is UTF-16 text");
  EXPECT_EQ(refused("\xFF\xFE#\0!\0"s).next, "convert it: iconv -f UTF-16 -t UTF-8 f > NEW");
  EXPECT_THAT(refused("\xFE\xFF\0#\0!"s).next, HasSubstr("-f UTF-16 "));
  EXPECT_THAT(refused("#\0!\0/\0"s).next, HasSubstr("-f UTF-16LE "));
  EXPECT_THAT(refused("\0#\0!\0/"s).next, HasSubstr("-f UTF-16BE "));
  EXPECT_THAT(refused("\xFF\xFE\0\0#\0\0\0"s).next, HasSubstr("-f UTF-32 "));
}

TEST(PlainText, IsWhatJobsAndTopologiesHaveToBe) {
  for (const auto& text : {""s, "\xFF\xFE#\0!\0"s,
                           "\x7f"
                           "ELF\0"s}) {
    const auto job = lint_job(text, "f");
    ASSERT_FALSE(job);
    EXPECT_THAT(job.error().message, HasSubstr("the job request "));
    const auto topology = facts_from_file(text, "f", "");
    ASSERT_FALSE(topology);
    EXPECT_THAT(topology.error().message, HasSubstr("the topology file "));
  }
  EXPECT_THAT(lint_job("", "f").error().next, HasSubstr("sbatch scripts"));
}

}  // namespace
}  // namespace topolaunch::topo
