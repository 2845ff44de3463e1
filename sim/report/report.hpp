#pragma once
// The report of an experiment: one HTML page that needs no other file.

#include <string>

#include "sim/report/figures.hpp"

namespace lockstep::report {

/// Texts that the page shows as they are, folded.
struct Attachments {
  std::string effective;   ///< effective.yaml
  std::string provenance;  ///< provenance.json; "" when the run has not ended.
};

/// The page: well-formed XML, without scripts and without anything from elsewhere.
std::string report_html(const Results& results, const Attachments& attachments);

/// Writes report.html into a results folder whose other files are written, and returns its path.
std::string write_report(const std::string& folder, const Results& results);
/// The same from the folder alone; InputError when it is no results folder.
std::string write_report(const std::string& folder);

}  // namespace lockstep::report
