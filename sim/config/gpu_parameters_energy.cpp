// Parameters of energy and area.

#include "sim/config/declaration.hpp"

namespace lockstep::config {

namespace {

void declare_fabric(std::vector<Parameter>& all) {
  all.push_back(
      number(FIELD(energy.rgpu.wire_energy), "pJ/m", 0, 0, 1e6, "R-GPU: energy of a bit on a data lane, per length"));
  all.push_back(number(FIELD(energy.rgpu.lane_length), "mm", 0, 0, 1e3, "R-GPU: length of a data lane's wires"));
  all.push_back(number(FIELD(energy.rgpu.wire_pitch), "um", 0, 0, 1e3, "R-GPU: pitch of the wires of a lane"));
  all.push_back(number(FIELD(energy.rgpu.memory_energy), "pJ", 0, 0, 1e6,
                       "Read or write of a 32-bit word in a memory of energy.rgpu.memory_bytes"));
  all.push_back(number(FIELD(energy.rgpu.memory_bytes), "bytes", 8192, 1, 1e9,
                       "Size of the memory whose energy is energy.rgpu.memory_energy"));
  all.push_back(number(FIELD(energy.rgpu.memory_exponent), "", 0.5, 0, 2,
                       "Exponent with which the energy of an access grows with the memory's size"));
  all.push_back(number(FIELD(energy.rgpu.cell_area), "um2", 0, 0, 1e6, "R-GPU: area of a bit of a FIFO"));
  all.push_back(number(FIELD(energy.rgpu.data_fifo_periphery), "um2", 0, 0, 1e9,
                       "R-GPU: fixed area of a data FIFO, in addition to its bits"));
  all.push_back(number(FIELD(energy.rgpu.address_fifo_periphery), "um2", 0, 0, 1e9,
                       "R-GPU: fixed area of an address FIFO, in addition to its bits"));
  all.push_back(
      number(FIELD(energy.rgpu.fifo_clock), "pJ", 0, 0, 1e6, "R-GPU: clock energy of a FIFO in use, per cycle"));
  all.push_back(number(FIELD(energy.rgpu.mux_energy), "pJ", 0, 0, 1e6,
                       "R-GPU: energy of a word through a multiplexer, per input of the multiplexer"));
  all.push_back(number(FIELD(energy.rgpu.mux_area), "um2", 0, 0, 1e6,
                       "R-GPU: area of a bit of a multiplexer's input, including all other logic"));
  all.push_back(number(FIELD(energy.rgpu.leakage), "mW/mm2", 0, 0, 1e6,
                       "R-GPU: static power of FIFOs and multiplexers of units in use"));
}

template <class Access>
void declare_hash(std::vector<Parameter>& all, const std::string& family, Access access, const std::string& name) {
  all.push_back(
      number(("energy.hash." + family + ".power").c_str(), [access](auto& gpu) -> auto& { return access(gpu).power; },
             "uW", 0, 0, 1e9, "Hash hardware of a bank, " + name + ": power"));
  all.push_back(
      number(("energy.hash." + family + ".area").c_str(), [access](auto& gpu) -> auto& { return access(gpu).area; },
             "um2", 0, 0, 1e9, "Hash hardware of a bank, " + name + ": area"));
}

}  // namespace

void declare_energy(std::vector<Parameter>& all) {
  all.push_back(number(FIELD(energy.average_power), "W", 0, 0, 1e6,
                       "Power of the whole GPU, mean over compute kernels; 0: unknown"));
  all.push_back(number(FIELD(energy.average_register_file), "W", 0, 0, 1e6,
                       "Of energy.average_power: dynamic power of the register files"));
  all.push_back(
      number(FIELD(energy.register_energy), "pJ", 0, 0, 1e6, "Energy of a read or write of a warp's register"));
  all.push_back(number(FIELD(energy.die_area), "mm2", 0, 0, 1e5, "Area of the GPU; 0: unknown"));
  declare_fabric(all);
  declare_hash(all, "bitvector", ACCESS(energy.hash.bitvector), "bit-vector permutation");
  declare_hash(all, "bitvector_xor", ACCESS(energy.hash.bitvector_xor), "bit-vector XOR");
  declare_hash(all, "bits", ACCESS(energy.hash.bits), "bitwise permutation");
  declare_hash(all, "bits_xor", ACCESS(energy.hash.bits_xor), "bitwise XOR");
}

}  // namespace lockstep::config
