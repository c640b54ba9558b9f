// SPDX-License-Identifier: Apache-2.0
//
// The sections about what was measured: bandwidth over size, pairs, groups.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "launcher/report/page/figures.h"
#include "launcher/report/page/json_look.h"
#include "launcher/report/page/sections.h"
#include "launcher/validate.h"
#include "topo/draw/svg.h"

namespace topolaunch::launcher::page {
namespace {

std::string rate_words(double bytes_per_second) {
  return bytes_per_second > 0 ? topolaunch::to_text(Bandwidth::bytes_per_second(bytes_per_second))
                              : "";
}

Html sizes_table(const SavedRun& run, const Series& estimate) {
  std::vector<std::vector<Html>> rows;
  for (const bench::SizeResult& result : run.measurement->results) {
    const bench::Timing& timing = result.out_of_place;
    double expected = 0;
    for (const auto& [size, rate] : estimate.points) {
      if (size == result.size) expected = rate;
    }
    rows.push_back({words(topolaunch::to_text(Bytes(result.size))),
                    words(topolaunch::to_text(timing.p50)), words(topolaunch::to_text(timing.p99)),
                    words(rate_words(timing.algbw)), words(rate_words(timing.busbw)),
                    words(rate_words(expected)),
                    words(timing.wrong < 0 ? "not checked" : std::to_string(timing.wrong))});
  }
  return table("Every size, out of place",
               {"#size", "#p50", "#p99", "#algbw", "#busbw", "#estimate", "#wrong elements"}, rows);
}

/// Figures that a check was held against, with their source and date.
Html references(const SavedRun& run) {
  std::vector<std::vector<Html>> rows;
  if (run.verdict) {
    for (const Check& check : run.verdict->checks) {
      if (check.source.empty() || check.source == "plan" || check.expected.empty()) continue;
      rows.push_back(
          {words(check.name), words(check.measured), words(check.expected), words(check.source)});
    }
  }
  if (rows.empty()) return paragraph("No reference figure was held against this run.");
  return table("References", {"what", "measured", "expected", "source"}, rows);
}

}  // namespace

Html bandwidth_section(const SavedRun& run, const SavedRun* before) {
  if (!run.measurement || run.measurement->results.empty()) {
    return section("bandwidth", "Bandwidth", paragraph("This run was not measured."));
  }
  const bench::Measurement& measured = *run.measurement;
  std::vector<Series> series = bandwidth_series(run, "");
  const Series estimate = estimate_series(run);
  if (!estimate.points.empty()) series.push_back(estimate);
  if (before != nullptr && before->measurement) {
    for (Series& one : bandwidth_series(*before, "before: ")) {
      if (one.stroke == topo::draw::Stroke::plain) one.stroke = topo::draw::Stroke::thick;
      series.push_back(std::move(one));
    }
  }
  const std::string title = fmt::format("Bus bandwidth of {} over {}, by size", measured.collective,
                                        counted(measured.ranks, "rank"));
  std::string how = fmt::format("Measured with {} {}", measured.backend, measured.backend_version);
  if (!measured.backend_why.empty()) how += " (" + measured.backend_why + ")";
  Html out = paragraph(how + ".");
  for (const std::string& note : measured.notes) out += paragraph(note);
  out += figure(Html::trusted(topo::draw::svg_inline(bandwidth_chart(title, series), "busbw-")),
                title, words(title));
  if (estimate.points.empty()) {
    out += paragraph(measured_on_gpus(measured)
                         ? "The model has no estimate for this collective or placement."
                         : "No estimate beside it: the model is of GPUs and their networks, or of "
                           "another collective, and a figure of CPUs is not held against it.");
  }
  out += sizes_table(run, estimate) + references(run);
  return section("bandwidth", "Bandwidth", out);
}

Html pairs_section(const SavedRun& run) {
  const std::vector<NamedPairs> all = pair_matrices(run);
  if (all.empty()) return {};
  Html out = paragraph("Rows send, columns receive.");
  std::string data = "{";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const NamedPairs& one = all[i];
    std::string title = "Pairs: " + one.name;
    if (!one.note.empty()) title += " (" + one.note + ")";
    const std::string prefix = fmt::format("heat{}-", i);
    const Html picture =
        figure(Html::trusted(heat_map_svg(one.pairs, title, prefix)), title, words(title));
    std::vector<std::vector<Html>> rows;
    for (const Outlier& odd : outliers(one.pairs)) {
      rows.push_back({words(one.pairs.names[odd.row]), words(one.pairs.names[odd.column]),
                      words(value_words(odd.value, one.pairs.latency)),
                      words(fmt::format("{:.0f} %", odd.ratio * 100))});
      if (rows.size() == 20) break;
    }
    Html block = picture;
    block += rows.empty()
                 ? paragraph("No pair is below three quarters of the median.")
                 : table("Slowest pairs", {"from", "to", "#reached", "#of the median"}, rows);
    out += i == 0 ? block : details(title, block);
    Json names = one.pairs.names;
    data += fmt::format("{}\"{}t\":{{\"latency\":{},\"names\":{},\"values\":[", i > 0 ? "," : "",
                        prefix, one.pairs.latency, to_line(names));
    for (std::size_t row = 0; row < one.pairs.values.size(); ++row) {
      data += row > 0 ? ",[" : "[";
      for (std::size_t k = 0; k < one.pairs.values[row].size(); ++k) {
        const double value = one.pairs.values[row][k];
        data += fmt::format("{}{}", k > 0 ? "," : "",
                            value > 0 ? fmt::format("{:.4g}", value) : "null");
      }
      data += "]";
    }
    data += "]}";
  }
  return section("pairs", "Pairs", out + data_block("pair-data", data + "}"));
}

Html groups_section(const SavedRun& run) {
  Html out;
  const std::vector<GroupTime> groups = group_times(run);
  double longest = 0;
  for (const GroupTime& one : groups) longest = std::max({longest, one.estimate, one.measured});
  std::vector<std::vector<Html>> rows;
  for (const GroupTime& one : groups) {
    const auto seconds = [](double value) {
      return words(value > 0 ? topolaunch::to_text(Seconds(value)) : "");
    };
    const double share = longest > 0 ? std::max(one.estimate, one.measured) / longest : 0;
    rows.push_back(
        {words(one.dimension), words(fmt::format("{} of {}", one.groups, one.ranks)),
         words(one.bytes > 0 ? topolaunch::to_text(Bytes(one.bytes)) : ""), seconds(one.estimate),
         seconds(one.measured),
         Html::trusted(fmt::format("<meter min=\"0\" max=\"1\" value=\"{:.3f}\">{:.0f} %</meter>",
                                   share, share * 100)),
         words(one.slowest)});
  }
  if (!rows.empty()) {
    out += table(
        "Process groups",
        {"groups", "#ranks", "#bytes", "#estimate a step", "#measured", "share", "slowest"}, rows);
  }
  rows.clear();
  const Json& levels = at(*run.manifest, {"placement", "bytes_by_level"});
  if (levels.is_array()) {
    for (const Json& level : levels) {
      rows.push_back({words(text_at(level, {"level"})),
                      words(topolaunch::to_text(
                          Bytes(whole(number_at(level, {"bytes"})))))});
    }
  }
  if (!rows.empty()) out += table("Bytes a step over each level", {"level", "#bytes"}, rows);
  const Json& link = at(*run.manifest, {"placement", "max_link"});
  if (const std::string name = text_at(link, {"name"}); !name.empty()) {
    out += paragraph(fmt::format("Busiest link: {}, {} a step.", name,
                                 topolaunch::to_text(Seconds(number_at(link, {"seconds"})))));
  }
  if (out.empty()) return {};
  return section("groups", "Where the time goes", out);
}

}  // namespace topolaunch::launcher::page
