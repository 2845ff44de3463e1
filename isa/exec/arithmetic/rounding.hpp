#pragma once
// Rounding directions of PTX and their exact execution on the CPU.

#include <bit>
#include <cstdint>

namespace lockstep::exec {

/// .rn, .rz, .rm, .rp and .rna.
enum class Rounding : std::uint8_t { nearest, zero, down, up, nearest_away };

/// Sets the CPU's rounding direction for the life of the object; nearest afterwards. The functions it calls are opaque
/// to the compiler, so every load of an operand stays behind the constructor and every store of a result before the
/// destructor: operands must be loaded from, and results stored to, memory that others can see (a frame).
/// Not for nearest_away, which CPUs do not have.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding rounding);
  ~RoundingScope();
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;
};

/// The sum rounded to odd: exact, or the neighbour with an odd last bit. Rounding it once more to a format of at most
/// 51 fraction bits gives the correctly rounded sum in any direction.
inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  const double of_b = sum - a, of_a = sum - of_b;
  const double error = (a - of_a) + (b - of_b);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  constexpr std::uint64_t exponent = std::uint64_t{0x7ff} << 52, down = ~std::uint64_t{0};
  // An infinite or NaN sum stays as it is. Selections only, so that loops over lanes vectorise.
  const std::uint64_t even = (bits & 1) - 1, finite = (bits & exponent) != exponent ? down : 0;
  const std::uint64_t greater = error > 0 ? down : 0, less = error < 0 ? down : 0, positive = sum > 0 ? down : 0;
  // One unit away from zero where the error has the sum's sign, else one towards it.
  const std::uint64_t step = ((greater ^ positive) | 1) & (greater | less);
  return std::bit_cast<double>(bits + (step & even & finite));
}

/// The integer next to `value` in the given direction (.rni, .rzi, .rmi, .rpi); keeps the sign of zero, infinities and
/// NaN. Depends on no CPU mode.
double round_to_integral(double value, Rounding rounding);

}  // namespace lockstep::exec
