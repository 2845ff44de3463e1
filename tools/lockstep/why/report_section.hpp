#pragma once
// The annotated source in the report of a results folder.

#include <string>

namespace lockstep::cli {

/// --explain of run and report.
struct ReportSection {
  bool wanted = false;
  std::string point;  ///< As SubjectChoice::point.
};

/// HTML for report::write_report: executes and replays the point once more; "" when it is not wanted.
std::string report_section(const std::string& folder, const ReportSection& section, unsigned jobs, bool quiet);

}  // namespace lockstep::cli
