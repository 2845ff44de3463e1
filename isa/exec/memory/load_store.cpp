// Loads, stores, prefetches and asynchronous copies.

#include <fmt/format.h>

#include <cstring>

#include "isa/exec/decoding.hpp"
#include "isa/exec/memory/addressing.hpp"
#include "isa/exec/steps.hpp"

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

template <class Register, class Memory>
void store_element(std::byte* frame, PlaneOffset from, std::byte* const* host, LaneMask mask, unsigned at) {
  const auto* values = plane<Register>(frame, from);
  for_each_lane(mask, [&](unsigned lane) {
    const auto value = static_cast<Memory>(values[lane]);
    std::memcpy(host[lane] + at, &value, sizeof value);
  });
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
  const MemoryAccess& access = *op.memory;
  if (!begin_access(warp, op, mask)) return Outcome::next;
  for (unsigned e = 0; e < access.elements; ++e) {
    if (access.planes[e] == no_plane) continue;
    access.transfer(warp.frame, access.planes[e], warp.host, mask, e * access.element_bytes);
  }
  return Outcome::next;
}

/// A load whose address is the same in every lane and known when the kernel is decoded: parameters of the kernel.
Outcome load_parameter(Warp& warp, const Op& op, LaneMask mask) {
  const MemoryAccess& access = *op.memory;
  form_addresses(warp, access);
  record_access(warp, op, mask);
  if (mask == 0) return Outcome::next;
  std::byte* const at = warp.owner->context().parameters->host + access.offset;
  for (unsigned lane = 0; lane < lanes; ++lane) warp.host[lane] = at;
  for (unsigned e = 0; e < access.elements; ++e) {
    if (access.planes[e] == no_plane) continue;
    access.transfer(warp.frame, access.planes[e], warp.host, mask, e * access.element_bytes);
  }
  return Outcome::next;
}

/// Touches nothing: a prefetch may name any address.
Outcome prefetch(Warp& warp, const Op& op, LaneMask mask) {
  if (mask != 0) form_addresses(warp, *op.memory);
  record_access(warp, op, mask);
  return Outcome::next;
}

/// Source bytes move to the scratchpad at once; bytes past the source size become zero. Lanes that copy no byte do not
/// read. Planes: source 1 the source size, source 2 the predicate that turns the source off (control: its flip).
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
  LaneMask reads = 0;
  const LaneMask ignored =
      op.arithmetic.source[2] == no_plane ? 0 : predicate(warp.frame, op.arithmetic.source[2]) ^ op.arithmetic.control;
  for_each_lane(mask, [&](unsigned lane) {
    size[lane] = op.arithmetic.source[1] == no_plane
                     ? from.bytes
                     : std::min(plane<std::uint32_t>(warp.frame, op.arithmetic.source[1])[lane], from.bytes);
    if ((ignored >> lane & 1) != 0) size[lane] = 0;
    if (size[lane] != 0) reads |= LaneMask{1} << lane;
  });
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

MemoryAccess& new_access(Decoding& decoding) {
  return decoding.kernel.accesses.emplace_back();
}

bool is_signed(ptx::Type type) {
  return type == ptx::Type::s8 || type == ptx::Type::s16 || type == ptx::Type::s32 || type == ptx::Type::s64;
}

void decode_load_or_store(Decoding& decoding, Modifiers& modifiers, bool writes) {
  MemoryAccess& access = new_access(decoding);
  access.writes = writes;
  access.kind = writes ? "store" : "load";
  access.space = modifiers.take_space();
  modifiers.skip_ordering_and_cache();
  const ptx::Type type = modifiers.take_type();
  const std::string_view vector = modifiers.take_any({"v2", "v4", "v8"});
  modifiers.finish();
  if (type == ptx::Type::none || type == ptx::Type::pred) decoding.fail("names no type that memory holds");
  if (writes && access.space == ptx::Space::constant) decoding.fail("the const space cannot be written");
  access.constant_only = access.space == ptx::Space::constant;
  access.elements = vector.empty() ? 1 : static_cast<std::uint8_t>(vector[1] - '0');
  access.element_bytes = static_cast<std::uint8_t>(ptx::bits_of(type) / 8);
  access.bytes = std::uint32_t{access.elements} * access.element_bytes;
  if (access.bytes > 32) decoding.fail(fmt::format("moves {} bytes per thread; 32 are possible", access.bytes));
  const std::size_t most = decoding.instruction->has("L2::cache_hint") ? 3 : 2;
  decoding.expect_operands(2, most);
  const auto& operands = decoding.instruction->operands;
  decode_values(decoding, operands[writes ? 1 : 0], type, access);
  decoding.address(operands[writes ? 0 : 1], access);
  decoding.op.memory = &access;
  decoding.op.step = load_or_store;
  if (access.space == ptx::Space::param) {
    if (writes) decoding.fail("the parameters of a kernel cannot be written");
    const bool fixed = access.base_width == 0;
    if (fixed && access.offset + access.bytes <= decoding.places.parameter_bytes && access.offset % access.bytes == 0) {
      decoding.op.step = load_parameter;
    }
  }
}

void decode_prefetch(Decoding& decoding, Modifiers& modifiers) {
  MemoryAccess& access = new_access(decoding);
  access.kind = "prefetch";
  access.space = modifiers.take_space();
  modifiers.skip_ordering_and_cache();
  modifiers.take_any({"L1", "L2"});
  modifiers.take("tensormap");
  modifiers.finish();
  decoding.expect_operands(1, 3);
  decoding.address(decoding.instruction->operands[0], access);
  decoding.op.memory = &access;
  decoding.op.step = prefetch;
}

void decode_copy_async(Decoding& decoding, Modifiers& modifiers) {
  if (modifiers.take("bulk")) decoding.fail("bulk copies are not supported");
  if (modifiers.take("mbarrier")) decoding.fail("copies that arrive at an mbarrier are not supported");
  if (!modifiers.take("shared") && !modifiers.take("shared::cta"))
    decoding.fail("only copies to .shared are supported");
  if (!modifiers.take("global")) decoding.fail("only copies from .global are supported");
  modifiers.skip_ordering_and_cache();
  modifiers.finish();
  decoding.expect_operands(3, 5);
  const auto& operands = decoding.instruction->operands;
  if (operands[2].kind != ptx::Operand::Kind::integer ||
      (operands[2].bits != 4 && operands[2].bits != 8 && operands[2].bits != 16)) {
    decoding.fail("the size of a copy is 4, 8 or 16");
  }
  // The two accesses stand side by side, so that the step finds the second behind the first.
  auto& pair = decoding.kernel.copies.emplace_back();
  MemoryAccess& from = pair[0];
  MemoryAccess& to = pair[1];
  from.kind = "asynchronous copy, load";
  from.space = ptx::Space::global;
  to.kind = "asynchronous copy, store";
  to.space = ptx::Space::shared;
  to.writes = true;
  from.bytes = to.bytes = static_cast<std::uint32_t>(operands[2].bits);
  decoding.address(operands[0], to);
  decoding.address(operands[1], from);
  if (operands.size() > 3) {
    const bool ignores = operands[3].kind == ptx::Operand::Kind::reg && decoding.register_width(operands[3].index) == 1;
    const bool policy = operands[3].kind == ptx::Operand::Kind::reg && decoding.register_width(operands[3].index) == 64;
    if (ignores) {
      decoding.op.arithmetic.source[2] = decoding.predicate_source(operands[3], decoding.op.arithmetic.control);
    } else if (!policy) {
      decoding.op.arithmetic.source[1] = decoding.source(operands[3], 32);
    }
  }
  decoding.op.memory = &from;
  decoding.op.step = copy_async;
}

}  // namespace

void decode_values(Decoding& decoding, const ptx::Operand& operand, ptx::Type type, MemoryAccess& access) {
  const bool is_vector = operand.kind == ptx::Operand::Kind::vector;
  if (is_vector != (access.elements > 1)) decoding.fail("the operand has not as many elements as the instruction");
  if (is_vector && operand.elements.size() != access.elements) {
    decoding.fail(fmt::format("needs {} elements, not {}", access.elements, operand.elements.size()));
  }
  const unsigned type_bits = ptx::bits_of(type);
  unsigned width = 0;
  for (unsigned e = 0; e < access.elements; ++e) {
    const ptx::Operand& element = is_vector ? operand.elements[e] : operand;
    const bool is_register = element.kind == ptx::Operand::Kind::reg;
    const unsigned found = is_register ? decoding.register_width(element.index) : type_bits;
    if (element.kind == ptx::Operand::Kind::sink) {
      access.planes[e] = no_plane;
      if (access.writes) decoding.fail("'_' has no value to store");
      continue;
    }
    if (is_register && (found < type_bits || found == 1)) {
      decoding.fail(fmt::format("the register {} has {} bits, but {} are needed",
                                decoding.function.registers[element.index].name, found, type_bits));
    }
    if (!access.writes && !is_register) decoding.fail("the destination must be a register");
    const unsigned held = found <= 16 ? 16 : found;
    if (width != 0 && held != width) decoding.fail("the elements must be registers of one width");
    width = held;
    access.planes[e] =
        is_register ? decoding.layout.of_register(element.index) : decoding.source(element, found <= 16 ? 16 : found);
  }
  if (type == ptx::Type::b128) {
    // Two 64-bit halves, as the frame holds it.
    if (is_vector) decoding.fail("vectors of .b128 are not supported");
    access.elements = 2;
    access.element_bytes = 8;
    access.planes[1] = access.planes[0] == no_plane ? no_plane : access.planes[0] + lanes * 8;
    width = 64;
  }
  access.transfer = transfer(access.writes, width, access.element_bytes, is_signed(type));
}

bool decode_load_store(Decoding& decoding) {
  const std::string& opcode = decoding.instruction->opcode;
  Modifiers modifiers(decoding);
  if (opcode == "ld" || opcode == "ldu" || opcode == "st") {
    decode_load_or_store(decoding, modifiers, opcode == "st");
    return true;
  }
  if (opcode == "prefetch" || opcode == "prefetchu" || opcode == "applypriority" || opcode == "discard") {
    decode_prefetch(decoding, modifiers);
    return true;
  }
  if (opcode != "cp" || !modifiers.take("async")) return false;
  if (modifiers.take("commit_group") || modifiers.take("wait_group") || modifiers.take("wait_all")) {
    const bool bulk = modifiers.take("bulk");
    if (bulk) decoding.fail("bulk copies are not supported");
    modifiers.finish();
    decoding.op.step = no_effect;
    return true;
  }
  decode_copy_async(decoding, modifiers);
  return true;
}

}  // namespace lockstep::exec
