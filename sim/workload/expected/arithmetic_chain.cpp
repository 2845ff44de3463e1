#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <type_traits>
#include <vector>

#include "isa/error.hpp"
#include "isa/exec/arithmetic/float_functions.hpp"
#include "sim/workload/expected/arithmetic_chain.hpp"

namespace lockstep::workload {

namespace {

constexpr std::size_t lanes = 32;

using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

template <typename T>
using Warp = std::array<T, lanes>;
/// One operation in all lanes of a warp.
template <typename T>
using Step = std::function<void(Warp<T>&, T a, T b)>;

/// Makes a Step of a function of one lane.
template <typename T, typename F>
Step<T> each_lane(F f) {
  return [f](Warp<T>& x, T a, T b) {
    for (T& value : x) value = f(value, a, b);
  };
}

s32 as_signed(u32 bits) {
  return std::bit_cast<s32>(bits);
}
u32 as_bits(s32 value) {
  return std::bit_cast<u32>(value);
}
/// The lowest 24 bits, as a signed number.
s64 low24(u32 x) {
  const s64 low = x & 0xffffff;
  return low >= 1 << 23 ? low - (1 << 24) : low;
}
u32 reversed(u32 x) {
  u32 result = 0;
  for (int bit = 0; bit < 32; ++bit) result |= ((x >> bit) & 1) << (31 - bit);
  return result;
}
u32 permuted(u32 x, u32 a, u32 selector) {
  const u64 bytes = (u64{a} << 32) | x;
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i)
    result |= static_cast<u32>((bytes >> (8 * ((selector >> (4 * i)) & 7))) & 0xff) << (8 * i);
  return result;
}
u32 rounded_to_zero(u32 x) {
  const float value = std::bit_cast<float>(x);
  if (std::isnan(value)) return 0;
  if (value >= 0x1p31F) return 0x7fffffff;
  if (value < -0x1p31F) return 0x80000000;
  return as_bits(static_cast<s32>(value));
}

/// A half of 16 bits as a number, and a finite number rounded to the nearest half, ties to even.
double from_half(u32 half) {
  const int exponent = static_cast<int>((half >> 10) & 31);
  const double fraction = static_cast<double>(half & 1023);
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}
u32 to_half(double value) {
  const u32 sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  if (size == 0) return sign;
  const int exponent = std::max(std::ilogb(size), -14);
  // nearbyint rounds to even; a carry out of the fraction moves on to the exponent by itself.
  const auto fraction = static_cast<u32>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  const u32 bits = static_cast<u32>(exponent + 14) * 1024 + fraction;
  return sign | std::min<u32>(bits, 0x7c00);
}
/// f of the upper halves and of the lower halves.
template <typename F>
u32 both_halves(u32 x, u32 a, u32 b, F f) {
  const auto half = [&](int shift) {
    const auto number = [&](u32 pair) { return from_half((pair >> shift) & 0xffff); };
    return to_half(f(number(x), number(a), number(b)));
  };
  return (half(16) << 16) | half(0);
}
u32 half_sums(u32 x, u32 a, u32 b) {
  return both_halves(x, a, b, [](double p, double q, double) { return p + q; });
}
u32 half_products_and_sums(u32 x, u32 a, u32 b) {
  return both_halves(x, a, b, [](double p, double q, double r) { return p * q + r; });
}

void exchange(Warp<u32>& x, u32, u32) {
  for (std::size_t lane = 0; lane < lanes; lane += 2) std::swap(x[lane], x[lane + 1]);
}
void vote(Warp<u32>& x, u32 a, u32) {
  u32 ballot = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) ballot |= u32{x[lane] > a} << lane;
  x.fill(ballot);
}

#define LANE(T, expression) \
  each_lane<T>([]([[maybe_unused]] T x, [[maybe_unused]] T a, [[maybe_unused]] T b) -> T { return expression; })

const std::map<std::string, Step<u32>>& integer_steps() {
  static const std::map<std::string, Step<u32>> steps{
      {"add", LANE(u32, x + a)},
      {"sub", LANE(u32, x - a)},
      {"and", LANE(u32, x & a)},
      {"or", LANE(u32, x | a)},
      {"xor", LANE(u32, x ^ a)},
      {"shl", LANE(u32, a > 31 ? 0 : x << a)},
      {"shr", LANE(u32, a > 31 ? 0 : x >> a)},
      {"mul24", LANE(u32, static_cast<u32>(low24(x) * low24(a)))},
      {"umul24", LANE(u32, static_cast<u32>(u64{x & 0xffffff} * (a & 0xffffff)))},
      {"mul", LANE(u32, x * a)},
      {"mad", LANE(u32, x * a + b)},
      {"mulhi", LANE(u32, static_cast<u32>((s64{as_signed(x)} * as_signed(a)) >> 32))},
      {"umulhi", LANE(u32, static_cast<u32>((u64{x} * a) >> 32))},
      {"sad", LANE(u32, b + static_cast<u32>(std::llabs(s64{as_signed(x)} - as_signed(a))))},
      {"usad", LANE(u32, b + (x > a ? x - a : a - x))},
      {"min", LANE(u32, as_bits(std::min(as_signed(x), as_signed(a))))},
      {"max", LANE(u32, as_bits(std::max(as_signed(x), as_signed(a))))},
      {"compare", LANE(u32, x != a ? a : b)},
      {"popc", LANE(u32, static_cast<u32>(std::popcount(x)))},
      {"clz", LANE(u32, static_cast<u32>(std::countl_zero(x)))},
      {"brev", LANE(u32, reversed(x))},
      {"bfe", LANE(u32, static_cast<u32>((u64{x} >> a) & ((u64{1} << b) - 1)))},
      {"prmt", LANE(u32, permuted(x, a, b))},
      {"div", LANE(u32, static_cast<u32>(s64{as_signed(x)} / as_signed(a)))},
      {"i2f", LANE(u32, std::bit_cast<u32>(static_cast<float>(as_signed(x))))},
      {"f2i", LANE(u32, rounded_to_zero(x))},
      {"hadd2", LANE(u32, half_sums(x, a, b))},
      {"hfma2", LANE(u32, half_products_and_sums(x, a, b))},
      {"shfl", exchange},
      {"vote", vote},
  };
  return steps;
}

/// The value of a function, computed in double precision.
#define WIDE(expression) static_cast<float>(expression)

const std::map<std::string, Step<float>>& single_steps() {
  static const std::map<std::string, Step<float>> steps{
      {"fadd", LANE(float, x + a)},
      {"fmul", LANE(float, x* a)},
      {"ffma", LANE(float, std::fma(x, a, b))},
      {"fmin", LANE(float, std::fmin(x, a))},
      {"fmax", LANE(float, std::fmax(x, a))},
      {"fset", LANE(float, x < a ? a : b)},
      {"f2f", LANE(float, std::trunc(x))},
      {"fdividef", LANE(float, a / x)},
      {"fdiv_full", LANE(float, x / a)},
      {"fdiv", LANE(float, x / a)},
      {"rcp", LANE(float, 1 / x)},
      {"rcp_rn", LANE(float, 1 / x)},
      {"rsqrt", LANE(float, WIDE(1 / std::sqrt(double{x})))},
      {"sqrt", LANE(float, std::sqrt(x))},
      {"sqrt_rn", LANE(float, std::sqrt(x))},
      {"sin", LANE(float, WIDE(std::sin(double{x})))},
      {"cos", LANE(float, WIDE(std::cos(double{x})))},
      {"exp2", LANE(float, WIDE(std::exp2(double{x})))},
      {"log2", LANE(float, WIDE(std::log2(double{x})))},
      {"exp", LANE(float, WIDE(std::exp(double{x})))},
      {"exp10", LANE(float, WIDE(std::pow(10.0, double{x})))},
      {"log", LANE(float, WIDE(std::log(double{x})))},
      {"log10", LANE(float, WIDE(std::log10(double{x})))},
      {"pow", LANE(float, WIDE(std::pow(double{a}, double{x})))},
      // A chain of tangents multiplies any difference, so this one takes the approximate instructions' own results.
      {"tan", LANE(float, exec::quotient_f32(exec::sine_f32(x), exec::cosine_f32(x)))},
  };
  return steps;
}

const std::map<std::string, Step<double>>& double_steps() {
  static const std::map<std::string, Step<double>> steps{
      {"dadd", LANE(double, x + a)},         {"dmul", LANE(double, x* a)},  {"dfma", LANE(double, std::fma(x, a, b))},
      {"dset", LANE(double, x < a ? a : b)}, {"ddiv", LANE(double, x / a)}, {"dsqrt", LANE(double, std::sqrt(x))},
  };
  return steps;
}

#undef LANE
#undef WIDE

/// An operand or first value in the type of the chain.
template <typename T>
T real_of(const Number& value) {
  const s64* whole = std::get_if<s64>(&value);
  return static_cast<T>(whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value));
}
u32 bits_of(const Number& value) {
  const s64* whole = std::get_if<s64>(&value);
  if (whole == nullptr) throw InputError("the operands of an integer operation are whole numbers");
  return static_cast<u32>(*whole);
}

template <typename T>
Elements run(const Step<T>& step, std::vector<T> values, T a, T b, u64 chains, u64 length, ElementType type) {
  const u64 count = values.size();
  Elements result(type, 2 * count);
  for (u64 first = 0; first < count; first += lanes) {
    Warp<T> x;
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), lanes, x.begin());
    const auto keep = [&](u64 at) {
      for (u64 lane = 0; lane < lanes; ++lane) {
        if constexpr (std::is_integral_v<T>) {
          result.set(at + lane, s64{x[lane]});
        } else {
          result.set(at + lane, double{x[lane]});
        }
      }
    };
    step(x, a, b);
    keep(first);
    if (first < count / 4 * chains) {
      for (u64 i = 0; i < length; ++i) step(x, a, b);
    }
    keep(count + first);
  }
  return result;
}

}  // namespace

Elements arithmetic_chain(const std::string& operation, const Elements& input, const ChainOperands& operands,
                          std::uint64_t chains, std::uint64_t length, ElementType type) {
  if (chains > 4) throw InputError(fmt::format("{} chains, but a thread has four", chains));
  if (input.count() % (4 * lanes) != 0) throw InputError("the chains are four per thread of whole warps");
  const auto values = [&]<typename T>(T (*first)(float)) {
    std::vector<T> result;
    for (u64 i = 0; i < input.count(); ++i) result.push_back(first(static_cast<float>(input.real(i))));
    return result;
  };
  if (const auto found = integer_steps().find(operation); found != integer_steps().end()) {
    const bool halves = operation == "hadd2" || operation == "hfma2";
    u32 (*first)(float) = [](float x) { return std::bit_cast<u32>(x); };
    if (halves) first = [](float x) { return to_half(x) * 0x10001; };
    return run<u32>(found->second, values(first), bits_of(operands.a), bits_of(operands.b), chains, length, type);
  }
  if (const auto found = single_steps().find(operation); found != single_steps().end()) {
    float (*first)(float) = [](float x) { return x; };
    return run<float>(found->second, values(first), real_of<float>(operands.a), real_of<float>(operands.b), chains,
                      length, type);
  }
  if (const auto found = double_steps().find(operation); found != double_steps().end()) {
    double (*first)(float) = [](float x) { return double{x}; };
    return run<double>(found->second, values(first), real_of<double>(operands.a), real_of<double>(operands.b), chains,
                       length, type);
  }
  throw InputError(fmt::format("there is no arithmetic operation '{}'", operation));
}

}  // namespace lockstep::workload
