#pragma once

#include "isa/ptx/mnemonic.hpp"

namespace lockstep::machine {

using ptx::is_one_of;
using ptx::Mnemonic;

/// An integer operation of 16, 32 or 64 bits, without carry, saturation or high half, and not of one half alone.
inline bool is_plain(const Mnemonic& w, ptx::Opcode opcode, unsigned bits) {
  if (w.opcode != opcode || w.has("cc") || w.has("sat") || w.has("hi") || w.has("wide") || w.has("half")) return false;
  if (bits == 16) return w.ends({"u16", "s16", "b16"});
  return bits == 32 ? w.ends({"u32", "s32", "b32"}) : w.ends({"u64", "s64", "b64"});
}

/// and, or, xor of `bits`.
inline bool is_logic(const Mnemonic& w, unsigned bits = 32) {
  using ptx::Opcode;
  return is_plain(w, Opcode::and_, bits) || is_plain(w, Opcode::or_, bits) || is_plain(w, Opcode::xor_, bits);
}

/// Operations whose low 32 result bits need only the low 32 bits of their 64-bit operands.
inline bool keeps_low_half(const Mnemonic& w) {
  using ptx::Opcode;
  for (const Opcode opcode : {Opcode::add, Opcode::sub, Opcode::mul, Opcode::mad, Opcode::and_, Opcode::or_,
                              Opcode::xor_, Opcode::not_, Opcode::neg, Opcode::mov, Opcode::shl})
    if (is_plain(w, opcode, 64)) return true;
  return w.opcode == Opcode::mad && w.has("wide") && !w.ends({"u16", "s16"});
}

/// What calls a subroutine on Hopper: quotients, reciprocals and roots with IEEE rounding for rare operands, and quotients and
/// remainders of 64-bit integers.
inline bool calls_subroutine(const Mnemonic& w) {
  using ptx::Opcode;
  if (!w.opcode || !is_one_of(*w.opcode, {Opcode::div, Opcode::rem, Opcode::rcp, Opcode::sqrt})) return false;
  return w.ends({"f32", "f64"}) ? !w.has("approx") && !w.has("full") : w.ends({"u64", "s64"});
}

}  // namespace lockstep::machine
