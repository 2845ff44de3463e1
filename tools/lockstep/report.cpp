// lockstep report

#include <fmt/format.h>

#include "sim/report/report.hpp"
#include "sim/stats/json.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/why/report_section.hpp"

namespace lockstep::cli {

int execute(const ReportArguments& arguments, const Invocation&) {
  refuse_overrides(arguments, "a report shows existing results; give overrides to `lockstep run`");
  const std::string path = report::write_report(
      arguments.folder, report_section(arguments.folder, arguments.explain, arguments.jobs, arguments.quiet));
  if (arguments.json) {
    stats::JsonWriter json;
    print(json.begin_object().field("schema", "lockstep.report/1").field("report", path).end_object().take());
  } else {
    print(fmt::format("{}\n", path));
  }
  return exit_done;
}

}  // namespace lockstep::cli
