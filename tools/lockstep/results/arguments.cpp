// Options of the commands on results folders.

#include <fmt/format.h>

#include "sim/experiment/results/exported_table.hpp"
#include "tools/lockstep/declaration.hpp"

namespace lockstep::cli {

namespace {

void declare_merge(CLI::App& command, MergeArguments& arguments) {
  command
      .add_option("DIR", arguments.folders,
                  "Results folders of one experiment, as `lockstep run --shard I/N` makes them")
      ->required();
  command.add_option("-o,--output", arguments.output, "Results folder to write")->type_name("DIR")->required();
  command.footer(
      "The folders must be of one experiment, program and inputs; a point that several have must be the same in all. "
      "The exit code is 1 if a point is in none of them.\n\n"
      "Example: lockstep merge results/hough-shards/*-of-8 -o results/hough");
}

void declare_export(CLI::App& command, ExportArguments& arguments) {
  std::vector<std::string> names, texts;
  for (const auto& [name, text] : experiment::exported_tables()) {
    names.push_back(name);
    texts.push_back(fmt::format("{} ({})", name, text));
  }
  command.add_option("DIR", arguments.folder, "Results folder of `lockstep run`")->required();
  command
      .add_option("--table", arguments.table, fmt::format("Table: {} [{}]", fmt::join(texts, ", "), arguments.table))
      ->type_name("NAME")
      ->check(CLI::IsMember(names).description(""));
  command
      .add_option(
          "--columns", arguments.columns,
          "Columns of points, separated by commas, in this order: swept paths and names of `lockstep list stats`, "
          "also with * and ? in them ('args.*,cycles,derived.*') [all that have a value]")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_flag("--long", arguments.long_form,
                   "A row for each value of a point, with its name and unit, in place of a row for each point");
  command
      .add_option(
          "-o,--output", arguments.file,
          "File to write: CSV, or JSON where the name ends in .json [CSV, with --json JSON, on standard output]")
      ->type_name("FILE.csv|FILE.json")
      ->each(name_output);
  command.footer(
      "Points that have not been run are rows without values. tools/lockstep_results.py reads results.db from "
      "Python.\n\n"
      "Example: lockstep export results/histogram-replication --columns 'args.*,cycles,derived.speedup' -o points.csv");
}

}  // namespace

void add_results_commands(CLI::App& app, std::optional<Arguments>& chosen) {
  add_command(app, "merge", "Put the results of an experiment's shards together", declare_merge, chosen);
  add_command(app, "export", "Write the results of a run as tables: CSV or JSON", declare_export, chosen);
}

}  // namespace lockstep::cli
