// Instructions between the lanes of a warp: shfl, vote, match, redux, activemask, elect.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/error.hpp"
#include "isa/exec/arithmetic/float_format.hpp"
#include "isa/exec/control/exchange.hpp"
#include "isa/exec/subjects.hpp"
#include "isa/exec/thread_block.hpp"

namespace lockstep::exec {

namespace {

using ptx::Type;

/// Planes: source 0 the value, 1 the lane operand b, 2 the clamp operand c, 3 the member mask; control: the mode.
template <Shuffle mode>
Outcome shuffle(Warp& warp, const Op& op, LaneMask mask) {
  const Arithmetic& planes = op.arithmetic;
  const auto* a = plane<std::uint32_t>(warp.frame, planes.source[0]);
  const auto* b = plane<std::uint32_t>(warp.frame, planes.source[1]);
  const auto* c = plane<std::uint32_t>(warp.frame, planes.source[2]);
  std::uint32_t results[lanes];
  LaneMask valid = 0;
  for_each_lane(mask, [&](unsigned self) {
    const std::optional<unsigned> from = shuffle_source(mode, self, b[self], c[self]);
    if (from) valid |= LaneMask{1} << self;
    results[self] = a[from.value_or(self)];
  });
  if (planes.destination != no_plane) {
    auto* d = plane<std::uint32_t>(warp.frame, planes.destination);
    for_each_lane(mask, [&](unsigned lane) { d[lane] = results[lane]; });
  }
  if (planes.second_destination != no_plane) {
    LaneMask& p = predicate(warp.frame, planes.second_destination);
    p = (p & ~mask) | valid;
  }
  return Outcome::next;
}

/// Executes a step once for the lanes of each member mask. Lanes that are together may belong to different groups, as the
/// tiles and partitions of cooperative groups do; each group is on its own.
template <Step of_group>
Outcome by_members(Warp& warp, const Op& op, LaneMask mask) {
  if (op.arithmetic.source[3] == no_plane) return of_group(warp, op, mask);
  const auto* members = plane<std::uint32_t>(warp.frame, op.arithmetic.source[3]);
  while (mask != 0) {
    const std::uint32_t named = members[std::countr_zero(mask)];
    LaneMask group = 0;
    for_each_lane(mask, [&](unsigned lane) { group |= LaneMask{members[lane] == named} << lane; });
    of_group(warp, op, group);
    mask &= ~group;
  }
  return Outcome::next;
}

/// Lanes of one member mask that take part: those that execute the instruction and are members.
LaneMask participants(const Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0 || op.arithmetic.source[3] == no_plane) return mask;
  return mask & plane<std::uint32_t>(warp.frame, op.arithmetic.source[3])[std::countr_zero(mask)];
}

void store_uniform(Warp& warp, PlaneOffset destination, LaneMask mask, std::uint32_t value) {
  if (destination == no_plane) return;
  auto* d = plane<std::uint32_t>(warp.frame, destination);
  for_each_lane(mask, [&](unsigned lane) { d[lane] = value; });
}

void store_predicate_bits(Warp& warp, PlaneOffset destination, LaneMask mask, LaneMask bits) {
  if (destination == no_plane) return;
  LaneMask& p = predicate(warp.frame, destination);
  p = (p & ~mask) | (bits & mask);
}

enum class Vote { all, any, uni, ballot };

/// Planes: source 0 the predicate (control: its flip), 3 the member mask.
template <Vote mode>
Outcome vote(Warp& warp, const Op& op, LaneMask mask) {
  const LaneMask members = participants(warp, op, mask);
  const LaneMask ayes = (predicate(warp.frame, op.arithmetic.source[0]) ^ op.arithmetic.control) & members;
  if constexpr (mode == Vote::ballot) {
    store_uniform(warp, op.arithmetic.destination, mask, ayes);
  } else {
    const bool result = mode == Vote::all   ? ayes == members
                        : mode == Vote::any ? ayes != 0
                                            : ayes == members || ayes == 0;
    store_predicate_bits(warp, op.arithmetic.destination, mask, result ? mask : 0);
  }
  return Outcome::next;
}

/// match.any: the members whose value equals the lane's own.
template <class T>
Outcome match_any(Warp& warp, const Op& op, LaneMask mask) {
  const LaneMask members = participants(warp, op, mask);
  const T* a = plane<T>(warp.frame, op.arithmetic.source[0]);
  std::uint32_t results[lanes] = {};
  for_each_lane(members, [&](unsigned lane) {
    for_each_lane(members, [&](unsigned other) {
      if (a[other] == a[lane]) results[lane] |= LaneMask{1} << other;
    });
  });
  auto* d = plane<std::uint32_t>(warp.frame, op.arithmetic.destination);
  for_each_lane(mask, [&](unsigned lane) { d[lane] = results[lane]; });
  return Outcome::next;
}

/// match.all: all members when they have one value, otherwise none.
template <class T>
Outcome match_all(Warp& warp, const Op& op, LaneMask mask) {
  const LaneMask members = participants(warp, op, mask);
  const T* a = plane<T>(warp.frame, op.arithmetic.source[0]);
  bool same = members != 0;
  for_each_lane(members, [&](unsigned lane) { same = same && a[lane] == a[std::countr_zero(members)]; });
  store_uniform(warp, op.arithmetic.destination, mask, same ? members : 0);
  store_predicate_bits(warp, op.arithmetic.second_destination, mask, same ? mask : 0);
  return Outcome::next;
}

struct Sum {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct Least {
  template <class T>
  T operator()(T a, T b) const {
    return std::min(a, b);
  }
};
struct Greatest {
  template <class T>
  T operator()(T a, T b) const {
    return std::max(a, b);
  }
};
/// PTX ISA 9.7.13.12, redux.sync: as min.f32 and max.f32 with their .abs and .NaN, -0 below +0.
template <bool greatest, bool absolute, bool nan_wins>
struct ExtremeFloat {
  static std::uint32_t operand(std::uint32_t bits) { return absolute ? bits & 0x7fffffffu : bits; }
  static bool is_nan(std::uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }
  std::uint32_t operator()(std::uint32_t first, std::uint32_t second) const {
    const std::uint32_t a = operand(first), b = operand(second);
    if (is_nan(a) || is_nan(b)) {
      if (nan_wins || (is_nan(a) && is_nan(b))) return canonical_float_nan;
      return is_nan(a) ? b : a;
    }
    const auto order = [](std::uint32_t bits) { return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u; };
    return (order(a) < order(b)) != greatest ? a : b;
  }
};
struct BitAnd {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a & b; }
};
struct BitOr {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a | b; }
};
struct BitXor {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a ^ b; }
};

template <class T, class Operation>
Outcome reduce(Warp& warp, const Op& op, LaneMask mask) {
  const LaneMask members = participants(warp, op, mask);
  if (members == 0) return Outcome::next;
  const T* a = plane<T>(warp.frame, op.arithmetic.source[0]);
  T result = a[std::countr_zero(members)];
  for_each_lane(members & (members - 1), [&](unsigned lane) { result = Operation{}(result, a[lane]); });
  store_uniform(warp, op.arithmetic.destination, mask, static_cast<std::uint32_t>(result));
  return Outcome::next;
}

/// One member alone gives its own value, which is brought into form by combining it with itself.
template <class Operation>
Outcome reduce_float(Warp& warp, const Op& op, LaneMask mask) {
  const LaneMask members = participants(warp, op, mask);
  if (members == 0) return Outcome::next;
  const auto* a = plane<std::uint32_t>(warp.frame, op.arithmetic.source[0]);
  std::uint32_t result = a[std::countr_zero(members)];
  for_each_lane(members, [&](unsigned lane) { result = Operation{}(result, a[lane]); });
  store_uniform(warp, op.arithmetic.destination, mask, result);
  return Outcome::next;
}

template <bool greatest>
Step float_reduction(bool absolute, bool nan_wins) {
  if (absolute) {
    return nan_wins ? by_members<reduce_float<ExtremeFloat<greatest, true, true>>>
                    : by_members<reduce_float<ExtremeFloat<greatest, true, false>>>;
  }
  return nan_wins ? by_members<reduce_float<ExtremeFloat<greatest, false, true>>>
                  : by_members<reduce_float<ExtremeFloat<greatest, false, false>>>;
}

Outcome active_mask(Warp& warp, const Op& op, LaneMask mask) {
  store_uniform(warp, op.arithmetic.destination, mask, mask);
  return Outcome::next;
}

/// The leader is the lowest member.
Outcome elect(Warp& warp, const Op& op, LaneMask mask) {
  const LaneMask members = participants(warp, op, mask);
  if (members == 0) return Outcome::next;
  store_uniform(warp, op.arithmetic.destination, mask, static_cast<std::uint32_t>(std::countr_zero(members)));
  store_predicate_bits(warp, op.arithmetic.second_destination, mask, members & (~members + 1));
  return Outcome::next;
}

void decode_shuffle(Decoder& decoder) {
  const bool sync = decoder.take("sync");
  const std::string_view mode = decoder.take_any({"up", "down", "bfly", "idx"});
  const auto& operands = decoder.instruction().operands;
  decoder.expect_operands(sync ? 5 : 4, sync ? 5 : 4);
  Arithmetic& planes = decoder.op.arithmetic;
  planes.destination = decoder.destination_plane(operands[0], Type::b32, Sink::dropped);
  planes.second_destination = decoder.second_destination(operands[0]);
  for (unsigned i = 0; i < (sync ? 4 : 3); ++i) planes.source[i] = decoder.source_plane(operands[i + 1], Type::b32);
  const auto decode = [&]<Shuffle named>() {
    decoder.op.step = shuffle<named>;
    planes.control = static_cast<std::uint32_t>(named);
  };
  if (mode == "up") decode.operator()<Shuffle::up>();
  if (mode == "down") decode.operator()<Shuffle::down>();
  if (mode == "bfly") decode.operator()<Shuffle::bfly>();
  if (mode == "idx") decode.operator()<Shuffle::idx>();
}

void decode_vote(Decoder& decoder) {
  const bool sync = decoder.take("sync");
  const std::string_view mode = decoder.take_any({"all", "any", "uni", "ballot"});
  const bool ballot = mode == "ballot";
  const auto& operands = decoder.instruction().operands;
  decoder.expect_operands(sync ? 3 : 2, sync ? 3 : 2);
  Arithmetic& planes = decoder.op.arithmetic;
  planes.destination = decoder.destination_plane(operands[0], ballot ? Type::b32 : Type::pred, Sink::dropped);
  planes.source[0] = decoder.predicate_source(operands[1], planes.control);
  if (sync) planes.source[3] = decoder.source_plane(operands[2], Type::b32);
  decoder.op.step = mode == "all"   ? by_members<vote<Vote::all>>
                    : mode == "any" ? by_members<vote<Vote::any>>
                    : mode == "uni" ? by_members<vote<Vote::uni>>
                                    : by_members<vote<Vote::ballot>>;
}

void decode_match(Decoder& decoder) {
  const std::string_view mode = decoder.take_any({"any", "all"});
  const Type type = decoder.take_type();
  const auto& operands = decoder.instruction().operands;
  decoder.expect_operands(3, 3);
  Arithmetic& planes = decoder.op.arithmetic;
  const bool wide = type == Type::b64;
  planes.destination = decoder.destination_plane(operands[0], Type::b32, mode == "all" ? Sink::dropped : Sink::refused);
  planes.second_destination = decoder.second_destination(operands[0]);
  if (mode == "any" && planes.second_destination != no_plane) decoder.fail(".any has no second destination");
  planes.source[0] = decoder.source_plane(operands[1], type);
  planes.source[3] = decoder.source_plane(operands[2], Type::b32);
  if (mode == "any") {
    decoder.op.step = wide ? by_members<match_any<std::uint64_t>> : by_members<match_any<std::uint32_t>>;
  } else {
    decoder.op.step = wide ? by_members<match_all<std::uint64_t>> : by_members<match_all<std::uint32_t>>;
  }
}

void decode_reduce(Decoder& decoder) {
  const std::string_view operation = decoder.take_any({"add", "min", "max", "and", "or", "xor"});
  const Type type = decoder.take_type();
  const bool absolute = decoder.take("abs"), nan_wins = decoder.take("NaN");
  const auto& operands = decoder.instruction().operands;
  decoder.expect_operands(3, 3);
  const bool is_float = type == Type::f32, is_signed = type == Type::s32;
  Step step = nullptr;
  if (operation == "add") step = by_members<reduce<std::uint32_t, Sum>>;
  if (operation == "min")
    step = is_signed ? by_members<reduce<std::int32_t, Least>> : by_members<reduce<std::uint32_t, Least>>;
  if (operation == "max")
    step = is_signed ? by_members<reduce<std::int32_t, Greatest>> : by_members<reduce<std::uint32_t, Greatest>>;
  if (operation == "and") step = by_members<reduce<std::uint32_t, BitAnd>>;
  if (operation == "or") step = by_members<reduce<std::uint32_t, BitOr>>;
  if (operation == "xor") step = by_members<reduce<std::uint32_t, BitXor>>;
  if (is_float && operation == "min") step = float_reduction<false>(absolute, nan_wins);
  if (is_float && operation == "max") step = float_reduction<true>(absolute, nan_wins);
  Arithmetic& planes = decoder.op.arithmetic;
  planes.destination = decoder.destination_plane(operands[0], type);
  planes.source[0] = decoder.source_plane(operands[1], type);
  planes.source[3] = decoder.source_plane(operands[2], Type::b32);
  decoder.op.step = step;
}

void decode_active_mask(Decoder& decoder) {
  decoder.expect_operands(1);
  decoder.result().destination = decoder.destination_plane(decoder.operand(0), Type::b32);
  decoder.op.step = active_mask;
}

void decode_elect(Decoder& decoder) {
  decoder.expect_operands(2);
  decoder.result().destination = decoder.destination_plane(decoder.operand(0), Type::b32, Sink::dropped);
  decoder.result().second_destination = decoder.second_destination(decoder.operand(0));
  decoder.result().source[3] = decoder.source_plane(decoder.operand(1), Type::b32);
  decoder.op.step = by_members<elect>;
}

}  // namespace

void decode_exchange(Decoder& decoder) {
  switch (decoder.opcode()) {
    case ptx::Opcode::shfl: return decode_shuffle(decoder);
    case ptx::Opcode::vote: return decode_vote(decoder);
    case ptx::Opcode::match: return decode_match(decoder);
    case ptx::Opcode::redux: return decode_reduce(decoder);
    case ptx::Opcode::activemask: return decode_active_mask(decoder);
    case ptx::Opcode::elect: return decode_elect(decoder);
    default: throw Bug(fmt::format("exchange between lanes does not decode {}", ptx::name_of(decoder.opcode())));
  }
}

}  // namespace lockstep::exec
