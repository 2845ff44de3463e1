// lockstep explain

#include <fmt/format.h>

#include "models/hash/address_map.hpp"
#include "sim/explain/output.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/why/subject.hpp"

namespace lockstep::cli {

int execute(const ExplainArguments& arguments, const Invocation&) {
  const Subject subject = load_subject({arguments.subject, arguments.gpu, arguments.point}, arguments);
  for (const std::string& hash : arguments.hashes)
    hash::make_address_map(hash, subject.spec.sm.scratchpad.banks,
                           subject.spec.sm.occupancy.scratchpad_bytes / subject.spec.sm.scratchpad.bank_bytes);
  ProgressLine line(arguments.quiet);
  explain::Options options;
  options.jobs = arguments.jobs;
  options.remedies = !arguments.lines_only;
  options.hashes = arguments.hashes;
  options.progress = [&](const std::string& what, double done) { line.update(what, done, 0); };
  const explain::Explanation explanation = explain::explain(subject.spec, subject.open, options);
  line.clear();

  std::vector<std::string> folders = arguments.sources;
  folders.insert(folders.end(), subject.source_folders.begin(), subject.source_folders.end());
  explain::SourceFiles sources(folders);
  if (!arguments.quiet) {
    if (!subject.label.empty()) note(fmt::format("note: point {}", subject.label));
    for (const std::string& text : explanation.result.notes) note("note: " + text);
  }
  print(arguments.json ? explain::to_json(explanation, sources)
                       : explain::to_text(explanation, sources, {arguments.whole, arguments.lines, arguments.columns}));
  return exit_done;
}

}  // namespace lockstep::cli
