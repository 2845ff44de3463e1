#pragma once
// How commands and their options are declared; for arguments*.cpp alone. An option whose value is a file to write says so:
// ->each(name_output).

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <memory>
#include <optional>
#include <string>

#include "isa/command_files.hpp"
#include "tools/lockstep/arguments.hpp"

namespace lockstep::cli {

/// Options of every command.
void add_common(CLI::App& command, Common& common);
void add_jobs(CLI::App& command, unsigned& jobs, const std::string& text);
/// --explain and --point.
void add_report_section(CLI::App& command, ReportSection& section);
/// --no-cache and --cache-size.
void add_cache(CLI::App& command, CacheArguments& cache);
/// --slurm and its options.
void add_slurm(CLI::App& command, RunArguments& arguments);
/// --activity and --chart.
void add_activity(CLI::App& command, ActivityArguments& activity);
/// --sample and --sample-error.
void add_sampling(CLI::App& command, SamplingArguments& sampling);
/// --timeline, --konata, --series and what selects from them.
void add_observation(CLI::App& command, ObservationArguments& observation);
/// A finite number greater than 0.
CLI::Validator above_zero();

/// Adds a command to the program or to a group. `declare` adds its options. When it is the command that was named, `chosen`
/// becomes its arguments; it must live as long as the application.
template <class Of>
void add_command(CLI::App& group, const char* name, const char* text, void (*declare)(CLI::App&, Of&),
                 std::optional<Arguments>& chosen) {
  CLI::App* command = group.add_subcommand(name, text);
  const auto arguments = std::make_shared<Of>();
  declare(*command, *arguments);
  add_common(*command, *arguments);
  command->callback([arguments, &chosen] { chosen = *arguments; });
}

void declare_replay(CLI::App& command, ReplayArguments& arguments);
/// Commands that find out why: explain, compare, occupancy, roofline.
void add_why_commands(CLI::App& app, std::optional<Arguments>& chosen);
void add_instrument_command(CLI::App& app, std::optional<Arguments>& chosen);
/// Commands on results folders: merge, export.
void add_results_commands(CLI::App& app, std::optional<Arguments>& chosen);
/// `hash`, `rgpu` and `import` with the commands below them.
const CLI::App& add_hash_commands(CLI::App& app, std::optional<Arguments>& chosen);
const CLI::App& add_rgpu_commands(CLI::App& app, std::optional<Arguments>& chosen);
const CLI::App& add_import_commands(CLI::App& app, std::optional<Arguments>& chosen);
/// completion and man.
void add_terminal_commands(CLI::App& app, std::optional<Arguments>& chosen);
/// All that is declared of a program.
CommandText described(const CLI::App& app);

}  // namespace lockstep::cli
