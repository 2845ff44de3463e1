// The address as a polynomial over GF(2), modulo a polynomial of as many bits as number a target (Rau, Pseudo-randomly
// interleaved memory, ISCA 1991). When that polynomial is irreducible, every power-of-two stride is free of conflicts.

#include <fmt/format.h>

#include <bit>

#include "models/hash/family.hpp"

namespace lockstep::hash {

namespace {

int degree_of(std::uint64_t polynomial) {
  return static_cast<int>(std::bit_width(polynomial)) - 1;
}

std::uint64_t remainder(std::uint64_t dividend, std::uint64_t divisor) {
  for (int shift = degree_of(dividend) - degree_of(divisor); shift >= 0; --shift)
    if ((dividend >> (shift + degree_of(divisor)) & 1) != 0) dividend ^= divisor << shift;
  return dividend;
}

bool irreducible(std::uint64_t polynomial) {
  for (std::uint64_t divisor = 2; degree_of(divisor) <= degree_of(polynomial) / 2; ++divisor)
    if (remainder(polynomial, divisor) == 0) return false;
  return true;
}

/// The smallest irreducible polynomial of this degree with a constant term.
std::uint64_t default_polynomial(std::uint32_t degree) {
  std::uint64_t polynomial = (std::uint64_t{1} << degree) | 1;
  while (!irreducible(polynomial)) polynomial += 2;
  return polynomial;
}

std::optional<LinearHash> linear(const SpecText& spec, const Shape& shape) {
  const std::uint32_t degree = shape.target_bits();
  std::uint64_t polynomial = default_polynomial(degree);
  if (spec.arguments()) {
    const Piece given = spec.list(1, "ipoly or ipoly:HEX")[0];
    polynomial = spec.hexadecimal(given, "the polynomial");
    if (degree_of(polynomial) != static_cast<int>(degree))
      spec.fail(given.column, fmt::format("{} targets need a polynomial of degree {}, for example {:x}; found {}",
                                          shape.targets, degree, default_polynomial(degree),
                                          polynomial == 0 ? "0" : fmt::format("degree {}", degree_of(polynomial))));
  }
  LinearHash hash{std::vector<std::uint64_t>(degree, 0)};
  std::uint64_t power = 1;  // x^j modulo the polynomial.
  for (std::uint32_t j = 0; j < shape.word_bits() && degree > 0; ++j) {
    for (std::uint32_t i = 0; i < degree; ++i) hash.rows[i] |= (power >> i & 1) << j;
    power <<= 1;
    if ((power >> degree & 1) != 0) power ^= polynomial;
  }
  return hash;
}

}  // namespace

extern const FamilyDeclaration ipoly_family = {
    "ipoly", "ipoly, ipoly:HEX",
    "the word address as a polynomial over GF(2) modulo another, whose coefficients are the bits of HEX (the smallest "
    "irreducible one when none is given)",
    linear, nullptr};

}  // namespace lockstep::hash
