// mma: products of matrices that lie in the registers of a warp.

#include <algorithm>
#include <limits>
#include <type_traits>

#include "isa/exec/matrix/dot_product.hpp"
#include "isa/exec/matrix/fragments.hpp"
#include "isa/exec/matrix/matrix.hpp"
#include "isa/exec/thread_block.hpp"

namespace lockstep::exec::matrix {

namespace {

using ptx::Type;

/// Calls take(row, column, bits) for the elements of A or B, of `T` in `count` registers of 32 bits; `place` is of_a or of_b.
template <class T, Element (*place)(unsigned, unsigned, unsigned, unsigned), class Take>
void elements_of(const Warp& warp, const PlaneOffset* registers, unsigned count, Take&& take) {
  constexpr unsigned per_register = sizeof(std::uint32_t) / sizeof(T);
  for (unsigned r = 0; r < count; ++r) {
    const T* values = plane<T>(warp.frame, registers[r]);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      for (unsigned j = 0; j < per_register; ++j) {
        const Element at = place(lane, r, j, per_register);
        take(at.row, at.column, values[lane * per_register + j]);
      }
    }
  }
}

/// Sets each value of D, of `T` in registers of 32 bits, to sum(row, column, value of C); C may be D.
template <class T, class Sum>
void sums_to_d(const Warp& warp, const MatrixProduct& product, Sum&& sum) {
  constexpr unsigned per_register = sizeof(std::uint32_t) / sizeof(T);
  constexpr unsigned registers = 4 / per_register;  // Of 16 rows.
  T results[registers][lanes * per_register];
  for (unsigned r = 0; r < registers; ++r) {
    const T* c = plane<T>(warp.frame, product.c[r]);
    for (unsigned at = 0; at < lanes * per_register; ++at) {
      const Element place = of_c(at / per_register, r * per_register + at % per_register);
      results[r][at] = static_cast<T>(sum(place.row, place.column, c[at]));
    }
  }
  for (unsigned r = 0; r < registers; ++r)
    std::copy_n(results[r], lanes * per_register, plane<T>(warp.frame, product.d[r]));
}

const MatrixProduct& product_of(const Warp& warp, const Op& op) {
  return warp.owner->kernel().products[op.arithmetic.control];
}

template <Precision precision, class In, class Out>
Outcome multiply_floats(Warp& warp, const Op& op, LaneMask mask) {
  if (!whole_warp(warp, op, mask)) return Outcome::next;
  const MatrixProduct& product = product_of(warp, op);
  Factors a[most_rows], b[columns];
  elements_of<In, of_a>(warp, product.a.data(), product.a_registers,
                        [&](unsigned row, unsigned k, In bits) { set_factor(precision, a[row], k, bits); });
  elements_of<In, of_b>(warp, product.b.data(), product.b_registers,
                        [&](unsigned k, unsigned n, In bits) { set_factor(precision, b[n], k, bits); });
  sums_to_d<Out>(warp, product, [&](unsigned row, unsigned column, Out c) {
    return dot_product(precision, a[row], b[column], product.depth, c);
  });
  return Outcome::next;
}

/// Integer sums are exact, then cut to 32 bits or to the nearest number of 32 bits.
Outcome multiply_integers(Warp& warp, const Op& op, LaneMask mask) {
  if (!whole_warp(warp, op, mask)) return Outcome::next;
  const MatrixProduct& product = product_of(warp, op);
  std::int32_t a[most_rows][most_depth], b[columns][most_depth];
  const auto value = [](std::uint8_t bits, bool is_signed) {
    return is_signed ? std::int32_t{static_cast<std::int8_t>(bits)} : std::int32_t{bits};
  };
  using Byte = std::uint8_t;
  elements_of<Byte, of_a>(warp, product.a.data(), product.a_registers,
                          [&](unsigned row, unsigned k, Byte bits) { a[row][k] = value(bits, product.a_signed); });
  elements_of<Byte, of_b>(warp, product.b.data(), product.b_registers,
                          [&](unsigned k, unsigned n, Byte bits) { b[n][k] = value(bits, product.b_signed); });
  sums_to_d<std::uint32_t>(warp, product, [&](unsigned row, unsigned column, std::uint32_t c) {
    std::int32_t products = 0;
    for (unsigned k = 0; k < product.depth; ++k) products += a[row][k] * b[column][k];
    std::int64_t sum = std::int64_t{static_cast<std::int32_t>(c)} + products;
    using Limits = std::numeric_limits<std::int32_t>;
    if (product.saturates) sum = std::clamp<std::int64_t>(sum, Limits::min(), Limits::max());
    return static_cast<std::uint32_t>(sum);
  });
  return Outcome::next;
}

/// m8n8k4 of f64: one register of A and B, two of C, per lane.
Outcome multiply_doubles(Warp& warp, const Op& op, LaneMask mask) {
  if (!whole_warp(warp, op, mask)) return Outcome::next;
  const MatrixProduct& product = product_of(warp, op);
  const auto* a = plane<double>(warp.frame, product.a[0]);
  const auto* b = plane<double>(warp.frame, product.b[0]);
  double results[2][lanes];
  for (unsigned i = 0; i < 2; ++i) {
    const auto* c = plane<double>(warp.frame, product.c[i]);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const Element place = of_c(lane, i);
      double sum = c[lane];
      for (unsigned k = 0; k < 4; ++k) sum = next_sum(a[place.row * 4 + k], b[place.column * 4 + k], sum);
      results[i][lane] = sum;
    }
  }
  for (unsigned i = 0; i < 2; ++i) std::copy_n(results[i], lanes, plane<double>(warp.frame, product.d[i]));
  return Outcome::next;
}

void decode_registers(const Decoder& decoder, MatrixProduct& product, Type factors, Type sums) {
  decoder.expect_operands(4);
  registers_of(decoder, 0, product.c_registers, [&](std::size_t i, const ptx::Operand& operand) {
    product.d[i] = decoder.destination_plane(operand, sums);
  });
  registers_of(decoder, 1, product.a_registers, [&](std::size_t i, const ptx::Operand& operand) {
    product.a[i] = decoder.source_plane(operand, factors);
  });
  registers_of(decoder, 2, product.b_registers, [&](std::size_t i, const ptx::Operand& operand) {
    product.b[i] = decoder.source_plane(operand, factors);
  });
  registers_of(decoder, 3, product.c_registers,
               [&](std::size_t i, const ptx::Operand& operand) { product.c[i] = decoder.source_plane(operand, sums); });
}

}  // namespace

void decode_product(Decoder& decoder) {
  MatrixProduct product;
  const ptx::Instruction& instruction = decoder.instruction();
  constexpr unsigned depths[] = {4, 4, 8, 16, 32};
  const unsigned shape = decoder.take_which({"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32"});
  product.rows = shape == 0 ? 8 : 16;
  product.depth = static_cast<std::uint8_t>(depths[shape]);
  const auto lay_out = [&](unsigned per_register, unsigned sums_per_register) {
    const unsigned blocks = product.depth / (4 * per_register);
    product.b_registers = static_cast<std::uint8_t>(blocks);
    product.a_registers = static_cast<std::uint8_t>(blocks * product.rows / 8);
    product.c_registers = static_cast<std::uint8_t>(product.rows / 4 / sums_per_register);
  };
  Type factors = Type::b32, sums = Type::b32;
  if (instruction.has("f64")) {
    lay_out(1, 1);
    factors = sums = Type::f64;
    decoder.op.step = multiply_doubles;
  } else if (instruction.has("s32")) {
    lay_out(4, 1);
    product.saturates = decoder.take("satfinite");
    decoder.take("s32");
    product.a_signed = decoder.take_type() == Type::s8;
    product.b_signed = decoder.take_type() == Type::s8;
    decoder.op.step = multiply_integers;
  } else if (instruction.has("tf32")) {
    lay_out(1, 1);
    decoder.op.step = multiply_floats<Precision::tf32_to_f32, std::uint32_t, std::uint32_t>;
  } else if (instruction.has("bf16")) {
    lay_out(2, 1);
    decoder.op.step = multiply_floats<Precision::bf16_to_f32, std::uint16_t, std::uint32_t>;
  } else if (instruction.has("f32")) {
    lay_out(2, 1);
    decoder.op.step = multiply_floats<Precision::f16_to_f32, std::uint16_t, std::uint32_t>;
  } else {
    lay_out(2, 2);
    decoder.op.step = multiply_floats<Precision::f16_to_f16, std::uint16_t, std::uint16_t>;
  }
  decode_registers(decoder, product, factors, sums);
  decoder.op.arithmetic.control = static_cast<std::uint32_t>(decoder.kernel.products.size());
  decoder.kernel.products.push_back(product);
}

}  // namespace lockstep::exec::matrix
