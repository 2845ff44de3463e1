#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "models/cache/mshrs.hpp"

using namespace lockstep::cache;
using File = Mshrs<int>;

namespace {

std::vector<int> arrive(File& file, std::uint64_t line, std::uint32_t sectors) {
  std::vector<int> done;
  file.arrive(line, sectors, [&](int waiter) { done.push_back(waiter); });
  return done;
}

}  // namespace

TEST_CASE("cache mshrs: an access to a line in flight asks only for sectors that are not") {
  File file(2, 4);
  CHECK(file.wait(7, 0b0011, 1) == 0b0011);
  CHECK(file.wait(7, 0b0110, 2) == 0b0100);
  CHECK(file.wait(7, 0b0001, 3) == 0);
  CHECK(file.pending(7) == 0b0111);
  CHECK(arrive(file, 7, 0b0001) == std::vector<int>{3});
  CHECK(arrive(file, 7, 0b0010) == std::vector<int>{1});
  CHECK(file.used() == 1);
  CHECK(arrive(file, 7, 0b0100) == std::vector<int>{2});
  CHECK(file.used() == 0);
  CHECK(file.pending(7) == 0);
}

TEST_CASE("cache mshrs: those who wait for one sector continue in the order in which they came") {
  File file(1, 8);
  for (int waiter = 0; waiter < 8; ++waiter) file.wait(3, 1, waiter);
  CHECK(arrive(file, 3, 1) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("cache mshrs: a line more than registers is refused until one is free") {
  File file(3, 1);
  for (std::uint64_t line = 0; line < 3; ++line) {
    CHECK(file.refusal(line) == File::Refusal::none);
    file.wait(line, 1, 0);
  }
  CHECK(file.refusal(3) == File::Refusal::full);
  CHECK(arrive(file, 99, 1).empty());
  CHECK(file.refusal(3) == File::Refusal::full);
  arrive(file, 1, 1);
  CHECK(file.refusal(3) == File::Refusal::none);
}

TEST_CASE("cache mshrs: one access more than merges is refused, though registers are free") {
  File file(2, 3);
  for (int waiter = 0; waiter < 3; ++waiter) {
    CHECK(file.refusal(5) == File::Refusal::none);
    file.wait(5, waiter == 2 ? 2u : 1u, waiter);
  }
  CHECK(file.refusal(5) == File::Refusal::merges);
  CHECK(file.refusal(6) == File::Refusal::none);
  CHECK(arrive(file, 5, 1) == std::vector<int>{0, 1});
  CHECK(file.refusal(5) == File::Refusal::none);
}

TEST_CASE("cache mshrs: random arrivals wake exactly those whose last sector came") {
  std::mt19937 random(1);
  File file(8, 5);
  struct Wait {
    int waiter;
    std::uint64_t line;
    std::uint32_t missing;
  };
  std::vector<Wait> all;
  std::map<std::uint64_t, std::uint32_t> pending;
  for (int step = 0; step < 20000; ++step) {
    const std::uint64_t line = random() % 12;
    const std::uint32_t sectors = 1 + random() % 15;
    if (random() % 2 == 0) {
      const auto waiting = std::count_if(all.begin(), all.end(), [&](const Wait& w) { return w.line == line; });
      std::map<std::uint64_t, int> lines;
      for (const Wait& w : all) ++lines[w.line];
      const File::Refusal expected = waiting >= 5                        ? File::Refusal::merges
                                     : waiting == 0 && lines.size() == 8 ? File::Refusal::full
                                                                         : File::Refusal::none;
      REQUIRE(file.refusal(line) == expected);
      if (expected != File::Refusal::none) continue;
      REQUIRE(file.wait(line, sectors, step) == (sectors & ~pending[line]));
      pending[line] |= sectors;
      all.push_back({step, line, sectors});
    } else {
      pending[line] &= ~sectors;
      std::vector<int> expected;
      for (Wait& w : all)
        if (w.line == line && (w.missing &= ~sectors) == 0) expected.push_back(w.waiter);
      std::erase_if(all, [](const Wait& w) { return w.missing == 0; });
      REQUIRE(arrive(file, line, sectors) == expected);
    }
  }
}
