#pragma once
// Energies of events, static power and areas. Names, units, defaults and ranges are declared in sim/config; 0 in a field
// that others are multiplied with: nothing is known about this GPU.

namespace lockstep::energy {

/// What R-GPU adds to an SM (Van den Braak 2015, section 7.5.5). A word has 32 bits.
struct FabricSpec {
  // Wires of the lanes.
  double wire_energy{};  ///< pJ per metre and bit.
  double lane_length{};  ///< mm: length and width of an SM.
  double wire_pitch{};   ///< um: width that a wire takes, with its share of what drives it.
  // FIFOs: small static memories. Energy per word grows with a power of the size.
  double memory_energy{};           ///< pJ to read or write a word of a memory of `memory_bytes`.
  double memory_bytes{};            ///< The size of which that energy is known.
  double memory_exponent{};         ///< 0.5: bit and word lines grow with the side of a square array.
  double cell_area{};               ///< um2 per bit of a FIFO.
  double data_fifo_periphery{};     ///< um2 per data FIFO, whatever its entries.
  double address_fifo_periphery{};  ///< um2 per address FIFO; it has a second read port.
  double fifo_clock{};              ///< pJ per FIFO of a unit in use and cycle: pointers and control.
  // Multiplexers, with all other logic.
  double mux_energy{};  ///< pJ per word and input of the multiplexer that it passes.
  double mux_area{};    ///< um2 per bit of an input.
  double leakage{};     ///< mW per mm2 of FIFOs and multiplexers of units in use; the others are switched off.
};

/// A configurable hash function for one bank (Van den Braak 2015, Table 6.4).
struct HashUnitSpec {
  double power{};  ///< uW.
  double area{};   ///< um2.
};
struct HashSpec {
  HashUnitSpec bitvector, bitvector_xor, bits, bits_xor;  ///< By family of the SPEC.
};

struct Spec {
  double average_power{};          ///< W of the whole GPU, mean over compute kernels; 0: unknown.
  double average_register_file{};  ///< W of these: dynamic power of all register files.
  double register_energy{};        ///< pJ per register of a warp that an instruction reads or writes.
  double die_area{};               ///< mm2 of the GPU.
  FabricSpec rgpu;
  HashSpec hash;
};

}  // namespace lockstep::energy
