#pragma once
// The order in which a compiler leaves straight code, and the registers that it needs for it.
//
// What ptxas 13.0 was seen to do for sm_90 (README.md beside this file): values are few first. The code has an order that needs few
// registers, its ranks. From cycle to cycle, of the instructions whose operands are there and whose unit is free, the next one has
// most loads from global memory on its way to the end of the code, then the lowest rank; but what goes in front of its rank
// must leave room for all that stands between.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isa/machine/instruction.hpp"
#include "isa/machine/schedule/range_maximum.hpp"
#include "isa/machine/schedule/register_budget.hpp"

namespace lockstep::machine {

/// A stretch of straight code between instructions that others are not moved across.
class Segment {
 public:
  /// `kills`: of each instruction, 1 if nothing reads what its registers held before. `behind`: what is live behind the code.
  /// `of_rounds`: it is some rounds of a loop, behind each other.
  Segment(const Program& program, std::span<Instruction> code, std::span<const std::uint8_t> kills, LiveSet behind,
          bool of_rounds);

  /// Registers of 32 bits that its values need in the order of ranks.
  std::uint32_t least_words() const { return least_words_; }
  /// Those, and room for as many loads from the scratchpad ahead as ptxas has.
  std::uint32_t wanted_words() const;

  /// Reorders the code, once. `room`: registers of 32 bits for all values, least_words or more.
  void schedule(std::uint32_t room);

 private:
  struct Edge {
    std::uint32_t to, latency;
  };
  struct Node {
    std::vector<Edge> after;
    std::vector<std::uint32_t> before;         ///< Predecessors.
    std::vector<std::uint32_t> reads, begins;  ///< Values, each once.
    std::uint32_t awaited = 0;                 ///< Predecessors that are not scheduled yet.
    std::uint32_t loads = 0;     ///< From global memory, itself among them, on a way to the end of the code, at most.
    std::uint32_t earliest = 0;  ///< Cycle at which its operands are there.
    std::uint32_t rank = 0;
    std::uint32_t made = 0;  ///< Words for what it makes.
    bool scheduled = false;
  };
  /// What a register holds from one write to the next. What a load brings is one value: a vector has neighbouring registers.
  struct Value {
    std::uint32_t words = 0;
    bool stays = false;  ///< Live behind the code.
    /// Nodes; while the code is listed, by rank, without scheduled ones behind others.
    std::vector<std::uint32_t> readers;
  };
  using Order = std::vector<std::uint32_t>;  ///< Nodes.

  void edge(std::uint32_t from, std::uint32_t to, std::uint32_t latency);
  void connect();
  void find_values();
  void rank();
  void count_loads();
  /// Nodes for which `in_place` says so stand in the order of the program, the others where they are needed first.
  template <class InPlace>
  Order order_by_need(InPlace&& in_place) const;
  /// Notes the words that are live behind each place of an order; returns the most.
  std::uint32_t note_live_words(const Order& order);
  /// Rank of what reads a value last but for node n, or `first`; none where something behind n reads it.
  std::optional<std::uint32_t> other_reader(Value& value, std::uint32_t n, std::uint32_t first);
  /// Changes what is live behind the ranks from `first` on as if node n stood in front of that, or (sign -1) did no longer.
  void advance(std::uint32_t n, std::uint32_t first, std::int64_t sign);
  /// Whether node n is the last that reads something, in front of its rank too.
  bool frees(std::uint32_t n, std::uint32_t first);
  /// Whether node n takes more registers than it frees where it would stand next, and is an index or an address of 64 bits, but for that
  /// of a load from global memory: the index of another round, beside one that is still needed.
  bool keeps_an_index(std::uint32_t n) const;
  /// Whether there is room for all that is live between if node n stands in front of the rank `first`.
  bool fits(std::uint32_t n, std::uint32_t first, std::uint32_t room);
  Order list(std::uint32_t room);

  const Program& program_;
  std::span<Instruction> code_;
  std::span<const std::uint8_t> kills_;
  LiveSet behind_;
  bool of_rounds_;
  std::vector<Node> nodes_;
  std::vector<Value> values_;
  Order order_;                            ///< By rank.
  std::vector<std::uint32_t> live_words_;  ///< Behind each place of the order noted last.
  RangeMaximum live_;                      ///< Words that are live behind each rank, with what went ahead.
  std::uint32_t words_before_ = 0, least_words_ = 0;
};

}  // namespace lockstep::machine
