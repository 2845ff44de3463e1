#pragma once
// Warp-aggregated atomics: where all lanes of a warp update one word, a compiler lets one of them do it for all.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "isa/machine/emitter.hpp"
#include "isa/machine/schedule/uniformity.hpp"
#include "isa/program/data_flow.hpp"

namespace lockstep::machine {

/// What ptxas 13.0 does for sm_90 with atomics of whose address it knows that it is the same in all lanes, as generated
/// kernels showed (isa/machine/README.md): it elects one of the active lanes, which adds as often as there are lanes when
/// they add the same value, or applies the result of a REDUX when they do not. Additions whose result is used hand each
/// lane its share: of the same value by counting the lanes in front, else by a scan when the whole warp is active.
/// Floating-point operations, exchanges, compare-and-swaps, wrapping increments and what else has a result stay as they
/// are, and so does what a single thread does.
class WarpAggregation {
 public:
  WarpAggregation(const program::Kernel& kernel, const program::DataFlow& flow);

  /// What an elected lane needs for an atomic.
  struct Prepared {
    Election election;
    std::uint16_t leader, value;  ///< Scoreboard entries: whether the lane is elected; what it applies.
    std::uint16_t further = 0;    ///< That of which each lane's share of the result is computed.
  };

  /// What is computed once for a basic block has to be computed anew.
  void begin_block();
  /// Emits what stands in front of the emitter's current atomic; none when it is not aggregated. `increments`: there is a
  /// unit that adds one for all lanes by itself.
  std::optional<Prepared> prepare(Emitter& emitter, bool increments);
  /// Emits what hands each lane its result, given what the elected lane got.
  void distribute(Emitter& emitter, const Prepared& prepared, std::uint16_t result);

 private:
  enum class Form : std::uint8_t { none, counted, reduced, scanned };

  Form form(const Emitter& emitter, bool increments) const;
  bool is_uniform(const program::SourceOperand& operand) const;
  /// Whether one thread of a warp at most executes the instruction, as a compiler can tell: its guard, or the branch in
  /// front of its basic block, compares the thread's number with a value. Which side of the branch has the one thread, a
  /// program does not say: both are taken for it.
  bool is_of_one_thread(std::uint32_t instruction) const;
  bool compares_thread(std::uint32_t predicate) const;
  /// A number that differs between the threads of a warp: a special register, or one plus what is the same in all.
  bool is_thread_number(std::uint32_t reg, unsigned depth) const;
  void elect(Emitter& emitter);
  Prepared counted(Emitter& emitter);
  Prepared reduced(Emitter& emitter);
  Prepared scanned(Emitter& emitter);

  /// Of the active lanes of a basic block.
  struct Elected {
    std::uint16_t active, leader;
    std::optional<std::uint16_t> count;
    std::map<std::string, std::uint16_t> values;  ///< By what is computed of which operand.
  };

  const program::Kernel& kernel_;
  const program::DataFlow& flow_;
  Uniformity uniformity_;
  std::vector<std::uint32_t> block_of_;       ///< By instruction.
  std::vector<std::uint32_t> branches_into_;  ///< By block: the one that leads to it with a choice, alone; or no_block.
  std::optional<Elected> elected_;
};

}  // namespace lockstep::machine
