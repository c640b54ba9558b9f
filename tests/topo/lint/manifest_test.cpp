// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/manifest.h"

#include <gmock/gmock.h>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

const std::string kJobSet = R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: pretrain
  labels: {kueue.x-k8s.io/queue-name: train}
spec:
  replicatedJobs:
  - name: workers
    replicas: 2
    template:
      spec:
        parallelism: 3
        completions: 3
        template:
          metadata:
            annotations:
              kueue.x-k8s.io/podset-required-topology: a/block
              kueue.x-k8s.io/podset-slice-required-topology: a/rack
              kueue.x-k8s.io/podset-slice-size: "4"
          spec:
            containers:
            - name: c
              resources: {limits: {nvidia.com/gpu: 8}}
              env:
              - {name: NCCL_IB_DISABLE, value: "1"}
)";

TEST(LintManifest, CountsThePodsOfAJobSetAndKnowsTheLine) {
  const auto found = *check_manifest(kJobSet, "j.yaml");
  EXPECT_EQ(count_of(found, "pod-slice-size"), 1);  // 6 pods in slices of 4
  EXPECT_EQ(count_of(found, "env-nccl-ib-off"), 1);
  for (const auto& warning : found) {
    if (warning.code == "env-nccl-ib-off") {
      EXPECT_EQ(warning.line, 25);
    }
    if (warning.code == "pod-slice-size") {
      EXPECT_EQ(warning.line, 19);
    }
  }
}

TEST(LintManifest, ReadsReplicaSpecsAndSeveralDocuments) {
  const auto found = *check_manifest(
      "apiVersion: v1\nkind: ConfigMap\n---\napiVersion: kubeflow.org/v1\nkind: "
      "PyTorchJob\nmetadata: {name: p}\n"
      "spec:\n  nprocPerNode: \"4\"\n  pytorchReplicaSpecs:\n    Worker:\n      replicas: 2\n      "
      "template:\n"
      "        spec:\n          containers:\n          - name: c\n            resources: {limits: "
      "{nvidia.com/gpu: 8}}\n",
      "p.yaml");
  EXPECT_EQ(count_of(found, "pod-ranks-per-host"), 1);
}

TEST(LintManifest, AListOfTimesIsNoColour) {
  const auto found = check_manifest(
      "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: c, image: i, args: [5m, 10m]}]}\n", "m.yaml");
  EXPECT_TRUE(found) << found.error().text();
}

TEST(LintManifest, RefusesWhatIsNoYamlWithItsLine) {
  const auto broken = check_manifest("apiVersion: v1\nkind: [Job\nmetadata: }\n", "b.yaml");
  ASSERT_FALSE(broken.has_value());
  EXPECT_EQ(broken.error().code, Code::invalid_input);
  EXPECT_GT(broken.error().line, 0);
  EXPECT_FALSE(check_manifest(std::string(100000, '['), "deep.yaml").has_value());
  EXPECT_TRUE(check_manifest("a: &a [x]\nb: *a\n", "alias.yaml").has_value());
}

TEST(LintManifest, CountsLinesAcrossDocumentsAndEndsWhereTheLibraryWouldNot) {
  const std::string two = "kind: ConfigMap\n---\n" + kJobSet;
  const auto one = *check_manifest(kJobSet, "j.yaml"), both = *check_manifest(two, "j.yaml");
  ASSERT_EQ(one.size(), both.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(both[i].line, one[i].line + 2);
  const auto broken = check_manifest("a: 1\n---\nb: [1\nc: 2\n", "j.yaml");
  ASSERT_FALSE(broken);
  EXPECT_GE(broken.error().line, 3);
  // Found by fuzzing: YAML::LoadAll never comes to an end of it.
  EXPECT_TRUE(check_manifest("apiVersion: v1\nkind: Pod\n---\n,3F\n", "j.yaml"));
}

/// A pod template of eight GPUs whose command starts four ranks, indented by `by`.
std::string four_ranks(int by, const std::string& more = "") {
  const std::string blank(static_cast<std::size_t>(by), ' ');
  return blank + "spec:\n" + blank + "  containers:\n" + blank +
         "  - {name: c, args: [torchrun, --nproc-per-node=4], resources: {limits: {nvidia.com/gpu: "
         "8}}}\n" +
         more;
}

TEST(LintManifest, FindsPodTemplatesWhereverTheyAreNested) {
  const auto ranks = [](const std::string& text) {
    return count_of(*check_manifest("apiVersion: v1\n" + text, "f"), "pod-ranks-per-host");
  };
  EXPECT_EQ(
      ranks("kind: CronJob\nspec:\n  jobTemplate:\n    spec:\n      template:\n" + four_ranks(8)),
      1);
  EXPECT_EQ(ranks("kind: PodTemplate\ntemplate:\n" + four_ranks(2)), 1);
  EXPECT_EQ(ranks("kind: LeaderWorkerSet\nspec:\n  leaderWorkerTemplate:\n    leaderTemplate:\n" +
                  four_ranks(6) + "    workerTemplate:\n" + four_ranks(6)),
            2);
  EXPECT_EQ(ranks("kind: RayCluster\nspec:\n  workerGroupSpecs:\n  - replicas: 2\n    template:\n" +
                  four_ranks(6)),
            1);
  EXPECT_EQ(ranks("kind: AppWrapper\nspec:\n  components:\n  - template:\n      apiVersion: v1\n   "
                  "   kind: Job\n"
                  "      spec:\n        template:\n" +
                  four_ranks(10)),
            1);
  EXPECT_EQ(ranks("kind: PodList\nitems:\n- apiVersion: v1\n  kind: Pod\n" + four_ranks(2)), 1);
}

TEST(LintManifest, KnowsTheJobsOfACronJob) {
  const auto found = [](const std::string& label, const std::string& on_job) {
    return *check_manifest(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: c\n  labels: {" + label +
            "}\nspec:\n  jobTemplate:\n    metadata: {labels: {" + on_job +
            "}}\n    spec:\n      completionMode: Indexed\n      parallelism: 2\n      "
            "completions: 4\n      template:\n"
            "        metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: a/b}}\n" +
            four_ranks(8),
        "c.yaml");
  };
  const std::string queue = "kueue.x-k8s.io/queue-name: q";
  EXPECT_EQ(count_of(found("", queue), "job-index-count"), 1);
  EXPECT_EQ(count_of(found("", queue), "pod-no-queue"), 0);
  EXPECT_EQ(count_of(found(queue, ""), "pod-no-queue"), 1);  // Kueue looks at the jobs
}

TEST(LintManifest, CountsMergedMembers) {
  const auto found = *check_manifest(
      "apiVersion: batch/v1\nkind: Job\nx: &gpus\n  limits: {nvidia.com/gpu: 8}\nspec:\n  "
      "template:\n    spec:\n"
      "      containers:\n      - name: c\n        args: [torchrun, --nproc-per-node=4]\n        "
      "resources: {<<: *gpus}\n",
      "j.yaml");
  EXPECT_EQ(count_of(found, "pod-ranks-per-host"), 1);
}

TEST(LintManifest, NamesBothLinesOfAKeyThatStandsTwice) {
  const auto found = *check_manifest(
      "kind: ConfigMap\n---\napiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: c\n    "
      "resources: {limits: "
      "{nvidia.com/gpu: 1}}\n    name: d\n",
      "p.yaml");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message, "'name' stands in one mapping on lines 7 and 9");
  EXPECT_EQ(found[0].line, 9);
}

TEST(LintManifest, EndsOnAliasesThatGoInCirclesOrMultiply) {
  EXPECT_TRUE(check_manifest("apiVersion: v1\nkind: X\nspec: &a\n  b: *a\n", "f").has_value());
  EXPECT_FALSE(check_manifest("apiVersion: v1\nkind: X\nspec: &a\n  b: *a\n  c: [*a, *a]\n", "f")
                   .has_value());
  std::string bomb = "apiVersion: v1\nkind: X\na0: &a0 {b: 1}\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before +
            "]\n";
  }
  EXPECT_FALSE(check_manifest(bomb, "f").has_value());
}

TEST(LintManifest, IsTold) {
  EXPECT_TRUE(looks_like_manifest("# c\napiVersion: v1\nkind: Pod\n"));
  EXPECT_TRUE(looks_like_manifest("{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}"));
  EXPECT_FALSE(looks_like_manifest("#!/bin/bash\n#SBATCH -N 2\n"));
}

}  // namespace
}  // namespace topolaunch::topo
