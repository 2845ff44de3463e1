#pragma once
// Energy that the hardware of R-GPU takes, from the events of the fabric (Van den Braak 2015, section 7.5.5 and Figures
// 7.12a, 7.12b).

#include "models/energy/fabric_area.hpp"
#include "models/rgpu/fabric.hpp"

namespace lockstep::energy {

/// pJ to read or write one word of a FIFO of so many entries.
double fifo_access_energy(const FabricSpec& energy, std::uint32_t entries);

/// pJ. Leakage and clock of FIFOs are in their part, leakage of multiplexers in theirs.
struct FabricEnergy {
  double wires = 0, muxes = 0, data_fifos = 0, address_fifos = 0;
  double total() const { return wires + muxes + data_fifos + address_fifos; }
};

/// Of everything that the counters count; `clock_mhz` says how long a cycle leaks. A word costs wires per slot that it
/// passes, a multiplexer per slot and per FIFO that it enters, and every write and read of a FIFO, also by a prefetcher,
/// what a memory of its size costs. What stands still costs leakage and clock alone, what is not in use nothing.
FabricEnergy energy_of(const FabricSpec& energy, const rgpu::Spec& fabric, const rgpu::FabricCounters& counters,
                       double clock_mhz);

}  // namespace lockstep::energy
