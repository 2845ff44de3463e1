// wmma.mma: two products of 16x8 elements, of tf32 each in two steps of four summands.

#include <fmt/format.h>

#include <algorithm>

#include "isa/ptx/wmma/parts.hpp"

namespace lockstep::ptx::wmma {

namespace {

std::vector<Operand> elements_of(const Operand& operand) {
  return operand.kind == Operand::Kind::vector ? operand.elements : std::vector<Operand>{operand};
}

/// What a machine instruction multiplies, as the mma that stands for it.
std::string mnemonic_of(const Product& form, Elements sums) {
  constexpr std::string_view types[] = {"f16", "bf16", "tf32", "u8", "s8", "f64", "f32", "s32"};
  const std::string_view in = types[static_cast<std::size_t>(form.factors)];
  const std::string_view out = types[static_cast<std::size_t>(sums)];
  const std::string_view shape = form.factors == Elements::f64    ? "m8n8k4"
                                 : form.factors == Elements::tf32 ? "m16n8k4"
                                                                  : "m16n8k16";
  return fmt::format("mma.sync.aligned.{}.row.col{}.{}.{}.{}.{}", shape, form.saturates ? ".satfinite" : "", out, in,
                     in, out);
}

/// Sums of f16 in pairs as sums of f32.
std::vector<Operand> widened(Writer& writer, const std::vector<Operand>& pairs) {
  std::vector<Operand> result;
  for (const Operand& pair : pairs) {
    const RegisterId halves[] = {writer.new_register(Type::b16), writer.new_register(Type::b16)};
    writer.write("mov.b32", {list_operand({register_operand(halves[0]), register_operand(halves[1])}), pair}, false);
    for (const RegisterId half : halves)
      result.push_back(register_operand(writer.compute("cvt.f32.f16", {register_operand(half)}, Type::f32)));
  }
  return result;
}

/// Whether one of the products would read what an earlier one has written in D, but for its own sum.
bool overlap(const std::vector<Operand>& d, const std::vector<Operand>& a, const std::vector<Operand>& b,
             const std::vector<Operand>& c) {
  for (std::size_t i = 0; i < d.size(); ++i) {
    const auto is_it = [&](const Operand& other) { return other.index == d[i].index; };
    if (std::any_of(a.begin(), a.end(), is_it) || std::any_of(b.begin(), b.end(), is_it)) return true;
    for (std::size_t j = 0; j < c.size(); ++j)
      if (j != i && is_it(c[j])) return true;
  }
  return false;
}

std::vector<Operand> part_of(const std::vector<Operand>& all, std::size_t first, std::size_t count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

void multiply(Writer& writer, const Product& form) {
  const auto& operands = writer.current().operands;
  const std::vector<Operand> result = elements_of(operands[0]);
  std::vector<Operand> first = elements_of(operands[1]), second = elements_of(operands[2]);
  std::vector<Operand> c = elements_of(operands[3]);
  if (form.shape.flipped()) std::swap(first, second);
  // Where one of C and D has 16 bits and the other 32, sums have 32.
  const bool of_halves = form.c == Elements::f16 && form.d == Elements::f16;
  const Elements sums = form.d == Elements::f16 && !of_halves ? Elements::f32 : form.d;
  if (form.c == Elements::f16 && !of_halves) c = widened(writer, c);
  std::vector<Operand> d = result;
  const bool narrows = form.d != sums;
  if (narrows || overlap(d, first, second, c)) {
    const Type type = form.factors == Elements::f64 ? Type::f64 : sums == Elements::f32 ? Type::f32 : Type::b32;
    d.clear();
    for (std::size_t i = 0; i < c.size(); ++i) d.push_back(register_operand(writer.new_register(type)));
  }

  // By tiles: of the first factor 16 rows, of the second 8 columns; m32n8k16 has two of the former, m16n16 of the latter.
  const bool tall = form.shape.m == 32 || form.shape.flipped();
  const std::size_t steps = form.factors == Elements::tf32 ? 2 : 1;
  const std::size_t products = form.factors == Elements::f64 ? 1 : 2, of_sum = d.size() / products;
  const std::size_t of_second = bytes_of(form.factors) == 2 ? 2 : 1;
  const std::size_t of_first = form.factors == Elements::f64 ? 1 : 2 * of_second;
  const std::string mnemonic = mnemonic_of(form, sums);
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t n = 0; n < products; ++n) {
      const std::size_t a_at = ((tall ? n : 0) * steps + step) * of_first;
      const std::size_t b_at = ((tall ? 0 : n) * steps + step) * of_second;
      writer.write(mnemonic,
                   {list_operand(part_of(d, n * of_sum, of_sum)), list_operand(part_of(first, a_at, of_first)),
                    list_operand(part_of(second, b_at, of_second)),
                    list_operand(part_of(step == 0 ? c : d, n * of_sum, of_sum))});
    }
  }

  if (narrows) {
    for (std::size_t i = 0; i < result.size(); ++i)
      writer.write("cvt.rn.f16x2.f32", {result[i], d[2 * i + 1], d[2 * i]});
  } else if (d[0].index != result[0].index) {
    const char* const move = form.factors == Elements::f64 ? "mov.b64" : "mov.b32";
    for (std::size_t i = 0; i < result.size(); ++i) writer.write(move, {result[i], d[i]});
  }
}

}  // namespace lockstep::ptx::wmma
