// Places of words, from their definition in terms of rows and columns, and what is proved of sums of offsets.

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "isa/rewrite/array_layout.hpp"

using lockstep::rewrite::ArrayLayout;
using lockstep::rewrite::Displacement;

namespace {

std::vector<ArrayLayout> some_layouts() {
  return {ArrayLayout::padding(128, 4),
          ArrayLayout::padding(64, 16),
          ArrayLayout::padding(256, 12),
          ArrayLayout::rotation(128, 4),
          ArrayLayout::rotation(256, 16),
          ArrayLayout::rotation(64, 12),
          ArrayLayout::exclusive_or({{5, 124}}),
          ArrayLayout::exclusive_or({{7, 16}, {4, 96}}),
          ArrayLayout::exclusive_or({{-2, 0x40}}),
          ArrayLayout::exclusive_or({{3, 0x70}})};
}

}  // namespace

TEST_CASE("places are those of padded rows, rotated rows and swizzled columns", "[rewrite]") {
  for (std::uint32_t y = 0; y < 64; ++y)
    for (std::uint32_t x = 0; x < 32; ++x) {
      const std::uint32_t offset = (y * 32 + x) * 4;
      REQUIRE(ArrayLayout::padding(128, 4).place(offset) == (y * 33 + x) * 4);
      REQUIRE(ArrayLayout::rotation(128, 8).place(offset) == (y * 32 + (x + 2 * y) % 32) * 4);
      REQUIRE(ArrayLayout::exclusive_or({{5, 124}}).place(offset) == (y * 32 + (x ^ y % 32)) * 4);
      REQUIRE(ArrayLayout::exclusive_or({{3, 112}}).place(offset) == (y * 32 + (x ^ (y % 8) * 4)) * 4);
    }
  CHECK(ArrayLayout::padding(128, 4).place(-128u) == -132u);  // In front of the array.
  CHECK(ArrayLayout::padding(128, 4).bytes_needed(4096) == 4096 + 31 * 4);
  CHECK(ArrayLayout::exclusive_or({{5, 124}}).bytes_needed(100) == 128);
}

TEST_CASE("no two bytes go to one place, and every place is among the bytes needed", "[rewrite]") {
  for (const ArrayLayout& layout : some_layouts()) {
    INFO(layout.name());
    for (const std::uint32_t bytes : {4096u, 1000u}) {
      std::set<std::uint32_t> places;
      for (std::uint32_t x = 0; x < bytes; ++x) {
        const std::uint32_t place = layout.place(x);
        REQUIRE(places.insert(place).second);
        REQUIRE(place < layout.bytes_needed(bytes));
        REQUIRE(place % 4 == x % 4);
      }
    }
  }
}

TEST_CASE("what stays together is what the folds and steps leave alone", "[rewrite]") {
  CHECK(ArrayLayout::padding(128, 4).contiguous_bytes() == 4);
  CHECK(ArrayLayout::padding(128, 24).contiguous_bytes() == 8);
  CHECK(ArrayLayout::padding(128, 16).contiguous_bytes() == 16);
  CHECK(ArrayLayout::padding(8, 16).contiguous_bytes() == 8);
  CHECK(ArrayLayout::exclusive_or({{5, 124}}).contiguous_bytes() == 4);
  CHECK(ArrayLayout::exclusive_or({{5, 112}}).contiguous_bytes() == 16);
  CHECK(ArrayLayout::rotation(128, 8).contiguous_bytes() == 8);
}

TEST_CASE("a displacement holds for every offset that it is proved for, in front of the array too", "[rewrite]") {
  std::mt19937 random(5);
  std::uint32_t proved = 0, of_all = 0;
  for (const ArrayLayout& layout : some_layouts())
    for (int n = 0; n < 400; ++n) {
      // Alignments and ranges as of real addresses, and any other.
      std::uint32_t ones = n % 3 == 0 ? random() : ~0u << random() % 13;
      if (n % 2 == 0) ones &= (1u << random() % 16) - 1;
      const auto distance = static_cast<std::uint32_t>((static_cast<int>(random() % 257) - 128) * (4 << random() % 9));
      const auto found = layout.displacement(ones, distance);
      ++of_all;
      if (!found) continue;
      ++proved;
      for (int trial = 0; trial < 50; ++trial) {
        const std::uint32_t x = static_cast<std::uint32_t>(static_cast<int>(random()) >> 12) & ones;
        INFO(layout.name() << " ones " << ones << " distance " << distance << " offset " << x);
        // As the kernel computes it, for an array at a multiple of its alignment.
        const std::uint32_t base = layout.alignment() * (1 + random() % 100);
        REQUIRE(base + layout.place(x + distance) == ((base + layout.place(x)) ^ found->exclusive_or) + found->add);
      }
    }
  CHECK(proved > of_all / 4);
  CHECK(proved < of_all);
}

TEST_CASE("moving on by whole rows adds a constant, within a row only what is aligned", "[rewrite]") {
  const ArrayLayout padded = ArrayLayout::padding(128, 4), swizzled = ArrayLayout::exclusive_or({{5, 124}});
  CHECK(padded.displacement(~0u, 256)->add == 264);
  CHECK(padded.displacement(~127u, 60)->add == 60);
  CHECK_FALSE(padded.displacement(~3u, 60));
  CHECK_FALSE(swizzled.displacement(~0u, 128));
  CHECK(swizzled.displacement(~0u, 4096)->add == 4096);
  // A column of a row that is known to be even: 3 rows on flips two bits of the column, and adds rows.
  const auto three = swizzled.displacement(124, 3 * 128);
  REQUIRE(three);
  CHECK(three->exclusive_or == 12);
  CHECK(three->add == 384);
}

TEST_CASE("a column is added to the place of its padded row and XORed into that of its swizzled row", "[rewrite]") {
  using Sum = ArrayLayout::Sum;
  const ArrayLayout padded = ArrayLayout::padding(128, 4), swizzled = ArrayLayout::exclusive_or({{5, 124}});
  CHECK(padded.sum(~127u, 124) == Sum::add);
  CHECK(swizzled.sum(~127u, 124) == Sum::exclusive_or);
  CHECK_FALSE(padded.sum(~3u, 124));
  CHECK_FALSE(padded.sum(~127u, 252));  // May be in the next row.
  CHECK_FALSE(swizzled.sum(~127u, 0xfc));
}
