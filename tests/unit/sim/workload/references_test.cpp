#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

using namespace lockstep;
using namespace lockstep::workload;

namespace {

Elements elements(ElementType type, const std::vector<double>& values) {
  Elements result(type, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result.set(i, values[i]);
  return result;
}

std::vector<double> reals(const Elements& source) {
  std::vector<double> result;
  for (std::uint64_t i = 0; i < source.count(); ++i) result.push_back(source.real(i));
  return result;
}

}  // namespace

TEST_CASE("the histogram reference counts pixels of each bin") {
  const Elements pixels = elements(ElementType::u16, {0, 1023, 1024, 4095, 4095, 2048});
  CHECK(reals(histogram_reference(pixels, 4, 4096, ElementType::u32)) == std::vector<double>{2, 1, 1, 2});
  // 3 bins of 10 levels: bin = 3 p / 10, so levels 0-3, 4-6, 7-9.
  const Elements few = elements(ElementType::u8, {0, 3, 4, 6, 7, 9, 9});
  CHECK(reals(histogram_reference(few, 3, 10, ElementType::u32)) == std::vector<double>{2, 2, 3});
  CHECK_THROWS_AS(histogram_reference(few, 3, 9, ElementType::u32), InputError);
  CHECK_THROWS_AS(histogram_reference(elements(ElementType::s8, {-1}), 3, 9, ElementType::u32), InputError);
}

TEST_CASE("the vector-add reference rounds a sum once") {
  // 1 + 2^-24 lies half-way between two floats: the even one, 1, is nearest.
  const Elements sum = vector_add_reference(elements(ElementType::f32, {1, 1}),
                                            elements(ElementType::f32, {0x1p-24, 0x1p-23}), ElementType::f32);
  CHECK(reals(sum) == std::vector<double>{1, 1 + 0x1p-23});
  CHECK_THROWS_AS(
      vector_add_reference(elements(ElementType::u8, {1}), elements(ElementType::u8, {1, 2}), ElementType::u8),
      InputError);
}

TEST_CASE("the convolution reference takes the nearest pixel outside the image") {
  const Elements image = elements(ElementType::u16, {1, 2, 3, 4, 5, 6});  // 1 2 3 / 4 5 6
  // Only the left upper neighbour: the image moved by one to the right and down, its edge repeated.
  CHECK(reals(convolution3x3_reference(image, 3, 2, {1, 0, 0, 0, 0, 0, 0, 0, 0}, ElementType::f32)) ==
        std::vector<double>{1, 1, 2, 1, 1, 2});
  // Only the right neighbour.
  CHECK(reals(convolution3x3_reference(image, 3, 2, {0, 0, 0, 0, 0, 1, 0, 0, 0}, ElementType::f32)) ==
        std::vector<double>{2, 3, 3, 5, 6, 6});
  // Only the lower neighbour, scaled.
  CHECK(reals(convolution3x3_reference(image, 3, 2, {0, 0, 0, 0, 0, 0, 0, 0.5, 0}, ElementType::f32)) ==
        std::vector<double>{2, 2.5, 3, 2, 2.5, 3});
  // All nine of the middle pixel of 1..9.
  const Elements nine = elements(ElementType::u16, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(reals(convolution3x3_reference(nine, 3, 3, {1, 1, 1, 1, 1, 1, 1, 1, 1}, ElementType::f32))[4] == 45);
  CHECK_THROWS_AS(convolution3x3_reference(image, 3, 3, {}, ElementType::f32), InputError);
}

TEST_CASE("the transpose reference turns rows into columns") {
  const Elements matrix = elements(ElementType::u32, {1, 2, 3, 4, 5, 6});  // 1 2 3 / 4 5 6
  CHECK(reals(transpose_reference(matrix, 3, 2, ElementType::u32)) == std::vector<double>{1, 4, 2, 5, 3, 6});
  CHECK_THROWS_AS(transpose_reference(matrix, 4, 2, ElementType::u32), InputError);
}

TEST_CASE("the sum reference adds up, exactly for integers") {
  CHECK(reals(sum_reference(elements(ElementType::s32, {1, -5, 7}), ElementType::s32)) == std::vector<double>{3});
  CHECK(reals(sum_reference(elements(ElementType::u8, {}), ElementType::u32)) == std::vector<double>{0});
  CHECK_THROWS_AS(sum_reference(elements(ElementType::u8, {200, 100}), ElementType::u8), InputError);
}
