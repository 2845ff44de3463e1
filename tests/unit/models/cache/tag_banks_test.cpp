#include <catch2/catch.hpp>
#include <vector>

#include "isa/error.hpp"
#include "models/cache/tag_banks.hpp"

namespace lockstep::tag_banks_test {

using cache::TagBanks;
using Catch::Matchers::Contains;

namespace {

/// Places of the lines in the order of their turns, and the turns.
struct Order {
  std::vector<unsigned> lines, turns;
};

Order order_of(TagBanks& banks, const std::vector<std::uint64_t>& lines) {
  banks.begin();
  for (const std::uint64_t line : lines) banks.add(line);
  Order order;
  for (const auto& [line, turn] : banks.lookups()) {
    order.lines.push_back(line);
    order.turns.push_back(turn);
  }
  return order;
}

}  // namespace

TEST_CASE("cache tag banks: without a hash, as many lines as there are banks go together, in their order") {
  TagBanks banks(2, "");
  const Order order = order_of(banks, {8, 8, 4, 0, 6});
  CHECK(order.lines == std::vector<unsigned>{0, 1, 2, 3, 4});
  CHECK(order.turns == std::vector<unsigned>{0, 0, 1, 1, 2});
  CHECK(banks.turns() == 3);
}

TEST_CASE("cache tag banks: lines of one bank follow each other, others go beside them") {
  TagBanks banks(4, "mod");
  const Order order = order_of(banks, {0, 4, 8, 1, 5, 2});
  CHECK(order.lines == std::vector<unsigned>{0, 3, 5, 1, 4, 2});
  CHECK(order.turns == std::vector<unsigned>{0, 0, 0, 1, 1, 2});
  CHECK(banks.turns() == 3);
  CHECK(order_of(banks, {7}).turns == std::vector<unsigned>{0});
  CHECK(banks.turns() == 1);
  CHECK(order_of(banks, {}).turns.empty());
  CHECK(banks.turns() == 0);
}

TEST_CASE("cache tag banks: a row of a matrix takes bits of a line's number from anywhere") {
  TagBanks banks(2, "matrix:100001");  // Bits 0 and 20.
  order_of(banks, {0, std::uint64_t{1} << 20 | 1});
  CHECK(banks.turns() == 2);
  order_of(banks, {0, std::uint64_t{1} << 20});
  CHECK(banks.turns() == 1);
}

TEST_CASE("cache tag banks: parts of one line have its turn") {
  TagBanks banks(4, "mod");
  const Order order = order_of(banks, {8, 4, 1, 8, 4, 4, 0});
  CHECK(order.lines == std::vector<unsigned>{0, 2, 3, 1, 4, 5, 6});
  CHECK(order.turns == std::vector<unsigned>{0, 0, 0, 1, 1, 1, 2});
  CHECK(banks.turns() == 3);
}

TEST_CASE("cache tag banks: an access of 512 lines of one bank takes a turn for each, of one line one") {
  TagBanks banks(4, "mod");
  std::vector<std::uint64_t> lines(512);
  for (std::size_t n = 0; n < lines.size(); ++n) lines[n] = 4 * n + 3;
  CHECK(order_of(banks, lines).turns.back() == 511);
  CHECK(order_of(banks, std::vector<std::uint64_t>(512, 3)).turns.back() == 0);
}

TEST_CASE("cache tag banks: a hash that cannot choose among the banks is an error that says why") {
  CHECK_THROWS_WITH(TagBanks(3, "mod"), Contains("power of two of banks, up to 32, not 3"));
  CHECK_THROWS_WITH(TagBanks(4, "modulus:3"), Contains("not linear"));
  CHECK_THROWS_AS(TagBanks(4, "nothing"), InputError);
  CHECK_THROWS_AS(TagBanks(4, "matrix:1,1"), InputError);
}

}  // namespace lockstep::tag_banks_test
