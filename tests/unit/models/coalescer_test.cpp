// Expected transactions: CUDA C Programming Guide 4.x, sections F.3.2.1, F.3.2.2 and F.4.2 with their figures, and section
// 2.4.3 of Gomez-Luna (2012).

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "models/coalescer/coalescer.hpp"

namespace lockstep::coalescer_test {

using namespace lockstep::coalescer;
using Words = std::vector<std::uint64_t>;

namespace {

constexpr std::uint64_t base = 1 << 20;

std::unique_ptr<Transactions> coalesced(Rule rule, const Words& addresses, std::uint32_t bytes,
                                        std::uint32_t mask = ~0u, std::uint32_t line = 128, bool atomic = false) {
  auto out = std::make_unique<Transactions>();
  Words all = addresses;
  all.resize(32);
  coalesce(rule, {all.data(), mask, bytes, atomic}, line, *out);
  return out;
}

std::unique_ptr<Transactions> atomic(Rule rule, const Words& addresses, std::uint32_t bytes) {
  return coalesced(rule, addresses, bytes, ~0u, 128, true);
}

Words row(std::uint64_t first, std::uint64_t stride) {
  Words all;
  for (std::uint64_t lane = 0; lane < 32; ++lane) all.push_back(first + lane * stride);
  return all;
}

constexpr std::uint32_t half_warp = 0xffff;

}  // namespace

TEST_CASE("coalescer 1.0: a half-warp in order on an aligned row is one transaction of 64 or 128 bytes, or two") {
  const auto rule = Rule::half_warp_in_order;
  const auto words = coalesced(rule, row(base, 4), 4, half_warp);
  REQUIRE(words->count == 1);
  CHECK(words->all[0].sectors == 0b0011);
  CHECK(words->all[0].lanes == 16);
  const auto doubles = coalesced(rule, row(base, 8), 8, half_warp);
  REQUIRE(doubles->count == 1);
  CHECK(doubles->all[0].sectors == 0b1111);
  const auto quads = coalesced(rule, row(base, 16), 16, half_warp);
  REQUIRE(quads->count == 2);
  CHECK(quads->all[0].block == base);
  CHECK(quads->all[1].block == base + 128);
  CHECK(quads->all[0].lanes == 8);
  CHECK(coalesced(rule, row(base, 4), 4)->count == 2);  // A warp is two half-warps.
  // The second half-warp's row begins in the middle of a block.
  CHECK(coalesced(rule, row(base, 4), 4)->all[1].sectors == 0b1100);
}

TEST_CASE("coalescer 1.0: lanes may be missing, but must not change places, be shifted or jump") {
  const auto rule = Rule::half_warp_in_order;
  CHECK(coalesced(rule, row(base, 4), 4, 0x7fff)->count == 1);
  CHECK(coalesced(rule, row(base, 4), 4, 0xfffe)->count == 1);
  Words swapped = row(base, 4);
  std::swap(swapped[3], swapped[4]);
  CHECK(coalesced(rule, swapped, 4, half_warp)->count == 16);
  CHECK(coalesced(rule, row(base + 4, 4), 4, half_warp)->count == 16);
  CHECK(coalesced(rule, row(base + 64, 4), 4, half_warp)->count == 1);
  CHECK(coalesced(rule, row(base + 64, 8), 8, half_warp)->count == 16);
  CHECK(coalesced(rule, row(base, 12), 4, half_warp)->count == 16);
  CHECK(coalesced(rule, row(base, 0), 4, half_warp)->count == 16);
  CHECK(coalesced(rule, row(base, 8), 4, 0x00ff)->count == 8);  // One for every lane that takes part.
  // Words of 1 and 2 bytes are never coalesced.
  CHECK(coalesced(rule, row(base, 1), 1, half_warp)->count == 16);
  CHECK(coalesced(rule, row(base, 2), 2, half_warp)->count == 16);
  const auto alone = coalesced(rule, swapped, 4, half_warp);
  for (const Transaction& t : *alone) CHECK(__builtin_popcount(t.sectors) == 1);
}

TEST_CASE("coalescer 1.2: segments of 32, 64 and 128 bytes for words of 1, 2 and more bytes, whatever the order") {
  const auto rule = Rule::half_warp_segments;
  CHECK(coalesced(rule, row(base, 1), 1, half_warp)->all[0].sectors == 0b0001);
  CHECK(coalesced(rule, row(base, 2), 2, half_warp)->all[0].sectors == 0b0001);  // 64 bytes, lower half used.
  CHECK(coalesced(rule, row(base + 16, 2), 2, half_warp)->all[0].sectors == 0b0011);
  Words reversed = row(base, 4);
  std::reverse(reversed.begin(), reversed.begin() + 16);
  const auto one = coalesced(rule, reversed, 4, half_warp);
  REQUIRE(one->count == 1);
  CHECK(one->all[0].sectors == 0b0011);
  CHECK(coalesced(rule, row(base, 0), 4, half_warp)->count == 1);
  CHECK(coalesced(rule, row(base, 8), 8, half_warp)->all[0].sectors == 0b1111);
  CHECK(coalesced(rule, row(base, 16), 16, half_warp)->count == 2);
}

TEST_CASE("coalescer 1.2: a shifted row costs what it touches: 128 bytes within a segment, 32 and 64 across two") {
  // Figure G-1 of the guide: sixteen words from address 100 (here base + 100 - 96) on.
  const auto rule = Rule::half_warp_segments;
  const auto inside = coalesced(rule, row(base + 4, 4), 4, half_warp);
  REQUIRE(inside->count == 1);
  CHECK(inside->all[0].sectors == 0b1111);  // 64 bytes, but over both halves.
  const auto across = coalesced(rule, row(base + 96, 4), 4, half_warp);
  REQUIRE(across->count == 2);
  CHECK(across->all[0].block == base);
  CHECK(across->all[0].sectors == 0b1000);  // 32 bytes: the last quarter of the segment.
  CHECK(across->all[1].block == base + 128);
  CHECK(across->all[1].sectors == 0b0001);
  CHECK(across->all[0].lanes == 8);
  CHECK(coalesced(rule, row(base, 128), 4, half_warp)->count == 16);
  // Halves 2 and 3 of a segment are a 64-byte transaction of its upper half.
  CHECK(coalesced(rule, row(base + 64, 4), 4, half_warp)->all[0].sectors == 0b1100);
}

TEST_CASE("coalescer 2.0: a warp has one transaction per line that it touches, with the sectors that it needs") {
  const auto rule = Rule::warp_lines;
  CHECK(coalesced(rule, row(base, 4), 4)->count == 1);
  const auto shifted = coalesced(rule, row(base + 4, 4), 4);
  REQUIRE(shifted->count == 2);
  CHECK(shifted->all[0].sectors == 0b1111);
  CHECK(shifted->all[1].sectors == 0b0001);
  CHECK(shifted->all[1].lanes == 1);
  CHECK(coalesced(rule, row(base, 128), 4)->count == 32);
  CHECK(coalesced(rule, row(base, 128), 4, 0x7)->count == 3);
  CHECK(coalesced(rule, row(base, 2), 2)->all[0].sectors == 0b0011);
  CHECK(coalesced(rule, row(base, 4), 4, ~0u, 32)->count == 4);  // Lines of 32 bytes.
  CHECK(coalesced(rule, row(base, 4), 4, 0)->count == 0);
}

TEST_CASE("coalescer 2.0: words of 8 bytes are two requests, of 16 bytes four") {
  const auto rule = Rule::warp_lines;
  CHECK(coalesced(rule, row(base, 8), 8)->count == 2);
  CHECK(coalesced(rule, row(base, 16), 16)->count == 4);
  CHECK(coalesced(rule, row(base, 32), 32)->count == 8);
  // All lanes on one address: each request has its own transaction.
  CHECK(coalesced(rule, row(base, 0), 4)->count == 1);
  CHECK(coalesced(rule, row(base, 0), 8)->count == 2);
  CHECK(coalesced(rule, row(base, 0), 16)->count == 4);
  CHECK(coalesced(rule, row(base, 0), 16, 0xff)->count == 1);
}

TEST_CASE("coalescer: an access across the end of a block is in both") {
  for (const Rule rule : {Rule::half_warp_in_order, Rule::half_warp_segments, Rule::warp_lines}) {
    const auto across = coalesced(rule, row(base + 120, 0), 16, 1);
    REQUIRE(across->count == 2);
    CHECK(across->all[0].sectors == 0b1000);
    CHECK(across->all[1].block == base + 128);
    CHECK(across->all[1].sectors == 0b0001);
    CHECK(across->all[0].bytes.count() == 8);
    CHECK(across->all[1].bytes.count() == 8);
  }
}

TEST_CASE("coalescer: behind the last address comes 0") {
  for (const Rule rule : {Rule::half_warp_in_order, Rule::half_warp_segments, Rule::warp_lines}) {
    CAPTURE(static_cast<int>(rule));
    // A row of 16 words whose last half lies at 0, a row that ends with the last byte, lanes that all cross the end.
    const std::uint64_t top = ~std::uint64_t{0};
    const auto crossing = coalesced(rule, row(top - 31, 4), 4, half_warp);
    REQUIRE(crossing->count >= 2);
    std::uint32_t bytes = 0;
    for (const Transaction& t : *crossing) {
      CHECK((t.block == 0 || t.block == top - 127));
      bytes += t.bytes.count();
    }
    CHECK(bytes == 64);
    const auto last = coalesced(rule, row(top - 63, 4), 4, half_warp);
    REQUIRE(last->count == 1);
    CHECK(last->all[0].block == top - 127);
    CHECK(last->all[0].bytes.count() == 64);
    const auto on_the_end = coalesced(rule, row(top - 1, 0), 4, half_warp);
    for (const Transaction& t : *on_the_end) {
      CHECK((t.block == 0 || t.block == top - 127));
      CHECK(t.bytes.count() == 2);
    }
  }
}

TEST_CASE("coalescer: an atomic knows how many lanes of a transaction name one word") {
  Words all = row(base, 4);
  for (int lane = 0; lane < 5; ++lane) all[lane] = base + 40;  // And lane 10 by itself.
  all[31] = base + 4096;
  const auto t = atomic(Rule::warp_lines, all, 4);
  REQUIRE(t->count == 2);
  CHECK(t->all[0].same_word == 6);
  CHECK(t->all[0].lanes == 31);
  CHECK(t->all[1].same_word == 1);
  CHECK(atomic(Rule::half_warp_segments, row(base, 0), 4)->all[1].same_word == 16);
  CHECK(atomic(Rule::half_warp_in_order, row(base, 0), 4)->all[0].same_word == 1);
}

TEST_CASE("coalescer: an atomic takes as many operations of each sector as lanes share one of its words") {
  // Eleven words 12 bytes apart, of three lanes each and the last of two, in four sectors: three operations each.
  Words words(32);
  for (unsigned lane = 0; lane < 32; ++lane) words[lane] = base + lane / 3 * 12;
  const auto t = atomic(Rule::warp_lines, words, 4);
  REQUIRE(t->count == 1);
  CHECK(t->all[0].same_word == 3);
  CHECK(t->all[0].operations == 12);
  // Words of their own: one for each sector.
  CHECK(atomic(Rule::warp_lines, row(base, 4), 4)->all[0].operations == 4);
  // Lanes 0 to 4 and 10 on a word of the second sector, with the others' own in all four.
  Words uneven = row(base, 4);
  for (int lane = 0; lane < 5; ++lane) uneven[lane] = base + 40;
  CHECK(atomic(Rule::warp_lines, uneven, 4)->all[0].operations == 1 + 6 + 1 + 1);
}

TEST_CASE("coalescer: all lanes of an atomic of 8 bytes on a line are one transaction") {
  Words words(32);
  for (unsigned lane = 0; lane < 32; ++lane) words[lane] = base + lane / 8 * 8;
  const auto t = atomic(Rule::warp_lines, words, 8);
  REQUIRE(t->count == 1);
  CHECK(t->all[0].lanes == 32);
  CHECK(t->all[0].operations == 8);
}

TEST_CASE("coalescer: every byte asked for is in exactly the transactions of its request, and nothing else") {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    const Rule rule = static_cast<Rule>(random() % 3);
    const std::uint32_t bytes = 1u << random() % 5, mask = random();
    Words all(32);
    for (auto& address : all) address = base + random() % 1024 / bytes * bytes;
    const auto out = coalesced(rule, all, bytes, mask);
    std::set<std::uint64_t> asked, got;
    std::uint32_t lanes = 0;
    for (int lane = 0; lane < 32; ++lane)
      for (std::uint32_t b = 0; (mask >> lane & 1) != 0 && b < bytes; ++b) asked.insert(all[lane] + b);
    for (const Transaction& t : *out) {
      lanes += t.lanes;
      CHECK(t.block % 128 == 0);
      for (std::uint32_t b = 0; b < 128; ++b) {
        const bool set = ((b < 64 ? t.bytes.low >> b : t.bytes.high >> (b - 64)) & 1) != 0;
        if (!set) continue;
        got.insert(t.block + b);
        REQUIRE((t.sectors >> b / 32 & 1) != 0);
      }
    }
    REQUIRE(asked == got);
    REQUIRE(lanes == static_cast<std::uint32_t>(__builtin_popcount(mask)));
  }
}

TEST_CASE("coalescer: a byte mask knows the parts in which bytes are set, and those that are set wholly") {
  ByteMask mask;
  mask.add(60, 8);
  CHECK(mask.parts(32) == 0b0110);
  CHECK(mask.whole_parts(32) == 0);
  CHECK(mask.parts(16) == 0b00011000);
  CHECK(mask.parts(64) == 0b11);
  CHECK(mask.parts(128) == 1);
  mask.add(32, 32);
  CHECK(mask.whole_parts(32) == 0b0010);
  CHECK(mask.count() == 36);
  mask.add(0, 128);
  CHECK(mask.whole_parts(128) == 1);
  CHECK(mask.whole_parts(16) == 0xff);
}

TEST_CASE("The words of a load in one L1 bank are as many as cycles on an H200 (micro-l1-rate)") {
  const auto degree = [](std::uint64_t stride, std::uint32_t bytes) {
    return bank_degree(*coalesced(Rule::warp_lines, row(base, stride * bytes), bytes), 32);
  };
  // Measured: 1.0, 1.0, 2.0, 1.0, 4.0, 7.8, 15.5 and 32.1 cycles.
  CHECK(degree(0, 4) == 1);
  CHECK(degree(1, 4) == 1);
  CHECK(degree(2, 4) == 2);
  CHECK(degree(3, 4) == 1);
  CHECK(degree(4, 4) == 4);
  CHECK(degree(8, 4) == 8);
  CHECK(degree(16, 4) == 16);
  CHECK(degree(32, 4) == 32);
  // Of eight bytes 1.0, 2.0, 4.0, 2.0 and 32.2, of sixteen 1.0, 4.0, 7.8, 3.7 and 32.1.
  CHECK(degree(0, 8) == 1);
  CHECK(degree(1, 8) == 2);
  CHECK(degree(2, 8) == 4);
  CHECK(degree(3, 8) == 2);
  CHECK(degree(16, 8) == 32);
  CHECK(degree(0, 16) == 1);
  CHECK(degree(1, 16) == 4);
  CHECK(degree(2, 16) == 8);
  CHECK(degree(3, 16) == 4);
  CHECK(degree(8, 16) == 32);
}

}  // namespace lockstep::coalescer_test
