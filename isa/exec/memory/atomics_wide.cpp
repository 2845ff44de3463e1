// Atomics of vectors and of 128 bits (PTX ISA 9.7.13.7 and 9.7.13.8, atom and red).

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "isa/exec/memory/addressing.hpp"
#include "isa/exec/memory/atomic_operations.hpp"
#include "isa/exec/memory/atomics.hpp"

namespace lockstep::exec::atomics {

namespace {

using Kind = ptx::Operand::Kind;

/// Each lane updates its elements in order, then comes the next lane. Planes: MemoryAccess::planes and results.
template <class T, class Operation>
Outcome vector_atomic(Warp& warp, const Op& op, LaneMask mask) {
  const MemoryAccess& access = *op.memory;
  if (!begin_access(warp, op, mask)) return Outcome::next;
  warp.owner->advance();
  T old[8][lanes];
  for_each_lane(mask, [&](unsigned lane) {
    for (unsigned e = 0; e < access.elements; ++e) {
      std::byte* const at = warp.host[lane] + e * sizeof(T);
      std::memcpy(&old[e][lane], at, sizeof(T));
      const T b = plane<T>(warp.frame, access.planes[e])[lane];
      const T updated = Operation{}(old[e][lane], b, b);
      std::memcpy(at, &updated, sizeof(T));
    }
  });
  for (unsigned e = 0; e < access.elements; ++e) {
    if (access.results[e] == no_plane) continue;
    T* const d = plane<T>(warp.frame, access.results[e]);
    for_each_lane(mask, [&](unsigned lane) { d[lane] = old[e][lane]; });
  }
  return end_access(warp, op, mask);
}

/// Low half first, as frame and memory hold it.
using Wide = std::array<std::uint64_t, 2>;

Wide wide_value(std::byte* frame, PlaneOffset at, unsigned lane) {
  const auto* low = plane<std::uint64_t>(frame, at);
  return {low[lane], low[lanes + lane]};
}

template <bool compares>
Outcome exchange_b128(Warp& warp, const Op& op, LaneMask mask) {
  if (!begin_access(warp, op, mask)) return Outcome::next;
  const Arithmetic& planes = op.arithmetic;
  Wide old[lanes];
  for_each_lane(mask, [&](unsigned lane) {
    std::memcpy(&old[lane], warp.host[lane], sizeof(Wide));
    if (compares && old[lane] != wide_value(warp.frame, planes.source[0], lane)) return;
    const Wide updated = wide_value(warp.frame, planes.source[compares ? 1 : 0], lane);
    std::memcpy(warp.host[lane], &updated, sizeof(Wide));
    if (updated != old[lane]) warp.owner->advance();
  });
  if (planes.destination == no_plane) return end_access(warp, op, mask);
  auto* const low = plane<std::uint64_t>(warp.frame, planes.destination);
  for_each_lane(mask, [&](unsigned lane) {
    low[lane] = old[lane][0];
    low[lanes + lane] = old[lane][1];
  });
  return end_access(warp, op, mask);
}

template <template <class> class Operation>
Step half_step(ptx::Type type) {
  switch (type) {
    case ptx::Type::f16: return vector_atomic<std::uint16_t, Operation<Half>>;
    case ptx::Type::bf16: return vector_atomic<std::uint16_t, Operation<Bfloat>>;
    case ptx::Type::f16x2: return vector_atomic<std::uint32_t, OnPair<Operation<Half>>>;
    case ptx::Type::bf16x2: return vector_atomic<std::uint32_t, OnPair<Operation<Bfloat>>>;
    default: return nullptr;
  }
}

/// nullptr when there is none.
Step vector_step(std::string_view operation, ptx::Type type) {
  if (operation == "add" && type == ptx::Type::f32) return vector_atomic<std::uint32_t, AddF32<true>>;
  if (operation == "add") return half_step<AddHalf>(type);
  if (operation == "min") return half_step<MinHalf>(type);
  return operation == "max" ? half_step<MaxHalf>(type) : nullptr;
}

}  // namespace

void decode_vector(Decoder& decoder, MemoryAccess& access, std::string_view operation, ptx::Type type) {
  const bool returns = decoder.opcode() == ptx::Opcode::atom;
  // A generic address must be one of global memory; any other is out of bounds there.
  access.space = ptx::Space::global;
  decoder.op.step = vector_step(operation, type);
  if (decoder.op.step == nullptr) decoder.unhandled(type);
  const auto elements_of = [&](const ptx::Operand& operand) -> const std::vector<ptx::Operand>& {
    if (operand.kind != Kind::vector || operand.elements.size() != access.elements) {
      decoder.fail(fmt::format("needs vectors of {} elements", access.elements));
    }
    return operand.elements;
  };
  const auto& operands = decoder.instruction().operands;
  const auto& values = elements_of(operands[returns ? 2 : 1]);
  access.results.fill(no_plane);
  for (unsigned e = 0; e < access.elements; ++e) access.planes[e] = decoder.source_plane(values[e], type);
  if (!returns || operands[0].kind == Kind::sink) return;
  const auto& results = elements_of(operands[0]);
  for (unsigned e = 0; e < access.elements; ++e)
    access.results[e] = decoder.destination_plane(results[e], type, Sink::dropped);
}

void decode_b128(Decoder& decoder, std::string_view operation) {
  const bool compares = operation == "cas";
  const auto& operands = decoder.instruction().operands;
  Arithmetic& planes = decoder.op.arithmetic;
  planes.destination = decoder.destination_plane(operands[0], ptx::Type::b128, Sink::dropped);
  for (unsigned n = 0; n < (compares ? 2 : 1); ++n) {
    if (operands[2 + n].kind != Kind::reg) decoder.fail("values of 128 bits must be registers");
    planes.source[n] = decoder.source_plane(operands[2 + n], ptx::Type::b128);
  }
  decoder.op.step = compares ? exchange_b128<true> : exchange_b128<false>;
}

}  // namespace lockstep::exec::atomics
