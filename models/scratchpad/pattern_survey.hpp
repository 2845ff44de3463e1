#pragma once
// The access patterns of every scratchpad instruction of a kernel, found in its executed accesses: Section 6.2 of Van den
// Braak (2015), where analysis of the code does not tell (Section 6.5).

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "isa/analysis/lane_pattern.hpp"
#include "isa/trace/source.hpp"
#include "models/scratchpad/scratchpad.hpp"

namespace lockstep::scratchpad {

/// Result of the analysis of an instruction, for the launches to which it applies.
struct PatternPrediction {
  analysis::PatternClass kind = analysis::PatternClass::random;
  /// Per warp of a thread block, where every lane's distance from the first lane is a number: bytes.
  std::vector<std::array<std::int64_t, 32>> distances;
};
/// By number of the instruction in its kernel.
using PatternPredictions = std::map<std::uint32_t, PatternPrediction>;

/// One instruction with scratchpad accesses.
struct InstructionPatterns {
  std::uint32_t instruction = 0;
  std::uint64_t executed = 0;     ///< By warps, with a lane that takes part.
  std::uint64_t single_lane = 0;  ///< Of these, with only one such lane, which fits every pattern.
  std::uint64_t requests = 0, passes = 0;
  std::uint32_t most_passes = 0;  ///< Of one request.
  struct Seen {
    analysis::LanePattern pattern;
    std::uint64_t count = 0;
  };
  std::vector<Seen> patterns;        ///< Of the accesses of several lanes, the most frequent first.
  std::uint64_t other_patterns = 0;  ///< Accesses with patterns beyond those that are kept.
  /// Of the accesses of several lanes that were predicted: lanes at the predicted distances; else of the predicted class
  /// or a special case of it; else at other distances or of another class.
  std::uint64_t at_distances = 0, of_class = 0, otherwise = 0;

  /// The least general class that holds every access; linear without any of several lanes.
  analysis::PatternClass kind() const;
};

/// Surveys the launches of one kernel.
class PatternSurvey {
 public:
  /// Counts passes as `scratchpad` makes them, of which the hash is the caller's choice.
  PatternSurvey(const program::Kernel& kernel, const program::AddressWindows& windows, const Scratchpad& scratchpad);

  /// Reads the warps of a thread block of a launch.
  void add(trace::ThreadBlockStreams& streams, const trace::Launch& launch, const PatternPredictions& predictions);
  /// Instructions with at least one access, in their order.
  std::vector<InstructionPatterns> finish();

 private:
  struct Access {
    std::uint32_t instruction;
    bool generic, takes_part;
    std::uint32_t bytes_per_lane;
  };
  void take(const Access& access, const analysis::WarpPlace& place, const PatternPredictions& predictions);

  const program::Kernel& kernel_;
  program::AddressWindows windows_;
  const Scratchpad& scratchpad_;
  std::vector<std::vector<Access>> accesses_;      ///< Per static block: its access entries.
  std::vector<InstructionPatterns> instructions_;  ///< Per instruction of the kernel.
  std::uint32_t mask_ = 0;
  std::uint64_t address_[32] = {};
};

}  // namespace lockstep::scratchpad
