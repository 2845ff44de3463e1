#pragma once
// An explanation for people and for programs.

#include <string>

#include "sim/explain/explanation.hpp"
#include "sim/explain/source_files.hpp"

namespace lockstep::explain {

struct TextOptions {
  bool whole = false;        ///< All of every source file, not only the hot lines.
  std::size_t lines = 10;    ///< Hot lines that are shown.
  std::size_t columns = 80;  ///< Where text is wrapped; source lines are not.
};

std::string to_text(const Explanation& explanation, SourceFiles& sources, const TextOptions& options);
/// A section of the HTML report: what would help, and the source with what each line costs. `label`: of the point, or "".
std::string to_html(const Explanation& explanation, const std::string& label, SourceFiles& sources);
/// Schema lockstep.explain/1.
std::string to_json(const Explanation& explanation, SourceFiles& sources);

/// "cycles that `cycles` saves, of `all`": 0.25 for 75 of 100.
double saved(Cycle all, Cycle cycles);
/// Saves or costs less than this: no effect.
inline constexpr double least_effect = 0.005;

/// What the remedies come to.
struct Effects {
  std::vector<const Outcome*> helpful;
  std::string slower, idle;           ///< Names of the others, with cycles and without.
  std::vector<std::string> failures;  ///< Of those that could not be replayed, with why.
};
Effects effects_of(const Explanation& all);

/// What is to be said of the memory accesses of a line, a sentence each: passes, collisions, retries, sectors, hits.
std::vector<std::string> access_sentences(const Explanation& explanation, const LineCosts& line);
/// "load_store_busy 1,024, barrier 12": the reasons for which slots were lost, most first.
std::string lost_text(const LineCosts& line);
/// "transpose.cu:16", "no source line ...", or "start of thread blocks".
std::string place_of(const LineCosts& line);
/// "0-3,8": lanes as ranges.
std::string ranges(const std::vector<std::uint32_t>& lanes);

}  // namespace lockstep::explain
