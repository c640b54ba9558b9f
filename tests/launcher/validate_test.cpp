// SPDX-License-Identifier: Apache-2.0
#include "launcher/validate.h"

#include <gmock/gmock.h>

#include "tests/launcher/example_plan.h"

namespace topolaunch::launcher {
namespace {

using testing::HasSubstr;

const Check& named(const std::vector<Check>& checks, const std::string& name) {
  for (const Check& check : checks) {
    if (check.name == name) return check;
  }
  static const Check none;
  ADD_FAILURE() << "no check '" << name << "'";
  return none;
}

TEST(CheckPlacement, PassesWhenAllIsAsPlanned) {
  const Plan plan = example_plan();
  for (const Check& check : check_placement(plan, seen_as_planned(plan))) {
    EXPECT_EQ(check.verdict, Outcome::pass) << check.name << " " << check.suspect;
  }
}

TEST(CheckPlacement, NamesTheRankThatReportedNothing) {
  const Plan plan = example_plan();
  auto seen = seen_as_planned(plan);
  seen.pop_back();
  const auto checks = check_placement(plan, seen);
  EXPECT_EQ(named(checks, "ranks").verdict, Outcome::fail);
  EXPECT_THAT(named(checks, "ranks").suspect, HasSubstr("rank 1 on box"));
  EXPECT_THAT(named(checks, "ranks").measured, HasSubstr("1 of 2"));
}

TEST(CheckPlacement, ARankThatWasEndedBeforeItCouldReportIsNoFault) {
  const Plan plan = example_plan();
  auto seen = seen_as_planned(plan);
  seen.pop_back();
  RankEnding cut_off;
  cut_off.rank = 1;
  cut_off.ended_by_us = true;
  EXPECT_EQ(named(check_placement(plan, seen, {cut_off}), "ranks").verdict, Outcome::pass);
  cut_off.ended_by_us = false;
  EXPECT_EQ(named(check_placement(plan, seen, {cut_off}), "ranks").verdict, Outcome::fail);
}

TEST(CheckTopology, FailsOnWarningsAndNamesTheFirst) {
  topo::Topology topology;
  topology.warnings.push_back({"hint", topo::Warning::Severity::note, {}, 0, "a hint"});
  EXPECT_EQ(check_topology(topology).verdict, Outcome::pass);
  topology.warnings.push_back({"gpu-lost", topo::Warning::Severity::error, {}, 0, "GPU 2 is lost"});
  topology.warnings.push_back({"odd", topo::Warning::Severity::warning, {}, 0, "GPU 3 is odd"});
  const Check check = check_topology(topology);
  EXPECT_EQ(check.verdict, Outcome::fail);
  EXPECT_EQ(check.measured, "2 warnings");
  EXPECT_EQ(check.suspect, "GPU 2 is lost [gpu-lost]");
}

TEST(CheckPlacement, TakesTheRanksWordForAnAliasOfItsHost) {
  const Plan plan = example_plan();
  auto seen = seen_as_planned(plan);
  seen[1].host = "box-by-another-name";
  EXPECT_EQ(named(check_placement(plan, seen), "hosts").verdict, Outcome::fail);
  seen[1].on_planned_host = true;
  EXPECT_EQ(named(check_placement(plan, seen), "hosts").verdict, Outcome::pass);
  seen[1].on_planned_host = false;
  EXPECT_THAT(named(check_placement(plan, seen), "hosts").suspect,
              HasSubstr("runs on box-by-another-name, planned box"));
}

TEST(CheckPlacement, NamesTheRankOnOtherCpusOrAnotherGpu) {
  const Plan plan = example_plan();
  auto seen = seen_as_planned(plan);
  seen[1].cpus = "0-7";
  seen[0].gpu_uuid = "GPU-1";
  const auto checks = check_placement(plan, seen);
  EXPECT_THAT(named(checks, "cpus").suspect, HasSubstr("has CPUs 0-7, planned 4-7"));
  EXPECT_EQ(named(checks, "gpus").verdict, Outcome::fail);
  EXPECT_THAT(named(checks, "gpus").suspect, HasSubstr("rank 0"));
}

TEST(CheckPlacement, AGpuThatCouldNotBeAskedIsNoPass) {
  const Plan plan = example_plan();
  auto seen = seen_as_planned(plan);
  seen[1].gpu_uuid = seen[1].gpu_pci = "";
  EXPECT_EQ(named(check_placement(plan, seen), "gpus").verdict, Outcome::could_not_test);
}

TEST(CheckPlacement, HasNothingToSayAboutGpusWithoutGpus) {
  const Plan plan = example_plan(false);
  EXPECT_EQ(named(check_placement(plan, seen_as_planned(plan)), "gpus").verdict,
            Outcome::not_applicable);
}

TEST(CheckMeasurement, WrongElementsFail) {
  auto m = example_measurement();
  m.wrong = 1;
  EXPECT_EQ(named(check_measurement(example_plan(), m, {}, {}), "results").verdict, Outcome::fail);
  m.wrong = -1;
  EXPECT_EQ(named(check_measurement(example_plan(), m, {}, {}), "results").verdict,
            Outcome::could_not_test);
}

TEST(CheckMeasurement, ARankThatMeasuredOnAnotherHostOfThePlanIsNamed) {
  Plan plan = example_plan();
  plan.hosts = {"box", "crate"};
  plan.ranks[1].host = "crate";
  auto m = example_measurement();
  m.devices[0].host = "box.cluster.example";
  m.devices[1].host = "an-alias";
  EXPECT_EQ(named(check_measurement(plan, m, {}, {}), "bench-hosts").verdict, Outcome::pass);
  m.devices[1].host = "box";
  const Check wrong = named(check_measurement(plan, m, {}, {}), "bench-hosts");
  EXPECT_EQ(wrong.verdict, Outcome::fail);
  EXPECT_EQ(wrong.suspect, "rank 1: runs on box, planned crate");
}

TEST(CheckMeasurement, AnotherWorldOrTwoRanksOnOneGpuFail) {
  auto m = example_measurement();
  m.ranks = 1;
  EXPECT_EQ(named(check_measurement(example_plan(), m, {}, {}), "bench-ranks").verdict,
            Outcome::fail);
  m = example_measurement();
  m.devices[1].device = m.devices[0].device;
  EXPECT_EQ(named(check_measurement(example_plan(), m, {}, {}), "bench-devices").verdict,
            Outcome::fail);
}

TEST(CheckMeasurement, ACpuFigureSaysNothingAboutPlannedGpus) {
  const auto checks = check_measurement(example_plan(true), example_measurement(false), {}, {});
  EXPECT_EQ(named(checks, "allreduce").verdict, Outcome::could_not_test);
}

TEST(CheckMeasurement, AModelsEstimateDecidesNothing) {
  mapping::Estimate estimate;
  estimate.seconds = Seconds(1e-9);
  estimate.model = "nccl 2.28.9";
  const auto checks = check_measurement(example_plan(), example_measurement(), estimate, {});
  EXPECT_EQ(named(checks, "allreduce").verdict, Outcome::not_applicable);
  EXPECT_EQ(named(checks, "allreduce").source, "nccl 2.28.9");
}

TEST(CheckMeasurement, HalfOfAnEarlierMeasurementFails) {
  const Reference before{200e9, 64 << 20, "run x"};
  EXPECT_EQ(named(check_measurement(example_plan(), example_measurement(), {}, before), "allreduce")
                .verdict,
            Outcome::fail);
  const Reference near{100e9, 64 << 20, "run x"};
  EXPECT_EQ(named(check_measurement(example_plan(), example_measurement(), {}, near), "allreduce")
                .verdict,
            Outcome::pass);
}

TEST(CheckMeasurement, MuchFasterThanBeforeFailsToo) {
  const Reference before{20e9, 64 << 20, "run x"};
  const Check check = named(check_measurement(example_plan(), example_measurement(), {}, before), "allreduce");
  EXPECT_EQ(check.verdict, Outcome::fail);
  EXPECT_THAT(check.suspect, testing::HasSubstr("too fast"));
}

TEST(CheckMeasurement, NothingMeasuredIsNoPass) {
  auto m = example_measurement();
  m.results.clear();
  EXPECT_EQ(named(check_measurement(example_plan(), m, {}, {}), "allreduce").verdict,
            Outcome::could_not_test);
}

}  // namespace
}  // namespace topolaunch::launcher
