// lockstep instrument

#include "isa/capture/instrument.hpp"

#include <fmt/format.h>

#include "isa/capture/device_log.hpp"
#include "isa/input_file.hpp"
#include "isa/output_file.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"

namespace lockstep::cli {

int execute(const InstrumentArguments& arguments, const Invocation&) {
  refuse_overrides(arguments, "a kernel is instrumented as its file says");
  const std::string text = read_whole_file(arguments.kernel, most_kernel_bytes);
  const ptx::Module module = ptx::parse(text, arguments.kernel);
  const capture::InstrumentedModule made = capture::instrument(text, module, arguments.chunk_bytes);
  write_whole_file(arguments.file, made.text);
  const std::uint64_t first = capture::least_log_bytes({0, made.header_bytes, made.chunk_bytes, 0}, 0);
  if (arguments.json) {
    stats::JsonWriter json;
    json.begin_object().field("schema", "lockstep.instrument/1").field("file", arguments.file);
    json.field("functions", made.functions).field("blocks", made.blocks).field("accesses", made.accesses);
    json.field("log_bytes_per_launch", first).field("log_bytes_per_thread", made.chunk_bytes);
    json.key("refused").begin_array();
    for (const auto& one : made.refused) json.value(one.first);
    print(json.end_array().end_object().take());
  } else {
    print(
        fmt::format("{}: {} function{} of {} basic blocks and {} accesses; the log of a launch needs {} bytes and at "
                    "least {} per thread\n",
                    arguments.file, made.functions, made.functions == 1 ? "" : "s", stats::grouped(made.blocks),
                    stats::grouped(made.accesses), stats::grouped(first), stats::grouped(made.chunk_bytes)));
  }
  if (!arguments.quiet)
    for (const auto& [kernel, why] : made.refused) note(fmt::format("note: '{}' stays as it is: {}", kernel, why));
  return exit_done;
}

}  // namespace lockstep::cli
