// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/page/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/commands.h"
#include "launcher/rank_groups.h"
#include "launcher/report/page/json_look.h"
#include "topo/draw/draw.h"
#include "topo/draw/svg.h"

namespace topolaunch::launcher::page {
namespace {

/// A word and a sign, so that no colour is needed.
Html badge(Outcome outcome) {
  constexpr std::array<std::string_view, 4> kSigns{"\u2713", "\u2717", "?", "\u2013"};
  constexpr std::array<std::string_view, 4> kClasses{"pass", "fail", "open", "none"};
  const auto at = static_cast<std::size_t>(outcome);
  return element("span", words(fmt::format("{} {}", kSigns[at], outcome_name(outcome))),
                 fmt::format("class=\"badge {}\"", kClasses[at]));
}

Html checks_table(const Verdict& verdict) {
  std::vector<std::vector<Html>> rows;
  for (const Check& check : verdict.checks) {
    rows.push_back({badge(check.verdict), words(check.name), words(check.measured),
                    words(check.expected), words(check.source), words(check.suspect)});
  }
  return table("Checks", {"verdict", "check", "measured", "expected", "source", "suspect"}, rows);
}

std::string when(const Json& manifest) {
  const double started = number_at(manifest, {"when", "started"});
  if (!(started > 0)) return "not known";
  return iso8601(whole(started));
}

}  // namespace

Html verdict_section(const SavedRun& run) {
  Html out;
  const Outcome overall = run.verdict ? run.verdict->overall() : Outcome::could_not_test;
  out += element("p", badge(overall), "class=\"verdict\"");
  if (!run.verdict) out += paragraph("The run left no verdict: it still runs, or was killed.");
  for (const std::string& line : run.closing) out += paragraph(line);
  const Json& failure = at(*run.summary, {"first_failure"});
  if (failure.is_object()) out += element("p", words(text_at(failure, {"text"})), "class=\"bad\"");
  if (run.verdict && !run.verdict->checks.empty()) out += checks_table(*run.verdict);
  return section("verdict", "Verdict", out);
}

Html comparison_section(const SavedRun& run, const SavedRun& before) {
  std::vector<std::vector<Html>> rows;
  const auto row = [&](std::string_view what, const std::string& then, const std::string& now) {
    rows.push_back(
        {words(what), words(then), words(now), words(then == now ? "the same" : "differs")});
  };
  const auto verdict = [](const SavedRun& one) {
    return std::string(one.verdict ? outcome_name(one.verdict->overall()) : "none");
  };
  row("verdict", verdict(before), verdict(run));
  for (const auto& [what, path] :
       {std::pair("placement", "placement/sha256"), std::pair("topology", "topology_sha256"),
        std::pair("executable", "what/executable_sha256"), std::pair("commit", "what/git_commit"),
        std::pair("topolaunch", "topolaunch"), std::pair("kernel", "where/kernel")}) {
    row(what, text_at(*before.manifest, split(path)).substr(0, 40),
        text_at(*run.manifest, split(path)).substr(0, 40));
  }
  row("command", shell_quoted(before.plan.command), shell_quoted(run.plan.command));
  Html out = table("Both runs", {"what", "before: " + before.plan.id, "this run", ""}, rows);
  rows.clear();
  if (run.measurement && before.measurement) {
    for (const bench::SizeResult& now : run.measurement->results) {
      const auto then =
          std::ranges::find(before.measurement->results, now.size, &bench::SizeResult::size);
      if (then == before.measurement->results.end() || !(then->out_of_place.busbw > 0)) continue;
      const double ratio = now.out_of_place.busbw / then->out_of_place.busbw;
      // The spread of each run's own iterations says what a difference is worth.
      const bench::Timing& a = then->out_of_place;
      const bench::Timing& b = now.out_of_place;
      const bool apart = b.minimum > a.p50 || a.minimum > b.p50;
      rows.push_back(
          {words(topolaunch::to_text(Bytes(now.size))),
           words(topolaunch::to_text(Bandwidth::bytes_per_second(then->out_of_place.busbw))),
           words(topolaunch::to_text(Bandwidth::bytes_per_second(now.out_of_place.busbw))),
           words(fmt::format("{:+.1f} %", (ratio - 1) * 100)),
           words(apart ? (ratio < 1 ? "slower" : "faster")
                       : "within the spread of the iterations")});
    }
    if (run.measurement->backend != before.measurement->backend) {
      out += paragraph("The two were measured with different backends: " +
                       before.measurement->backend + " and " + run.measurement->backend + ".");
    }
    out += table("Bus bandwidth of both", {"#size", "#before", "#this run", "#change", ""}, rows);
  } else {
    out += paragraph("No bandwidths to compare: not both runs were measured.");
  }
  return section("comparison", "Against the other run", out);
}

Html placement_section(const SavedRun& run) {
  Html out;
  const Json& placement = at(*run.manifest, {"placement"});
  if (const double estimate = number_at(placement, {"estimate_seconds"}); estimate > 0) {
    out += paragraph(fmt::format(
        "{}: given order {}, this placement {} a step ({}).", text_at(placement, {"graph"}),
        topolaunch::to_text(Seconds(number_at(placement, {"given_seconds"}))),
        topolaunch::to_text(Seconds(estimate)), text_at(placement, {"model"})));
  }
  std::vector<std::string> dimensions{""};
  const auto all = dimensions_of(run.plan);
  for (std::size_t i = 1; i < all.size(); ++i) dimensions.push_back(all[i].name);
  if (!run.topology) {
    out += paragraph("The run left no topology to draw.");
    dimensions.clear();
  }
  // One drawing in sight; a large job's other ones would only make the page heavy.
  if (run.plan.ranks.size() > 1024) dimensions.resize(std::min(dimensions.size(), std::size_t{1}));
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    auto ranks = ranks_of(run.plan, dimensions[i]);
    if (!ranks) continue;
    if (auto fit = belong_together(*run.topology, *ranks); !fit) {
      out += paragraph(fit.error().message + ".");
      break;
    }
    const auto drawing = topo::draw::drawing_of(*run.topology, &*ranks);
    const std::string name = ranks->dimension.empty()
                                 ? "Placement of the ranks"
                                 : "Placement, coloured by " + ranks->dimension;
    const Html picture =
        figure(Html::trusted(topo::draw::svg_inline(drawing, fmt::format("place{}-", i))), name,
               words(name));
    out += i == 0 ? picture : details(name, picture);
  }
  std::vector<std::vector<Html>> rows;
  for (const RankPlan& rank : run.plan.ranks) {
    std::string nics;
    for (const std::string& nic : rank.nics) nics += (nics.empty() ? "" : ", ") + nic;
    rows.push_back({words(std::to_string(rank.rank)), words(rank.host),
                    words(rank.gpu_index < 0 ? "" : std::to_string(rank.gpu_index)),
                    words(rank.gpu_pci), words(rank.numa ? std::to_string(*rank.numa) : ""),
                    words(rank.cpus.empty() ? "not bound" : rank.cpus.to_list()), words(nics),
                    words(rank.note)});
  }
  out += details(
      "Every rank",
      table("Ranks", {"#rank", "host", "#GPU", "PCI address", "#NUMA", "CPUs", "NICs", "note"},
            rows));
  return section("placement", "Placement", out);
}

Html quota_section(const SavedRun& run) {
  const Json& quota = at(*run.summary, {"quota"});
  if (!quota.is_object()) return {};
  Html out = paragraph(text_at(quota, {"text"}));
  if (text_at(quota, {"mode"}) != "none") {
    const auto count = [&](const char* key) {
      return words(fmt::format("{:.0f}", number_at(quota, {key})));
    };
    out +=
        table("Quota", {"team", "grant", "rule", "mode", "#GPUs", "#GPU-seconds held", "#charged"},
              {{words(text_at(quota, {"team"})), words(text_at(quota, {"grant"})),
                words(text_at(quota, {"rule"})), words(text_at(quota, {"mode"})), count("gpus"),
                count("held_gpu_seconds"), count("charged_gpu_seconds")}});
  }
  return section("quota", "Quota", out);
}

Html environment_section(const SavedRun& run) {
  const Json& manifest = *run.manifest;
  std::vector<std::vector<Html>> rows;
  const auto row = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) rows.push_back({words(name), words(value)});
  };
  row("started", when(manifest));
  row("ran", topolaunch::to_text(Seconds(number_at(*run.summary, {"elapsed_seconds"}))));
  row("user", text_at(manifest, {"who", "user"}));
  row("topolaunch", text_at(manifest, {"topolaunch"}));
  row("engine",
      run.plan.engine + (run.plan.engine_why.empty() ? "" : " (" + run.plan.engine_why + ")"));
  row("kernel", text_at(manifest, {"where", "kernel"}));
  if (run.measurement) {
    row("measured with", run.measurement->backend + " " + run.measurement->backend_version);
  }
  row("working directory", run.plan.working_directory);
  row("executable", run.plan.executable);
  row("executable's SHA-256", text_at(manifest, {"what", "executable_sha256"}));
  row("commit", text_at(manifest, {"what", "git_commit"}));
  row("solver", text_at(manifest, {"placement", "solver"}));
  row("placement's SHA-256", text_at(manifest, {"placement", "sha256"}));
  row("topology's SHA-256", text_at(manifest, {"topology_sha256"}));
  row("files", run.folder);
  Html out = table("Environment", {"what", "value"}, rows);
  if (run.topology) {
    rows.clear();
    for (const auto& entry : run.topology->survey) {
      constexpr std::array<std::string_view, 3> kStatus{"ok", "saw nothing", "could not look"};
      rows.push_back({words(entry.source), words(entry.host),
                      words(kStatus[static_cast<std::size_t>(entry.status)]), words(entry.why)});
    }
    if (!rows.empty()) {
      out += details("What was looked at", table("Sources", {"source", "host", "", "why"}, rows));
    }
    rows.clear();
    for (const auto& warning : run.topology->warnings) {
      rows.push_back(
          {words(warning.code), words(warning.message),
           words(warning.file.empty() ? "" : fmt::format("{}:{}", warning.file, warning.line))});
      if (rows.size() == 200) break;
    }
    if (!rows.empty())
      out += details("Warnings", table("Warnings", {"code", "what", "where"}, rows));
  }
  return section("environment", "Environment and versions", out);
}

Html repeat_section(const SavedRun& run) {
  std::vector<std::string> typed;
  const Json& saved = at(*run.manifest, {"what", "typed"});
  if (saved.is_array()) {
    for (const Json& word : saved) {
      if (word.is_string()) typed.push_back(word.get<std::string>());
    }
  }
  Html out;
  if (typed.empty()) {
    typed = {"-n", std::to_string(run.plan.ranks.size()), "--"};
    typed.insert(typed.end(), run.plan.command.begin(), run.plan.command.end());
    out += paragraph(
        "The run did not keep its own options; this starts as many ranks of the same command:");
  }
  typed.insert(typed.begin(), "topolaunch");
  std::string line = shell_quoted(typed);
  if (!run.plan.working_directory.empty()) {
    line = "cd " + shell_quoted({run.plan.working_directory}) + " && " + line;
  }
  return section("repeat", "To repeat it", out + element("pre", code(line)));
}

}  // namespace topolaunch::launcher::page
