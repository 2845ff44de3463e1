#include <catch2/catch.hpp>

#include <map>
#include <numeric>
#include <random>
#include <set>

#include "isa/error.hpp"
#include "models/scratchpad/scratchpad.hpp"
#include "tests/unit/models/scratchpad/specs.hpp"

using namespace lockstep;
using namespace lockstep::scratchpad;
using lockstep::scratchpad::test::fermi;

namespace {

/// The definition, written down: distinct words per bank, the largest of them.
std::uint32_t degree_by_sets(const std::vector<std::uint64_t>& words, std::uint32_t mask, std::uint32_t banks) {
  std::map<std::uint64_t, std::set<std::uint64_t>> by_bank;
  for (std::size_t lane = 0; lane < words.size(); ++lane)
    if (mask >> lane & 1) by_bank[words[lane] % banks].insert(words[lane]);
  std::size_t largest = 0;
  for (const auto& [bank, distinct] : by_bank) largest = std::max(largest, distinct.size());
  return static_cast<std::uint32_t>(largest);
}

std::uint32_t most_lanes_by_counting(const std::vector<std::uint64_t>& words, std::uint32_t mask) {
  std::map<std::uint64_t, std::uint32_t> lanes;
  std::uint32_t most = 0;
  for (std::size_t lane = 0; lane < words.size(); ++lane)
    if (mask >> lane & 1) most = std::max(most, ++lanes[words[lane]]);
  return most;
}

std::vector<std::uint64_t> strided(std::uint64_t stride) {
  std::vector<std::uint64_t> address(32);
  for (std::uint64_t lane = 0; lane < 32; ++lane) address[lane] = lane * stride;
  return address;
}

}  // namespace

TEST_CASE("The conflict counter agrees with its definition on random accesses") {
  std::mt19937_64 random(7);
  for (const std::uint32_t banks : {16u, 32u, 128u}) {
    const hash::AddressMap map = hash::make_address_map("mod", banks, 4096);
    for (int round = 0; round < 3000; ++round) {
      std::vector<std::uint64_t> words(32);
      const std::uint64_t range = 1ull << (random() % 12);
      for (auto& word : words) word = random() % range * (1 + random() % 3 * 31);
      for (auto& word : words) word %= 4096;
      const auto mask = static_cast<std::uint32_t>(random());
      REQUIRE(conflict_degree(map, words.data(), mask) == degree_by_sets(words, mask, banks));
      const Conflicts both = conflicts(map, words.data(), mask);
      REQUIRE(both.degree == degree_by_sets(words, mask, banks));
      REQUIRE(both.most_lanes == most_lanes_by_counting(words, mask));
    }
  }
}

TEST_CASE("An access without lanes has degree 0") {
  const std::uint64_t words[32] = {};
  CHECK(conflict_degree(hash::make_address_map("mod", 32, 32), words, 0) == 0);
}

TEST_CASE("Passes of word accesses are the conflict degree") {
  Scratchpad scratchpad(fermi(), 48 * 1024);
  CHECK(scratchpad.load_passes(strided(4).data(), ~0u, 4).all == 1);
  CHECK(scratchpad.load_passes(strided(8).data(), ~0u, 4).all == 2);
  CHECK(scratchpad.load_passes(strided(128).data(), ~0u, 4).all == 32);
  CHECK(scratchpad.load_passes(strided(132).data(), ~0u, 4).all == 1);
  CHECK(scratchpad.load_passes(strided(0).data(), ~0u, 4).all == 1);
  CHECK(scratchpad.load_passes(strided(128).data(), 0x1f, 4).all == 5);
}

TEST_CASE("Bytes and half-words of one word share its pass") {
  Scratchpad scratchpad(fermi(), 48 * 1024);
  CHECK(scratchpad.load_passes(strided(1).data(), ~0u, 1).all == 1);
  CHECK(scratchpad.load_passes(strided(2).data(), ~0u, 2).all == 1);
  CHECK(scratchpad.load_passes(strided(128).data(), ~0u, 1).all == 32);
}

TEST_CASE("64-bit accesses are served half a warp at a time and 128-bit ones a quarter") {
  Scratchpad scratchpad(fermi(), 48 * 1024);
  CHECK(scratchpad.load_passes(strided(8).data(), ~0u, 8).all == 2);
  CHECK(scratchpad.load_passes(strided(16).data(), ~0u, 16).all == 4);
  CHECK(scratchpad.load_passes(strided(8).data(), 0xffff, 8).all == 1);
  // Lanes of a half-warp 16 words apart: every second lane starts in the same two banks.
  CHECK(scratchpad.load_passes(strided(64).data(), ~0u, 8).all == 2 * 8);
}

TEST_CASE("Passes beyond the first are told apart by conflicts, width and parts of the warp") {
  const auto list = [](const Passes& p) {
    return std::vector<std::uint32_t>{p.all, p.further, p.split, p.parts, p.degree};
  };
  using List = std::vector<std::uint32_t>;
  const Scratchpad scratchpad(fermi(), 48 * 1024);
  CHECK(list(scratchpad.load_passes(strided(4).data(), 0, 4)) == List{1, 0, 0, 0, 1});
  CHECK(list(scratchpad.load_passes(strided(4).data(), ~0u, 4)) == List{1, 0, 0, 0, 1});
  CHECK(list(scratchpad.load_passes(strided(8).data(), ~0u, 4)) == List{2, 1, 0, 0, 2});
  CHECK(list(scratchpad.load_passes(strided(8).data(), ~0u, 8)) == List{2, 0, 1, 0, 1});
  CHECK(list(scratchpad.store_passes(strided(16).data(), ~0u, 16)) == List{4, 0, 3, 0, 1});
  Spec halves = fermi();
  halves.banks = halves.request_lanes = 16;
  const Scratchpad of_halves(halves, 16 * 1024);
  CHECK(list(of_halves.store_passes(strided(4).data(), ~0u, 4)) == List{2, 0, 0, 1, 1});
  CHECK(list(of_halves.store_passes(strided(4).data(), 0xffff0000, 4)) == List{1, 0, 0, 0, 1});
  CHECK(list(of_halves.store_passes(strided(8).data(), ~0u, 4)) == List{4, 2, 0, 1, 2});
  CHECK(list(of_halves.store_passes(strided(8).data(), ~0u, 8)) == List{4, 0, 2, 1, 1});
}

TEST_CASE("Of lanes that want one word, the lowest gets the lock and the others learn why not") {
  Scratchpad scratchpad(fermi(), 48 * 1024);
  std::vector<std::uint64_t> address(32);
  std::iota(address.begin(), address.end(), 0);
  for (auto& a : address) a *= 4;
  address[1] = address[5] = address[0];  // position conflict
  address[9] = 4096;                     // word 1024: the lock of word 0
  const LockOutcome outcome = scratchpad.acquire(address.data(), ~0u, 0, 100);
  CHECK(outcome.acquired == (~0u & ~(1u << 1 | 1u << 5 | 1u << 9)));
  CHECK(outcome.failed_position == 2);
  CHECK(outcome.failed_alias == 1);
  CHECK(outcome.failed_warp == 0);
}

TEST_CASE("A lock that another warp holds is refused until the very cycle of its release") {
  Scratchpad scratchpad(fermi(), 48 * 1024);
  const std::vector<std::uint64_t> address(32, 64);
  REQUIRE(scratchpad.acquire(address.data(), 1, 0, 10).acquired == 1);
  CHECK(scratchpad.acquire(address.data(), 1, 0, 50).failed_warp == 1);
  scratchpad.release(address.data(), 1, 90);
  CHECK(scratchpad.acquire(address.data(), 1, 0, 89).acquired == 0);
  CHECK(scratchpad.acquire(address.data(), 1, 0, 90).acquired == 1);
}

TEST_CASE("Where addresses count from a thread block's beginning, locks are those of its place") {
  Scratchpad scratchpad(fermi(), 48 * 1024);
  const std::vector<std::uint64_t> own(32, 64), absolute(32, 64 + 4096 - 128), other(32, 64);
  REQUIRE(scratchpad.acquire(own.data(), 1, 0, 10, 4096 - 128).acquired == 1);
  CHECK(scratchpad.acquire(other.data(), 1, 1, 20).acquired == 1);
  CHECK(scratchpad.acquire(absolute.data(), 1, 2, 20).failed_warp == 1);
  scratchpad.release(own.data(), 1, 30, 4096 - 128);
  CHECK(scratchpad.acquire(absolute.data(), 1, 2, 30).acquired == 1);
  CHECK(scratchpad.lock_of(absolute[0]) == 1008);  // Word 1008 of 1,024 that have locks of their own.
  CHECK(scratchpad.lock_of(4 * 1025 + 3) == 1);
}

TEST_CASE("Bytes of one bank word are in one bank, and neighbouring words in neighbouring banks") {
  Spec spec = fermi();
  const Scratchpad words(spec, 48 * 1024);
  CHECK(words.bank_of(3) == 0);
  CHECK(words.bank_of(4) == 1);
  CHECK(words.bank_of(127) == 31);
  CHECK(words.bank_of(128) == 0);
  spec.bank_bytes = 8;
  const Scratchpad pairs(spec, 48 * 1024);
  CHECK(pairs.bank_of(7) == 0);
  CHECK(pairs.bank_of(8) == 1);
  CHECK(pairs.bank_of(256) == 0);
}

TEST_CASE("Locks alias at the distance of their number, not before") {
  for (const std::uint32_t locks : {256u, 1024u}) {
    Spec spec = fermi();
    spec.locks = locks;
    Scratchpad scratchpad(spec, 48 * 1024);
    std::vector<std::uint64_t> address(32, 0);
    address[1] = (locks - 1) * 4;
    address[2] = locks * 4;
    CHECK(scratchpad.acquire(address.data(), 0b111, 0, 1).acquired == 0b011);
  }
}

TEST_CASE("Banks and locks may be functions of all address bits of the scratchpad, and of no others") {
  // 48 KiB are 12,288 words: 14 bits.
  Spec spec = fermi();
  spec.bank_hash = "bits:0,1,2,3,13";
  spec.lock_hash = "bits:0,1,2,3,4,5,6,7,8,13";
  const Maps maps = make_maps(spec, 48 * 1024, "kernel");
  CHECK(maps.banks[1 << 13] == 16);
  CHECK(maps.locks[1 << 13] == 512);
  spec.lock_hash = "bits:0,1,2,3,4,5,6,7,8,14";
  CHECK_THROWS_AS(make_maps(spec, 48 * 1024, "kernel"), InputError);
  spec.lock_hash = "mod";
  spec.bank_hash = "bits:0,1,2,3,14";
  CHECK_THROWS_AS(make_maps(spec, 48 * 1024, "kernel"), InputError);
}

TEST_CASE("An address map keeps only the period of its table") {
  const hash::AddressMap modulo = hash::make_address_map("mod", 32, 12288);
  CHECK(modulo.entries() == 32);
  CHECK(modulo[12287] == 12287 % 32);
  CHECK(hash::AddressMap({0, 0}, 1).entries() == 1);
  CHECK(hash::AddressMap({0, 1}, 2).entries() == 2);
  std::vector<std::uint16_t> table(256, 0);
  table[128] = 1;
  const hash::AddressMap whole(table, 2);
  CHECK(whole.entries() == 256);
  CHECK(whole[128 + 512] == 1);
  CHECK(whole[0] == 0);
}

TEST_CASE("A table that is no address map is a bug of its family") {
  CHECK_NOTHROW(hash::AddressMap({0, 1}, 2));
  CHECK_THROWS_AS(hash::AddressMap({0, 2}, 2), Bug);
  CHECK_THROWS_AS(hash::AddressMap({0, 1, 0}, 2), Bug);
  CHECK_THROWS_AS(hash::AddressMap({0, 0}, 0), Bug);
}

TEST_CASE("An unknown hash names those that exist") {
  CHECK_THROWS_WITH(hash::make_address_map("modd", 32, 1024), Catch::Contains("modd") && Catch::Contains("mod"));
}
