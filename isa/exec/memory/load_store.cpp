// Loads, stores, prefetches and asynchronous copies.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/exec/memory/addressing.hpp"
#include "isa/exec/steps.hpp"
#include "isa/exec/subjects.hpp"
#include "isa/ptx/access.hpp"

namespace lockstep::exec {

namespace {

template <class Register, class Memory>
void load_element(std::byte* frame, PlaneOffset to, std::byte* const* host, LaneMask mask, unsigned at) {
  auto* values = plane<Register>(frame, to);
  for_each_lane(mask, [&](unsigned lane) {
    Memory value;
    std::memcpy(&value, host[lane] + at, sizeof value);
    values[lane] = static_cast<Register>(value);
  });
}

/// The lowest of the lanes that write to one place comes last.
template <class Register, class Memory>
void store_element(std::byte* frame, PlaneOffset from, std::byte* const* host, LaneMask mask, unsigned at) {
  const auto* values = plane<Register>(frame, from);
  for (LaneMask left = mask; left != 0;) {
    const auto lane = static_cast<unsigned>(std::bit_width(left)) - 1;
    left ^= LaneMask{1} << lane;
    const auto value = static_cast<Memory>(values[lane]);
    std::memcpy(host[lane] + at, &value, sizeof value);
  }
}

/// Sign extension happens in the conversion from Memory to Register.
template <class Register>
MemoryAccess::Transfer load_into(unsigned bytes, bool is_signed) {
  switch (bytes) {
    case 1: return is_signed ? load_element<Register, std::int8_t> : load_element<Register, std::uint8_t>;
    case 2: return is_signed ? load_element<Register, std::int16_t> : load_element<Register, std::uint16_t>;
    case 4: return is_signed ? load_element<Register, std::int32_t> : load_element<Register, std::uint32_t>;
    default: return load_element<Register, std::uint64_t>;
  }
}

template <class Register>
MemoryAccess::Transfer store_from(unsigned bytes) {
  switch (bytes) {
    case 1: return store_element<Register, std::uint8_t>;
    case 2: return store_element<Register, std::uint16_t>;
    case 4: return store_element<Register, std::uint32_t>;
    default: return store_element<Register, std::uint64_t>;
  }
}

MemoryAccess::Transfer transfer(bool writes, unsigned register_bits, unsigned bytes, bool is_signed) {
  if (register_bits <= 16)
    return writes ? store_from<std::uint16_t>(bytes) : load_into<std::uint16_t>(bytes, is_signed);
  if (register_bits == 32)
    return writes ? store_from<std::uint32_t>(bytes) : load_into<std::uint32_t>(bytes, is_signed);
  return writes ? store_from<std::uint64_t>(bytes) : load_into<std::uint64_t>(bytes, is_signed);
}

Outcome load_or_store(Warp& warp, const Op& op, LaneMask mask) {
  if (!begin_access(warp, op, mask)) return Outcome::next;
  transfer_elements(warp, *op.memory, mask);
  return end_access(warp, op, mask);
}

/// A store that may reach global memory.
Outcome store_global(Warp& warp, const Op& op, LaneMask mask) {
  if (mask != 0) warp.owner->advance();
  return load_or_store(warp, op, mask);
}

/// A load whose address is the same in every lane and known when the kernel is decoded: parameters of the kernel.
Outcome load_parameter(Warp& warp, const Op& op, LaneMask mask) {
  const MemoryAccess& access = *op.memory;
  form_addresses(warp, access);
  record_access(warp, op, mask);
  if (mask == 0) return Outcome::next;
  std::byte* const at = warp.owner->context().parameters->host + access.offset;
  for (unsigned lane = 0; lane < lanes; ++lane) warp.host[lane] = at;
  transfer_elements(warp, access, mask);
  return Outcome::next;
}

/// Touches nothing: a prefetch may name any address.
Outcome prefetch(Warp& warp, const Op& op, LaneMask mask) {
  if (mask != 0) form_addresses(warp, *op.memory);
  record_access(warp, op, mask);
  return Outcome::next;
}

/// Source bytes move to the scratchpad at once; bytes past the source size become zero. Lanes that copy no byte do not
/// read.
Outcome copy_async(Warp& warp, const Op& op, LaneMask mask) {
  const MemoryAccess& from = *op.memory;
  const MemoryAccess& to = *(op.memory + 1);
  if (mask == 0) {
    record_access(warp, op, 0);
    record_access(warp, op, 0);
    return Outcome::next;
  }
  std::byte* source[lanes];
  std::uint32_t size[lanes];
  const LaneMask reads = copied_bytes(warp, op, mask, size);
  form_addresses(warp, from);
  record_access(warp, op, reads);
  resolve_addresses(warp, op, from, reads);
  std::memcpy(source, warp.host, sizeof source);
  form_addresses(warp, to);
  record_access(warp, op, mask);
  resolve_addresses(warp, op, to, mask);
  for_each_lane(mask, [&](unsigned lane) {
    if (size[lane] != 0) std::memcpy(warp.host[lane], source[lane], size[lane]);
    std::memset(warp.host[lane] + size[lane], 0, from.bytes - size[lane]);
  });
  return Outcome::next;
}

void decode_copy_async(Decoder& decoder) {
  decoder.expect_operands(3, 5);
  const auto& operands = decoder.instruction().operands;
  if (operands[2].kind != ptx::Operand::Kind::integer ||
      (operands[2].bits != 4 && operands[2].bits != 8 && operands[2].bits != 16)) {
    decoder.fail("the size of a copy is 4, 8 or 16");
  }
  // The two accesses stand side by side, so that the step finds the second behind the first.
  auto& pair = decoder.kernel.copies.emplace_back();
  MemoryAccess& from = pair[0];
  MemoryAccess& to = pair[1];
  from.kind = "asynchronous copy, load";
  from.space = ptx::Space::global;
  to.kind = "asynchronous copy, store";
  to.space = ptx::Space::shared;
  to.writes = true;
  from.bytes = to.bytes = static_cast<std::uint32_t>(operands[2].bits);
  decoder.address(operands[0], to);
  decoder.address(operands[1], from);
  if (operands.size() > 3) {
    const bool ignores = operands[3].kind == ptx::Operand::Kind::reg && decoder.register_width(operands[3].index) == 1;
    const bool policy = operands[3].kind == ptx::Operand::Kind::reg && decoder.register_width(operands[3].index) == 64;
    if (ignores) {
      decoder.op.arithmetic.source[2] = decoder.predicate_source(operands[3], decoder.op.arithmetic.control);
    } else if (!policy) {
      decoder.op.arithmetic.source[1] = decoder.source_plane(operands[3], ptx::Type::u32);
    }
  }
  decoder.op.memory = &from;
  decoder.op.step = copy_async;
}

}  // namespace

void transfer_elements(Warp& warp, const MemoryAccess& access, LaneMask mask) {
  const auto transfer = [&](LaneMask part) {
    for (unsigned e = 0; e < access.elements; ++e) {
      if (access.planes[e] == no_plane) continue;
      access.transfer(warp.frame, access.planes[e], warp.host, part, e * access.element_bytes);
    }
  };
  constexpr unsigned bytes_at_a_time = 128;
  const unsigned together = bytes_at_a_time / access.bytes;
  if (!access.writes || together >= lanes) return transfer(mask);
  const LaneMask first = (LaneMask{1} << together) - 1;
  for (unsigned lane = 0; lane < lanes; lane += together) {
    if (const LaneMask part = mask & first << lane; part != 0) transfer(part);
  }
}

LaneMask copied_bytes(const Warp& warp, const Op& op, LaneMask mask, std::uint32_t (&bytes)[lanes]) {
  const Arithmetic& planes = op.arithmetic;
  const LaneMask ignored = planes.source[2] == no_plane ? 0 : predicate(warp.frame, planes.source[2]) ^ planes.control;
  LaneMask reads = 0;
  for_each_lane(mask, [&](unsigned lane) {
    bytes[lane] = planes.source[1] == no_plane
                      ? op.memory->bytes
                      : std::min(plane<std::uint32_t>(warp.frame, planes.source[1])[lane], op.memory->bytes);
    if ((ignored >> lane & 1) != 0) bytes[lane] = 0;
    if (bytes[lane] != 0) reads |= LaneMask{1} << lane;
  });
  return reads;
}

void decode_values(Decoder& decoder, const ptx::Operand& operand, ptx::Type type, MemoryAccess& access) {
  const bool is_vector = operand.kind == ptx::Operand::Kind::vector;
  if (is_vector != (access.elements > 1)) decoder.fail("the operand has not as many elements as the instruction");
  if (is_vector && operand.elements.size() != access.elements) {
    decoder.fail(fmt::format("needs {} elements, not {}", access.elements, operand.elements.size()));
  }
  const unsigned type_bits = ptx::bits_of(type);
  unsigned width = 0;
  for (unsigned e = 0; e < access.elements; ++e) {
    const ptx::Operand& element = is_vector ? operand.elements[e] : operand;
    const bool is_register = element.kind == ptx::Operand::Kind::reg;
    const unsigned found = is_register ? decoder.register_width(element.index) : type_bits;
    if (element.kind == ptx::Operand::Kind::sink) {
      access.planes[e] = no_plane;
      if (access.writes) decoder.fail("'_' has no value to store");
      continue;
    }
    if (is_register && (found < type_bits || found == 1)) {
      decoder.fail(fmt::format("the register {} has {} bits, but {} are needed",
                               decoder.register_of(element.index).name, found, type_bits));
    }
    if (!access.writes && !is_register) decoder.fail("the destination must be a register");
    const unsigned held = found <= 16 ? 16 : found;
    if (width != 0 && held != width) decoder.fail("the elements must be registers of one width");
    width = held;
    access.planes[e] = is_register ? decoder.layout.of_register(element.index) : decoder.source_plane(element, type);
  }
  if (type == ptx::Type::b128) {
    // Two 64-bit halves, as the frame holds it.
    access.elements = 2;
    access.element_bytes = 8;
    access.planes[1] = access.planes[0] == no_plane ? no_plane : access.planes[0] + lanes * 8;
    width = 64;
  }
  access.transfer = transfer(access.writes, width, access.element_bytes, is_signed(type));
}

void decode_load_store(Decoder& decoder) {
  const bool writes = decoder.opcode() == ptx::Opcode::st;
  MemoryAccess& access = decoder.new_access();
  access.writes = writes;
  access.kind = writes ? "store" : "load";
  access.space = decoder.take_space();
  const ptx::Type type = decoder.take_type();
  access.elements = decoder.take_vector().value_or(1);
  access.constant_only = access.space == ptx::Space::constant;
  access.element_bytes = static_cast<std::uint8_t>(ptx::bits_of(type) / 8);
  access.bytes = std::uint32_t{access.elements} * access.element_bytes;
  decoder.expect_operands(2, decoder.instruction().has("L2::cache_hint") ? 3 : 2);
  decode_values(decoder, decoder.operand(writes ? 1 : 0), type, access);
  decoder.address(decoder.operand(writes ? 0 : 1), access);
  const bool is_private = access.space == ptx::Space::shared || access.space == ptx::Space::local;
  decoder.op.step = writes && !is_private ? store_global : load_or_store;
  if (access.space == ptx::Space::param) {
    if (writes) decoder.fail("the parameters of a kernel cannot be written");
    const bool fixed = access.base_width == 0;
    if (fixed && access.offset + access.bytes <= decoder.places.parameter_bytes && access.offset % access.bytes == 0) {
      decoder.op.step = load_parameter;
    }
  }
}

void decode_prefetch(Decoder& decoder) {
  MemoryAccess& access = decoder.new_access();
  access.kind = "prefetch";
  access.space = decoder.take_space();
  decoder.address(decoder.operand(0), access);
  decoder.op.step = prefetch;
}

void decode_copy(Decoder& decoder) {
  switch (ptx::access_of(decoder.instruction())) {
    case program::AccessKind::mbarrier: return decode_copies_arrive(decoder);
    case program::AccessKind::copy: return decode_copy_async(decoder);
    default: decoder.op.step = no_effect;
  }
}

}  // namespace lockstep::exec
