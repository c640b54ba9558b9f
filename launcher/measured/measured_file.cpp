// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/measured_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "topo/csv_rows.h"
#include "topo/format.h"
#include "topo/json_format.h"
#include "topo/pair_csv.h"
#include "topo/plain_text.h"

namespace topolaunch::launcher {
namespace {

constexpr const char* kWanted =
    "topobench's or nccl-tests' output (text or JSON), or a table of pairs of hosts";

OtherFile other(const std::string& looks, const std::string& file) {
  return {looks,
          Error{Code::invalid_input, "no measurement; it looks like " + looks, kWanted, file, 0}};
}

template <class T>
Result<MeasuredFile> either(Result<T> read) {
  if (!read) return fail(std::move(read).error());
  return MeasuredFile(std::move(*read));
}

/// A document of another kind; empty for a measurement, whole or not.
std::string other_document(const Json& json) {
  const auto schema = json.find("schema");
  if (schema != json.end() && schema->is_string() && *schema != bench::kMeasurementSchema) {
    return "a document of " + schema->get<std::string>();
  }
  const bool ours = schema != json.end();
  const bool both = json.contains("results") && json.contains("config");
  return ours || both ? std::string() : "JSON without \"config\" and \"results\"";
}

Result<MeasuredFile> document(const std::string& text, const std::string& file) {
  JsonLineTable lines;
  auto json = parse_json(text, file, {}, &lines);
  if (!json) {
    const bool cut_off = text.find("\"results\"") != std::string::npos;
    if (cut_off) return fail(std::move(json).error());
    return MeasuredFile(OtherFile{"JSON that can't be read", std::move(json).error()});
  }
  const std::string kind = other_document(*json);
  if (!kind.empty()) return MeasuredFile(other(kind, file));
  return either(bench::measurement_from_json(*json, file, &lines));
}

/// Every row has as many cells, two at least.
bool is_table(std::string_view text) {
  const topo::CsvTable table = topo::csv_rows(text);
  if (table.rows.size() < 2) return false;
  const std::size_t cells = table.rows.front().cells.size();
  return cells > 1 && std::ranges::all_of(table.rows, [&](const topo::CsvRow& row) {
           return row.cells.size() == cells;
         });
}

OtherFile other_text(const std::string& text, const std::string& file) {
  const std::string_view topology = topo::recognise(text);
  if (topo::looks_like_pair_csv(text) || (topology.empty() && is_table(text))) {
    auto figures = pair_figures(text, file);
    if (!figures) return {"a table of another kind", std::move(figures).error()};
  }
  if (!topology.empty()) return other("a topology: " + std::string(topology), file);
  return other(text.starts_with('<') ? "XML" : "text without figures", file);
}

}  // namespace

Result<MeasuredFile> measured_file(const std::string& text, const std::string& file) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  const std::string what = "the measurement";
  if (Status plain = topo::plain_text(text, file, what, kWanted); !plain) {
    return MeasuredFile(OtherFile{plain.error().message.substr(what.size() + 1), plain.error()});
  }
  if (bench::is_nccl_log(text)) return either(bench::nccl_runs(text, file));
  std::string_view body = text;
  if (body.starts_with(kMark)) body.remove_prefix(kMark.size());
  body.remove_prefix(body.find_first_not_of(" \t\r\n\v\f"));
  if (body.starts_with('{') || (body.starts_with('[') && topo::looks_like_json_list(body))) {
    return document(text, file);
  }
  if (is_pair_table(text)) return either(pair_figures(text, file));
  return MeasuredFile(other_text(text, file));
}

Result<bench::Measurement> one_measurement(const std::string& text, const std::string& file) {
  auto read = measured_file(text, file);
  if (!read) return fail(std::move(read).error());
  if (auto* const other = std::get_if<OtherFile>(&*read)) return fail(std::move(other->refusal));
  if (auto* const one = std::get_if<bench::Measurement>(&*read)) return std::move(*one);
  auto* const runs = std::get_if<std::vector<bench::NcclRun>>(&*read);
  if (runs != nullptr && runs->size() == 1) return std::move(runs->front().measurement);
  return fail(Error{Code::invalid_input,
                    runs == nullptr ? "a table of pairs, where one measurement is wanted"
                                    : std::to_string(runs->size()) + " runs, where one is wanted",
                    "topolaunch bench --json >FILE; validate --measured reads the others", file,
                    0});
}

}  // namespace topolaunch::launcher
