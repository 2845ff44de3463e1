// The files beside results.db.

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <set>

#include "isa/output_file.hpp"
#include "sim/experiment/results/output.hpp"
#include "sim/experiment/running/digest.hpp"

namespace lockstep::experiment {

namespace {

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

void add_file(stats::JsonWriter& json, const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return;
  json.begin_object(true).field("path", path).field("sha1", file_digest(path)).end_object();
}

std::string provenance_json(const Experiment& experiment, const std::vector<Point>& points, const RunOutcome& outcome,
                            const Provenance& provenance) {
  stats::JsonWriter json;
  json.begin_object().field("schema", "lockstep.provenance/1").field("experiment", experiment.name);
  json.key("program").begin_object().field("version", provenance.version);
  json.key("commit");
  provenance.commit.empty() ? json.null() : json.value(provenance.commit);
  json.field("sha1", program_digest()).end_object();
  json.key("command_line").begin_array(true);
  for (const std::string& word : provenance.command_line) json.value(word);
  json.end_array();
  utsname host{};
  uname(&host);
  json.key("host").begin_object(true).field("name", host.nodename).field("system", host.sysname);
  json.field("release", host.release).field("machine", host.machine).end_object();
  json.field("finished_at", now_utc());
  json.key("files").begin_array();
  add_file(json, experiment.file);
  for (const WorkloadChoice& workload : experiment.workloads) {
    add_file(json, workload.path);
    for (const Reference& reference : workload.references) add_file(json, reference.path);
  }
  json.end_array();
  json.field("points", std::uint64_t{points.size()}).field("taken_over", std::uint64_t{outcome.taken_over});
  json.key("inputs").begin_array();  // fingerprints of configuration, workload and all its inputs, point by point
  for (std::size_t i = 0; i < points.size(); ++i) {
    json.begin_object(true).field("point", points[i].label()).field("sha1", outcome.results[i].digest).end_object();
  }
  return json.end_array().end_object().take();
}

}  // namespace

void write_provenance(const std::string& folder, const Experiment& experiment, const std::vector<Point>& points,
                      const RunOutcome& outcome, const Provenance& provenance) {
  write_whole_file((std::filesystem::path(folder) / "provenance.json").string(),
                   provenance_json(experiment, points, outcome, provenance), OutputFile::of_program);
}

void write_files(const std::string& folder, const Experiment& experiment, const std::vector<Point>& points,
                 const RunOutcome& outcome, const Provenance& provenance) {
  const std::filesystem::path base(folder);
  const auto write = [&base](const char* name, const std::string& text) {
    write_whole_file((base / name).string(), text, OutputFile::of_program);
  };
  write("results.json", results_json(experiment, points, outcome));
  write("results.csv", results_csv(experiment, points, outcome));
  write("effective.yaml", effective_yaml(experiment));
  write_provenance(folder, experiment, points, outcome, provenance);
}

}  // namespace lockstep::experiment
