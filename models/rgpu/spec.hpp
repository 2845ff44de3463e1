#pragma once
// Parameters of the R-GPU fabric of an SM. Names, units, defaults and ranges are declared in sim/config.

#include <cstdint>

#include "isa/cycle.hpp"

namespace lockstep::rgpu {

/// Van den Braak, section 7.2. `cores` slots make a ring. Core s reads at slot s and writes to slot s + 1; a load-store
/// unit reads and writes at the same slot. A lane is a ring that is cut into segments by the values on it.
struct Spec {
  std::uint32_t cores{};             ///< 0: the SM cannot switch to R-GPU mode.
  std::uint32_t load_store_units{};  ///< Number j stands at slot (j + 1) * cores / load_store_units - 1, rounded up.
  /// Any core hands operands over to one, and keeps it for the whole run: so many nodes may be special functions.
  std::uint32_t special_function_units{};
  std::uint32_t lanes{};
  std::uint32_t data_fifo{}, address_fifo{};  ///< Entries of a data FIFO, and of the address FIFO of a load-store unit.
  Cycle two_operand_latency{}, three_operand_latency{}, special_latency{};  ///< Firing to value at the lane.
  Cycle slot_latency{};                 ///< Of a value per slot of its lane beyond the first.
  Cycle load_latency{};                 ///< Of a load that hits, from its start to its value at the lane.
  std::uint32_t prefetch_scan{};        ///< Addresses that a prefetcher looks at per cycle; 0: no prefetcher.
  std::uint32_t l1_lookups{};           ///< Accesses of load-store units to the L1 cache per cycle.
  Cycle store_timeout{};                ///< Idle cycles after which a store unit sends what it has gathered of a line.
  Cycle switch_latency{};               ///< From the barrier to the configuration, and back.
  std::uint32_t configuration_words{};  ///< Configuration registers and FIFO entries written per cycle.
};

/// What Van den Braak states of the fabric: section 7.2, figure 7.2, and four special function units of an SM (section 7.1).
/// The rest is 0.
constexpr Spec thesis_fabric() {
  Spec spec;
  spec.cores = 32;
  spec.load_store_units = 16;
  spec.special_function_units = 4;
  spec.lanes = 6;
  spec.data_fifo = 8;
  spec.address_fifo = 256;
  spec.two_operand_latency = 8;
  spec.three_operand_latency = 10;
  return spec;
}

/// The slot at which a load-store unit stands.
constexpr std::uint32_t slot_of_unit(std::uint32_t unit, std::uint32_t units, std::uint32_t cores) {
  return ((unit + 1) * cores + units - 1) / units - 1;
}

}  // namespace lockstep::rgpu
