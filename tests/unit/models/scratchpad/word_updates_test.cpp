#include <catch2/catch.hpp>

#include "models/scratchpad/word_updates.hpp"

namespace lockstep::word_updates_test {

using scratchpad::SwapOutcome;
using scratchpad::WordUpdates;

namespace {

/// Of 1,024 bytes.
WordUpdates fresh() {
  WordUpdates updates;
  updates.begin(1024);
  return updates;
}

}  // namespace

TEST_CASE("A swap fails from the cycle of the load on: an update in that cycle counts, one before does not") {
  const std::uint64_t word[1] = {40};
  for (const Cycle updated : {9u, 10u, 11u}) {
    const bool fails = updated >= 10;
    WordUpdates updates = fresh();
    updates.update(word, 1, 4, updated);
    const SwapOutcome outcome = updates.swap(word, 1, 4, 10, 12);
    CHECK(outcome.swapped == (fails ? 0 : 1));
    CHECK(outcome.lost_update == (fails ? 1 : 0));
    CHECK(outcome.lost_position == 0);
  }
}

TEST_CASE("What has never been updated can be swapped in the first cycle") {
  WordUpdates updates = fresh();
  const std::uint64_t word[1] = {0};
  CHECK(updates.swap(word, 1, 4, 0, 0).swapped == 1);
}

TEST_CASE("The first lane of each word swaps; a failed swap updates nothing") {
  WordUpdates updates = fresh();
  const std::uint64_t address[6] = {8, 4, 8, 4, 8, 12};
  // Lane 0 takes no part.
  const SwapOutcome first = updates.swap(address, 0b111110, 4, 5, 6);
  CHECK(first.swapped == 0b100110);
  CHECK(first.lost_position == 2);
  CHECK(first.lost_update == 0);
  const SwapOutcome late = updates.swap(address, 0b111110, 4, 6, 7);
  CHECK(late.swapped == 0);
  CHECK(late.lost_update == 5);
  CHECK(updates.swap(address, 0b111110, 4, 7, 8).swapped == 0b100110);
}

TEST_CASE("An element is updated with all words that it touches") {
  WordUpdates updates = fresh();
  const std::uint64_t wide[1] = {16};
  updates.update(wide, 1, 16, 3);
  const std::uint64_t around[6] = {12, 16, 20, 24, 28, 32};
  CHECK(updates.swap(around, 0b111111, 4, 3, 4).swapped == 0b100001);
  // A 64-bit swap fails for either of its words.
  const std::uint64_t pairs[3] = {8, 24, 32};
  CHECK(updates.swap(pairs, 0b111, 8, 4, 5).swapped == 0b010);
}

TEST_CASE("16-bit elements of one word are swapped one after the other, those of two words together") {
  WordUpdates updates = fresh();
  const std::uint64_t halves[4] = {0, 2, 4, 6};
  const SwapOutcome outcome = updates.swap(halves, 0b1111, 2, 1, 2);
  CHECK(outcome.swapped == 0b0101);
  CHECK(outcome.lost_position == 2);
}

TEST_CASE("Nothing is kept unless asked for, and a new beginning forgets") {
  WordUpdates updates;
  CHECK_FALSE(updates.kept());
  updates.begin(1024);
  CHECK(updates.kept());
  const std::uint64_t last[1] = {1020};
  updates.update(last, 1, 4, 100);
  CHECK(updates.swap(last, 1, 4, 50, 60).swapped == 0);
  updates.begin(1024);
  CHECK(updates.swap(last, 1, 4, 50, 60).swapped == 1);
  updates.begin(0);
  CHECK_FALSE(updates.kept());
}

}  // namespace lockstep::word_updates_test
