#include "models/energy/fabric_energy.hpp"

#include <cmath>

namespace lockstep::energy {

namespace {

double number(std::uint64_t count) {
  return static_cast<double>(count);
}

}  // namespace

double fifo_access_energy(const FabricSpec& energy, std::uint32_t entries) {
  const double bytes = entries * word_bits / 8;
  return energy.memory_energy * std::pow(bytes / energy.memory_bytes, energy.memory_exponent);
}

FabricEnergy energy_of(const FabricSpec& energy, const rgpu::Spec& fabric, const rgpu::FabricCounters& counters,
                       double clock_mhz) {
  FabricEnergy sum;
  if (fabric.cores == 0) return sum;
  const double slots = number(counters.lane_slots), cores = fabric.cores, memory_units = fabric.load_store_units;
  const double slot_mm = energy.lane_length / cores;
  sum.wires = slots * slot_mm / 1e3 * word_bits * energy.wire_energy;

  const double data_writes = number(counters.data_fifo_writes + counters.initial_values);
  const double data_reads = number(counters.data_fifo_reads);
  const double address_writes = number(counters.address_fifo_writes);
  const double address_reads = number(counters.address_fifo_reads + counters.prefetch_scans);
  sum.data_fifos = (data_writes + data_reads) * fifo_access_energy(energy, fabric.data_fifo);
  sum.address_fifos = (address_writes + address_reads) * fifo_access_energy(energy, fabric.address_fifo);
  // On a lane a slot's multiplexer has two inputs, and a third one where a load-store unit stands.
  const double inputs_passed = slots * (2 + memory_units / cores) + data_writes * (fabric.lanes + 1.0) +
                               address_writes * static_cast<double>(fabric.lanes);
  sum.muxes = inputs_passed * energy.mux_energy;

  const double memory_cycles = number(counters.memory_unit_cycles);
  const double core_cycles = number(counters.unit_cycles) - memory_cycles;
  const double data_cycles = 3 * core_cycles + memory_cycles;
  // mW/mm2 over a cycle of 1/MHz, which is 1000 ns: 1000 pJ/mm2.
  const double leaked = energy.leakage / clock_mhz * 1e3;
  const double mux_mm2 = word_bits * energy.mux_area / 1e6;
  sum.data_fifos += data_cycles * (energy.fifo_clock + leaked * data_fifo_area(energy, fabric));
  sum.address_fifos += memory_cycles * (energy.fifo_clock + leaked * address_fifo_area(energy, fabric));
  sum.muxes +=
      leaked * mux_mm2 * (core_cycles * core_mux_inputs(fabric) + memory_cycles * memory_unit_mux_inputs(fabric));
  return sum;
}

}  // namespace lockstep::energy
