#pragma once
// Area that R-GPU adds to an SM, by part (Van den Braak 2015, section 7.5.5 and Figures 7.10, 7.12c).

#include <cstdint>

#include "models/energy/spec.hpp"
#include "models/rgpu/spec.hpp"

namespace lockstep::energy {

/// Bits of a value on a lane and in a FIFO.
inline constexpr double word_bits = 32;

/// mm2.
struct FabricArea {
  double wires = 0, muxes = 0, data_fifos = 0, address_fifos = 0;
  double total() const { return wires + muxes + data_fifos + address_fifos; }
};

/// Of one FIFO, in mm2.
double data_fifo_area(const FabricSpec& energy, const rgpu::Spec& fabric);
double address_fifo_area(const FabricSpec& energy, const rgpu::Spec& fabric);

/// Three data FIFOs at a core, one data and one address FIFO at a load-store unit.
std::uint32_t data_fifos(const rgpu::Spec& fabric);
std::uint32_t address_fifos(const rgpu::Spec& fabric);

/// Inputs of multiplexers, each a word wide, at one core: on every lane one from the slot before and one from the core; at
/// each of its three FIFOs one from every lane and one from the core itself.
std::uint32_t core_mux_inputs(const rgpu::Spec& fabric);
/// At one load-store unit: on every lane one more; at each of its two FIFOs one from every lane.
std::uint32_t memory_unit_mux_inputs(const rgpu::Spec& fabric);

/// Of one SM.
FabricArea area_of(const FabricSpec& energy, const rgpu::Spec& fabric);

}  // namespace lockstep::energy
