#pragma once
// Differences for people and for programs.

#include <string>
#include <utility>
#include <vector>

#include "sim/experiment/results/folder.hpp"
#include "sim/explain/difference.hpp"

namespace lockstep::explain {

/// Two sides that are compared, and what tells the pair from others.
struct Pair {
  std::string label;                                       ///< "" for a single pair.
  std::vector<std::pair<std::string, std::string>> point;  ///< Swept values that both have.
  Side a, b;
};

/// What is compared: pairs, and the points of either folder that the other one lacks.
struct Comparison {
  std::string a, b;  ///< What the sides are.
  std::vector<Pair> pairs;
  std::vector<std::string> only_a, only_b;
};

/// The points of two results folders, matched by the values of the axes that both have. Only points that have numbers;
/// those that fit several of the other folder are in only_a and only_b.
Comparison matched(const std::string& a, const experiment::StoredResults& of_a, const std::string& b,
                   const experiment::StoredResults& of_b);

/// One pair in full, several as a table with the reasons that change most. `lines`: lines and counters shown at most;
/// `columns`: where the text of a source line is cut.
std::string to_text(const Comparison& comparison, std::size_t lines, std::size_t columns);
/// Schema lockstep.compare/1.
std::string to_json(const Comparison& comparison);

}  // namespace lockstep::explain
