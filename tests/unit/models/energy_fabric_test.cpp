#include <catch2/catch.hpp>

#include "models/energy/fabric_area.hpp"
#include "models/energy/fabric_energy.hpp"
#include "models/energy/hash_hardware.hpp"

namespace lockstep::energy_fabric_test {

using namespace lockstep::energy;

namespace {

/// Four cores and two load-store units on three lanes.
rgpu::Spec small_fabric() {
  rgpu::Spec fabric;
  fabric.cores = 4;
  fabric.load_store_units = 2;
  fabric.lanes = 3;
  fabric.data_fifo = 8;
  fabric.address_fifo = 128;
  return fabric;
}

/// Round numbers, each telling.
FabricSpec round_numbers() {
  FabricSpec spec;
  spec.wire_energy = 50;
  spec.lane_length = 8;
  spec.wire_pitch = 0.5;
  spec.memory_energy = 6;
  spec.memory_bytes = 2048;
  spec.memory_exponent = 0.5;
  spec.cell_area = 2;
  spec.data_fifo_periphery = 1000;
  spec.address_fifo_periphery = 5000;
  return spec;
}

}  // namespace

TEST_CASE("A FIFO's area is a cell per bit and what does not depend on its entries") {
  const FabricSpec spec = round_numbers();
  rgpu::Spec fabric = small_fabric();
  CHECK(data_fifo_area(spec, fabric) == Approx(1512e-6));      // 8 x 32 x 2 + 1000 um2
  CHECK(address_fifo_area(spec, fabric) == Approx(13192e-6));  // 128 x 32 x 2 + 5000 um2
  fabric.data_fifo = 16;
  CHECK(data_fifo_area(spec, fabric) == Approx(2024e-6));
  CHECK(data_fifos(fabric) == 14);
  CHECK(address_fifos(fabric) == 2);
}

TEST_CASE("Wires and multiplexers take area by the lanes") {
  FabricSpec spec = round_numbers();
  spec.mux_area = 10;
  const rgpu::Spec fabric = small_fabric();
  CHECK(core_mux_inputs(fabric) == 2 * 3 + 3 * 4);
  CHECK(memory_unit_mux_inputs(fabric) == 3 + 2 * 3);
  const FabricArea area = area_of(spec, fabric);
  CHECK(area.wires == Approx(3 * 32 * 8 * 0.5e-3));  // 96 wires of 8 mm and 0.5 um
  CHECK(area.muxes == Approx((4 * 18 + 2 * 9) * 320e-6));
  CHECK(area.data_fifos == Approx(14 * 1512e-6));
  CHECK(area.address_fifos == Approx(2 * 13192e-6));
  CHECK(area.total() == Approx(0.384 + 0.0288 + 0.021168 + 0.026384));
}

TEST_CASE("A FIFO's access costs by the square root of its size, or what the exponent says") {
  FabricSpec spec = round_numbers();
  CHECK(fifo_access_energy(spec, 512) == Approx(6));  // 2 KiB
  CHECK(fifo_access_energy(spec, 128) == Approx(3));
  CHECK(fifo_access_energy(spec, 8) == Approx(0.75));
  spec.memory_exponent = 1;
  CHECK(fifo_access_energy(spec, 128) == Approx(1.5));
  spec.memory_exponent = 0;
  CHECK(fifo_access_energy(spec, 8) == Approx(6));
}

TEST_CASE("Every event of the fabric costs what its part takes") {
  FabricSpec spec = round_numbers();
  spec.mux_energy = 0.25;
  const rgpu::Spec fabric = small_fabric();
  rgpu::FabricCounters counters;
  CHECK(energy_of(spec, fabric, counters, 1000).total() == 0);
  counters.lane_slots = 10;
  FabricEnergy energy = energy_of(spec, fabric, counters, 1000);
  CHECK(energy.wires == Approx(32.0));             // 10 slots of 2 mm, 32 bits, 50 pJ/m: 10 x 32 x 0.1 pJ
  CHECK(energy.muxes == Approx(10 * 2.5 * 0.25));  // half of the slots have a third input
  CHECK(energy.data_fifos + energy.address_fifos == 0);
  counters = {};
  counters.data_fifo_writes = 3;
  counters.initial_values = 1;
  counters.data_fifo_reads = 2;
  energy = energy_of(spec, fabric, counters, 1000);
  CHECK(energy.data_fifos == Approx(6 * 0.75));
  CHECK(energy.muxes == Approx(4 * 4 * 0.25));  // three lanes and the core itself
  CHECK(energy.wires + energy.address_fifos == 0);
  counters = {};
  counters.address_fifo_writes = 1;
  counters.address_fifo_reads = 1;
  counters.prefetch_scans = 5;
  energy = energy_of(spec, fabric, counters, 1000);
  CHECK(energy.address_fifos == Approx(7 * 3));
  CHECK(energy.muxes == Approx(3 * 0.25));
  CHECK(energy.data_fifos == 0);
}

TEST_CASE("Units in use leak and have a clock, others do not") {
  FabricSpec spec = round_numbers();
  spec.mux_area = 10;
  spec.leakage = 20;  // mW/mm2
  spec.fifo_clock = 0.5;
  const rgpu::Spec fabric = small_fabric();
  rgpu::FabricCounters counters;
  counters.cycles = 1000;  // Nothing in use: nothing spent.
  CHECK(energy_of(spec, fabric, counters, 500).total() == 0);
  counters.unit_cycles = 5;
  counters.memory_unit_cycles = 2;
  // At 500 MHz a cycle of 2 ns leaks 40 pJ per mm2. Three core cycles with three data FIFOs, two of load-store units with
  // one FIFO of each kind.
  const FabricEnergy energy = energy_of(spec, fabric, counters, 500);
  CHECK(energy.data_fifos == Approx(11 * (0.5 + 40 * 1512e-6)));
  CHECK(energy.address_fifos == Approx(2 * (0.5 + 40 * 13192e-6)));
  CHECK(energy.muxes == Approx(40 * 320e-6 * (3 * 18 + 2 * 9)));
  CHECK(energy.wires == 0);
}

TEST_CASE("The hash of a SPEC's family is the hardware, the costliest when kernels differ") {
  HashSpec hash;
  hash.bitvector = {1, 10};
  hash.bitvector_xor = {2, 20};
  hash.bits = {3, 30};
  hash.bits_xor = {4, 40};
  CHECK(hash_unit(hash, "bitvector:k=3")->power == 1);
  CHECK(hash_unit(hash, "bitvector-xor:k1=0,k2=5,mask=7")->area == 20);
  CHECK(hash_unit(hash, "bits:0,1,2,3,5")->power == 3);
  CHECK(hash_unit(hash, "bits-xor:0^5,1^6,2^7,3,4")->area == 40);
  CHECK(hash_unit(hash, "a=bits:0,1,2,3,5 b=bitvector:k=1 xor")->power == 3);
  CHECK_FALSE(hash_unit(hash, "mod").has_value());
  CHECK_FALSE(hash_unit(hash, "xor").has_value());
}

}  // namespace lockstep::energy_fabric_test
