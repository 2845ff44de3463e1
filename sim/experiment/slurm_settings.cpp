#include "sim/experiment/slurm_settings.hpp"

#include <fmt/format.h>

#include <regex>

namespace lockstep::experiment {

// The forms are those of sbatch(1).

std::string mistake_in_slurm_time(const std::string& text) {
  static const std::regex form(R"((\d+|\d+:\d+|\d+:\d+:\d+|\d+-\d+|\d+-\d+:\d+|\d+-\d+:\d+:\d+))");
  if (std::regex_match(text, form)) return "";
  return fmt::format("'{}' is no time of Slurm: minutes, M:S, H:M:S, D-H, D-H:M or D-H:M:S", text);
}

std::string mistake_in_slurm_memory(const std::string& text) {
  static const std::regex form(R"(\d+[KMGT]?)");
  if (std::regex_match(text, form)) return "";
  return fmt::format("'{}' is no memory of Slurm: a number with K, M, G or T, such as 4G; alone it is MiB", text);
}

std::string mistake_in_slurm_option(const std::string& text) {
  static const std::regex form(R"(--[a-z][a-z-]*(=[^\n]*)?)");
  if (std::regex_match(text, form)) return "";
  return fmt::format("'{}' is no option of sbatch such as --account=NAME", text);
}

}  // namespace lockstep::experiment
