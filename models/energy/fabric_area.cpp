#include "models/energy/fabric_area.hpp"

namespace lockstep::energy {

namespace {

constexpr double um2_per_mm2 = 1e6, um_per_mm = 1e3;

double fifo_area(double entries, double cell, double periphery) {
  return (entries * word_bits * cell + periphery) / um2_per_mm2;
}

}  // namespace

double data_fifo_area(const FabricSpec& energy, const rgpu::Spec& fabric) {
  return fifo_area(fabric.data_fifo, energy.cell_area, energy.data_fifo_periphery);
}

double address_fifo_area(const FabricSpec& energy, const rgpu::Spec& fabric) {
  return fifo_area(fabric.address_fifo, energy.cell_area, energy.address_fifo_periphery);
}

std::uint32_t data_fifos(const rgpu::Spec& fabric) {
  return 3 * fabric.cores + fabric.load_store_units;
}

std::uint32_t address_fifos(const rgpu::Spec& fabric) {
  return fabric.load_store_units;
}

std::uint32_t core_mux_inputs(const rgpu::Spec& fabric) {
  return 2 * fabric.lanes + 3 * (fabric.lanes + 1);
}

std::uint32_t memory_unit_mux_inputs(const rgpu::Spec& fabric) {
  return fabric.lanes + 2 * fabric.lanes;
}

FabricArea area_of(const FabricSpec& energy, const rgpu::Spec& fabric) {
  FabricArea area;
  area.wires = fabric.lanes * word_bits * energy.lane_length * energy.wire_pitch / um_per_mm;
  const double inputs = static_cast<double>(fabric.cores) * core_mux_inputs(fabric) +
                        static_cast<double>(fabric.load_store_units) * memory_unit_mux_inputs(fabric);
  area.muxes = inputs * word_bits * energy.mux_area / um2_per_mm2;
  area.data_fifos = data_fifos(fabric) * data_fifo_area(energy, fabric);
  area.address_fifos = address_fifos(fabric) * address_fifo_area(energy, fabric);
  return area;
}

}  // namespace lockstep::energy
