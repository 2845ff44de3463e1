#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

namespace {

using Complex = std::complex<double>;

std::vector<double> reals(const Elements& elements, std::uint64_t first, std::uint64_t count) {
  std::vector<double> values(count);
  for (std::uint64_t i = 0; i < count; ++i) values[i] = elements.real(first + i);
  return values;
}

Elements from_reals(const std::vector<double>& values, ElementType type) {
  Elements result(type, values.size());
  for (std::uint64_t i = 0; i < values.size(); ++i) result.set(i, values[i]);
  return result;
}

/// exp(-2 pi i k / n) for k below n.
std::vector<Complex> roots_of_unity(std::uint64_t n) {
  std::vector<Complex> roots(n);
  for (std::uint64_t k = 0; k < n; ++k) {
    roots[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  }
  return roots;
}

std::uint64_t reversed(std::uint64_t value, int bits) {
  std::uint64_t result = 0;
  for (int bit = 0; bit < bits; ++bit) result |= (value >> bit & 1) << (bits - 1 - bit);
  return result;
}

}  // namespace

Elements dft_reference(const Elements& input, const DftForm& form, ElementType type) {
  const std::uint64_t points = input.count() / 2, length = form.length, stride = form.stride;
  if (input.count() % 2 != 0 || length == 0 || stride == 0 || points % length != 0 || points / length % stride != 0) {
    throw InputError(fmt::format("{} elements are no whole number of lines of {} complex numbers, {} apart",
                                 input.count(), length, stride));
  }
  if (form.bit_reversed && !std::has_single_bit(length)) {
    throw InputError(fmt::format("{} results have no bit-reversed order: it needs a power of two", length));
  }
  const int bits = std::countr_zero(length);
  const std::vector<Complex> roots = roots_of_unity(length), twiddles = roots_of_unity(length * stride);
  Elements result(type, input.count());
  for (std::uint64_t line = 0; line < points / length; ++line) {
    const std::uint64_t inner = line % stride, first = line / stride * stride * length + inner;
    for (std::uint64_t k = 0; k < length; ++k) {
      Complex sum = 0;
      for (std::uint64_t i = 0; i < length; ++i) {
        const std::uint64_t at = 2 * (first + i * stride);
        sum += Complex(input.real(at), input.real(at + 1)) * roots[i * k % length];
      }
      if (form.twiddled) sum *= twiddles[inner * k];
      const std::uint64_t to = 2 * (first + (form.bit_reversed ? reversed(k, bits) : k) * stride);
      result.set(to, sum.real());
      result.set(to + 1, sum.imag());
    }
  }
  return result;
}

Elements dct8x8_reference(const Elements& input, std::uint64_t width, std::uint64_t height, bool inverse,
                          ElementType type) {
  if (width == 0 || height == 0 || width % 8 != 0 || height % 8 != 0 || input.count() / width != height ||
      input.count() % width != 0) {
    throw InputError(fmt::format("an image of {}x{} in {} elements does not consist of blocks of 8x8", width, height,
                                 input.count()));
  }
  // basis[k][n]: the k-th function at place n. The inverse has the transposed matrix.
  double basis[8][8];
  for (int k = 0; k < 8; ++k) {
    for (int n = 0; n < 8; ++n) {
      basis[k][n] = std::sqrt((k == 0 ? 1 : 2) / 8.0) * std::cos((2 * n + 1) * k * std::numbers::pi / 16);
    }
  }
  const auto weight = [&](std::uint64_t to, std::uint64_t from) { return inverse ? basis[from][to] : basis[to][from]; };
  Elements result(type, input.count());
  for (std::uint64_t i = 0; i < input.count(); ++i) {
    const std::uint64_t x = i % width, y = i / width, corner = (y - y % 8) * width + x - x % 8;
    double sum = 0;
    for (std::uint64_t v = 0; v < 8; ++v) {
      for (std::uint64_t u = 0; u < 8; ++u) {
        sum += weight(y % 8, v) * weight(x % 8, u) * input.real(corner + v * width + u);
      }
    }
    result.set(i, sum);
  }
  return result;
}

Elements haar_reference(const Elements& input, ElementType type) {
  if (!std::has_single_bit(input.count())) {
    throw InputError(fmt::format("{} samples are no power of two", input.count()));
  }
  std::vector<double> approximation = reals(input, 0, input.count());
  Elements result(type, input.count());
  for (std::uint64_t pairs = input.count() / 2; pairs > 0; pairs /= 2) {
    for (std::uint64_t i = 0; i < pairs; ++i) {
      const double left = approximation[2 * i], right = approximation[2 * i + 1];
      result.set(pairs + i, (left - right) / std::numbers::sqrt2);
      approximation[i] = (left + right) / std::numbers::sqrt2;
    }
  }
  result.set(0, approximation[0]);
  return result;
}

Elements walsh_reference(const Elements& input, std::uint64_t length, ElementType type) {
  if (!std::has_single_bit(length) || input.count() % length != 0) {
    throw InputError(
        fmt::format("{} elements are no whole number of signals of {}, a power of two", input.count(), length));
  }
  // The matrix of twice the size is (H H; H -H): both halves transformed, then their sum and difference.
  const auto transform = [](const auto& self, double* values, std::uint64_t count) -> void {
    if (count == 1) return;
    const std::uint64_t half = count / 2;
    self(self, values, half);
    self(self, values + half, half);
    for (std::uint64_t i = 0; i < half; ++i) {
      const double a = values[i], b = values[half + i];
      values[i] = a + b;
      values[half + i] = a - b;
    }
  };
  std::vector<double> values = reals(input, 0, input.count());
  for (std::uint64_t first = 0; first < values.size(); first += length) {
    transform(transform, values.data() + first, length);
  }
  return from_reals(values, type);
}

}  // namespace lockstep::workload
