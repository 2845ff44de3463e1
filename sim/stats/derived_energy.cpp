#include "sim/stats/derived_energy.hpp"

#include <algorithm>

#include "models/energy/fabric_area.hpp"
#include "models/energy/fabric_energy.hpp"
#include "models/energy/hash_hardware.hpp"

namespace lockstep::stats {

namespace {

using energy::FabricArea;
using energy::FabricEnergy;
using gpu::GpuSpec;
using gpu::Result;
using Value = std::optional<double>;

/// A GPU with R-GPU whose wires are known.
bool knows_fabric(const GpuSpec& gpu) {
  return gpu.sm.rgpu.cores > 0 && gpu.energy.rgpu.wire_energy > 0;
}

/// W that so many pJ are on average over the run.
Value watts(double picojoules, const GpuSpec& gpu, const Result& result) {
  const double ms = result.time_ms(gpu);
  if (ms == 0) return std::nullopt;
  return picojoules * 1e-12 / (ms * 1e-3);
}

/// A part of what R-GPU takes.
template <class Part>
Value fabric_power(const GpuSpec& gpu, const Result& result, Part part) {
  if (!knows_fabric(gpu)) return std::nullopt;
  const FabricEnergy energy = energy::energy_of(gpu.energy.rgpu, gpu.sm.rgpu, result.counters.sm.fabric, gpu.clock_mhz);
  return watts(part(energy), gpu, result);
}

template <class Part>
Value fabric_area(const GpuSpec& gpu, Part part) {
  if (!knows_fabric(gpu)) return std::nullopt;
  return gpu.sms * part(energy::area_of(gpu.energy.rgpu, gpu.sm.rgpu));
}

Value register_file_power(const GpuSpec& gpu, const Result& result) {
  if (gpu.energy.register_energy == 0) return std::nullopt;
  return watts(static_cast<double>(result.counters.sm.registers) * gpu.energy.register_energy, gpu, result);
}

/// What the register files of SMs in R-GPU mode would take at the average rate of compute kernels.
Value saved_power(const GpuSpec& gpu, const Result& result) {
  if (!knows_fabric(gpu) || gpu.energy.average_power == 0 || result.cycles == 0) return std::nullopt;
  const double share = static_cast<double>(result.counters.sm.fabric.cycles) /
                       (static_cast<double>(result.cycles) * static_cast<double>(gpu.sms));
  return share * gpu.energy.average_register_file;
}

/// Everything but register files and R-GPU is taken at its average.
Value gpu_power(const GpuSpec& gpu, const Result& result) {
  const Value registers = register_file_power(gpu, result);
  if (gpu.energy.average_power == 0 || !registers) return std::nullopt;
  const Value fabric = fabric_power(gpu, result, [](const FabricEnergy& e) { return e.total(); });
  return gpu.energy.average_power - gpu.energy.average_register_file + *registers + fabric.value_or(0);
}

Value run_energy(const GpuSpec& gpu, const Result& result) {
  const Value power = gpu_power(gpu, result);
  if (!power) return std::nullopt;
  return *power * result.time_ms(gpu);
}

template <double FabricEnergy::*part>
Derived power_of(const char* name, const char* text) {
  return {std::string("energy.") + name, "W", text, [](const GpuSpec& gpu, const Result& result) {
            return fabric_power(gpu, result, [](const FabricEnergy& e) { return e.*part; });
          }};
}

template <double FabricArea::*part>
Derived area_of(const char* name, const char* text) {
  return {std::string("energy.") + name, "mm2", text, [](const GpuSpec& gpu, const Result&) {
            return fabric_area(gpu, [](const FabricArea& a) { return a.*part; });
          }};
}

}  // namespace

std::vector<Derived> energy_statistics() {
  return {
      {"energy.rgpu", "W", "Power that R-GPU adds, mean over the run: the sum of the next four",
       [](const GpuSpec& gpu, const Result& result) {
         return fabric_power(gpu, result, [](const FabricEnergy& e) { return e.total(); });
       }},
      power_of<&FabricEnergy::wires>("rgpu_wires", "Of the wires of its data lanes"),
      power_of<&FabricEnergy::muxes>("rgpu_muxes", "Of its multiplexers and logic, leakage included"),
      power_of<&FabricEnergy::data_fifos>("rgpu_data_fifos", "Of its data FIFOs, leakage and clock included"),
      power_of<&FabricEnergy::address_fifos>("rgpu_address_fifos", "Of its address FIFOs, leakage and clock included"),
      {"energy.register_file", "W", "Power of the register files, mean over the run: registers read and written",
       register_file_power},
      {"energy.saved", "W",
       "Register files that are off in R-GPU mode, at their average in compute kernels: share of the SMs' time in that "
       "mode",
       saved_power},
      {"energy.gpu", "W",
       "Power of the GPU: its average in compute kernels, with this run's register files and R-GPU in place of the "
       "average's",
       gpu_power},
      {"energy.run", "mJ", "That power over the run's time", run_energy},
      {"energy.rgpu_area", "mm2", "Area that R-GPU adds to all SMs: the sum of the next four",
       [](const GpuSpec& gpu, const Result&) {
         return fabric_area(gpu, [](const FabricArea& a) { return a.total(); });
       }},
      area_of<&FabricArea::wires>("rgpu_area_wires", "Of the wires of its data lanes"),
      area_of<&FabricArea::muxes>("rgpu_area_muxes", "Of its multiplexers and logic"),
      area_of<&FabricArea::data_fifos>("rgpu_area_data_fifos", "Of its data FIFOs"),
      area_of<&FabricArea::address_fifos>("rgpu_area_address_fifos", "Of its address FIFOs"),
      {"energy.rgpu_area_share", "", "Area that R-GPU adds, of the GPU's area without it",
       [](const GpuSpec& gpu, const Result&) -> Value {
         const Value area = fabric_area(gpu, [](const FabricArea& a) { return a.total(); });
         if (!area || gpu.energy.die_area == 0) return std::nullopt;
         return *area / gpu.energy.die_area;
       }},
      {"energy.hash", "W", "Power of configurable hash functions at every bank of the scratchpad memories",
       [](const GpuSpec& gpu, const Result&) -> Value {
         const auto unit = energy::hash_unit(gpu.energy.hash, gpu.sm.scratchpad.bank_hash);
         if (!unit || unit->power == 0) return std::nullopt;
         return unit->power * 1e-6 * gpu.sms * gpu.sm.scratchpad.banks;
       }},
      {"energy.hash_area", "mm2", "Area of configurable hash functions at every bank of the scratchpad memories",
       [](const GpuSpec& gpu, const Result&) -> Value {
         const auto unit = energy::hash_unit(gpu.energy.hash, gpu.sm.scratchpad.bank_hash);
         if (!unit || unit->area == 0) return std::nullopt;
         return unit->area * 1e-6 * gpu.sms * gpu.sm.scratchpad.banks;
       }},
  };
}

}  // namespace lockstep::stats
