// A row of numbers whose ranges are raised, beside the same row looked through number by number.

#include "isa/machine/schedule/range_maximum.hpp"

#include <catch2/catch.hpp>

namespace lockstep::range_maximum_test {

TEST_CASE("The largest number of every range follows what is added to ranges and taken away again") {
  for (const std::size_t count : {1u, 2u, 7u, 8u, 13u}) {
    std::vector<std::uint32_t> row;
    for (std::uint32_t n = 0; n < count; ++n) row.push_back(n * 7 % 11);
    machine::RangeMaximum tree(row);
    const auto check_all = [&] {
      for (std::size_t begin = 0; begin < count; ++begin)
        for (std::size_t end = begin + 1; end <= count; ++end) {
          CAPTURE(count, begin, end);
          CHECK(tree.largest(begin, end) == *std::max_element(row.begin() + static_cast<std::ptrdiff_t>(begin),
                                                              row.begin() + static_cast<std::ptrdiff_t>(end)));
        }
    };
    check_all();
    for (std::size_t begin = 0; begin < count; ++begin) {
      const std::size_t end = count - begin / 2;
      for (std::size_t n = begin; n < end; ++n) row[n] += 5;
      tree.add(begin, end, 5);
      check_all();
    }
    for (std::size_t n = 0; n < count; ++n) row[n] -= 5;  // All have had the first addition.
    tree.add(0, count, -5);
    tree.add(count, count, 100);  // An empty range.
    check_all();
  }
}

}  // namespace lockstep::range_maximum_test
