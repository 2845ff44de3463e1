// The minimum of functions of a few numbers.
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/calibrate/search.hpp"

using namespace lockstep::calibrate;

TEST_CASE("A search finds the whole number nearest to a minimum wherever it lies in the range") {
  for (const double bottom : {1.0, 2.2, 63.6, 64.4, 499.0, 512.0}) {
    Search search({{1, 512, 100, true}}, [&](const Values& at) { return std::abs(at[0] - bottom); });
    CHECK(search.minimum() == Values{std::round(bottom)});
  }
}

TEST_CASE("A search finds a real number") {
  Search search({{1, 256, 40, false}}, [](const Values& at) { return std::abs(at[0] - 26.7) / 26.7; });
  CHECK(search.minimum()[0] == Approx(26.7).epsilon(0.02));
}

TEST_CASE("Of equal minima a search takes the one nearest to the start, and the start where nothing matters") {
  Search flat({{1, 100, 37, true}}, [](const Values&) { return 1.0; });
  CHECK(flat.minimum() == Values{37});
  Search bounded({{1, 100, 37, true}}, [](const Values& at) { return std::max(0.0, at[0] - 6); });
  CHECK(bounded.minimum() == Values{6});
  Search nearly(
      {{1, 100, 37, true}}, [](const Values& at) { return std::abs(at[0] - 30) / 1000; }, 0.0045);
  CHECK(nearly.minimum()[0] > 30);
  CHECK(nearly.minimum()[0] <= 34);
}

TEST_CASE("A search of two numbers goes along a valley in which they trade with each other") {
  const auto valley = [](const Values& at) { return std::abs(at[0] + at[1] - 40) + 0.01 * std::abs(at[0] - 30); };
  CHECK(Search({{0, 128, 4, true}, {0, 128, 90, true}}, valley).minimum() == Values{30, 10});
}

TEST_CASE("A search asks for each place once") {
  std::map<Values, int> asked;
  Search search({{1, 64, 5, true}}, [&](const Values& at) {
    ++asked[at];
    return std::abs(at[0] - 20);
  });
  search.minimum();
  for (const auto& [place, times] : asked) CHECK(times == 1);
}
