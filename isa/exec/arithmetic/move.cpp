// mov (PTX ISA 9.7.9.1 and 9.7.9.2): registers, literals, special registers, addresses, and vectors that are packed
// into or unpacked from one register.

#include "isa/exec/arithmetic/families.hpp"

namespace lockstep::exec {

namespace {

using ptx::Operand;
using ptx::Type;

template <class T>
T copy(T a) {
  return a;
}
void run_copy_128(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  for (const PlaneOffset half : {PlaneOffset{0}, static_cast<PlaneOffset>(lanes * sizeof(std::uint64_t))}) {
    std::uint64_t values[lanes];
    std::memcpy(values, plane<std::uint64_t>(frame, operation.source[0] + half), sizeof values);
    store_lanes(frame, operation.destination + half, values, mask);
  }
}
void run_copy_predicate(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  store_predicate(frame, operation.destination, predicate(frame, operation.source[0]), mask);
}
/// A special register read with another width than its own.
template <class To, class From>
To resize(From a) {
  return static_cast<To>(a);
}

/// Where element `number` of an unpacked vector goes: slots that hold destinations here, because there is one source.
PlaneOffset& unpacked(Arithmetic& operation, std::size_t number) {
  switch (number) {
    case 0: return operation.destination;
    case 1: return operation.second_destination;
    default: return operation.source[number - 1];
  }
}
PlaneOffset unpacked(const Arithmetic& operation, std::size_t number) {
  switch (number) {
    case 0: return operation.destination;
    case 1: return operation.second_destination;
    default: return operation.source[number - 1];
  }
}

/// The values of a register of `bits` bits, its 128-bit form as two planes.
template <unsigned bits>
using Whole =
    std::conditional_t<bits == 16, std::uint16_t, std::conditional_t<bits == 32, std::uint32_t, std::uint64_t>>;

/// Element `number` of `parts` begins at this bit of the 64 (or fewer) that its plane holds.
template <unsigned bits, unsigned parts>
struct Packing {
  static constexpr unsigned part_bits = bits / parts;
  static constexpr unsigned parts_per_plane = bits == 128 ? parts / 2 : parts;
  static constexpr unsigned planes = bits == 128 ? 2 : 1;
  using W = Whole<bits>;
  using P = Whole<part_bits == 8 ? 16 : part_bits>;
  static constexpr W part_mask =
      part_bits == sizeof(W) * 8 ? static_cast<W>(~W{0}) : static_cast<W>((std::uint64_t{1} << part_bits % 64) - 1);

  static void pack(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
    W results[planes][lanes] = {};
    for (unsigned part = 0; part < parts; ++part) {
      const P* const from = plane<P>(frame, operation.source[part]);
      const unsigned shift = part % parts_per_plane * part_bits;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        W& result = results[part / parts_per_plane][lane];
        result = static_cast<W>(result | static_cast<W>((from[lane] & part_mask) << shift));
      }
    }
    for (unsigned i = 0; i < planes; ++i) {
      store_lanes(frame, operation.destination + i * static_cast<PlaneOffset>(sizeof results[i]), results[i], mask);
    }
  }

  static void unpack(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
    P results[parts][lanes];
    for (unsigned part = 0; part < parts; ++part) {
      const W* const from = plane<W>(frame, operation.source[0]) + part / parts_per_plane * lanes;
      const unsigned shift = part % parts_per_plane * part_bits;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        results[part][lane] = static_cast<P>(static_cast<W>(from[lane] >> shift) & part_mask);
      }
    }
    for (unsigned part = 0; part < parts; ++part) store_lanes(frame, unpacked(operation, part), results[part], mask);
  }
};

struct Packed {
  unsigned bits;
  std::size_t parts;
  Type part;
  Arithmetic::Run pack, unpack;
};
constexpr Packed packings[] = {
    {16, 2, Type::b8, &Packing<16, 2>::pack, &Packing<16, 2>::unpack},
    {32, 2, Type::b16, &Packing<32, 2>::pack, &Packing<32, 2>::unpack},
    {32, 4, Type::b8, &Packing<32, 4>::pack, &Packing<32, 4>::unpack},
    {64, 2, Type::b32, &Packing<64, 2>::pack, &Packing<64, 2>::unpack},
    {64, 4, Type::b16, &Packing<64, 4>::pack, &Packing<64, 4>::unpack},
    {128, 2, Type::b64, &Packing<128, 2>::pack, &Packing<128, 2>::unpack},
    {128, 4, Type::b32, &Packing<128, 4>::pack, &Packing<128, 4>::unpack},
};

// ---- decoding ----

Arithmetic::Run select_copy(const Decoder& d, Type type) {
  switch (plane_bits(type)) {
    case 1: return &run_copy_predicate;
    case 16: return over_lanes<&copy<std::uint16_t>>;
    case 32: return over_lanes<&copy<std::uint32_t>>;
    case 64: return over_lanes<&copy<std::uint64_t>>;
    case 128: return &run_copy_128;
    default: d.unhandled(type);
  }
}

const Packed& find_packing(const Decoder& d, Type type, std::size_t parts) {
  for (const Packed& candidate : packings) {
    if (candidate.bits == ptx::bits_of(type) && candidate.parts == parts) return candidate;
  }
  d.fail(fmt::format("a vector of {} does not make a .{}", parts, ptx::name_of(type)));
}

/// mov.u16 and mov.u64 of a 32-bit special register take its low bits or extend it by zeros (PTX ISA 10).
void decode_special(Decoder& d, Type type, const Operand& from) {
  d.destination(0, type);
  d.result().source[0] = d.special_plane(from);
  const unsigned bits = ptx::bits_of(type);
  if (bits != 16 && bits != 32 && bits != 64) {
    d.fail(fmt::format("the special register %{} does not make a .{}", ptx::name_of(from.special), ptx::name_of(type)));
  }
  if (ptx::bits_of(from.special) == 64) {
    return d.finish(bits == 64   ? over_lanes<&copy<std::uint64_t>>
                    : bits == 32 ? over_lanes<&resize<std::uint32_t, std::uint64_t>>
                                 : over_lanes<&resize<std::uint16_t, std::uint64_t>>);
  }
  d.finish(bits == 64   ? over_lanes<&resize<std::uint64_t, std::uint32_t>>
           : bits == 32 ? over_lanes<&copy<std::uint32_t>>
                        : over_lanes<&resize<std::uint16_t, std::uint32_t>>);
}

void decode_move(Decoder& d) {
  const Type type = d.take_type();
  d.expect_operands(2);
  const Operand &to = d.operand(0), &from = d.operand(1);
  if (to.kind == Operand::Kind::vector && from.kind == Operand::Kind::vector) d.fail("both operands are vectors");
  if (to.kind == Operand::Kind::vector) {
    const Packed& packing = find_packing(d, type, to.elements.size());
    d.source(0, 1, type);
    for (std::size_t i = 0; i < packing.parts; ++i) {
      unpacked(d.result(), i) = d.destination_plane(to.elements[i], packing.part, Sink::spare);
    }
    return d.finish(packing.unpack);
  }
  if (from.kind == Operand::Kind::vector) {
    const Packed& packing = find_packing(d, type, from.elements.size());
    d.destination(0, type);
    for (std::size_t i = 0; i < packing.parts; ++i) {
      d.result().source[i] = d.source_plane(from.elements[i], packing.part);
    }
    return d.finish(packing.pack);
  }
  if (from.kind == Operand::Kind::special) return decode_special(d, type, from);
  d.destination(0, type);
  d.result().source[0] = d.source_or_address(from, type);
  d.finish(select_copy(d, type));
}

constexpr ArithmeticOpcode opcodes[] = {{ptx::Opcode::mov, decode_move, decode_move}};

}  // namespace

std::span<const ArithmeticOpcode> move_opcodes() {
  return opcodes;
}

}  // namespace lockstep::exec
