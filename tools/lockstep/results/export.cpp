// lockstep export

#include <fmt/format.h>

#include <filesystem>

#include "isa/output_file.hpp"
#include "sim/experiment/results/exported_table.hpp"
#include "sim/stats/json.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"

namespace lockstep::cli {

namespace {

/// Whether a file is to hold JSON, by its name; otherwise it is CSV.
bool is_json(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".json" || ending == ".csv") return ending == ".json";
  throw InputError({file, 0, 0}, "a table is written to a file that ends in .csv or .json");
}

}  // namespace

int execute(const ExportArguments& arguments, const Invocation&) {
  refuse_overrides(arguments, "results are exported as they are; give overrides to `lockstep run`");
  const bool file_is_json = !arguments.file.empty() && is_json(arguments.file);
  const experiment::StoredResults results = experiment::read_results(arguments.folder);
  const experiment::ExportedTable table =
      exported_table(results, {arguments.table, arguments.columns, arguments.long_form});
  const auto text = [&](bool json) {
    return json ? exported_json(table, results.experiment.name) : exported_csv(table);
  };
  if (arguments.file.empty()) {
    print(text(arguments.json));
    return exit_done;
  }
  write_whole_file(arguments.file, text(file_is_json));
  if (arguments.json) {
    stats::JsonWriter json;
    json.begin_object().field("schema", "lockstep.export-file/1").field("file", arguments.file);
    print(json.field("rows", table.rows.size()).end_object().take());
  } else if (!arguments.quiet) {
    print(fmt::format("{} rows of {} columns in {}\n", table.rows.size(), table.fields.size(), arguments.file));
  }
  return exit_done;
}

}  // namespace lockstep::cli
