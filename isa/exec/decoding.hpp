#pragma once
// Decoding: from the instructions of a linked program to Ops. Each subject has a function that says whether an
// instruction is its own.

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isa/exec/kernel.hpp"
#include "isa/exec/memory/variables.hpp"
#include "isa/ptx/program.hpp"

namespace lockstep::exec {

/// What is known while one instruction is decoded.
class Decoding {
 public:
  Decoding(Kernel& kernel, const VariablePlaces& places, std::uint32_t function);

  /// Moves on to an instruction of the function; `number` counts in the program.
  void begin(const ptx::Instruction& instruction, std::uint32_t number);

  Kernel& kernel;
  const VariablePlaces& places;
  const std::uint32_t function_number;
  const ptx::Function& function;
  FrameLayout& layout;
  const ptx::Instruction* instruction = nullptr;
  std::uint32_t number = 0;
  Op op;  ///< Being filled; guard, instruction and records are set already.

  /// InputError at the instruction; the message names it.
  [[noreturn]] void fail(const std::string& message) const;
  /// Fails when the instruction has fewer or more operands.
  void expect_operands(std::size_t least, std::size_t most) const;

  /// The plane of a source operand of `width` bits: a register of that width (or wider or narrower only when
  /// `any_width`), a literal, a special register, or the address of a variable.
  PlaneOffset source(const ptx::Operand& operand, unsigned width, bool any_width = false);
  /// The plane of a destination register of `width` bits; for "_", where it may stand, no_plane.
  PlaneOffset destination(const ptx::Operand& operand, unsigned width, bool may_be_sink = false);
  /// The plane of a predicate; `flip` is all ones when the operand is negated.
  PlaneOffset predicate_source(const ptx::Operand& operand, LaneMask& flip);
  unsigned register_width(ptx::RegisterId id) const;
  /// Where a variable lies, seen from this function. Fails when there is none.
  Place place(const std::string& symbol) const;
  /// Base, offset and space of an address operand; `access.space` is the space the instruction names.
  void address(const ptx::Operand& operand, MemoryAccess& access);
  std::uint64_t literal_bits(const ptx::Operand& operand, unsigned width) const;
};

/// The modifiers of an instruction, taken one by one; what is left over is not supported.
class Modifiers {
 public:
  explicit Modifiers(const Decoding& decoding);
  bool take(std::string_view name);
  /// The first of `names` that is there, or "".
  std::string_view take_any(std::initializer_list<std::string_view> names);
  /// The last modifier that names a type and is not taken yet, or none.
  ptx::Type take_type();
  /// .volatile, .relaxed, .acquire, scopes, cache operators, eviction and prefetch hints: they change no value here.
  void skip_ordering_and_cache();
  /// A state space, or generic when none is named.
  ptx::Space take_space();
  /// Fails when a modifier is left.
  void finish() const;

 private:
  const Decoding& decoding_;
  std::vector<std::string_view> left_;
};

/// The registers of a load or store of `type`; an element may be narrower than its register (PTX ISA 9.4.1). `access`
/// says how many elements there are and whether they are written to memory. Sets planes and transfer.
void decode_values(Decoding& decoding, const ptx::Operand& operand, ptx::Type type, MemoryAccess& access);

// True and decoding.op filled when the instruction belongs to the subject.
bool decode_load_store(Decoding& decoding);      ///< ld, ldu, st, prefetch, cp.async
bool decode_address(Decoding& decoding);         ///< cvta, isspacep
bool decode_texture(Decoding& decoding);         ///< tex, tld4, txq, suq
bool decode_surface(Decoding& decoding);         ///< suld, sust
bool decode_atomic(Decoding& decoding);          ///< atom, red
bool decode_exchange(Decoding& decoding);        ///< shfl, vote, match, redux, activemask, elect
bool decode_barrier(Decoding& decoding);         ///< bar, barrier
bool decode_control(Decoding& decoding);         ///< bra, brx, call, ret, exit, trap
bool decode_without_effect(Decoding& decoding);  ///< Fences, hints, commit and wait of asynchronous copies.

/// Decodes a kernel and every function it calls. `records` says per instruction of the program whether it has an access
/// entry. InputError for the first instruction that is not supported.
void decode_kernel(Kernel& kernel, const VariablePlaces& places, const std::vector<bool>& records);

}  // namespace lockstep::exec
