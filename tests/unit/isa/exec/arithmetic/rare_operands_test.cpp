// Which operands NVIDIA's compiler leaves to a subroutine: those with which an instruction took 75 to 470 cycles longer on an H100.
#include "isa/exec/arithmetic/rare_operands.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <limits>

namespace lockstep::rare_operands_test {

using namespace lockstep::exec;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

auto bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
auto bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}
template <class T>
bool divides_rarely(T dividend, T divisor) {
  return is_rare_division(bits(dividend), bits(divisor));
}

}  // namespace

TEST_CASE("divisions of zero, of tiny, huge and denormal numbers and to such results are rare", "[exec][arithmetic]") {
  CHECK_FALSE(divides_rarely(3.f, 7.f));
  CHECK_FALSE(divides_rarely(-3.f, 7.f));
  CHECK_FALSE(divides_rarely(3.f, -7.f));
  for (const float dividend : {0.f, -0.f, 1e-40f, 1e-33f, inf, nan}) CHECK(divides_rarely(dividend, 7.f));
  for (const float divisor : {0.f, 1e-40f, 1e38f, inf, nan}) CHECK(divides_rarely(3.f, divisor));
  CHECK(divides_rarely(1e30f, 1e-20f));
  CHECK(divides_rarely(1e-30f, 1e20f));
}

TEST_CASE("f64 divisions are rare by the upper half of the dividend and where the quotient is not normal") {
  CHECK_FALSE(divides_rarely(3.0, 7.0));
  CHECK_FALSE(divides_rarely(-3.0, -7.0));
  for (const double dividend : {0.0, 1e-310, 1e-293, double{inf}, double{nan}}) CHECK(divides_rarely(dividend, 7.0));
  for (const double divisor : {0.0, 1e-310, 1e308, double{inf}, double{nan}}) CHECK(divides_rarely(3.0, divisor));
  CHECK(divides_rarely(1e200, 1e-200));
  CHECK(divides_rarely(1e-200, 1e200));
}

TEST_CASE("reciprocals and roots are rare at the ends of the range", "[exec][arithmetic]") {
  for (const float common : {7.f, -7.f, 1e-20f, 1e20f}) CHECK_FALSE(is_rare_reciprocal(bits(common)));
  for (const float rare : {0.f, 1e-40f, 1e38f, inf}) CHECK(is_rare_reciprocal(bits(rare)));
  for (const double common : {7.0, -7.0, 1e-200, 1e200}) CHECK_FALSE(is_rare_reciprocal(bits(common)));
  for (const double rare : {0.0, 1e-310, 1e308, double{inf}}) CHECK(is_rare_reciprocal(bits(rare)));
  for (const float common : {7.f, 1e-20f, 1e38f}) CHECK_FALSE(is_rare_root(bits(common)));
  for (const float rare : {0.f, 1e-40f, inf, -7.f}) CHECK(is_rare_root(bits(rare)));
  for (const double common : {7.0, 1e-200, 1e308}) CHECK_FALSE(is_rare_root(bits(common)));
  for (const double rare : {0.0, 1e-310, double{inf}, -7.0}) CHECK(is_rare_root(bits(rare)));
}

}  // namespace lockstep::rare_operands_test
