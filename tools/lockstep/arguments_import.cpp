// The commands below `import`.

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "isa/machine/instruction.hpp"
#include "tools/lockstep/declaration.hpp"

namespace lockstep::cli {

namespace {

void declare_accelsim(CLI::App& command, ImportAccelsimArguments& arguments) {
  std::vector<std::string> classes = {ImportAccelsimArguments::refuse};
  for (const machine::Operation operation : machine::arithmetic_operations())
    classes.emplace_back(machine::name_of(operation));
  command
      .add_option("KERNELSLIST", arguments.path,
                  "List of kernels (kernelslist.g), the folder that has it, or one kernel's file (kernel-1.traceg); "
                  "files may be compressed with xz")
      ->required();
  command.add_option("-o,--output", arguments.file, "Trace file to write")->type_name("FILE")->required();
  command
      .add_option("--unknown", arguments.unknown,
                  fmt::format("What an instruction with an unknown opcode is timed as: {} to stop, or one of {} [{}]",
                              ImportAccelsimArguments::refuse, fmt::join(classes.begin() + 1, classes.end(), ", "),
                              arguments.unknown))
      ->type_name("CLASS")
      ->check(CLI::IsMember(classes).description(""));
  command.footer(
      "The trace replays on any GPU, as those of `lockstep trace` do. It has machine code (SASS) in place of PTX: what "
      "works on the kernel's text (hash apply, the analysis of hash patterns) needs its PTX.\n\n"
      "Example: lockstep import accelsim traces/vectoradd/kernelslist.g -o vectoradd.trace");
}

}  // namespace

const CLI::App& add_import_commands(CLI::App& app, std::optional<Arguments>& chosen) {
  CLI::App& import = *app.add_subcommand("import", "Convert traces of other simulators");
  import.require_subcommand(1);
  add_command(import, "accelsim", "Convert the traces of Accel-Sim's tracer", declare_accelsim, chosen);
  return import;
}

}  // namespace lockstep::cli
