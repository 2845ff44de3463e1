#pragma once
// Rounding directions of PTX and their exact execution on the CPU.

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
double add_to_odd(double a, double b);

/// The integer next to `value` in the given direction (.rni, .rzi, .rmi, .rpi); keeps the sign of zero, infinities and
/// NaN. Depends on no CPU mode.
double round_to_integral(double value, Rounding rounding);

}  // namespace lockstep::exec
