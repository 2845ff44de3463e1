// From a results folder to its report.

#include <array>
#include <filesystem>
#include <utility>

#include "isa/input_file.hpp"
#include "isa/output_file.hpp"
#include "sim/experiment/results/folder.hpp"
#include "sim/experiment/results/picture_files.hpp"
#include "sim/report/figures/figure_files.hpp"
#include "sim/report/report.hpp"

namespace lockstep::report {

namespace {

constexpr std::size_t most_picture_bytes = std::size_t{16} << 20;  // Of all that a page shows.

/// What a results folder has beside the page, and what is in it.
constexpr std::array<std::pair<const char*, const char*>, 5> known_files{
    {{"results.csv", "a line per point with every statistic"},
     {"results.json", "the same for programs, with launches, references and checks"},
     {"results.db", "the same as an SQLite database, from which an interrupted run resumes"},
     {"effective.yaml", "the experiment with every parameter of the GPU, which lockstep run takes"},
     {"provenance.json", "program, command line, machine and fingerprints of all inputs"}}};

}  // namespace

std::string write_report(const std::string& folder, const Results& results, const std::string& explained) {
  const std::filesystem::path base(folder);
  Attachments attachments;
  attachments.explained = explained;
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
  for (const auto& [name, text] : known_files)
    if (std::filesystem::exists(base / name)) attachments.files.push_back({name, text});
  attachments.figure_endings = write_figures(folder, plots(results), attachments.complaint);
  const std::string path = (base / "report.html").string();
  write_whole_file(path, report_html(results, attachments), OutputFile::of_program);
  return path;
}

std::string write_report(const std::string& folder, const std::string& explained) {
  const experiment::StoredResults all = experiment::read_results(folder);
  return write_report(folder, Results{all.experiment, all.points, all.results}, explained);
}

}  // namespace lockstep::report
