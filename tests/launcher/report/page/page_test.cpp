// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/page/page.h"

#include <gmock/gmock.h>

#include <pugixml.hpp>
#include <set>

#include "launcher/report/markdown.h"
#include "launcher/report/page/figures.h"
#include "launcher/report/page/html.h"
#include "tests/launcher/report/page/example_run.h"

namespace topolaunch::launcher::page {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTwoHosts = "2 host, 8 h100 nvswitch, 8 ndr, 2 host/leaf";

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Page, SaysTheVerdictFirst) {
  const std::string page = report_page(example_run(kTwoHosts), nullptr);
  const auto verdict = page.find("id=\"verdict\"");
  ASSERT_NE(verdict, std::string::npos);
  EXPECT_LT(verdict, page.find("<svg"));
  EXPECT_THAT(page, HasSubstr("\u2717 fail"));
  EXPECT_THAT(page, HasSubstr("host3 nic 2"));
}

TEST(Page, HasEverySection) {
  const std::string page = report_page(example_run(kTwoHosts), nullptr);
  for (const char* id :
       {"verdict", "placement", "bandwidth", "pairs", "groups", "quota", "environment", "repeat"}) {
    EXPECT_THAT(page, HasSubstr(fmt::format("<section id=\"{}\">", id)));
  }
  EXPECT_THAT(page, HasSubstr("estimate (nccl"));
  EXPECT_THAT(page, HasSubstr("tp 3, 4 times the median"));
  EXPECT_THAT(page, HasSubstr("cd /home/a &amp;&amp; topolaunch -n 16 -- python train.py"));
  EXPECT_THAT(page, HasSubstr("Placement, coloured by dp"));
}

TEST(Page, IsWellFormedAndSelfContained) {
  const std::string page = report_page(example_run(kTwoHosts), nullptr);
  pugi::xml_document document;
  const auto read = document.load_string(page.c_str(), pugi::parse_default | pugi::parse_doctype);
  ASSERT_TRUE(read) << read.description() << " at "
                    << page.substr(static_cast<std::size_t>(read.offset), 80);
  EXPECT_EQ(document.select_nodes("//*[@src]").size(), 0U);
  EXPECT_EQ(document.select_nodes("//link").size(), 0U);
  for (const auto& found : document.select_nodes("//a/@href"))
    EXPECT_EQ(found.attribute().value()[0], '#');
  for (const auto& found : document.select_nodes("//svg")) {
    EXPECT_STREQ(found.node().attribute("role").value(), "img");
    EXPECT_STRNE(found.node().child("title").text().get(), "");
    EXPECT_STRNE(found.node().child("desc").text().get(), "");
  }
  std::set<std::string> ids;
  for (const auto& found : document.select_nodes("//@id")) {
    EXPECT_TRUE(ids.insert(found.attribute().value()).second) << found.attribute().value();
  }
}

TEST(Page, TakesWhatFilesSayAsWordsOnly) {
  const SavedRun run = example_run(kTwoHosts, kEvil);
  const std::string page = report_page(run, &run);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_EQ(count_of(page, "<script"), 2U);  // the data and our own
  EXPECT_EQ(count_of(page, "</script>"), 2U);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(page.c_str()));
  for (const auto& found : document.select_nodes("//@*")) {
    EXPECT_FALSE(std::string(found.attribute().name()).starts_with("on"))
        << found.attribute().name();
  }
  EXPECT_THAT(page, HasSubstr("script-src 'sha256-"));
}

TEST(Page, StaysBelowAMegabyteFor64Hosts) {
  const std::string page =
      report_page(example_run("64 host, 8 h100 nvswitch, 8 ndr, 8 host/leaf, 4:1"), nullptr);
  EXPECT_LT(page.size(), 1'000'000U);
  EXPECT_THAT(page, HasSubstr("host by host"));
}

TEST(Page, ShowsARunThatLeftNothingButItsPlan) {
  SavedRun run;
  run.plan = example_run(kTwoHosts).plan;
  run.summary = run.manifest = run.observation = run.raw_measurement =
      std::make_shared<const Json>();
  const std::string page = report_page(run, nullptr);
  EXPECT_THAT(page, HasSubstr("left no verdict"));
  EXPECT_THAT(page, HasSubstr("not measured"));
  EXPECT_THAT(page, HasSubstr("left no topology"));
}

TEST(Page, ComparesTwoRuns) {
  const SavedRun before = example_run(kTwoHosts);
  SavedRun run = before;
  for (bench::SizeResult& result : run.measurement->results) {
    for (Seconds* time : {&result.out_of_place.p50, &result.out_of_place.minimum}) *time *= 2;
    result.out_of_place.busbw /= 2;
  }
  const std::string page = report_page(run, &before);
  EXPECT_THAT(page, HasSubstr("-50.0 %"));
  EXPECT_THAT(page, HasSubstr("slower"));
  EXPECT_THAT(page, HasSubstr("before: measured, median"));
}

TEST(Figures, TakeNoGpuModelForCpuFigures) {
  SavedRun run = example_run(kTwoHosts);
  for (bench::Device& device : run.measurement->devices) device.device = "cpu", device.index = -1;
  EXPECT_TRUE(estimate_series(run).points.empty());
}

TEST(Figures, PassOverMatricesOfTheWrongShape) {
  SavedRun run = example_run(kTwoHosts);
  Json raw = *run.raw_measurement;
  raw["pairs"]["concurrent_bytes_per_second"][3].erase(0);
  raw["pairs"]["latency_seconds"] = "no";
  run.raw_measurement = std::make_shared<const Json>(raw);
  EXPECT_TRUE(pair_matrices(run).empty());
}

TEST(Html, EscapesValuesAndData) {
  EXPECT_EQ(words("<b>&").text(), "&lt;b&gt;&amp;");
  EXPECT_EQ(data_block("x", "\"</script>\"").text(),
            "<script type=\"application/json\" id=\"x\">\"\\u003c/script\\u003e\"</script>\n");
}

TEST(Markdown, HoldsTheVerdictAndIsWordsOnly) {
  const SavedRun run = example_run(kTwoHosts, "<b>|*x*");
  const std::string text = run_markdown(run, &run);
  EXPECT_THAT(text, HasSubstr(": fail\n"));
  EXPECT_THAT(text, HasSubstr("| size | p50 | p99 | busbw | before | wrong |"));
  EXPECT_THAT(text, Not(HasSubstr("<b>")));
  EXPECT_THAT(text, HasSubstr("&lt;b&gt;\\|\\*x\\*"));
}

}  // namespace
}  // namespace topolaunch::launcher::page
