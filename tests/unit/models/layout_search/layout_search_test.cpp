// Layouts for patterns whose best one is known, and passes counted once more from scratch.

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "models/layout_search/layout_search.hpp"

using namespace lockstep;
using namespace lockstep::layout;
using rewrite::ArrayLayout;

namespace {

using Words = std::vector<std::uint32_t>;

/// What request `words` of an array at this offset takes on 32 banks of 4 bytes.
std::uint64_t passes(const Words& words, std::uint64_t offset, const ArrayLayout& layout) {
  std::map<std::uint64_t, std::set<std::uint64_t>> by_bank;
  std::size_t most = 0;
  for (const std::uint32_t word : words) {
    const std::uint64_t place = (offset + layout.place(word * 4)) / 4;
    by_bank[place % 32].insert(place);
    most = std::max(most, by_bank[place % 32].size());
  }
  return most;
}

LayoutRequest request(std::uint64_t bytes, const hash::AddressMap& banks, std::uint32_t contiguous = 4) {
  return {{0, bytes}, &banks, contiguous, 2 * bytes};
}

const hash::AddressMap banks = hash::make_address_map("mod", 32, 1 << 14);

/// Rows and columns of 32 by 32 words.
hash::AccessSet rows_and_columns() {
  hash::AccessSet set{hash::ServiceRules()};
  for (std::uint32_t n = 0; n < 32; ++n) {
    Words row, column;
    for (std::uint32_t i = 0; i < 32; ++i) {
      row.push_back(n * 32 + i);
      column.push_back(i * 32 + n);
    }
    set.add_request(row, 3);
    set.add_request(column);
  }
  return set;
}

}  // namespace

TEST_CASE(
    "a tile of which rows and columns are read needs a word per row, a rotation or the row number in the column") {
  const LayoutResult found = search_layouts(rows_and_columns(), request(4096, banks));
  CHECK(found.requests == 128);
  CHECK(found.before == 3 * 32 + 32 * 32);
  CHECK(found.least == 128);
  std::set<std::string> best;
  for (const Candidate& one : found.best)
    if (one.passes == 128) best.insert(one.layout.name());
  CHECK(best.contains("pad:32+1"));
  CHECK(best.contains("rotate:32*1"));
  CHECK(best.contains("xor:>>5&31"));
  CHECK(found.best[0].passes == 128);
}

TEST_CASE("pieces that have to stay together do") {
  // Columns of 16-byte pieces: 8 lanes of 4 words each, 128 bytes apart.
  hash::AccessSet set{hash::ServiceRules()};
  for (std::uint32_t n = 0; n < 8; ++n) {
    Words words;
    for (std::uint32_t i = 0; i < 32; ++i) words.push_back((i / 4) * 32 + n * 4 + i % 4);
    set.add_request(words);
  }
  const LayoutResult found = search_layouts(set, request(1024, banks, 16));
  CHECK(found.before == 8 * 8);
  REQUIRE_FALSE(found.best.empty());
  CHECK(found.best[0].passes == 8);
  for (const Candidate& one : found.best) CHECK(one.layout.contiguous_bytes() == 16);
}

TEST_CASE("nothing is found where there is nothing to gain, and no memory is taken that there is not") {
  hash::AccessSet rows{hash::ServiceRules()};
  Words row(32);
  for (std::uint32_t i = 0; i < 32; ++i) row[i] = i;
  rows.add_request(row);
  CHECK(search_layouts(rows, request(128, banks)).best.empty());
  LayoutRequest tight = request(4096, banks);
  tight.most_bytes = 4096;
  for (const Candidate& one : search_layouts(rows_and_columns(), tight).best)
    CHECK(one.layout.bytes_needed(4096) == 4096);
}

TEST_CASE("passes are those of the words' places, never below the bound") {
  std::mt19937 random(3);
  for (int n = 0; n < 8; ++n) {
    hash::AccessSet set{hash::ServiceRules()};
    std::vector<std::pair<Words, std::uint64_t>> all;
    for (std::uint32_t r = 0; r < 12; ++r) {
      std::set<std::uint32_t> words;
      const std::uint32_t first = random() % 512, stride = 1 + random() % 40, bits = random() % 512;
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        words.insert(r % 2 == 0 ? (first + lane * stride) % 1024 : (first ^ (lane * bits)) % 1024);
      all.emplace_back(Words(words.begin(), words.end()), 1 + random() % 3);
      set.add_request(all.back().first, all.back().second);
    }
    LayoutRequest asked = request(4096, banks);
    asked.place.offset = 256;
    const LayoutResult found = search_layouts(set, asked);
    for (const Candidate& one : found.best) {
      std::uint64_t sum = 0;
      for (const auto& [words, weight] : all) sum += weight * passes(words, 256, one.layout);
      INFO(one.layout.name());
      REQUIRE(one.passes == sum);
      REQUIRE(one.passes >= found.least);
      REQUIRE(one.passes < found.before);
    }
  }
}

TEST_CASE("requests are told apart by the array of their words, and count from its beginning") {
  hash::AccessSet set{hash::ServiceRules()};
  set.add_request(Words{0, 1});
  set.add_request(Words{32, 40}, 5);
  set.add_request(Words{100});  // Of none.
  const auto parts = requests_of_arrays(set, {{0, 128}, {128, 64}});
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].request_weight() == 1);
  REQUIRE(parts[1].requests().entries().size() == 1);
  const auto words = parts[1].requests().values(parts[1].requests().entries()[0]);
  CHECK(Words(words.begin(), words.end()) == Words{0, 8});
  CHECK(parts[1].request_weight() == 5);
}
