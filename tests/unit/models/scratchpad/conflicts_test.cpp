// The conflict counter against counting with sets.

#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <set>

#include "models/scratchpad/conflicts.hpp"

namespace lockstep::conflicts_test {

namespace {

std::uint32_t counted_with_sets(const hash::AddressMap& map, const std::uint64_t* words, std::uint32_t mask,
                                std::uint32_t shift) {
  std::map<std::uint32_t, std::set<std::uint64_t>> banks;
  std::size_t most = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    std::set<std::uint64_t>& bank = banks[map[words[lane] >> shift]];
    bank.insert(words[lane] >> shift);
    most = std::max(most, bank.size());
  }
  return static_cast<std::uint32_t>(most);
}

}  // namespace

TEST_CASE("scratchpad conflicts: the degree is that of counting with sets, for any lanes, words, width and hash") {
  std::mt19937_64 random(5);
  for (const auto& [spec, targets] : {std::pair{"mod", 32u},
                                      {"xor", 32u},
                                      {"add", 64u},
                                      {"mod", 1000u},
                                      {"modulus:31", 32u},
                                      {"xor", 1024u},
                                      {"mod", 16u},
                                      {"mod", 1u}}) {
    const hash::AddressMap map = hash::make_address_map(spec, targets, 12288);
    std::uint64_t differ = 0;
    for (int trial = 0; trial < 4000; ++trial) {
      const std::uint64_t limit = 1 + random() % (trial % 2 == 0 ? 40 : 12288);
      std::uint64_t words[32];
      for (std::uint64_t lane = 0; lane < 32; ++lane) {
        switch (trial % 5) {
          case 0: words[lane] = random() % limit; break;
          case 1: words[lane] = random() % limit * 32; break;
          case 2: words[lane] = lane * limit; break;
          case 3: words[lane] = (31 - lane) * limit * 4; break;
          default: words[lane] = lane % 8 * limit + lane / 8;
        }
      }
      const auto some = static_cast<std::uint32_t>(random() & random());
      const std::uint32_t mask = trial % 3 == 0 ? ~0u : trial % 400 == 1 ? 0 : some;
      const auto shift = static_cast<std::uint32_t>(trial % 4);
      const std::uint32_t expected = counted_with_sets(map, words, mask, shift);
      differ += scratchpad::conflict_degree(map, words, mask, shift) != expected;
      differ += scratchpad::conflicts(map, words, mask, shift).degree != expected;
    }
    INFO(spec << " of " << targets);
    CHECK(differ == 0);
  }
}

TEST_CASE(
    "scratchpad conflicts: with one broadcast, a pass takes the word of the lowest lane and a lane of other banks") {
  const hash::AddressMap map = hash::make_address_map("mod", 16, 4096);
  const auto passes = [&](const std::vector<std::uint64_t>& words) {
    return scratchpad::one_word_passes(map, words.data(), (1u << words.size()) - 1);
  };
  CHECK(passes({}) == 0);
  CHECK(passes({0, 1, 2}) == 1);
  CHECK(passes({5, 5, 5}) == 1);
  CHECK(passes({0, 16}) == 2);  // One bank.
  CHECK(passes({0, 16, 32}) == 3);
  CHECK(passes({0, 1, 1}) == 2);  // Word 1 is not the one of the lowest lane: one of its lanes is served.
  CHECK(passes({1, 0, 1}) == 1);
  CHECK(passes({0, 1, 1, 1}) == 2);  // Then word 1 is broadcast.
  const std::uint64_t halves[] = {0, 1, 2, 3};
  CHECK(scratchpad::one_word_passes(map, halves, 0xf, 1) == 2);  // Words 0, 0, 1, 1.
}

}  // namespace lockstep::conflicts_test
