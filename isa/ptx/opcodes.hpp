#pragma once
// The table of PTX opcodes: all that anybody asks about an opcode without executing it.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/program/static_program.hpp"

namespace lockstep::ptx {

/// PTX ISA 9.0, chapter 9.7; in the order of the table, which is that of the names.
// clang-format off
enum class Opcode : std::uint8_t {
  abs, activemask, add, addc, alloca, and_, applypriority, atom, bar, barrier, bfe, bfi, bfind, bmsk, bra, brev,
  brkpt, brx, call, clusterlaunchcontrol, clz, cnot, copysign, cos, cp, createpolicy, cvt, cvta, discard, div, dp2a,
  dp4a, elect, ex2, exit, fence, fma, fns, getctarank, griddepcontrol, isspacep, istypep, ld, ldmatrix, ldu, lg2,
  lop3, mad, mad24, madc, mapa, match, max, mbarrier, membar, min, mma, mov, movmatrix, mul, mul24, multimem,
  nanosleep, neg, not_, or_, pmevent, popc, prefetch, prefetchu, prmt, rcp, red, redux, rem, ret, rsqrt, sad, selp,
  set, setmaxnreg, setp, shf, shfl, shl, shr, sin, slct, sqrt, st, stackrestore, stacksave, stmatrix, sub, subc, suld,
  suq, sured, sust, szext, tanh, tcgen05, tensormap, testp, tex, tld4, trap, txq, vabsdiff, vabsdiff2, vabsdiff4,
  vadd, vadd2, vadd4, vavrg2, vavrg4, vmad, vmax, vmax2, vmax4, vmin, vmin2, vmin4, vote, vset, vset2, vset4, vshl,
  vshr, vsub, vsub2, vsub4, wgmma, wmma, xor_
};
// clang-format on

/// What an instruction works on, which says who decodes it.
enum class OpcodeClass : std::uint8_t {
  arithmetic,  ///< Registers of its own lane.
  address,     ///< Addresses as values: from one space to another, or which space they lie in.
  load_store,  ///< Elements of one type in memory.
  prefetch,    ///< Caches alone.
  copy,        ///< From one memory to another, without registers between.
  atomic,      ///< Elements of one type, read and updated at once.
  texture,
  surface,
  exchange,   ///< Registers of other lanes of its warp.
  barrier,    ///< Warps of its thread block.
  control,    ///< Which instruction comes next.
  no_effect,  ///< Order and time, which the functional machine does not see.
  video,      ///< Parts of 32-bit registers; read, not executed. vabsdiff4 is arithmetic.
  other       ///< Read, not executed: matrices, clusters, the stack, asynchronous units.
};
inline constexpr std::size_t opcode_class_count = static_cast<std::size_t>(OpcodeClass::other) + 1;

/// How the results of the lanes of a warp that execute an instruction together compare.
enum class LaneResults : std::uint8_t {
  follow_sources,  ///< The same where all sources are.
  differ,          ///< Not the same, even where the sources are.
  equal            ///< The same, whatever the sources.
};

/// What holds for some opcodes only.
struct OpcodeTraits {
  program::AccessKind access = program::AccessKind::none;  ///< Of `cp`: of its copies, see is_copy.
  program::Control control = program::Control::none;  ///< Of `ret`: in a device function. Of `bar`: but bar.warp.sync.
  LaneResults lanes = LaneResults::follow_sources;
  std::string_view written_with = {};  ///< The first operand is a destination only with this modifier.
  bool first_also_read = false;        ///< A first operand that is a destination is a source too.
  bool reads_carry = false;            ///< Reads the condition code that `.cc` writes.
};

/// One opcode. `operands` has a letter for each operand in the order written: d a destination, s a source, a an address
/// or texture in [ ], l a label or list of labels. What stands between [ and ] may be missing from the end; a last *
/// stands for any number of further sources.
struct OpcodeRow {
  Opcode opcode;
  std::string_view name;
  std::string_view operands;
  OpcodeClass subject;
  OpcodeTraits traits = {};

  static constexpr std::size_t any = ~std::size_t{0};
  constexpr std::size_t least_operands() const { return operands.substr(0, operands.find_first_of("[*")).size(); }
  /// `any` where there is no limit.
  constexpr std::size_t most_operands() const {
    if (operands.ends_with('*')) return any;
    return operands.ends_with(']') ? operands.size() - 2 : operands.size();
  }
  /// Whether the first operand is written when the instruction has no modifiers. An address never is.
  constexpr bool writes_first() const { return operands.starts_with('d'); }
  /// Never goes on to the instruction behind it, where no guard is false.
  constexpr bool leaves() const {
    using program::Control;
    const Control c = traits.control;
    return c == Control::branch || c == Control::ret || c == Control::exit || c == Control::trap;
  }
  /// The last of its basic block.
  constexpr bool ends_block() const { return leaves() || traits.control == program::Control::call; }
  /// Has a texture or surface where others have an address.
  constexpr bool on_texture() const { return subject == OpcodeClass::texture || subject == OpcodeClass::surface; }
};

inline constexpr auto opcode_table = [] {
  using enum Opcode;
  using Class = OpcodeClass;
  using Access = program::AccessKind;
  using Control = program::Control;
  using Lanes = LaneResults;
  return std::to_array<OpcodeRow>({
      {abs, "abs", "ds", Class::arithmetic},
      {activemask, "activemask", "d", Class::exchange, {.lanes = Lanes::equal}},
      {add, "add", "dss", Class::arithmetic},
      {addc, "addc", "dss", Class::arithmetic, {.reads_carry = true}},
      {alloca, "alloca", "ds[s]", Class::other},
      {and_, "and", "dss", Class::arithmetic},
      {applypriority, "applypriority", "as", Class::prefetch},
      {atom, "atom", "das[ss]", Class::atomic, {.access = Access::atomic, .lanes = Lanes::differ}},
      {bar,
       "bar",
       "[ssss]",
       Class::barrier,
       {.control = Control::barrier, .lanes = Lanes::equal, .written_with = "red"}},
      {barrier,
       "barrier",
       "[ssss]",
       Class::barrier,
       {.control = Control::barrier, .lanes = Lanes::equal, .written_with = "red"}},
      {bfe, "bfe", "dsss", Class::arithmetic},
      {bfi, "bfi", "dssss", Class::arithmetic},
      {bfind, "bfind", "ds", Class::arithmetic},
      {bmsk, "bmsk", "dss", Class::arithmetic},
      {bra, "bra", "l", Class::control, {.control = Control::branch}},
      {brev, "brev", "ds", Class::arithmetic},
      {brkpt, "brkpt", "", Class::no_effect},
      {brx, "brx", "sl", Class::control, {.control = Control::branch}},
      {call, "call", "*", Class::control, {.control = Control::call, .lanes = Lanes::differ}},
      {clusterlaunchcontrol, "clusterlaunchcontrol", "d[ss]", Class::other},
      {clz, "clz", "ds", Class::arithmetic},
      {cnot, "cnot", "ds", Class::arithmetic},
      {copysign, "copysign", "dss", Class::arithmetic},
      {cos, "cos", "ds", Class::arithmetic},
      {cp, "cp", "*", Class::copy, {.access = Access::copy}},
      {createpolicy, "createpolicy", "d[sss]", Class::no_effect},
      {cvt, "cvt", "ds[sss]", Class::arithmetic},
      {cvta, "cvta", "ds", Class::address},
      {discard, "discard", "as", Class::prefetch},
      {div, "div", "dss", Class::arithmetic},
      {dp2a, "dp2a", "dsss", Class::arithmetic},
      {dp4a, "dp4a", "dsss", Class::arithmetic},
      {elect, "elect", "ds", Class::exchange, {.lanes = Lanes::differ}},
      {ex2, "ex2", "ds", Class::arithmetic},
      {exit, "exit", "", Class::control, {.control = Control::exit}},
      {fence, "fence", "[ss]", Class::no_effect, {.control = Control::fence}},
      {fma, "fma", "dsss", Class::arithmetic},
      {fns, "fns", "dsss", Class::arithmetic},
      {getctarank, "getctarank", "ds", Class::other},
      {griddepcontrol, "griddepcontrol", "", Class::no_effect},
      {isspacep, "isspacep", "ds", Class::address},
      {istypep, "istypep", "ds", Class::other},
      {ld, "ld", "da[s]", Class::load_store, {.access = Access::load}},
      {ldmatrix, "ldmatrix", "da", Class::other, {.access = Access::load}},
      {ldu, "ldu", "da", Class::load_store, {.access = Access::load}},
      {lg2, "lg2", "ds", Class::arithmetic},
      {lop3, "lop3", "dssss[s]", Class::arithmetic},
      {mad, "mad", "dsss", Class::arithmetic},
      {mad24, "mad24", "dsss", Class::arithmetic},
      {madc, "madc", "dsss", Class::arithmetic, {.reads_carry = true}},
      {mapa, "mapa", "dss", Class::other},
      {match, "match", "dss", Class::exchange, {.lanes = Lanes::differ}},
      {max, "max", "dss[s]", Class::arithmetic},
      {mbarrier, "mbarrier", "d[sssss]", Class::other},
      {membar, "membar", "", Class::no_effect, {.control = Control::fence}},
      {min, "min", "dss[s]", Class::arithmetic},
      {mma, "mma", "dsss*", Class::other},
      {mov, "mov", "ds", Class::arithmetic},
      {movmatrix, "movmatrix", "ds", Class::other},
      {mul, "mul", "dss", Class::arithmetic},
      {mul24, "mul24", "dss", Class::arithmetic},
      {multimem, "multimem", "ds*", Class::other},
      {nanosleep, "nanosleep", "s", Class::no_effect},
      {neg, "neg", "ds", Class::arithmetic},
      {not_, "not", "ds", Class::arithmetic},
      {or_, "or", "dss", Class::arithmetic},
      {pmevent, "pmevent", "s", Class::no_effect},
      {popc, "popc", "ds", Class::arithmetic},
      {prefetch, "prefetch", "a[s]", Class::prefetch, {.access = Access::prefetch}},
      {prefetchu, "prefetchu", "a", Class::prefetch, {.access = Access::prefetch}},
      {prmt, "prmt", "dsss", Class::arithmetic},
      {rcp, "rcp", "ds", Class::arithmetic},
      {red, "red", "as[sss]", Class::atomic, {.access = Access::reduction}},
      {redux, "redux", "dss", Class::exchange, {.lanes = Lanes::equal}},
      {rem, "rem", "dss", Class::arithmetic},
      {ret, "ret", "", Class::control, {.control = Control::ret}},
      {rsqrt, "rsqrt", "ds", Class::arithmetic},
      {sad, "sad", "dsss", Class::arithmetic},
      {selp, "selp", "dsss", Class::arithmetic},
      {set, "set", "dss[s]", Class::arithmetic},
      {setmaxnreg, "setmaxnreg", "s", Class::no_effect},
      {setp, "setp", "dss[s]", Class::arithmetic},
      {shf, "shf", "dsss", Class::arithmetic},
      {shfl, "shfl", "dsss[s]", Class::exchange, {.lanes = Lanes::differ}},
      {shl, "shl", "dss", Class::arithmetic},
      {shr, "shr", "dss", Class::arithmetic},
      {sin, "sin", "ds", Class::arithmetic},
      {slct, "slct", "dsss", Class::arithmetic},
      {sqrt, "sqrt", "ds", Class::arithmetic},
      {st, "st", "as[sss]", Class::load_store, {.access = Access::store}},
      {stackrestore, "stackrestore", "s", Class::other},
      {stacksave, "stacksave", "d", Class::other},
      {stmatrix, "stmatrix", "as", Class::other, {.access = Access::store}},
      {sub, "sub", "dss", Class::arithmetic},
      {subc, "subc", "dss", Class::arithmetic, {.reads_carry = true}},
      {suld, "suld", "da", Class::surface, {.access = Access::load}},
      {suq, "suq", "da", Class::texture},
      {sured, "sured", "as", Class::surface, {.access = Access::reduction}},
      {sust, "sust", "as", Class::surface, {.access = Access::store}},
      {szext, "szext", "dss", Class::arithmetic},
      {tanh, "tanh", "ds", Class::arithmetic},
      {tcgen05, "tcgen05", "*", Class::other, {.written_with = "ld"}},
      {tensormap, "tensormap", "a*", Class::other},
      {testp, "testp", "ds", Class::arithmetic},
      {tex, "tex", "da[sss]", Class::texture, {.access = Access::load}},
      {tld4, "tld4", "da[sss]", Class::texture, {.access = Access::load}},
      {trap, "trap", "", Class::control, {.control = Control::trap}},
      {txq, "txq", "da[s]", Class::texture},
      {vabsdiff, "vabsdiff", "dss[s]", Class::video},
      {vabsdiff2, "vabsdiff2", "dss[s]", Class::video},
      {vabsdiff4, "vabsdiff4", "dsss", Class::arithmetic},
      {vadd, "vadd", "dss[s]", Class::video},
      {vadd2, "vadd2", "dss[s]", Class::video},
      {vadd4, "vadd4", "dss[s]", Class::video},
      {vavrg2, "vavrg2", "dss[s]", Class::video},
      {vavrg4, "vavrg4", "dss[s]", Class::video},
      {vmad, "vmad", "dsss", Class::video},
      {vmax, "vmax", "dss[s]", Class::video},
      {vmax2, "vmax2", "dss[s]", Class::video},
      {vmax4, "vmax4", "dss[s]", Class::video},
      {vmin, "vmin", "dss[s]", Class::video},
      {vmin2, "vmin2", "dss[s]", Class::video},
      {vmin4, "vmin4", "dss[s]", Class::video},
      {vote, "vote", "ds[s]", Class::exchange, {.lanes = Lanes::equal}},
      {vset, "vset", "dss[s]", Class::video},
      {vset2, "vset2", "dss[s]", Class::video},
      {vset4, "vset4", "dss[s]", Class::video},
      {vshl, "vshl", "dss[s]", Class::video},
      {vshr, "vshr", "dss[s]", Class::video},
      {vsub, "vsub", "dss[s]", Class::video},
      {vsub2, "vsub2", "dss[s]", Class::video},
      {vsub4, "vsub4", "dss[s]", Class::video},
      {wgmma, "wgmma", "*", Class::other, {.written_with = "mma_async", .first_also_read = true}},
      {wmma, "wmma", "ds*", Class::other},
      {xor_, "xor", "dss", Class::arithmetic},
  });
}();
inline constexpr std::size_t opcode_count = opcode_table.size();

constexpr const OpcodeRow& row_of(Opcode opcode) {
  return opcode_table[static_cast<std::size_t>(opcode)];
}
constexpr std::string_view name_of(Opcode opcode) {
  return row_of(opcode).name;
}

/// None when PTX has no such opcode.
constexpr std::optional<Opcode> find_opcode(std::string_view name) {
  std::size_t first = 0, end = opcode_count;
  while (first < end) {
    const std::size_t middle = first + (end - first) / 2;
    if (opcode_table[middle].name < name) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  if (first == opcode_count || opcode_table[first].name != name) return std::nullopt;
  return opcode_table[first].opcode;
}

/// The opcode that is spelled most like the word, or "".
std::string_view nearest_opcode(std::string_view word);

}  // namespace lockstep::ptx
