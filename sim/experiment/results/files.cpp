// The files beside results.db.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <set>

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

void write_whole_file(const std::string& path, const std::string& text) {
  const auto fail = [&](const char* what) {
    return ResourceError(fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno)));
  };
  const std::string partial = fmt::format("{}.{}.partial", path, getpid());
  const int file = open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) throw fail("create");
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(file, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const ResourceError error = fail("write");
      close(file);
      unlink(partial.c_str());
      throw error;
    }
    written += static_cast<std::size_t>(count);
  }
  if (close(file) != 0 || rename(partial.c_str(), path.c_str()) != 0) {
    const ResourceError error = fail("write");
    unlink(partial.c_str());
    throw error;
  }
}

void write_files(const std::string& folder, const Experiment& experiment, const std::vector<Point>& points,
                 const RunOutcome& outcome, const Provenance& provenance) {
  const std::filesystem::path base(folder);
  write_whole_file((base / "results.json").string(), results_json(experiment, points, outcome));
  write_whole_file((base / "results.csv").string(), results_csv(experiment, points, outcome));
  write_whole_file((base / "effective.yaml").string(), effective_yaml(experiment));
  write_whole_file((base / "provenance.json").string(), provenance_json(experiment, points, outcome, provenance));
}

}  // namespace lockstep::experiment
