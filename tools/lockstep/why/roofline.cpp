// lockstep roofline

#include "sim/limits/roofline.hpp"

#include <fmt/format.h>

#include "isa/output_file.hpp"
#include "sim/experiment/results/folder.hpp"
#include "sim/report/scale.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/why/subject.hpp"

namespace lockstep::cli {

namespace {

using limits::Level;
using limits::RooflinePoint;
using stats::Table;

std::vector<RooflinePoint> points_of_folder(const RooflineArguments& arguments) {
  refuse_overrides(arguments, "a results folder has its own settings");
  if (!arguments.gpu.empty())
    throw InputError("--gpu is for a trace or workload: points of a results folder have theirs");
  const experiment::StoredResults all = experiment::read_results(arguments.subject);
  std::vector<RooflinePoint> points;
  std::size_t others = 0;
  for (std::size_t n = 0; n < all.points.size(); ++n) {
    if (all.results[n].has_numbers() && !all.results[n].statistics.empty() && all.results[n].warp_instructions > 0) {
      points.push_back(limits::roofline_point(all.points[n].label(), all.points[n].gpu, all.results[n]));
    } else {
      ++others;
    }
  }
  if (points.empty()) throw InputError(fmt::format("{} has no point with results of a replay", arguments.subject));
  if (others > 0 && !arguments.quiet) note(fmt::format("note: {} points have no results of a replay", others));
  return points;
}

RooflinePoint point_of_replay(const RooflineArguments& arguments) {
  const Subject subject = load_subject({arguments.subject, arguments.gpu, ""}, arguments);
  const auto source = subject.open();
  ProgressLine line(arguments.quiet);
  gpu::Options options;
  options.threads = arguments.jobs;
  options.progress = [&](std::uint64_t done, std::uint64_t all, std::uint64_t warp_instructions) {
    line.update("replay", all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all), warp_instructions);
  };
  const gpu::Result result = gpu::simulate(subject.spec, *source, options);
  line.clear();
  const std::string& workload = source->header().workload;
  return limits::roofline_point(workload, subject.spec, experiment::summarize(subject.spec, workload, result, 0));
}

std::string_view limit_of(const RooflinePoint& point) {
  const std::optional<Level> nearest = point.nearest();
  return nearest ? limits::name_of(*nearest) : "issue";
}

std::string table_text(const std::vector<RooflinePoint>& points) {
  Table table;
  table.column("", Table::Align::left);
  table.column("GPU", Table::Align::left);
  table.column("executed", Table::Align::right, "G instr./s");
  for (const Level level : limits::levels)
    table.column(std::string(limits::name_of(level)), Table::Align::right, "instr./trans.");
  table.column("nearest roof", Table::Align::left);
  table.column("reached", Table::Align::right, "%");
  for (const RooflinePoint& point : points) {
    std::vector<std::string> row = {point.label, point.gpu, report::number_label(point.instructions)};
    for (const std::optional<double>& intensity : point.intensity)
      row.push_back(intensity ? report::number_label(*intensity) : "-");
    row.emplace_back(limit_of(point));
    row.push_back(fmt::format("{:.1f}", 100 * point.share()));
    table.row(row);
  }
  return table.text();
}

std::string json_text(const std::vector<RooflinePoint>& points) {
  stats::JsonWriter json;
  json.begin_object().field("schema", "lockstep.roofline/1").key("points").begin_array();
  for (const RooflinePoint& point : points) {
    json.begin_object().field("label", point.label).field("gpu", point.gpu);
    json.field("giga_instructions_per_second", point.instructions);
    json.field("giga_instructions_per_second_at_most", point.roof.instructions).key("levels").begin_array();
    for (const Level level : limits::levels) {
      const auto n = static_cast<std::size_t>(level);
      json.begin_object(true).field("name", limits::name_of(level));
      json.field("giga_transactions_per_second_at_most", point.roof.transactions[n]);
      json.key("instructions_per_transaction");
      point.intensity[n] ? json.value(*point.intensity[n]) : json.null();
      json.end_object();
    }
    json.end_array().field("nearest", limit_of(point)).field("reached", point.share()).end_object();
  }
  return json.end_array().end_object().take();
}

}  // namespace

int execute(const RooflineArguments& arguments, const Invocation&) {
  const std::vector<RooflinePoint> points =
      is_results_folder(arguments.subject) ? points_of_folder(arguments) : std::vector{point_of_replay(arguments)};
  print(arguments.json ? json_text(points) : table_text(points));
  if (arguments.chart) write_whole_file(*arguments.chart, limits::roofline_svg(points));
  return exit_done;
}

}  // namespace lockstep::cli
