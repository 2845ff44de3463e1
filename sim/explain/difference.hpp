#pragma once
// What explains the difference of two replays: their cycles, divided by what became of the issue slots and by the source
// lines that these are charged to, so that the parts add up to the whole.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/experiment/result.hpp"
#include "sim/explain/explanation.hpp"
#include "sim/explain/source_files.hpp"

namespace lockstep::explain {

/// A line's share of the slots, under the name by which lines of both sides are matched.
struct LineShare {
  std::string place;   ///< "transpose.cu:16", for people.
  std::string source;  ///< Its text, or "".
  std::string kernel;
  std::uint32_t number = 0;  ///< Of the line: its order among lines with the same text.
  std::uint64_t slots = 0;
  std::vector<std::pair<gpu::Slot, std::uint64_t>> reasons;  ///< Lost because of it, most first.
};

/// One of the two.
struct Side {
  std::string name;                ///< What tells it from the other, for people.
  experiment::PointResult result;  ///< With statistics.
  std::vector<LineShare> lines;    ///< Empty when the lines are not known.
};
/// Of a replay with lines.
Side side_of(const std::string& name, const Explanation& explanation, SourceFiles& sources);

/// A part of both wholes.
struct Part {
  std::string name, text;
  std::uint64_t a = 0, b = 0;
  std::int64_t change() const { return static_cast<std::int64_t>(b) - static_cast<std::int64_t>(a); }
};

struct Difference {
  /// "cycles"; "ns" when the clocks differ.
  std::string unit = "cycles";
  Part whole;
  /// By what became of the issue slots, and by line with the slots without a warp: each adds up to the whole, the largest
  /// change first. The text of a line says what it loses less or more by.
  std::vector<Part> reasons, lines;
  /// Counters that differ, relatively the largest change first; those that are small beside the instructions come last.
  /// Their text is their unit.
  std::vector<Part> counters;
};

/// Either side's slots divide its own whole, so sides of GPUs with different numbers of schedulers can be compared.
Difference difference(const Side& a, const Side& b);

/// `whole` divided in proportion to `weights`, in integers that add up to it (largest remainder).
std::vector<std::uint64_t> apportioned(std::uint64_t whole, const std::vector<std::uint64_t>& weights);

}  // namespace lockstep::explain
