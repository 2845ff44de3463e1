#pragma once
// Writes the instructions that stand for the wmmas of a function, with the registers that they need.

#include <map>
#include <string>
#include <vector>

#include "isa/ptx/module.hpp"
#include "isa/ptx/wmma/fragment.hpp"

namespace lockstep::ptx::wmma {

Operand register_operand(RegisterId id);
Operand number_operand(std::uint64_t value);
Operand address_operand(RegisterId base, std::int64_t offset);
Operand list_operand(std::vector<Operand> elements);

/// What becomes of one function. Code that is the same for several wmmas is written once: that of the lane alone in front
/// of everything else, that of a lane and a stride behind what computes the stride, if one instruction alone does.
class Writer {
 public:
  explicit Writer(const Function& function);

  /// Turns to the wmma that the next instructions stand for.
  void begin(std::uint32_t number);

  /// Adds an instruction; `mnemonic` is as in the text, "add.s64". Of one `with_effect` on anything but a new register
  /// the guard is that of the wmma.
  void write(std::string_view mnemonic, std::vector<Operand> operands, bool with_effect = true);
  /// Adds an instruction whose first operand is a new register, of this type.
  RegisterId compute(std::string_view mnemonic, std::vector<Operand> sources, Type type);
  RegisterId new_register(Type type);

  /// Bytes from one line to the next: a number, or a register of 32 bits. `stride` is in elements of `bytes`.
  Operand line_bytes(const Operand& stride, unsigned bytes);
  /// Bytes from where the matrix begins to where the lane's part of the pattern does, in an address of `bits`.
  RegisterId lane_offset(const Pattern& pattern, const Operand& stride, unsigned bytes, unsigned bits);

  /// Whether an instruction that is no wmma reads the register.
  bool is_read_elsewhere(RegisterId id) const { return read_elsewhere_[id]; }
  unsigned bits_of_register(RegisterId id) const { return bits_of(result_.registers[id].type); }
  const Instruction& current() const { return function_.instructions[number_]; }

  /// The function with every wmma that was begun replaced by what was written for it.
  Function finish();

 private:
  using Code = std::vector<Instruction>;
  struct LanePlace {
    RegisterId line = no_index, byte = no_index;
  };
  LanePlace lane_place(const Pattern& pattern);
  RegisterId of_lane(std::string_view mnemonic, std::vector<Operand> sources);
  RegisterId lane_part(std::string_view operation, RegisterId from, std::uint64_t number);
  /// Code for what depends on this stride alone; it may be that of the current wmma.
  Code& code_behind(const Operand& stride, bool& is_shared);
  Instruction make(std::string_view mnemonic, std::vector<Operand> operands) const;
  static Function without_instructions(const Function& function);

  const Function& function_;
  Function result_;
  Code at_entry_;
  std::vector<Code> instead_, behind_;  ///< Per instruction of the function.
  std::vector<bool> replaced_;
  std::vector<std::uint32_t> written_by_;  ///< Per register: its only writer, or no_index.
  std::vector<bool> read_elsewhere_;
  std::map<std::string, RegisterId> known_;  ///< What was computed once for all wmmas.
  std::uint32_t number_ = 0;
  Code* to_ = nullptr;
  bool has_effect_ = false;  ///< Of what was written for the current wmma.
};

}  // namespace lockstep::ptx::wmma
