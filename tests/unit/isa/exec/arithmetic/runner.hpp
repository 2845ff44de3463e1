#pragma once
// Runs one PTX instruction on rows of operand values, for the tests of arithmetic.

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "isa/exec/kernel.hpp"

namespace lockstep::test {

using Row = std::vector<std::uint64_t>;

/// One instruction in a kernel that declares %p (predicates), %h (b16), %r (b32), %d (b64), %q (b128), %f (f32) and
/// %fd (f64), sixteen of each. Every run is made twice, once with all lanes active and once in two halves of the lanes
/// one after the other; a difference between the two, or a byte of the frame changed that belongs to no destination and
/// active lane, throws.
class InstructionRunner {
 public:
  explicit InstructionRunner(const std::string& text);

  /// What the first operand holds afterwards, for each row of values of the register sources in the order written.
  /// An address in `mov` is `symbol_address`.
  std::vector<std::uint64_t> run_rows(const std::vector<Row>& rows);
  std::uint64_t run(std::initializer_list<std::uint64_t> row) { return run_rows(std::vector<Row>{Row(row)})[0]; }

  /// Of the last run: what a destination holds, by its place among the destinations: the first operand (or the elements
  /// of its vector), then the predicate after |, then the carry.
  std::vector<std::uint64_t> destination(unsigned number) const { return results_[number]; }
  /// The carry that the next runs begin with.
  void set_carry(bool carry) { carry_in_ = carry; }
  bool carry() const { return results_.back()[0] != 0; }

  static constexpr std::uint64_t symbol_address = 0x123456789abcdef0;

 private:
  struct Plane {
    exec::PlaneOffset offset;
    unsigned bits;
  };
  void run_lanes(const std::vector<Row>& rows, std::size_t first, exec::LaneMask mask,
                 std::vector<std::vector<std::uint64_t>>& results);
  std::vector<std::byte> prepare(const std::vector<Row>& rows, std::size_t first) const;
  Plane plane_of(ptx::RegisterId id) const;
  exec::FrameLayout& layout() { return kernel_.functions[0].layout; }
  const exec::FrameLayout& layout() const { return kernel_.functions[0].layout; }

  ptx::Module module_;
  exec::Kernel kernel_;
  exec::Arithmetic operation_;
  std::vector<Plane> sources_, destinations_;
  bool carry_in_ = false;
  std::vector<std::vector<std::uint64_t>> results_;
};

/// Bits of numbers, and back.
inline std::uint64_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
inline std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}
inline float as_float(std::uint64_t value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value));
}
inline double as_double(std::uint64_t value) {
  return std::bit_cast<double>(value);
}

/// Values of `width` bits at which integer instructions go wrong, then random ones of random magnitude.
std::vector<std::uint64_t> integer_values(unsigned width, unsigned random, std::uint64_t seed);
/// Bit patterns of f16 (width 16), f32 or f64: zeros, ones, limits, denormals, infinities, NaNs; then random bits, and
/// random values near 1.
std::vector<std::uint64_t> float_values(unsigned width, unsigned random, std::uint64_t seed);
/// All pairs of values, or all triples.
std::vector<Row> pairs(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b);
/// `count` rows of values picked at random from each list.
std::vector<Row> picks(const std::vector<std::vector<std::uint64_t>>& lists, unsigned count, std::uint64_t seed);

/// Runs `text` on the rows and counts the rows on which it differs from reference(row). Explains the first one.
template <class Reference>
std::string mismatch(const std::string& text, const std::vector<Row>& rows, Reference reference);

std::string explain(const std::string& text, const Row& row, std::uint64_t got, std::uint64_t wanted);

template <class Reference>
std::string mismatch(const std::string& text, const std::vector<Row>& rows, Reference reference) {
  InstructionRunner runner(text);
  const std::vector<std::uint64_t> results = runner.run_rows(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto wanted = static_cast<std::uint64_t>(reference(rows[i]));
    if (results[i] != wanted) return explain(text, rows[i], results[i], wanted);
  }
  return "";
}

}  // namespace lockstep::test
