// The commands below `import`, and what makes the traces that one of them reads.

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
  command.add_option("-o,--output", arguments.file, "Trace file to write")
      ->type_name("FILE")
      ->required()
      ->each(name_output);
  command
      .add_option("--unknown", arguments.unknown,
                  fmt::format("Timing class of instructions with an unknown opcode: {} to stop, or one of {} [{}]",
                              ImportAccelsimArguments::refuse, fmt::join(classes.begin() + 1, classes.end(), ", "),
                              arguments.unknown))
      ->type_name("CLASS")
      ->check(CLI::IsMember(classes).description(""));
  command.footer(
      "The trace replays on any GPU, as those of `lockstep trace` do. It has machine code (SASS) in place of PTX: what "
      "works on the kernel's text (hash apply, the analysis of hash patterns) needs its PTX.\n\n"
      "Example: lockstep import accelsim traces/vectoradd/kernelslist.g -o vectoradd.trace");
}

void declare_capture(CLI::App& command, ImportCaptureArguments& arguments) {
  command.add_option("LOG", arguments.log, "Log of instrumented kernels (run_on_gpu --capture)")->required();
  command.add_option("-o,--output", arguments.file, "Trace file to write")
      ->type_name("FILE")
      ->required()
      ->each(name_output);
  command.footer(
      "The trace is one of PTX, as those of `lockstep trace`: if neither the order of thread blocks nor time decides "
      "what a kernel does, it is the same.\n\n"
      "Example: lockstep import capture histogram.log -o histogram.trace\n"
      "after\n"
      "  lockstep trace histogram -o direct.trace --launches histogram.launches --instrument\n"
      "  run_on_gpu --capture histogram.log histogram.launches      (on the machine with the GPU: tools/capture)");
}

void declare_instrument(CLI::App& command, InstrumentArguments& arguments) {
  command.add_option("KERNEL.ptx", arguments.kernel, "PTX file")->required();
  command.add_option("-o,--output", arguments.file, "PTX file to write")
      ->type_name("OUT.ptx")
      ->required()
      ->each(name_output);
  command
      .add_option("--chunk", arguments.chunk_bytes,
                  fmt::format("Bytes that a thread takes of the log's buffer at a time [{}]", arguments.chunk_bytes))
      ->type_name("BYTES")
      ->check(CLI::Range(64U, 1U << 20).description(""));
  command.footer(
      "Every thread of the new kernels logs the basic blocks that it executes and the addresses that it accesses; what "
      "they compute stays. A program of your own loads them, and keeps the log, with tools/capture/capture_log.hpp; of "
      "a workload, `lockstep trace --launches FOLDER --instrument` does all that is needed.\n\n"
      "Example: lockstep instrument saxpy.ptx -o saxpy.instrumented.ptx");
}

}  // namespace

void add_instrument_command(CLI::App& app, std::optional<Arguments>& chosen) {
  add_command(app, "instrument", "Rewrite kernels to log on a real GPU what they execute", declare_instrument, chosen);
}

const CLI::App& add_import_commands(CLI::App& app, std::optional<Arguments>& chosen) {
  CLI::App& import = *app.add_subcommand("import", "Convert traces of other simulators and logs of real GPUs");
  import.require_subcommand(1);
  add_command(import, "accelsim", "Convert the traces of Accel-Sim's tracer", declare_accelsim, chosen);
  add_command(import, "capture", "Convert what instrumented kernels have logged on a real GPU", declare_capture,
              chosen);
  return import;
}

}  // namespace lockstep::cli
