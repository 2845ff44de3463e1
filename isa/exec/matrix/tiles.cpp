// ldmatrix, stmatrix and movmatrix: 8x8 matrices of 16-bit elements, of which each lane holds two neighbours of a row in a
// register. Row r of matrix n of an access lies where lane 8 * n + r says.

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "isa/error.hpp"
#include "isa/exec/matrix/fragments.hpp"
#include "isa/exec/matrix/matrix.hpp"
#include "isa/exec/memory/addressing.hpp"
#include "isa/exec/subjects.hpp"
#include "isa/ptx/wmma/expansion.hpp"

namespace lockstep::exec::matrix {

namespace {

constexpr unsigned rows = 8, row_bytes = 16;

/// Where half j of a lane's register belongs: in rows as they are, or as columns (.trans).
template <bool transposed>
std::byte* place_of(std::byte* const* host, unsigned matrix, unsigned lane, unsigned j) {
  const Element at = of_tile(lane, j);
  const Element place = transposed ? Element{at.column, at.row} : at;
  return host[matrix * rows + place.row] + place.column * sizeof(std::uint16_t);
}

/// A MemoryAccess::Transfer of the matrix whose rows begin `at` behind those of the first.
template <bool transposed>
void load_matrix(std::byte* frame, PlaneOffset to, std::byte* const* host, LaneMask, unsigned at) {
  auto* values = plane<std::uint16_t>(frame, to);
  for (unsigned half = 0; half < 2 * lanes; ++half)
    std::memcpy(values + half, place_of<transposed>(host, at / row_bytes, half / 2, half % 2), sizeof *values);
}
template <bool transposed>
void store_matrix(std::byte* frame, PlaneOffset from, std::byte* const* host, LaneMask, unsigned at) {
  const auto* values = plane<std::uint16_t>(frame, from);
  for (unsigned half = 0; half < 2 * lanes; ++half)
    std::memcpy(place_of<transposed>(host, at / row_bytes, half / 2, half % 2), values + half, sizeof *values);
}

Outcome access_matrices(Warp& warp, const Op& op, LaneMask mask) {
  const MemoryAccess& access = *op.memory;
  const bool executes = whole_warp(warp, op, mask);
  if (!begin_access(warp, op, executes ? access.address_lanes : 0)) return Outcome::next;
  for (unsigned e = 0; e < access.elements; ++e)
    access.transfer(warp.frame, access.planes[e], warp.host, mask, e * access.element_bytes);
  return end_access(warp, op, access.address_lanes);
}

Outcome transpose(Warp& warp, const Op& op, LaneMask mask) {
  if (!whole_warp(warp, op, mask)) return Outcome::next;
  const auto* from = plane<std::uint16_t>(warp.frame, op.arithmetic.source[0]);
  std::uint16_t results[2 * lanes];
  for (unsigned half = 0; half < 2 * lanes; ++half) {
    const Element at = of_tile(half / 2, half % 2);
    results[half] = from[at.column * rows + at.row];
  }
  std::memcpy(plane<std::uint16_t>(warp.frame, op.arithmetic.destination), results, sizeof results);
  return Outcome::next;
}

void decode_access(Decoder& decoder) {
  decoder.expect_operands(2);
  MemoryAccess& access = decoder.new_access();
  access.writes = decoder.opcode() == ptx::Opcode::stmatrix;
  access.kind = access.writes ? "matrix store" : "matrix load";
  access.elements = static_cast<std::uint8_t>(1u << decoder.take_which({"x1", "x2", "x4"}));
  access.element_bytes = row_bytes;
  access.bytes = row_bytes;
  access.address_lanes = access.elements == 4 ? ~LaneMask{0} : (LaneMask{1} << access.elements * rows) - 1;
  access.space = decoder.take_space();
  if (decoder.take("trans")) {
    access.transfer = access.writes ? store_matrix<true> : load_matrix<true>;
  } else {
    access.transfer = access.writes ? store_matrix<false> : load_matrix<false>;
  }
  decoder.address(decoder.operand(access.writes ? 0 : 1), access);
  const std::size_t number = access.writes ? 1 : 0;
  registers_of(decoder, number, access.elements, [&](std::size_t i, const ptx::Operand& operand) {
    access.planes[i] = access.writes ? decoder.source_plane(operand, ptx::Type::b32)
                                     : decoder.destination_plane(operand, ptx::Type::b32);
  });
  decoder.op.step = access_matrices;
}

void decode_transpose(Decoder& decoder) {
  decoder.expect_operands(2);
  decoder.destination(0, ptx::Type::b32);
  decoder.source(0, 1, ptx::Type::b32);
  decoder.op.step = transpose;
}

/// Of a wmma that is not right no instructions were made.
void decode_wmma(Decoder& decoder) {
  const std::string wrong = ptx::wmma::wrong_operands(decoder.function, decoder.instruction());
  if (!wrong.empty()) decoder.fail(wrong);
  decoder.op.step = [](Warp&, const Op&, LaneMask) -> Outcome { throw Bug("a wmma is executed as it is written"); };
}

}  // namespace

Outcome require_whole_warp(Warp& warp, const Op& op, LaneMask mask) {
  whole_warp(warp, op, mask);
  return Outcome::next;
}

bool whole_warp(const Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0) return false;
  if (mask == ~LaneMask{0}) return true;
  const auto absent = static_cast<unsigned>(std::countr_zero(~mask));
  warp.owner->fail(warp, op, static_cast<unsigned>(std::countr_zero(mask)),
                   fmt::format("all 32 lanes of a warp must execute this together; lane {} does not", absent));
}

}  // namespace lockstep::exec::matrix

namespace lockstep::exec {

void decode_matrix(Decoder& decoder) {
  switch (decoder.opcode()) {
    case ptx::Opcode::ldmatrix:
    case ptx::Opcode::stmatrix: return matrix::decode_access(decoder);
    case ptx::Opcode::movmatrix: return matrix::decode_transpose(decoder);
    case ptx::Opcode::mma: return matrix::decode_product(decoder);
    case ptx::Opcode::wmma: return matrix::decode_wmma(decoder);
    default: throw Bug(fmt::format("matrix instructions do not decode {}", ptx::name_of(decoder.opcode())));
  }
}

}  // namespace lockstep::exec
