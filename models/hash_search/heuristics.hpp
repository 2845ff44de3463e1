#pragma once
// The two heuristics of section 6.4.2 of Van den Braak (2015): address bits, or pairs of them, chosen one after the other.

#include <cstdint>
#include <vector>

#include "models/hash/linear.hpp"
#include "models/hash_search/weighted_sequences.hpp"

namespace lockstep::hash {

/// What a bit of the target may be: every address bit, or (Table 6.2) also every XOR of two.
std::vector<std::uint64_t> candidate_rows(std::uint32_t word_bits, bool pairs);

/// Givargis' heuristic over many reference sets: each has its own quality of every candidate and its own correlations;
/// the sums of the qualities choose. A set counts as often as it occurs. Candidates that depend on those chosen before
/// are left out; of equally good ones the first is chosen.
LinearHash givargis(const WeightedSequences& references, const std::vector<std::uint64_t>& candidates,
                    std::uint32_t target_bits);

/// The Minimum Imbalance Heuristic: each choice makes the sum over the sets of |references in a bin - their mean|, over
/// all bins that the bits chosen so far make, as small as it can.
LinearHash minimum_imbalance(const WeightedSequences& references, const std::vector<std::uint64_t>& candidates,
                             std::uint32_t target_bits);

/// Imbalance (equation 6.14) of a set of references for each candidate, after the rows chosen so far.
std::vector<double> imbalances(std::span<const std::uint32_t> references, const std::vector<std::uint64_t>& chosen,
                               const std::vector<std::uint64_t>& candidates);

}  // namespace lockstep::hash
