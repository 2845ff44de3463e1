// From a results folder to its report.

#include <fmt/format.h>

#include <filesystem>

#include "isa/input_file.hpp"
#include "isa/output_file.hpp"
#include "sim/experiment/results/database.hpp"
#include "sim/experiment/results/output.hpp"
#include "sim/experiment/results/picture_files.hpp"
#include "sim/report/report.hpp"

namespace lockstep::report {

namespace {

constexpr std::size_t most_picture_bytes = std::size_t{16} << 20;  // Of all that a page shows.

}  // namespace

std::string write_report(const std::string& folder, const Results& results) {
  const std::filesystem::path base(folder);
  Attachments attachments;
  attachments.effective = read_whole_file((base / "effective.yaml").string(), most_text_bytes);
  if (std::filesystem::exists(base / "provenance.json"))
    attachments.provenance = read_whole_file((base / "provenance.json").string(), most_text_bytes);
  experiment::Executions executions({});
  std::size_t bytes = 0;
  for (const std::string& picture : experiment::PictureFiles(folder, results.points, executions).existing()) {
    bytes += std::filesystem::file_size(picture);
    attachments.pictures.push_back({std::filesystem::path(picture).stem().string(),
                                    bytes > most_picture_bytes ? "" : read_whole_file(picture, most_picture_bytes)});
  }
  const std::string path = (base / "report.html").string();
  write_whole_file(path, report_html(results, attachments));
  return path;
}

std::string write_report(const std::string& folder) {
  const std::filesystem::path base(folder);
  const std::string database_path = (base / "results.db").string(), effective = (base / "effective.yaml").string();
  std::error_code ignored;
  if (!std::filesystem::is_directory(base, ignored)) {
    throw InputError(SourceLocation{folder, 0, 0}, "there is no such folder; `lockstep run` makes one");
  }
  for (const std::string& needed : {database_path, effective}) {
    if (std::filesystem::is_regular_file(needed, ignored)) continue;
    throw InputError(SourceLocation{needed, 0, 0},
                     "there is no such file: a report needs a results folder, as `lockstep run EXPERIMENT -o DIR` "
                     "makes it");
  }
  experiment::Database database = experiment::Database::read(database_path);
  const experiment::Experiment experiment = experiment::load_experiment(effective);
  if (experiment.name != database.experiment()) {
    throw InputError(fmt::format("{}: holds results of the experiment '{}', but effective.yaml beside it is '{}'",
                                 database_path, database.experiment(), experiment.name));
  }
  const std::vector<experiment::Point> points = experiment::expand(experiment);
  std::vector<experiment::PointResult> results;
  for (const experiment::Point& point : points) {
    auto stored = database.find(point.label());
    results.push_back(stored ? std::move(stored->result) : experiment::PointResult{});
  }
  return write_report(folder, Results{experiment, points, results});
}

}  // namespace lockstep::report
