// atom and red. Lanes take their turns in lane order.

#include "isa/exec/memory/atomics.hpp"

#include <fmt/format.h>

#include <cstring>

#include "isa/exec/memory/addressing.hpp"
#include "isa/exec/memory/atomic_operations.hpp"
#include "isa/exec/subjects.hpp"

namespace lockstep::exec {

namespace {

using namespace atomics;

template <class T, class Operation>
void update_lanes(Warp& warp, const Op& op, LaneMask mask) {
  const Arithmetic& planes = op.arithmetic;
  const T* b = plane<T>(warp.frame, planes.source[0]);
  const T* c = plane<T>(warp.frame, planes.source[1]);
  T* d = planes.destination == no_plane ? nullptr : plane<T>(warp.frame, planes.destination);
  T results[lanes];
  bool changes = false;
  for_each_lane(mask, [&](unsigned lane) {
    T old;
    std::memcpy(&old, warp.host[lane], sizeof old);
    const T updated = Operation{}(old, b[lane], c[lane]);
    std::memcpy(warp.host[lane], &updated, sizeof updated);
    results[lane] = old;
    changes |= updated != old;
  });
  if (changes) warp.owner->advance();
  if (d != nullptr) for_each_lane(mask, [&](unsigned lane) { d[lane] = results[lane]; });
}

template <class T, class Operation>
Outcome atomic(Warp& warp, const Op& op, LaneMask mask) {
  if (!begin_access(warp, op, mask)) return Outcome::next;
  update_lanes<T, Operation>(warp, op, mask);
  return end_access(warp, op, mask);
}

/// An addition through a generic address: each lane by the memory that it reaches. Lane order holds, because lanes of
/// different memories cannot meet.
template <class T, class InShared, class InGlobal>
Outcome atomic_add_generic(Warp& warp, const Op& op, LaneMask mask) {
  constexpr program::AddressWindows windows;
  if (!begin_access(warp, op, mask)) return Outcome::next;
  LaneMask in_shared = 0;
  for_each_lane(mask, [&](unsigned lane) {
    if (warp.address[lane] - windows.shared_base < windows.shared_size) in_shared |= LaneMask{1} << lane;
  });
  // The destination may be the operand's register, but each lane reads only its own.
  update_lanes<T, InShared>(warp, op, in_shared);
  update_lanes<T, InGlobal>(warp, op, mask & ~in_shared);
  return end_access(warp, op, mask);
}

template <class Operation>
Step for_bits(unsigned bits) {
  return bits == 64 ? atomic<std::uint64_t, Operation> : atomic<std::uint32_t, Operation>;
}

Step add_step(ptx::Type type, ptx::Space space) {
  switch (type) {
    case ptx::Type::u32:
    case ptx::Type::s32: return atomic<std::uint32_t, Add>;
    case ptx::Type::u64:
    case ptx::Type::s64: return atomic<std::uint64_t, Add>;
    case ptx::Type::f32:
      if (space == ptx::Space::generic) return atomic_add_generic<std::uint32_t, AddF32<false>, AddF32<true>>;
      return space == ptx::Space::shared ? atomic<std::uint32_t, AddF32<false>> : atomic<std::uint32_t, AddF32<true>>;
    case ptx::Type::f64:
      if (space == ptx::Space::generic) return atomic_add_generic<std::uint64_t, AddF64<false>, AddF64<true>>;
      return space == ptx::Space::shared ? atomic<std::uint64_t, AddF64<false>> : atomic<std::uint64_t, AddF64<true>>;
    case ptx::Type::f16: return atomic<std::uint16_t, AddHalf<Half>>;
    case ptx::Type::bf16: return atomic<std::uint16_t, AddHalf<Bfloat>>;
    case ptx::Type::f16x2: return atomic<std::uint32_t, OnPair<AddHalf<Half>>>;
    case ptx::Type::bf16x2: return atomic<std::uint32_t, OnPair<AddHalf<Bfloat>>>;
    default: return nullptr;
  }
}

template <class Operation>
Step ordered_step(ptx::Type type) {
  switch (type) {
    case ptx::Type::u32: return atomic<std::uint32_t, Operation>;
    case ptx::Type::s32: return atomic<std::int32_t, Operation>;
    case ptx::Type::u64: return atomic<std::uint64_t, Operation>;
    case ptx::Type::s64: return atomic<std::int64_t, Operation>;
    default: return nullptr;
  }
}

/// nullptr when there is none.
Step step_of(std::string_view operation, ptx::Type type, ptx::Space space) {
  using ptx::Type;
  const unsigned bits = ptx::bits_of(type);
  if (operation == "add") return add_step(type, space);
  if (operation == "min") return ordered_step<Min>(type);
  if (operation == "max") return ordered_step<Max>(type);
  if (operation == "inc") return atomic<std::uint32_t, Inc>;
  if (operation == "dec") return atomic<std::uint32_t, Dec>;
  if (operation == "cas" && type == Type::b16) return atomic<std::uint16_t, Cas>;
  if (operation == "and") return for_bits<And>(bits);
  if (operation == "or") return for_bits<Or>(bits);
  if (operation == "xor") return for_bits<Xor>(bits);
  if (operation == "exch") return for_bits<Exch>(bits);
  return operation == "cas" ? for_bits<Cas>(bits) : nullptr;
}

}  // namespace

void decode_atomic(Decoder& decoder) {
  const bool returns = decoder.opcode() == ptx::Opcode::atom;
  MemoryAccess& access = decoder.new_access();
  access.kind = returns ? "atomic" : "reduction";
  access.writes = true;
  access.space = decoder.take_space();
  const std::optional<std::uint8_t> vector = decoder.take_vector();
  const ptx::Type type = decoder.take_type();
  const std::string_view operation =
      decoder.take_any({"add", "and", "or", "xor", "min", "max", "inc", "dec", "exch", "cas"});
  const std::size_t sources = operation == "cas" ? 2 : 1;
  const auto& operands = decoder.instruction().operands;
  const std::size_t first = returns ? 1 : 0;
  decoder.expect_operands(first + 1 + sources,
                          first + 1 + sources + (decoder.instruction().has("L2::cache_hint") ? 1 : 0));
  const unsigned bits = ptx::bits_of(type);
  access.element_bytes = static_cast<std::uint8_t>(bits / 8);
  access.elements = vector.value_or(1);
  access.bytes = std::uint32_t{access.elements} * access.element_bytes;
  decoder.address(operands[first], access);
  if (access.space != ptx::Space::generic && access.space != ptx::Space::global && access.space != ptx::Space::shared) {
    decoder.fail(fmt::format("the {} space has no atomics", ptx::name_of(access.space)));
  }
  if (vector) return atomics::decode_vector(decoder, access, operation, type);
  if (type == ptx::Type::b128) return atomics::decode_b128(decoder, operation);
  decoder.op.step = step_of(operation, type, access.space);
  if (decoder.op.step == nullptr) decoder.unhandled(type);
  Arithmetic& planes = decoder.op.arithmetic;
  if (returns) planes.destination = decoder.destination_plane(operands[0], type, Sink::dropped);
  planes.source[0] = decoder.source_plane(operands[first + 1], type);
  planes.source[1] = sources == 2 ? decoder.source_plane(operands[first + 2], type) : planes.source[0];
}

}  // namespace lockstep::exec
