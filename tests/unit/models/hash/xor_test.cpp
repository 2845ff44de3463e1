#include <catch2/catch.hpp>

#include <set>

#include "isa/error.hpp"
#include "models/hash/address_map.hpp"

using namespace lockstep;

TEST_CASE("The XOR hash spreads columns of a power of two, and rows stay conflict-free") {
  const hash::AddressMap map = hash::make_address_map("xor", 16, 4096);
  CHECK(map[0x12] == (0x2 ^ 0x1));
  CHECK(map[0xf3] == (0x3 ^ 0xf));
  CHECK(map[0x1f3] == map[0xf3]);  // Higher bits take no part.
  std::set<std::uint32_t> row, column;
  for (std::uint64_t n = 0; n < 16; ++n) {
    row.insert(map[5 * 16 + n]);
    column.insert(map[16 * n + 3]);
  }
  CHECK(row.size() == 16);
  CHECK(column.size() == 16);
}

TEST_CASE("The XOR hash needs a power of two") {
  CHECK_THROWS_AS(hash::make_address_map("xor", 12, 4096), InputError);
}
