#include "models/scratchpad/pattern_survey.hpp"

#include <algorithm>
#include <bit>

#include "isa/trace/stream.hpp"

namespace lockstep::scratchpad {

using program::AccessKind;
using program::MemorySpace;

namespace {

/// Limit of distinct patterns of one instruction.
constexpr std::size_t most_patterns = 64;

}  // namespace

analysis::PatternClass InstructionPatterns::kind() const {
  analysis::PatternClass most = analysis::PatternClass::linear;
  for (const Seen& seen : patterns) most = std::max(most, seen.pattern.kind);
  return most;
}

PatternSurvey::PatternSurvey(const program::Kernel& kernel, const program::AddressWindows& windows,
                             const Scratchpad& scratchpad)
    : kernel_(kernel), windows_(windows), scratchpad_(scratchpad), instructions_(kernel.instructions.size()) {
  for (const program::StaticBlock& block : kernel.blocks) {
    accesses_.emplace_back();
    for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
      const program::StaticInstruction& one = kernel.instructions[i];
      const bool generic = one.space == MemorySpace::generic;
      // Of a copy, the first entry reads and the second one writes scratchpad memory.
      const std::uint32_t entries = program::access_entries(one);
      for (std::uint32_t entry = 0; entry < entries; ++entry) {
        const bool here = one.access == AccessKind::copy ? entry == 1 : one.space == MemorySpace::shared || generic;
        accesses_.back().push_back(
            {i, generic, here, std::uint32_t{one.element_bytes} * std::max<std::uint32_t>(1, one.vector_elements)});
      }
    }
  }
  for (std::uint32_t i = 0; i < instructions_.size(); ++i) instructions_[i].instruction = i;
}

void PatternSurvey::add(trace::ThreadBlockStreams& streams, const trace::Launch& launch,
                        const PatternPredictions& predictions) {
  trace::AccessEntry entry;
  for (std::uint32_t warp = 0; warp < launch.warps_per_block(); ++warp) {
    const analysis::WarpPlace place{launch.block, warp};
    trace::StreamCursor cursor(streams.warp(warp), static_cast<std::uint32_t>(kernel_.blocks.size()));
    trace::BlockEntry block;
    while (cursor.next_block(block)) {
      for (const Access& access : accesses_[block.block]) {
        cursor.next_access(entry);
        if (!access.takes_part) continue;
        mask_ = 0;
        for (std::uint32_t rest = entry.mask; rest != 0; rest &= rest - 1) {
          const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
          const std::uint64_t address = entry.address[lane] - (access.generic ? windows_.shared_base : 0);
          if (access.generic && address >= windows_.shared_size) continue;
          address_[lane] = address;
          mask_ |= 1u << lane;
        }
        if (mask_ != 0) take(access, place, predictions);
      }
    }
  }
}

void PatternSurvey::take(const Access& access, const analysis::WarpPlace& place,
                         const PatternPredictions& predictions) {
  InstructionPatterns& own = instructions_[access.instruction];
  ++own.executed;
  const program::StaticInstruction& instruction = kernel_.instructions[access.instruction];
  const bool loads = instruction.access == AccessKind::load;
  const Passes passes = loads ? scratchpad_.load_passes(address_, mask_, access.bytes_per_lane)
                              : scratchpad_.store_passes(address_, mask_, access.bytes_per_lane);
  own.passes += passes.all;
  own.requests += passes.all - passes.further;
  own.most_passes = std::max(own.most_passes, passes.degree);
  if (std::has_single_bit(mask_)) {
    ++own.single_lane;
    return;
  }
  const analysis::LanePattern pattern = *analysis::fit_lanes(address_, mask_, access.bytes_per_lane, place);
  const auto seen = std::find_if(own.patterns.begin(), own.patterns.end(),
                                 [&](const InstructionPatterns::Seen& one) { return one.pattern == pattern; });
  if (seen != own.patterns.end()) {
    ++seen->count;
    // A frequent pattern is found soon.
    if (seen != own.patterns.begin() && seen->count > std::prev(seen)->count) std::iter_swap(seen, std::prev(seen));
  } else if (own.patterns.size() < most_patterns) {
    own.patterns.push_back({pattern, 1});
  } else {
    ++own.other_patterns;
  }

  const auto found = predictions.find(access.instruction);
  if (found == predictions.end()) return;
  if (found->second.distances.empty()) {
    const bool one_address = pattern.kind == analysis::PatternClass::block && pattern.indices.empty();
    // A coefficient that is no number may be 0.
    ++(pattern.kind <= found->second.kind || one_address ? own.of_class : own.otherwise);
    return;
  }
  const auto& distances = found->second.distances.at(place.warp);
  const auto first = static_cast<std::uint32_t>(std::countr_zero(mask_));
  bool same = true;
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    same = same && static_cast<std::int64_t>(address_[lane] - address_[first]) == distances[lane] - distances[first];
  }
  ++(same ? own.at_distances : own.otherwise);
}

std::vector<InstructionPatterns> PatternSurvey::finish() {
  std::vector<InstructionPatterns> result;
  for (InstructionPatterns& one : instructions_) {
    if (one.executed == 0) continue;
    std::stable_sort(one.patterns.begin(), one.patterns.end(),
                     [](const auto& x, const auto& y) { return x.count > y.count; });
    result.push_back(std::move(one));
  }
  return result;
}

}  // namespace lockstep::scratchpad
