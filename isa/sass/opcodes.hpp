#pragma once
// The opcodes of SASS, the machine code of NVIDIA's GPUs from Fermi to Hopper (names: "CUDA Binary Utilities", instruction set
// reference): how each accesses memory and steers the program, and which registers a line of a trace leaves unsaid.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "isa/program/static_program.hpp"

namespace lockstep::sass {

/// 32-bit registers that an operand named by its first one takes.
enum class Words : std::uint8_t {
  one,
  two,             ///< A 64-bit value.
  two_if_wide,     ///< The same with the modifier .WIDE, else one.
  two_if_real,     ///< The same where the first modifier, the type of the result, is .F64.
  two_if_integer,  ///< The same where a modifier is an integer type of 64 bits.
  matrix,          ///< A fragment of a tensor operation: four, two of 16-bit elements.
  double_matrix,   ///< The same of 64-bit elements alone.
  access,          ///< As many as a memory access has bytes.
  rows             ///< One for each matrix whose rows are loaded.
};

/// One opcode.
struct OpcodeRow {
  std::string_view name;
  program::Control control = program::Control::none;
  program::AccessKind access = program::AccessKind::none;
  program::MemorySpace space = program::MemorySpace::none;
  Words result = Words::one, sources = Words::one;
  bool sets_predicate = false, reads_predicate = false;
  bool matrix_rows = false;  ///< Each lane of an access names a row of 16 bytes of an 8 x 8 matrix.
};

/// A mnemonic such as "LDG.E.64.SYS": opcode and modifiers.
class Mnemonic {
 public:
  explicit Mnemonic(std::string_view text);
  std::string_view opcode() const { return opcode_; }
  /// Whether one of the modifiers is this word.
  bool has(std::string_view modifier) const;
  /// Bytes per lane of a memory access, by its modifiers: 4 when none says otherwise.
  std::uint8_t access_bytes(const OpcodeRow& row) const;
  /// 8 x 8 matrices whose rows are accessed, of an opcode with `matrix_rows`.
  std::uint32_t matrices() const;
  /// 32-bit registers of the result.
  std::uint32_t result_words(const OpcodeRow& row) const;
  /// 32-bit registers of source `n` of `count`.
  std::uint32_t source_words(const OpcodeRow& row, std::size_t n, std::size_t count) const;

 private:
  std::string_view opcode_, modifiers_;
};

/// All rows, in the order of their names.
std::span<const OpcodeRow> opcodes();
/// The row of an opcode, or nullptr.
const OpcodeRow* find_opcode(std::string_view name);

}  // namespace lockstep::sass
