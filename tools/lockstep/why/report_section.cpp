#include "tools/lockstep/why/report_section.hpp"

#include "sim/explain/output.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/why/subject.hpp"

namespace lockstep::cli {

std::string report_section(const std::string& folder, const ReportSection& section, unsigned jobs, bool quiet) {
  if (!section.wanted) return "";
  const Subject subject = load_subject({folder, "", section.point}, Common{});
  ProgressLine line(quiet);
  explain::Options options;
  options.jobs = jobs;
  options.progress = [&](const std::string& what, double done) { line.update(what, done, 0); };
  const explain::Explanation explanation = explain::explain(subject.spec, subject.open, options);
  line.clear();
  explain::SourceFiles sources(subject.source_folders);
  return explain::to_html(explanation, subject.label, sources);
}

}  // namespace lockstep::cli
