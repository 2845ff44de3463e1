// The next events of many parts, against a search through all of them.

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include "sim/engine/event_times.hpp"

using lockstep::engine::EventTimes;

TEST_CASE("The earliest event and all before a limit are those that a search through all parts finds") {
  for (const std::size_t count : {1u, 15u, 16u, 17u, 132u}) {
    EventTimes events(count);
    std::vector<std::uint64_t> plain(count, EventTimes::never);
    CHECK(events.earliest() == EventTimes::never);
    std::mt19937 random(static_cast<unsigned>(count));
    for (int step = 0; step < 2000; ++step) {
      const std::size_t number = random() % count;
      const std::uint64_t time = random() % 5 == 0 ? EventTimes::never : random() % 50;
      if (random() % 2 == 0) {
        events.set(number, time);
        plain[number] = time;
      } else {
        events.add(number, time);
        plain[number] = std::min(plain[number], time);
      }
      REQUIRE(events.earliest() == *std::min_element(plain.begin(), plain.end()));
      const std::uint64_t limit = random() % 60;
      std::vector<std::size_t> found, expected;
      events.for_each_before(limit, [&](std::size_t n) { found.push_back(n); });
      for (std::size_t n = 0; n < count; ++n)
        if (plain[n] < limit) expected.push_back(n);
      REQUIRE(found == expected);
    }
  }
}
