#pragma once
// Decoding: from an instruction of a linked program to an Op. `begin` checks the instruction against the row of its opcode;
// every decode function then reads here the modifiers that it acts on, turns its operands into planes, and reports what does
// not fit among these.

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/exec/arithmetic/rounding.hpp"
#include "isa/exec/kernel.hpp"
#include "isa/exec/memory/variables.hpp"
#include "isa/ptx/program.hpp"

namespace lockstep::exec {

/// The element size of the plane of a register of this type, in bits: 1, 16, 32, 64 or 128.
unsigned plane_bits(ptx::Type type);

/// What becomes of a result whose destination is "_".
enum class Sink : std::uint8_t {
  refused,  ///< A register must stand there.
  dropped,  ///< Its plane is no_plane, which the step looks out for.
  spare     ///< It is written to a plane that nobody reads.
};

/// What is known while the instructions of one function of a kernel are decoded, one after the other.
class Decoder {
 public:
  Decoder(Kernel& kernel, const VariablePlaces& places, std::uint32_t function);

  /// Moves on to an instruction of the function; `number` counts in the program. InputError when the row of its opcode does
  /// not take its modifiers: decode functions need not look for others.
  void begin(const ptx::Instruction& instruction, std::uint32_t number);

  Kernel& kernel;
  const VariablePlaces& places;
  const std::uint32_t function_number;
  const ptx::Function& function;
  FrameLayout& layout;
  Op op;  ///< Being filled; guard and instruction are set already.
  Arithmetic& result() { return op.arithmetic; }

  const ptx::Instruction& instruction() const { return *instruction_; }
  ptx::Opcode opcode() const { return instruction_->opcode; }
  std::size_t operand_count() const { return instruction_->operands.size(); }
  const ptx::Operand& operand(std::size_t number) const { return instruction_->operands[number]; }

  // ---- modifiers ----

  /// True when the modifier is there; it is then taken.
  bool take(std::string_view modifier);
  /// The first of `choices` that is there, taken: its place among them, none when there is none.
  std::optional<unsigned> take_one(std::initializer_list<std::string_view> choices);
  /// The same where the row asks for one of them.
  unsigned take_which(std::initializer_list<std::string_view> choices);
  /// take_one by name; "" when there is none.
  std::string_view take_any(std::initializer_list<std::string_view> choices);
  /// .rn, .rz, .rm or .rp.
  std::optional<Rounding> take_rounding();
  /// The first type that is not taken yet, or none.
  ptx::Type take_type();
  /// The elements of .v2, .v4 or .v8; none without one of them.
  std::optional<std::uint8_t> take_vector();
  /// The first state space that is not taken yet, or generic.
  ptx::Space take_space();
  /// Sets the function of an arithmetic instruction. Bug when a modifier is left, which it must act on.
  void finish(Arithmetic::Run run);

  // ---- operands ----

  void expect_operands(std::size_t count) const { expect_operands(count, count); }
  void expect_operands(std::size_t least, std::size_t most) const;

  /// Operand `number` becomes the destination (or source `slot`) of an arithmetic instruction; it must be as wide as
  /// `type`.
  void destination(std::size_t number, ptx::Type type);
  void source(unsigned slot, std::size_t number, ptx::Type type);
  /// destination(0), source(0, 1), source(1, 2), ... all of one type; checks the count.
  void destination_and_sources(ptx::Type type, unsigned sources);

  /// The plane of a register to write, as wide as `type`.
  PlaneOffset destination_plane(const ptx::Operand& to, ptx::Type type, Sink sink = Sink::refused) const;
  /// The predicate behind `%r|%p`; no_plane when there is none.
  PlaneOffset second_destination(const ptx::Operand& to) const;
  /// The plane of a register as wide as `type`, of a literal or of a special register.
  PlaneOffset source_plane(const ptx::Operand& from, ptx::Type type) const;
  /// The same, or of the address of a variable.
  PlaneOffset source_or_address(const ptx::Operand& from, ptx::Type type) const;
  /// The plane of a predicate; `flip` is all ones when the operand is negated.
  PlaneOffset predicate_source(const ptx::Operand& from, LaneMask& flip) const;
  PlaneOffset special_plane(const ptx::Operand& from) const;
  /// The bits that a literal has where a value of `type` is needed (PTX ISA 4.5, and what ptxas makes of it: see
  /// arithmetic/README.md).
  std::uint64_t literal_bits(const ptx::Operand& literal, ptx::Type type) const;
  /// The value of an integer literal. Fails when the operand is not one, or is above `largest`.
  std::uint64_t immediate(std::size_t number, std::uint64_t largest) const;

  const ptx::Register& register_of(ptx::RegisterId id) const { return function.registers[id]; }
  unsigned register_width(ptx::RegisterId id) const { return ptx::bits_of(register_of(id).type); }

  // ---- addresses ----

  /// Where a variable lies, seen from this function. Fails when there is none.
  Place place(const std::string& symbol) const;
  /// Whether the place of a symbol counts from the beginning of the activation's frame in local memory.
  bool in_frame(const std::string& symbol) const;
  /// Base, offset and space of an address operand; `access.space` is the space that the instruction names.
  void address(const ptx::Operand& operand, MemoryAccess& access) const;
  /// A new access of the kernel, set as the instruction's.
  MemoryAccess& new_access();

  // ---- messages ----

  /// InputError at the instruction; the message names it.
  [[noreturn]] void fail(std::string_view why) const;
  /// Bug: the row takes something that no function of the opcode handles.
  [[noreturn]] void unhandled(std::string_view modifier) const;
  [[noreturn]] void unhandled(ptx::Type type) const { unhandled(ptx::name_of(type)); }

 private:
  [[noreturn]] void fail_width(const ptx::Operand& reg, ptx::Type type) const;

  const ptx::Instruction* instruction_ = nullptr;
  std::vector<std::string_view> left_;  ///< Modifiers that nobody has taken yet, in the order written.
  /// Of each opcode, modifiers that its row takes: those checked last, which often come again.
  std::array<const std::vector<std::string>*, ptx::opcode_count> taken_{};
};

/// The registers of a load or store of `type`; an element may be narrower than its register (PTX ISA 9.4.1). `access`
/// says how many elements there are and whether they are written to memory. Sets planes and transfer.
void decode_values(Decoder& decoder, const ptx::Operand& operand, ptx::Type type, MemoryAccess& access);

}  // namespace lockstep::exec
