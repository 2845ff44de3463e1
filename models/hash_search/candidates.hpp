#pragma once
// Families that are small enough to try every member.

#include <optional>
#include <string>
#include <vector>

#include "models/hash/linear.hpp"

namespace lockstep::hash {

struct Candidate {
  std::string spec;
  std::optional<LinearHash> linear;
};

/// Every member of the family that differs from the others in more than the names of the targets; none when the family
/// is not one of those that can be listed.
std::optional<std::vector<Candidate>> all_candidates(const std::string& family, std::uint32_t targets,
                                                     std::uint32_t word_bits);

}  // namespace lockstep::hash
