#pragma once
// The generator's choices of single statements: what is drawn from the table of opcodes, with its operands.

#include <optional>
#include <string_view>
#include <vector>

#include "isa/random.hpp"
#include "tests/differential/forms.hpp"
#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

/// Where a statement stands.
struct Context {
  const RegisterCounts* registers = &kernel_registers;
  std::optional<unsigned> mask = 0;  ///< Of the lanes that execute it, where that is known.
  bool is_uniform = true;            ///< All threads of the block that have not exited execute it.
  bool is_full = true;               ///< All 32 lanes of every warp do.
  bool in_function = false;
  unsigned depth = 0;
  /// What conditions around it, and exits before it, have read; set where no condition may repeat another one.
  std::optional<std::vector<Register>> conditions;

  void read_condition(Register reg) {
    if (conditions) conditions->push_back(reg);
  }
};

/// Elements of a vector, 1 without.
unsigned elements_of(const Modifiers& modifiers);
/// ptxas converts results of floating-point instructions to integers where a part of them is stored: cuts what is stored so
/// first.
Block cuts_of(const Instruction& store);

/// Draws statements for one kernel.
class Draw {
 public:
  Draw(Random& random, Kernel& kernel) : random_(random), kernel_(kernel) {
    // ptxas may contract a product and a sum without rounding modifiers: a kernel has one or the other.
    plain_products_ = !kernel.is_exact || chance(2);
  }

  bool chance(unsigned one_in) { return random_.below(one_in) == 0; }
  unsigned below(std::uint64_t end) { return random_.below(end); }
  Register reg(unsigned bits, const Context& context) { return {bits, below(context.registers->of(bits))}; }
  /// One that a condition may read.
  Register condition(unsigned bits, const Context& context);
  Operand predicate(const Context& context);

  Statement compute(const Context& context);
  /// This form, behind what sets the condition code where it reads that.
  Statement compute(const Instruction& form, const Context& context);
  /// A load, store or atomic on the thread's own memory or on what nobody writes.
  Statement access(const Context& context);
  Statement load_input(Register into);
  /// An atomic of all threads on one element, whose result does not depend on their order.
  std::optional<Statement> count(const Context& context);
  /// A copy through scratchpad memory to a neighbour, behind a barrier.
  Statement neighbour(const Context& context);
  std::optional<Statement> copy(const Context& context);
  std::optional<Statement> exchange(const Context& context);
  Statement barrier(const Context& context);
  Statement no_effect();
  /// Textures and surfaces for the kernel; the last one has a part for each thread, or none has.
  void images();
  Statement image_access(const Context& context);

  bool has_exited = false;  ///< Some threads may have.

 private:
  Instruction arithmetic(const Context& context, bool from_chain);
  void fill(Instruction& instruction, const Context& context);
  /// Appends the instruction, with what makes its result one that all compilers agree on.
  void finish(std::vector<Instruction>& chain, Instruction last, const Context& context);
  bool fits(const Instruction& instruction) const;
  /// A form of the opcode that kernels may have.
  Modifiers form_of(ptx::Opcode opcode);
  Access access_of(ptx::Opcode opcode, Area area, const Context& context);
  Statement store(Area area, const Context& context);
  exec::Texture texture();
  exec::Texture surface();
  exec::Texture own_surface();
  std::optional<Access> counting(Area area, unsigned slot, const Context& context);
  Statement barrier_here(const Context& context);

  Random& random_;
  Kernel& kernel_;
  bool plain_products_ = false;
  unsigned counters_ = 0, shared_counters_ = 0;
};

}  // namespace lockstep::differential
