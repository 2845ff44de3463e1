#pragma once
// The report of an experiment: one HTML page that needs no other file.

#include <string>
#include <vector>

#include "sim/report/figures/figures.hpp"

namespace lockstep::report {

/// A picture that a workload has left.
struct PictureFile {
  std::string name;
  std::string png;  ///< The bytes of the file; "": it is not shown.
};

/// A file beside the page.
struct FileLink {
  std::string path;  ///< From the page.
  std::string text;  ///< What is in it.
};

/// What the page shows as it is, texts folded.
struct Attachments {
  std::string effective;   ///< effective.yaml
  std::string provenance;  ///< provenance.json; "" when the run has not ended.
  std::vector<PictureFile> pictures = {};
  std::string explained = {};  ///< A section of the page as it is: the annotated source of a point; "" for none.
  std::vector<FileLink> files = {};
  std::vector<std::string> figure_endings = {};  ///< Of the files that each figure has: svg, pdf.
  std::string complaint = {};                    ///< Why figures have not all files.
};

/// The page: well-formed XML that needs nothing from elsewhere and stands without its script.
std::string report_html(const Results& results, const Attachments& attachments);

/// Writes report.html and the files of its figures into a results folder whose other files are written, and returns the path
/// of report.html. `explained`: as of
/// Attachments.
std::string write_report(const std::string& folder, const Results& results, const std::string& explained = "");
/// The same from the folder alone; InputError when it is no results folder.
std::string write_report(const std::string& folder, const std::string& explained = "");

}  // namespace lockstep::report
