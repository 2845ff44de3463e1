#include <catch2/catch.hpp>
#include <deque>
#include <random>

#include "models/cache/tag_array.hpp"
#include "models/cache/tlb.hpp"

using namespace lockstep::cache;

namespace {

Spec spec_of(std::uint32_t bytes, std::uint32_t line, std::uint32_t sector, std::uint32_t ways) {
  return {bytes, line, sector, ways, "mod", 1, 1};
}

/// A cache as lists of lines, newest first, searched from the front.
class NaiveCache {
 public:
  struct Line {
    std::uint64_t number = 0;
    std::uint32_t valid = 0, dirty = 0;
  };
  NaiveCache(std::uint32_t sets, std::uint32_t ways) : ways_(ways), sets_(sets) {}

  std::uint32_t lookup(std::uint64_t number) { return use(number) ? set(number).front().valid : 0; }
  /// Line that went and its dirty sectors; dirty 0 when none.
  std::pair<std::uint64_t, std::uint32_t> fill(std::uint64_t number, std::uint32_t sectors) {
    std::pair<std::uint64_t, std::uint32_t> gone{0, 0};
    if (!use(number)) {
      if (set(number).size() == ways_) {
        gone = {set(number).back().number, set(number).back().dirty};
        set(number).pop_back();
      }
      set(number).push_front({number, 0, 0});
    }
    set(number).front().valid |= sectors;
    return gone;
  }
  void write(std::uint64_t number, std::uint32_t sectors) {
    for (Line& line : set(number))
      if (line.number == number) {
        line.valid |= sectors;
        line.dirty |= sectors;
      }
  }
  void drop(std::uint64_t number) {
    auto& lines = set(number);
    for (auto at = lines.begin(); at != lines.end(); ++at)
      if (at->number == number) {
        lines.erase(at);
        return;
      }
  }

 private:
  std::deque<Line>& set(std::uint64_t number) { return sets_[number % sets_.size()]; }
  bool use(std::uint64_t number) {
    auto& lines = set(number);
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (lines[i].number == number) {
        const Line line = lines[i];
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
        lines.push_front(line);
        return true;
      }
    return false;
  }
  std::size_t ways_;
  std::vector<std::deque<Line>> sets_;
};

/// Misses of `rounds` walks over lines first ... first + lines - 1, each brought in when it misses.
std::uint32_t misses(TagArray& tags, std::uint64_t first, std::uint32_t lines, std::uint32_t rounds) {
  std::uint32_t count = 0;
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (std::uint64_t line = first; line < first + lines; ++line)
      if (tags.lookup(line) == 0) {
        ++count;
        tags.fill(line, 1);
      }
  return count;
}

}  // namespace

TEST_CASE("cache tag array: sizes follow from bytes, line and ways") {
  TagArray fermi(spec_of(16384, 128, 128, 4));
  CHECK(fermi.sets() == 32);
  CHECK(fermi.ways() == 4);
  CHECK(fermi.capacity() == 128);
  TagArray full(spec_of(12288, 128, 32, 0));
  CHECK(full.sets() == 1);
  CHECK(full.ways() == 96);
  TagArray odd(spec_of(5120, 32, 32, 20));
  CHECK(odd.sets() == 8);
  CHECK(odd.capacity() == 160);
  TagArray none(spec_of(0, 128, 128, 4));
  CHECK(none.capacity() == 0);
  CHECK(none.lookup(7) == 0);
  CHECK(none.find(7) == TagArray::none);
  TagArray small(spec_of(256, 128, 128, 4));  // Fewer lines than ways: all of them are one set.
  CHECK(small.sets() == 1);
  CHECK(small.ways() == 2);
}

TEST_CASE("cache tag array: a walk as large as the cache always hits, one line more never under full associativity") {
  const std::uint64_t first = GENERATE(0, 1000, 123456789);
  for (const std::uint32_t lines : {1u, 2u, 3u, 16u, 96u}) {
    TagArray tags(lines, 0, "mod");
    CHECK(misses(tags, first, lines, 5) == lines);
    tags.clear();
    CHECK(misses(tags, first, lines + 1, 5) == 5 * (lines + 1));
  }
}

TEST_CASE("cache tag array: in a set-associative cache one line too many costs its own set alone") {
  // 12 sets, no power of two. Line `first + capacity` lands in the set of line `first`.
  for (const auto& [sets, ways] : {std::pair{8u, 4u}, {12u, 3u}, {48u, 2u}, {1u, 5u}, {7u, 1u}}) {
    CAPTURE(sets, ways);
    TagArray tags(sets * ways, ways, "mod");
    REQUIRE(tags.sets() == sets);
    CHECK(misses(tags, 0, sets * ways, 5) == sets * ways);
    tags.clear();
    CHECK(misses(tags, 0, sets * ways + 1, 5) == (sets * ways - ways) + 5 * (ways + 1));
  }
}

TEST_CASE("cache tag array: as many lines of one set as ways stay, one more evicts the least recently used") {
  for (const std::uint32_t ways : {1u, 2u, 4u, 7u}) {
    CAPTURE(ways);
    TagArray tags(16 * ways, ways, "mod");
    for (std::uint32_t n = 0; n < ways; ++n) tags.fill(3 + 16 * n, 1);
    for (std::uint32_t n = 0; n < ways; ++n) CHECK(tags.find(3 + 16 * n) != TagArray::none);
    if (ways > 1) tags.lookup(3);  // Now line 19 is the oldest.
    const std::uint64_t oldest = ways > 1 ? 19 : 3;
    CHECK(tags.fill(3 + 16 * ways, 1).line == oldest);
    CHECK(tags.find(oldest) == TagArray::none);
    CHECK(tags.find(3 + 16 * ways) != TagArray::none);
  }
}

TEST_CASE("cache tag array: a dropped entry is taken again before a line has to go") {
  TagArray tags(4, 4, "mod");
  for (std::uint64_t line = 10; line < 14; ++line) tags.fill(line, 1);
  const std::uint64_t dropped = GENERATE(10, 11, 12, 13);
  tags.drop(tags.find(dropped));
  CHECK(tags.find(dropped) == TagArray::none);
  tags.fill(20, 1);
  for (std::uint64_t line = 10; line < 14; ++line) CHECK((tags.find(line) != TagArray::none) == (line != dropped));
  // The order of use of the others has not changed.
  CHECK(tags.fill(21, 1).line == (dropped == 10 ? 11 : 10));
}

TEST_CASE("cache tag array: sectors arrive one by one, and what is dirty is handed out when the line goes") {
  TagArray tags(spec_of(256, 128, 32, 1));  // Two sets of one line, four sectors each.
  CHECK(tags.lookup(4) == 0);
  tags.fill(4, 0b0010);
  CHECK(tags.lookup(4) == 0b0010);
  tags.fill(4, 0b1000);
  CHECK(tags.lookup(4) == 0b1010);
  tags.mark_dirty(tags.find(4), 0b0001);
  CHECK(tags.valid(tags.find(4)) == 0b1011);
  CHECK(tags.dirty(tags.find(4)) == 0b0001);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> dirty;
  tags.for_each_dirty([&](std::uint64_t line, std::uint32_t sectors) { dirty.emplace_back(line, sectors); });
  CHECK(dirty == std::vector<std::pair<std::uint64_t, std::uint32_t>>{{4, 1}});
  const TagArray::Victim victim = tags.fill(6, 1);
  CHECK(victim.line == 4);
  CHECK(victim.dirty == 0b0001);
  CHECK(tags.lookup(6) == 1);  // Nothing of the old line's sectors stays.
  tags.mark_dirty(tags.find(6), 0b110);
  tags.mark_clean(tags.find(6), 0b010);
  CHECK(tags.fill(8, 1).dirty == 0b100);
}

TEST_CASE("cache tag array: random streams agree with lists that are searched") {
  const auto [sets, ways] = GENERATE(values<std::pair<std::uint32_t, std::uint32_t>>(
      {{1, 1}, {1, 2}, {1, 33}, {4, 1}, {8, 2}, {16, 4}, {5, 3}, {12, 16}, {32, 6}}));
  CAPTURE(sets, ways);
  std::mt19937 random(sets * 100 + ways);
  TagArray tags(sets * ways, sets == 1 ? 0 : ways, "mod");
  NaiveCache naive(sets, ways);
  const std::uint32_t footprint = sets * ways * 2 + 1;
  for (int step = 0; step < 20000; ++step) {
    const std::uint64_t line = random() % footprint;
    const std::uint32_t sectors = 1u << random() % 4;
    switch (random() % 5) {
      case 0:
      case 1: REQUIRE(tags.lookup(line) == naive.lookup(line)); break;
      case 2: {
        const TagArray::Victim victim = tags.fill(line, sectors);
        const auto gone = naive.fill(line, sectors);
        REQUIRE(victim.line == gone.first);
        REQUIRE(victim.dirty == gone.second);
        break;
      }
      case 3:
        if (tags.find(line) != TagArray::none) tags.mark_dirty(tags.find(line), sectors);
        naive.write(line, sectors);
        break;
      default:
        if (random() % 4 != 0) break;
        if (tags.find(line) != TagArray::none) tags.drop(tags.find(line));
        naive.drop(line);
    }
  }
}

TEST_CASE("cache tlb: knows as many pages as it has entries, each for its whole length") {
  Tlb tlb({2, 0, 4096, 100});
  CHECK_FALSE(tlb.lookup(0));
  tlb.fill(0);
  CHECK(tlb.lookup(4095));
  CHECK_FALSE(tlb.lookup(4096));
  tlb.fill(4096);
  CHECK(tlb.lookup(0));
  tlb.fill(8192);  // The second page was used longest ago.
  CHECK(tlb.lookup(0));
  CHECK_FALSE(tlb.lookup(4096));
  Tlb all({0, 0, 4096, 100});
  CHECK(all.lookup(0x123456789));
}
