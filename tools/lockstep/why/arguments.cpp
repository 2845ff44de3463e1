// Arguments of the commands that find out why a kernel is slow and what changed.

#include <fmt/format.h>

#include <algorithm>

#include "tools/lockstep/console.hpp"
#include "tools/lockstep/declaration.hpp"

namespace lockstep::cli {

namespace {

void add_gpu(CLI::App& command, const char* name, std::string& gpu, const std::string& text) {
  command.add_option(name, gpu, text)->type_name("NAME|FILE");
}

void add_subject(CLI::App& command, const char* name, std::string& subject) {
  command
      .add_option(name, subject,
                  "Trace file; workload, as a file or a name in traces/workloads; or results folder of `lockstep run`")
      ->required();
}

/// The subject, its GPU, and the point of a results folder.
template <class OneSubject>
void add_one_subject(CLI::App& command, OneSubject& arguments) {
  add_subject(command, "SUBJECT", arguments.subject);
  add_gpu(command, "--gpu", arguments.gpu,
          "File, or name in configs/gpus; of a results folder, in place of the point's own");
  command
      .add_option("--point", arguments.point,
                  "Of a results folder: the point with this label, or the slowest whose label contains this text")
      ->type_name("TEXT");
}

void add_sources(CLI::App& command, std::vector<std::string>& sources) {
  command
      .add_option("--source", sources, "Folder with source files, besides those of trace and workload; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

void add_columns(CLI::App& command, std::size_t& columns) {
  const std::size_t without_terminal = columns;
  columns = std::clamp<std::size_t>(terminal_columns().value_or(columns), 40, 1000);
  command.add_option("--columns", columns, fmt::format("Width of the text [the terminal's, or {}]", without_terminal))
      ->type_name("N")
      ->check(CLI::Range(40U, 1000U).description(""));
}

void declare_explain(CLI::App& command, ExplainArguments& arguments) {
  add_one_subject(command, arguments);
  add_jobs(command, arguments.jobs, "Threads [number of cores]; results do not depend on it");
  command.add_flag("--whole", arguments.whole, "Show the source files as a whole, not only the lines that cost most");
  command.add_option("--lines", arguments.lines, fmt::format("Most lines to show [{}]", arguments.lines))
      ->type_name("N");
  command.add_flag("--lines-only", arguments.lines_only, "Do not look for what would help, which takes many replays");
  command
      .add_option("--hash", arguments.hashes,
                  "Bank hash to try besides xor, add and ipoly, as a SPEC (`lockstep list hashes`); may be repeated")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  add_sources(command, arguments.sources);
  add_columns(command, arguments.columns);
  command.footer(
      "A slot is charged to the line whose result, unit, branch or store it was lost for.\n\n"
      "Example: lockstep explain transpose --gpu gtx580 -s args.variant=tiled");
}

void declare_compare(CLI::App& command, CompareArguments& arguments) {
  add_subject(command, "A", arguments.a);
  command.add_option("B", arguments.b, "Subject to compare with A [A]");
  add_gpu(command, "--gpu", arguments.gpu, "GPU of A, and of B where --with-gpu does not say otherwise");
  add_gpu(command, "--with-gpu", arguments.with_gpu, "GPU of B");
  command
      .add_option("--with", arguments.with,
                  "Override a parameter of the GPU or an argument of the workload for B alone; may be repeated")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--point", arguments.point,
                  "Of a results folder: compare the point with this label, or the slowest whose label contains this "
                  "text, instead of all points; executes it again to attribute cycles to lines")
      ->type_name("TEXT");
  command.add_option("--with-point", arguments.with_point, "The point of B [as --point]")->type_name("TEXT");
  add_jobs(command, arguments.jobs, "Threads [number of cores]; results do not depend on it");
  command
      .add_option("--lines", arguments.lines,
                  fmt::format("Most source lines and counters to show [{}]", arguments.lines))
      ->type_name("N");
  add_sources(command, arguments.sources);
  add_columns(command, arguments.columns);
  command.footer(
      "Points of two results folders are matched by their swept values. Parts add up to the difference.\n\n"
      "Example: lockstep compare transpose --gpu gtx580 -s args.variant=tiled --with sm.scratchpad.bank_hash=xor");
}

void add_chart(CLI::App& command, std::optional<std::string>& chart, const char* what) {
  command.add_option("--chart", chart, fmt::format("Also draw it: {}", what))->type_name("FILE.svg")->each(name_output);
}

void declare_roofline(CLI::App& command, RooflineArguments& arguments) {
  add_subject(command, "SUBJECT", arguments.subject);
  add_gpu(command, "--gpu", arguments.gpu, "Of a trace or workload: file, or name in configs/gpus");
  add_jobs(command, arguments.jobs, "Threads [number of cores]; results do not depend on it");
  add_chart(command, arguments.chart,
            "instructions per time over instructions per transaction, under what the machine can do");
  command.footer(
      "Of a results folder, all points that have results. Transactions are sectors of 32 bytes, or passes of the "
      "scratchpad.\n\n"
      "Example: lockstep roofline transpose --gpu gtx580 --chart transpose.svg");
}

void declare_occupancy(CLI::App& command, OccupancyArguments& arguments) {
  add_one_subject(command, arguments);
  const auto add = [&command](const char* name, std::optional<std::uint32_t>& value, std::uint32_t least,
                              const std::string& text) {
    command.add_option(name, value, text + " [as launched]")
        ->type_name("N")
        ->check(CLI::Range(least, 1U << 30).description(""));
  };
  add("--block", arguments.block, 1, "Threads per block");
  add("--registers", arguments.registers, 1, "Registers per thread");
  add("--scratchpad", arguments.scratchpad_bytes, 0, "Bytes of scratchpad memory per block");
  add_chart(command, arguments.chart, "resident warps over block size, registers and scratchpad memory");
  command.footer("Nothing is executed.\n\nExample: lockstep occupancy transpose --gpu h200 --registers 64");
}

}  // namespace

void add_report_section(CLI::App& command, ReportSection& section) {
  CLI::Option* wanted = command.add_flag(
      "--explain", section.wanted,
      "Also show in the report the annotated source of the slowest point and what would help it, as `lockstep explain` "
      "does: executes that point again");
  command
      .add_option("--point", section.point,
                  "With --explain: of the point with this label, or the slowest whose label contains this text")
      ->type_name("TEXT")
      ->needs(wanted);
}

void add_why_commands(CLI::App& app, std::optional<Arguments>& chosen) {
  add_command(app, "explain", "Show which source lines cost what, and what would help", declare_explain, chosen);
  add_command(app, "compare", "Show what explains the difference of two results, GPUs, hashes or kernels",
              declare_compare, chosen);
  add_command(app, "occupancy", "Show how many thread blocks are resident on an SM, and what limits them",
              declare_occupancy, chosen);
  add_command(app, "roofline",
              "Show how near a kernel comes to what the machine can do, and which limit is the nearest",
              declare_roofline, chosen);
}

}  // namespace lockstep::cli
