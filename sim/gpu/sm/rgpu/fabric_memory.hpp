#pragma once
// What the load-store units of an SM in R-GPU mode do to memory: they share L1 cache, miss registers, translation buffer
// and port with the SM's warps (MemoryUnit), and its scratchpad with their banks and lock bits.
//
// A load that needs a reply keeps its unit waiting; when a reply has arrived all units may retry. Stores of a unit
// are gathered to requests of a line, or of a sector where another SM waits for them.

#include <cstdint>
#include <utility>
#include <vector>

#include "isa/dataflow/graph.hpp"
#include "models/coalescer/coalescer.hpp"
#include "models/rgpu/fabric.hpp"
#include "models/rgpu/mapping.hpp"
#include "models/scratchpad/scratchpad.hpp"
#include "sim/gpu/sm/memory/memory_unit.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu {

class FabricMemory {
 public:
  /// Tokens of MemoryUnit's completions that belong to a fabric have this bit.
  static constexpr std::uint32_t token_bit = std::uint32_t{1} << 31;

  FabricMemory(const GpuSpec& spec, MemoryUnit::Parts memory, scratchpad::Scratchpad& scratchpad);

  /// The next asks are those of the nodes of `graph`. `communicates`: its stores say in the L2 cache which words they write,
  /// since loads of the launch wait for some.
  void begin(const dataflow::Graph& graph, const rgpu::Mapping& mapping, bool communicates);
  rgpu::Answer serve(const rgpu::Ask& ask, Cycle now);
  /// What a unit waits for has come.
  void complete(const Completion& completion);
  /// Returns whether a lock has been released since the last call: units that wait for one may retry.
  bool take_freed_lock() { return std::exchange(freed_lock_, false); }

  const FabricMemoryCounters& counters() const { return counters_; }

 private:
  static constexpr std::uint32_t no_unit = token_bit - 1;  ///< Completions without a waiting unit.

  /// A load-store unit and the node at it.
  struct Unit {
    const dataflow::Node* node = nullptr;
    std::uint32_t bytes = 0;  ///< Of an element.
    bool under_way = false;   ///< Of a load: a reply must come first.
    bool there = false;       ///< The line that it waited for has come.
    std::uint64_t block = 0;  ///< Whose words are in the unit's register, or gathered for a store.
    std::uint32_t words = 0;  ///< Of a load past the L1 cache: those in the register,
    std::uint32_t asked = 0;  ///< and those of the sector in flight.
    // Of stores: what is gathered of the block.
    coalescer::ByteMask written;
    std::uint32_t written_words = 0;
  };
  /// What a bank does in one cycle.
  struct Bank {
    Cycle cycle = never;
    std::uint64_t word = 0;
    bool load = false;
  };

  rgpu::Answer load_line(Unit& unit, std::uint32_t number, std::uint64_t address, Cycle now);
  rgpu::Answer prefetch(std::uint64_t address, Cycle now);
  rgpu::Answer request_line(std::uint64_t line, std::uint32_t missing, std::uint32_t token, Cycle now);
  rgpu::Answer load_sector(Unit& unit, std::uint32_t number, std::uint64_t address, Cycle now);
  rgpu::Answer store(Unit& unit, std::uint64_t address, Cycle now);
  rgpu::Answer reduce(const Unit& unit, std::uint64_t address, Cycle now);
  rgpu::Answer flush(Unit& unit, Cycle now);
  rgpu::Answer scratchpad_access(const Unit& unit, std::uint32_t number, std::uint64_t address, Cycle now);

  bool caches_loads() const;
  rgpu::Answer port(Cycle now);
  void send(Unit& unit, Cycle now);
  bool takes_bank(std::uint64_t address, bool load, Cycle now);

  const GpuSpec& spec_;
  MemoryUnit::Parts memory_;
  scratchpad::Scratchpad& scratchpad_;
  std::uint32_t whole_line_;  ///< All sectors of a line of the L1 cache.
  bool communicates_ = false;
  std::vector<Unit> units_;
  std::vector<Bank> banks_;
  Cycle lookups_at_ = never;
  std::uint32_t lookups_ = 0;  ///< Of the L1 cache, at lookups_at_.
  bool freed_lock_ = false;
  FabricMemoryCounters counters_;
};

}  // namespace lockstep::gpu
