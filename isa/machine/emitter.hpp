#pragma once
// Machine instructions under construction: which scoreboard entries they read and write, and what is known of an access.

#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/error.hpp"
#include "isa/machine/addresses.hpp"
#include "isa/machine/instruction.hpp"
#include "isa/machine/selection/selection.hpp"
#include "isa/program/static_program.hpp"

namespace lockstep::machine {

/// An access that may go to this space.
inline bool may_access(const program::StaticInstruction& s, program::MemorySpace space) {
  return s.access != program::AccessKind::none && (s.space == space || s.space == program::MemorySpace::generic);
}

/// Makes the machine instructions of one instruction of the kernel after the other, and appends them to a program.
class Emitter {
 public:
  /// Gives the program the kernel's registers and the temporaries as scoreboard entries. All must outlive the emitter.
  /// `of_machine_code`: the kernel is machine code (LoweringTable::of_machine_code).
  Emitter(const program::Kernel& kernel, const Selection& selection, const Addresses& addresses, Program& program,
          bool of_machine_code);

  /// What is made from here on belongs to this instruction of the kernel.
  void begin(std::uint32_t instruction) { current_ = instruction; }
  std::uint32_t index() const { return current_; }
  const program::StaticInstruction& current() const { return kernel_.instructions[current_]; }
  const Selected& selected() const { return selection_.instructions[current_]; }
  std::string_view mnemonic() const { return kernel_.strings[current().mnemonic]; }
  /// Whether the mnemonic has this modifier, given in small letters; SASS writes them large.
  bool has(std::string_view modifier) const;
  /// Whether some instruction of the kernel reads what the current one writes; of machine code, whether it writes anything:
  /// its compiler has left out what nobody reads.
  bool has_read_result() const;
  /// The value of a literal, or of a register that holds one throughout.
  std::optional<std::uint64_t> literal(const program::SourceOperand& operand) const;
  /// That the target cannot run the current instruction: at its source line, with the kernel's name.
  InputError refusal(std::string_view why) const;
  /// The number that the next instruction of the program gets.
  std::uint32_t next() const { return static_cast<std::uint32_t>(program_.instructions.size()); }

  /// A scoreboard entry for a link inside a chain. Links come from a small pool in turn: a chain ends long before its link
  /// is used again, so that chains that are in flight together do not wait for each other's links.
  std::uint16_t temporary();
  Instruction make(Operation operation) const;
  /// One that takes an access entry, with the current instruction's space, size and cache operator.
  Instruction access(Operation operation) const;

  /// Reads a register of the kernel by its names.
  void read(Instruction& i, std::uint32_t reg) const;
  void read_all(Instruction& i) const;
  void write_all(Instruction& i) const;
  /// Reads the result of an operation of the same chain.
  static void link(Instruction& i, std::uint16_t result);
  /// Writes a scoreboard entry.
  static void write(Instruction& i, std::uint16_t entry);

  void emit(Instruction i);
  /// So many that read and write nothing that is known.
  void emit_bare(Operation operation, std::uint32_t count);

 private:
  /// Of an instruction that this makes: see Instruction::data_stage_uses.
  std::uint8_t data_stage_uses(Operation operation) const;
  /// Of PTX: what an imported LDSM names is not known to be rows.
  bool reaches_matrix_rows() const;
  CacheOperator cache_operator() const;
  CacheOperator cache_operator_of_machine_code() const;

  static constexpr std::uint32_t temporary_count = 64;
  const program::Kernel& kernel_;
  const Selection& selection_;
  const Addresses& addresses_;
  Program& program_;
  const bool of_machine_code_;
  std::uint32_t next_temporary_ = 0;
  std::uint32_t current_ = 0;
};

}  // namespace lockstep::machine
