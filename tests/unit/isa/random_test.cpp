#include <catch2/catch.hpp>

#include "isa/random.hpp"

TEST_CASE("SplitMix64 draws the numbers that are published for the seed 1234567") {
  // Rosetta Code, "Pseudo-random numbers/Splitmix64".
  lockstep::Random random(1234567);
  CHECK(random.next() == 6457827717110365317u);
  CHECK(random.next() == 3203168211198807973u);
  CHECK(random.next() == 9817491932198370423u);
  CHECK(random.next() == 4593380528125082431u);
  CHECK(random.next() == 16408922859458223821u);
}

TEST_CASE("Numbers below an end reach all of them and not the end") {
  lockstep::Random random(3);
  std::uint32_t seen = 0;
  for (int draw = 0; draw < 1000; ++draw) {
    const std::uint32_t number = random.below(7);
    REQUIRE(number < 7);
    seen |= 1u << number;
  }
  CHECK(seen == 0b1111111);
  CHECK(random.below(1) == 0);
}
