#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "sim/workload/buffers/edge_points.hpp"

namespace lockstep::edge_points_test {

using namespace lockstep::workload;

TEST_CASE("edge points are where the Sobel operator reaches the threshold") {
  // A vertical edge of height 10: the gradient on both sides of it is 4 x 10.
  const Image image{5, 3, 255, {0, 0, 10, 10, 10, 0, 0, 10, 10, 10, 0, 0, 10, 10, 10}};
  const std::uint32_t second_row = 1u << 16;
  CHECK(edge_points(image, 5, 3, 40) == std::vector<std::uint32_t>{second_row + 1, second_row + 2});
  CHECK(edge_points(image, 5, 3, 41).empty());
  CHECK(edge_points(image, 5, 3, 0).size() == 3);
  // The middle three columns begin with column 1.
  CHECK(edge_points(image, 3, 3, 40) == std::vector<std::uint32_t>{second_row + 1});
  CHECK(edge_points(image, 5, 2, 0).empty());
  CHECK_THROWS_AS(edge_points(image, 6, 3, 40), InputError);
  // Across: |gx| + |gy| of a corner, 1 2 1 of the left side and of the upper one less the opposite sides.
  const Image corner{3, 3, 255, {10, 10, 10, 10, 0, 0, 10, 0, 0}};
  CHECK(edge_points(corner, 3, 3, 60) == std::vector<std::uint32_t>{second_row + 1});
  CHECK(edge_points(corner, 3, 3, 61).empty());
}

}  // namespace lockstep::edge_points_test
