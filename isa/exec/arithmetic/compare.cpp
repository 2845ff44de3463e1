// Comparison and selection (PTX ISA 9.7.5-9.7.7): setp, set, selp, slct. A comparison operator is the set of relations
// (below, equal, above, unordered) for which it holds, so one function per type does them all.

#include <array>

#include "isa/exec/arithmetic/families.hpp"
#include "isa/exec/arithmetic/float_format.hpp"
#include "isa/exec/arithmetic/select.hpp"

namespace lockstep::exec {

namespace {

using ptx::Type;

// Relations, and in Arithmetic::control the set of them for which the operator holds.
constexpr std::uint32_t below = 1, equal = 2, above = 4, unordered = 8;
// How the outcome is combined with the predicate in slot 3, and whether that is negated.
constexpr std::uint32_t with_and = 0x10, with_or = 0x20, with_xor = 0x40, negated = 0x80;

struct Operator {
  std::string_view name;
  std::uint32_t relations;
};
constexpr Operator operators[] = {
    {"eq", equal},
    {"ne", below | above},
    {"lt", below},
    {"le", below | equal},
    {"gt", above},
    {"ge", above | equal},
    {"lo", below},
    {"ls", below | equal},
    {"hi", above},
    {"hs", above | equal},
    {"equ", equal | unordered},
    {"neu", below | above | unordered},
    {"ltu", below | unordered},
    {"leu", below | equal | unordered},
    {"gtu", above | unordered},
    {"geu", above | equal | unordered},
    {"num", below | equal | above},
    {"nan", unordered},
};

/// A set of relations as four words of zeros or ones; a lane's outcome is a choice among them. No branches, so that the
/// loops vectorise.
struct Relations {
  explicit Relations(std::uint32_t set)
      : if_below(0u - (set & below)),
        if_equal(0u - (set / equal & 1)),
        if_above(0u - (set / above & 1)),
        if_unordered(0u - (set / unordered & 1)) {}
  LaneMask if_below, if_equal, if_above, if_unordered;
};
template <class T>
struct Compare {
  static LaneMask outcome(T a, T b, const Relations& relations) {
    return a < b ? relations.if_below : a == b ? relations.if_equal : relations.if_above;
  }
};
template <class T, bool ftz>
struct CompareFloat {
  static LaneMask outcome(T a, T b, const Relations& relations) {
    using F = FloatFormat<T>;
    const auto x = F::number(ftz ? flush_denormal(a) : a), y = F::number(ftz ? flush_denormal(b) : b);
    const LaneMask if_not_below = x == y ? relations.if_equal : x > y ? relations.if_above : relations.if_unordered;
    return x < y ? relations.if_below : if_not_below;
  }
};

LaneMask combine(LaneMask outcome, std::byte* frame, const Arithmetic& operation) {
  const std::uint32_t control = operation.control;
  if ((control & (with_and | with_or | with_xor)) == 0) return outcome;
  const LaneMask other = predicate(frame, operation.source[3]) ^ ((control & negated) != 0 ? all_lanes : 0);
  if ((control & with_and) != 0) return outcome & other;
  return (control & with_or) != 0 ? outcome | other : outcome ^ other;
}

template <class C, class T>
LaneMask compare_lanes(std::byte* frame, const Arithmetic& operation) {
  const Storage<T>* const a = plane<Storage<T>>(frame, operation.source[0]);
  const Storage<T>* const b = plane<Storage<T>>(frame, operation.source[1]);
  const Relations relations(operation.control & 0xf);
  LaneMask outcomes[lanes];
  for (unsigned lane = 0; lane < lanes; ++lane) {
    outcomes[lane] = C::outcome(Held<T>::load(a[lane]), Held<T>::load(b[lane]), relations);
  }
  LaneMask outcome = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) outcome |= outcomes[lane] & lane_bits[lane];
  return outcome;
}
/// One outcome per half of a pair.
template <class C, class T>
std::array<LaneMask, 2> compare_pairs(std::byte* frame, const Arithmetic& operation) {
  const std::uint32_t* const a = plane<std::uint32_t>(frame, operation.source[0]);
  const std::uint32_t* const b = plane<std::uint32_t>(frame, operation.source[1]);
  const Relations relations(operation.control & 0xf);
  std::array<LaneMask, 2> outcomes{};
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const Pair<T> x = Held<Pair<T>>::load(a[lane]), y = Held<Pair<T>>::load(b[lane]);
    outcomes[0] |= C::outcome(x.low, y.low, relations) & lane_bits[lane];
    outcomes[1] |= C::outcome(x.high, y.high, relations) & lane_bits[lane];
  }
  return outcomes;
}

/// setp: p is the outcome, q its opposite, each combined with the third predicate.
template <class C, class T>
void run_setp(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  const LaneMask outcome = compare_lanes<C, T>(frame, operation);
  const LaneMask p = combine(outcome, frame, operation), q = combine(~outcome, frame, operation);
  store_predicate(frame, operation.destination, p, mask);
  if (operation.second_destination != no_plane) store_predicate(frame, operation.second_destination, q, mask);
}
/// setp on pairs: p is the outcome of the low halves, q of the high ones.
template <class C, class T>
void run_setp_of_pairs(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  const auto outcomes = compare_pairs<C, T>(frame, operation);
  const LaneMask p = combine(outcomes[0], frame, operation), q = combine(outcomes[1], frame, operation);
  store_predicate(frame, operation.destination, p, mask);
  store_predicate(frame, operation.second_destination, q, mask);
}

/// What set writes where it holds, by a number in bits 8.. of the control.
enum class Truth : std::uint32_t { ones_32, ones_16, f32, f16, bf16, f16x2, bf16x2, ones_16x2 };
constexpr std::uint32_t truth_values[] = {0xffffffff, 0xffff, 0x3f800000, 0x3c00, 0x3f80, 0x3c00, 0x3f80, 0xffff};

template <class S>
void write_truth(std::byte* frame, const Arithmetic& operation, LaneMask mask, LaneMask low, LaneMask high) {
  const std::uint32_t value = truth_values[operation.control >> 8];
  S results[lanes];
  for (unsigned lane = 0; lane < lanes; ++lane) {
    results[lane] =
        static_cast<S>(((low & lane_bits[lane]) != 0 ? value : 0) | ((high & lane_bits[lane]) != 0 ? value << 16 : 0));
  }
  store_lanes(frame, operation.destination, results, mask);
}
template <class C, class T>
void run_set(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  const LaneMask outcome = combine(compare_lanes<C, T>(frame, operation), frame, operation);
  const auto truth = static_cast<Truth>(operation.control >> 8);
  if (truth == Truth::ones_32 || truth == Truth::f32)
    return write_truth<std::uint32_t>(frame, operation, mask, outcome, 0);
  write_truth<std::uint16_t>(frame, operation, mask, outcome, 0);
}
template <class C, class T>
void run_set_of_pairs(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  const auto outcomes = compare_pairs<C, T>(frame, operation);
  write_truth<std::uint32_t>(frame, operation, mask, combine(outcomes[0], frame, operation),
                             combine(outcomes[1], frame, operation));
}

struct Select {
  template <class T>
  static T apply(T a, T b, bool first) {
    return first ? a : b;
  }
};
template <class S>
struct SelectBySign {
  template <class T>
  static T apply(T a, T b, S c) {
    return c >= 0 ? a : b;
  }
};
struct SelectByFlushedSign {
  template <class T>
  static T apply(T a, T b, float c) {
    return flush_denormal(c) >= 0 ? a : b;
  }
};

// ---- decoding ----

/// Takes the operator and what its outcome is combined with into the control; `third` is that operand's number.
void take_operator(Decoder& d, std::size_t third) {
  std::uint32_t& control = d.result().control;
  for (const Operator& candidate : operators) {
    if (!d.take(candidate.name)) continue;
    control |= candidate.relations;
    break;
  }
  const auto combination = d.take_one({"and", "or", "xor"});
  d.expect_operands(combination ? third + 1 : third);
  if (!combination) return;
  control |= with_and << *combination;
  LaneMask flip = 0;
  d.result().source[3] = d.predicate_source(d.operand(third), flip);
  if (flip != 0) control |= negated;
}

/// Calls `choose.operator()<Comparison, T>()` for the type that is compared.
template <class Choose>
Arithmetic::Run choose_comparison(Decoder& d, Type type, bool ftz, Choose choose) {
  switch (type) {
    case Type::b16:
    case Type::u16: return choose.template operator()<Compare<std::uint16_t>, std::uint16_t>();
    case Type::s16: return choose.template operator()<Compare<std::int16_t>, std::int16_t>();
    case Type::b32:
    case Type::u32: return choose.template operator()<Compare<std::uint32_t>, std::uint32_t>();
    case Type::s32: return choose.template operator()<Compare<std::int32_t>, std::int32_t>();
    case Type::b64:
    case Type::u64: return choose.template operator()<Compare<std::uint64_t>, std::uint64_t>();
    case Type::s64: return choose.template operator()<Compare<std::int64_t>, std::int64_t>();
    case Type::f32:
      return ftz ? choose.template operator()<CompareFloat<float, true>, float>()
                 : choose.template operator()<CompareFloat<float, false>, float>();
    case Type::f64: return choose.template operator()<CompareFloat<double, false>, double>();
    case Type::f16:
    case Type::f16x2:
      return ftz ? choose.template operator()<CompareFloat<Half, true>, Half>()
                 : choose.template operator()<CompareFloat<Half, false>, Half>();
    case Type::bf16:
    case Type::bf16x2: return choose.template operator()<CompareFloat<Bfloat, false>, Bfloat>();
    default: d.unhandled(type);
  }
}

bool is_pair(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2;
}

void decode_setp(Decoder& d) {
  const Type type = d.take_type();
  take_operator(d, 3);
  d.destination(0, Type::pred);
  d.result().second_destination = d.second_destination(d.operand(0));
  d.source(0, 1, type);
  d.source(1, 2, type);
  const bool ftz = d.take("ftz");
  if (is_pair(type)) {
    if (d.result().second_destination == no_plane) d.fail("a comparison of pairs needs two predicates, %p|%q");
    return d.finish(choose_comparison(d, type, ftz, []<class C, class T>() -> Arithmetic::Run {
      if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) return &run_setp_of_pairs<C, T>;
      return nullptr;
    }));
  }
  d.finish(choose_comparison(d, type, ftz, []<class C, class T>() -> Arithmetic::Run { return &run_setp<C, T>; }));
}

Truth truth_of(Decoder& d, Type result, Type compared) {
  switch (result) {
    case Type::u32:
    case Type::s32: return is_pair(compared) ? Truth::ones_16x2 : Truth::ones_32;
    case Type::u16:
    case Type::s16: return Truth::ones_16;
    case Type::f32: return Truth::f32;
    case Type::f16: return Truth::f16;
    case Type::bf16: return Truth::bf16;
    case Type::f16x2: return Truth::f16x2;
    case Type::bf16x2: return Truth::bf16x2;
    default: d.unhandled(result);
  }
}

void decode_set(Decoder& d) {
  const Type result = d.take_type(), type = d.take_type();
  take_operator(d, 3);
  const Truth truth = truth_of(d, result, type);
  d.destination(0, result);
  d.source(0, 1, type);
  d.source(1, 2, type);
  d.result().control |= static_cast<std::uint32_t>(truth) << 8;
  const bool ftz = d.take("ftz");
  if (is_pair(type)) {
    return d.finish(choose_comparison(d, type, ftz, []<class C, class T>() -> Arithmetic::Run {
      if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) return &run_set_of_pairs<C, T>;
      return nullptr;
    }));
  }
  d.finish(choose_comparison(d, type, ftz, []<class C, class T>() -> Arithmetic::Run { return &run_set<C, T>; }));
}

/// The untyped type of the same width, for instructions that only move values.
Type untyped(Decoder& d, Type type) {
  switch (ptx::bits_of(type)) {
    case 16: return Type::b16;
    case 32: return Type::b32;
    case 64: return Type::b64;
    default: d.unhandled(type);
  }
}

void decode_selp(Decoder& d) {
  const Type type = d.take_type();
  d.expect_operands(4);
  d.destination(0, type);
  d.source(0, 1, type);
  d.source(1, 2, type);
  d.source(2, 3, Type::pred);
  d.finish(select_bits<Select>(d, untyped(d, type)));
}

void decode_slct(Decoder& d) {
  const Type type = d.take_type(), tested = d.take_type();
  d.expect_operands(4);
  d.destination(0, type);
  d.source(0, 1, type);
  d.source(1, 2, type);
  d.source(2, 3, tested);
  const Type width = untyped(d, type);
  if (tested == Type::s32) return d.finish(select_bits<SelectBySign<std::int32_t>>(d, width));
  d.finish(d.take("ftz") ? select_bits<SelectByFlushedSign>(d, width) : select_bits<SelectBySign<float>>(d, width));
}

constexpr ArithmeticOpcode opcodes[] = {
    {ptx::Opcode::setp, decode_setp, decode_setp},
    {ptx::Opcode::set, decode_set, decode_set},
    {ptx::Opcode::selp, decode_selp, decode_selp},
    {ptx::Opcode::slct, decode_slct, decode_slct},
};

}  // namespace

std::span<const ArithmeticOpcode> compare_opcodes() {
  return opcodes;
}

}  // namespace lockstep::exec
