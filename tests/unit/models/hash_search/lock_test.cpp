// Lock loops: what a single warp's retries and passes are, and searches for lock hashes, alone and with the banks'.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>

#include "models/hash_search/joint_search.hpp"
#include "models/hash_search/null_space_search.hpp"
#include "tests/unit/models/hash/linear_target.hpp"

using namespace lockstep::hash;

namespace {

using Words = std::vector<std::uint32_t>;

void add_loop(AccessSet& set, const Words& words, std::uint64_t weight = 1) {
  std::uint64_t address[32] = {};
  for (std::size_t lane = 0; lane < words.size(); ++lane) address[lane] = std::uint64_t{4} * words[lane];
  set.add_lock_loop(address, static_cast<std::uint32_t>((std::uint64_t{1} << words.size()) - 1), 4, weight);
}

ServiceRules rules(std::uint32_t banks, std::uint32_t locks) {
  ServiceRules all;
  all.shape.banks = banks;
  all.locks = locks;
  return all;
}

AddressMap low_bits(std::uint32_t targets) {
  return make_address_map("mod", targets, 4096);
}

using Loops = std::vector<std::pair<Words, std::uint64_t>>;

/// Retries under rows, counted as the most lanes that want one lock less one.
std::uint64_t retries(const Loops& loops, const Words& rows) {
  std::uint64_t sum = 0;
  for (const auto& [words, weight] : loops) {
    std::map<std::uint32_t, std::uint64_t> lanes;
    std::uint64_t most = 0;
    for (const std::uint32_t word : words) {
      const std::uint32_t lock = lockstep::test::linear_target(rows, word);
      most = std::max(most, ++lanes[lock]);
    }
    sum += weight * (most - 1);
  }
  return sum;
}

}  // namespace

TEST_CASE("two words of one lock make one retry, and a conflict where they are in one bank") {
  // The case of models/scratchpad/README.md that costs 152 cycles: one more iteration, one more load pass in the first.
  AccessSet set(rules(32, 1024));
  Words words = {0, 1024};
  for (std::uint32_t lane = 2; lane < 32; ++lane) words.push_back(lane);
  add_loop(set, words);
  const LockCounts counts = count_lock_loops(set, low_bits(1024), low_bits(32));
  CHECK(counts.retries == 1);
  CHECK(counts.requests == 4);
  CHECK(counts.conflicts() == 1);
  CHECK(least_retries(set) == 0);
}

TEST_CASE("lanes that want one word retry under any lock hash") {
  AccessSet set(rules(32, 1024));
  add_loop(set, {7, 7, 7, 9}, 5);
  CHECK(count_lock_loops(set, low_bits(1024), low_bits(32)).retries == 2 * 5);
  CHECK(least_retries(set) == 2 * 5);
  // Fewer locks than lanes: somebody has to wait.
  AccessSet few(rules(32, 2));
  add_loop(few, {0, 1, 2, 3, 4});
  CHECK(least_retries(few) == 2);
}

TEST_CASE("lock loops are requests once the locks are known: all lanes left load, those with a lock store") {
  AccessSet set(rules(32, 4));
  add_loop(set, {0, 4, 1, 8}, 3);
  // Locks 0, 0, 1, 0: iterations serve words {0, 1}, then 4, then 8.
  const AccessSet trips = with_lock_trips(set, low_bits(4));
  std::map<Words, std::uint64_t> counted;
  for (const WeightedSequences::Entry& entry : trips.requests().entries()) {
    const auto values = trips.requests().values(entry);
    counted[Words(values.begin(), values.end())] += entry.weight;
  }
  CHECK(counted == std::map<Words, std::uint64_t>{{{0, 1, 4, 8}, 3}, {{0, 1}, 3}, {{4, 8}, 3}, {{4}, 3}, {{8}, 3 + 3}});
  CHECK(trips.lock_access_count() == 0);
}

TEST_CASE("the exact search for locks finds the fewest retries of all linear functions") {
  std::mt19937 random(23);
  for (int n = 0; n < 30; ++n) {
    Loops loops;
    AccessSet set(rules(32, 4));
    for (std::uint32_t count = 1 + random() % 5; count > 0; --count) {
      Words words;
      for (std::uint32_t lanes = 2 + random() % 12; lanes > 0; --lanes) words.push_back(random() % 32);
      loops.push_back({words, 1 + random() % 4});
      add_loop(set, loops.back().first, loops.back().second);
    }
    SearchRequest request;
    request.unit = Unit::lock;
    request.words = 32;
    const SearchResult result = search(set, request);
    std::uint64_t fewest = ~std::uint64_t{0};
    for (std::uint32_t a = 1; a < 32; ++a)
      for (std::uint32_t b = a + 1; b < 32; ++b) fewest = std::min(fewest, retries(loops, {a, b}));
    INFO("case " << n);
    REQUIRE(result.after == fewest);
    REQUIRE(result.optimal);
  }
}

TEST_CASE("a search for both hashes costs no more than the hashes searched apart") {
  std::mt19937 random(31);
  for (const char* family : {"bits", "bits-xor", "matrix", "bitvector-xor", "modulus"}) {
    AccessSet set(rules(8, 16));
    for (int n = 0; n < 12; ++n) {
      Words words;
      const std::uint32_t stride = 1 + random() % 24, first = random() % 64;
      for (std::uint32_t lane = 0; lane < 16; ++lane) words.push_back((first + lane * stride) % 256);
      add_loop(set, words, 1 + random() % 4);
    }
    set.add_request(Words{0, 8, 16, 24}, 50);
    SearchRequest request;
    request.family = family;
    for (const SearchMethods& methods : search_methods())
      if (methods.family == family) request.method = methods.methods.back();
    request.words = 256;
    const LockCosts costs{120, 34};
    const JointResult result = search_joint(set, request, costs);
    INFO(family << ": banks " << result.bank_hash << ", locks " << result.lock_hash);
    CHECK(result.after.cost <= result.separate.cost);
    CHECK(result.after.cost <= result.before.cost);
    CHECK(result.after.cost >= result.lower_bound);
    CHECK(result.gain() == result.separate.cost - result.after.cost);
    const JointCost again = joint_cost(set, request, costs, result.bank_hash, result.lock_hash);
    CHECK(again.cost == result.after.cost);
    CHECK(again.cost == 120 * again.retries + 34 * again.conflicts);
  }
}

TEST_CASE("no pair of linear functions is better than the one that is searched for together, where all can be tried",
          "[long]") {
  std::mt19937 random(3);
  for (int n = 0; n < 12; ++n) {
    AccessSet set(rules(2, 2));
    for (std::uint32_t count = 1 + random() % 4; count > 0; --count) {
      Words words;
      for (std::uint32_t lanes = 2 + random() % 14; lanes > 0; --lanes) words.push_back(random() % 16);
      add_loop(set, words);
    }
    SearchRequest request;
    request.words = 16;
    const LockCosts costs{120, 34};
    std::uint64_t least = ~std::uint64_t{0};
    for (std::uint32_t banks = 1; banks < 16; ++banks)
      for (std::uint32_t locks = 1; locks < 16; ++locks)
        least = std::min(
            least,
            joint_cost(set, request, costs, fmt::format("matrix:{:x}", banks), fmt::format("matrix:{:x}", locks)).cost);
    INFO("case " << n);
    CHECK(search_joint(set, request, costs).after.cost == least);
  }
}

TEST_CASE("rows and columns of locks: single bits serve half of each, a linear function both") {
  AccessSet set(rules(4, 4));
  add_loop(set, {0, 1, 2, 3}, 2);
  add_loop(set, {0, 4, 8, 12}, 3);
  SearchRequest request;
  request.family = "bits";
  request.words = 16;
  // Bits 0 and 1: 3 retries of each column, 9 in all. Bits 2 and 3: 6. One of each: two lanes share a lock in both, 2 + 3.
  CHECK(search_joint(set, request, {120, 34}).after.retries == 5);
  request.family = "matrix";
  const JointResult any = search_joint(set, request, {120, 34});
  CHECK(any.after.cost == 0);
  CHECK(any.optimal);
}

TEST_CASE("averages of loads bound the cost of every null space from below") {
  std::mt19937 random(41);
  for (int n = 0; n < 6; ++n) {
    AccessSet set(rules(4, 1024));
    for (int count = 0; count < 6; ++count) {
      Words words;
      for (std::uint32_t lanes = 2 + random() % 15; lanes > 0; --lanes) words.push_back(random() % 32);
      set.add_request(words, 1 + random() % 3);
    }
    const NullSpaceProblem problem = bank_problem(set, 2, 5);
    Effort effort(10'000'000, 0);
    SearchRequest request;
    request.words = 32;
    CHECK(bound_by_averages(problem, effort) <= search(set, request).after);
  }
  // An affine request is its average: 16 words in 4 banks.
  AccessSet affine(rules(4, 1024));
  affine.add_request(Words{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 7);
  Effort effort(10'000'000, 0);
  CHECK(bound_by_averages(bank_problem(affine, 2, 5), effort) == 4 * 7);
}
