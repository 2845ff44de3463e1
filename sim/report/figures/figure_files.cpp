#include "sim/report/figures/figure_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "isa/output_file.hpp"
#include "sim/report/figures/pdf.hpp"

namespace lockstep::report {

std::vector<std::string> write_figures(const std::string& folder, const std::vector<Plot>& plots,
                                       std::string& complaint) {
  const std::filesystem::path base = std::filesystem::path(folder) / figure_folder;
  std::error_code failure;
  std::filesystem::create_directories(base, failure);
  if (failure) throw ResourceError(fmt::format("{}: cannot make the folder: {}", base.string(), failure.message()));
  std::vector<std::string> endings{"svg", "pdf"};
  for (const Plot& plot : plots) {
    const std::string svg = panels_svg(plot.panels, usual_width, "#ffffff"), path = (base / plot.file).string();
    write_whole_file(path + ".svg", svg, OutputFile::of_program);
    if (endings.size() < 2) continue;
    try {
      write_whole_file(path + ".pdf", pdf_of(svg), OutputFile::of_program);
    } catch (const NoPdfLibrary& missing) {
      endings.pop_back();
      complaint = missing.what();
    }
  }
  return endings;
}

}  // namespace lockstep::report
