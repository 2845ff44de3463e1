#include "sim/experiment/results/folder.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "sim/experiment/results/database.hpp"

namespace lockstep::experiment {

StoredResults read_results(const std::string& folder) {
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
  Database database = Database::read(database_path);
  StoredResults all{load_experiment(effective), {}, {}};
  if (all.experiment.name != database.experiment()) {
    throw InputError(fmt::format("{}: holds results of the experiment '{}', but effective.yaml beside it is '{}'",
                                 database_path, database.experiment(), all.experiment.name));
  }
  all.points = expand(all.experiment);
  for (const Point& point : all.points) {
    auto stored = database.find(point.label());
    all.results.push_back(stored ? std::move(stored->result) : PointResult{});
  }
  return all;
}

}  // namespace lockstep::experiment
