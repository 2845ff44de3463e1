// Sectors of a line that stores fill word by word.

#include "models/l2/partial_sectors.hpp"

#include <catch2/catch.hpp>

using lockstep::l2::PartialSectors;

TEST_CASE("A sector that is written in part is whole when the last of its eight words comes") {
  PartialSectors parts(2);
  CHECK(parts.write(1, 0b0010, 0x7f00) == 0);
  CHECK(parts.write(1, 0b0010, 0x8000) == 0b0010);
  CHECK(parts.write(0, 0b0010, 0x8000) == 0);  // Another entry.
}

TEST_CASE("Words outside the sectors of a write do not count") {
  PartialSectors parts(1);
  CHECK(parts.write(0, 0b0001, 0xffff'ffff) == 0b0001);
  CHECK(parts.write(0, 0b1100, 0x0fff'0000) == 0b0100);
  CHECK(parts.write(0, 0b0010, 0) == 0);
}

TEST_CASE("An entry that another line takes begins anew") {
  PartialSectors parts(1);
  CHECK(parts.write(0, 0b1, 0x7f) == 0);
  parts.forget(0);
  CHECK(parts.write(0, 0b1, 0x80) == 0);
}

TEST_CASE("A cache that keeps none forgets none") {
  PartialSectors none(0);
  CHECK_FALSE(none.kept());
  none.forget(7);
  CHECK(PartialSectors(1).kept());
}

TEST_CASE("Of a mask of 32 words the whole sectors are its full bytes") {
  CHECK(PartialSectors::whole(0) == 0);
  CHECK(PartialSectors::whole(0xff00'00ff) == 0b1001);
  CHECK(PartialSectors::whole(0xfeff'7fff) == 0b0101);
  CHECK(PartialSectors::whole(~0u) == 0b1111);
}
