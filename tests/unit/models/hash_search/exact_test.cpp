// The exact search against all functions tried one by one, and what every search must hold.

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "isa/error.hpp"
#include "models/hash_search/objective.hpp"
#include "models/hash_search/search.hpp"
#include "tests/unit/models/hash/linear_target.hpp"

using namespace lockstep::hash;

namespace {

using Words = std::vector<std::uint32_t>;
using Requests = std::vector<std::pair<Words, std::uint64_t>>;

ServiceRules banks(std::uint32_t number) {
  ServiceRules rules;
  rules.shape.banks = number;
  return rules;
}

AccessSet set_of(const Requests& requests, std::uint32_t number_of_banks) {
  AccessSet set(banks(number_of_banks));
  for (const auto& [words, weight] : requests) set.add_request(words, weight);
  return set;
}

/// Random requests of all kinds: any words, lines with a stride, blocks.
Requests random_requests(std::mt19937& random, std::uint32_t word_bits, std::uint32_t lanes) {
  const std::uint32_t end = 1u << word_bits;
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  Requests all;
  for (std::uint32_t n = 1 + below(6); n > 0; --n) {
    std::set<std::uint32_t> words;
    const std::uint32_t kind = below(3), first = below(end), stride = 1 + below(9), row = 1u << below(3),
                        pitch = 1 + below(end);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if (kind == 0) words.insert(below(end));
      if (kind == 1) words.insert((first + lane * stride) % end);
      if (kind == 2) words.insert((first + lane % row + lane / row * pitch) % end);
    }
    all.push_back({Words(words.begin(), words.end()), 1 + below(5)});
  }
  return all;
}

/// Passes of the function with these rows, counted from scratch.
std::uint64_t passes(const Requests& requests, const Words& rows) {
  std::uint64_t sum = 0;
  for (const auto& [words, weight] : requests) {
    std::map<std::uint32_t, std::uint64_t> in_bank;
    std::uint64_t most = 0;
    for (const std::uint32_t word : words) {
      const std::uint32_t bank = lockstep::test::linear_target(rows, word);
      most = std::max(most, ++in_bank[bank]);
    }
    sum += weight * most;
  }
  return sum;
}

/// The fewest passes of all functions with this many rows. Those that do not reach all banks are no better than those that
/// do, so they need not be left out.
std::uint64_t fewest_passes(const Requests& requests, std::uint32_t word_bits, std::uint32_t rows, Words chosen = {}) {
  if (chosen.size() == rows) return passes(requests, chosen);
  std::uint64_t best = ~std::uint64_t{0};
  // Their order does not matter.
  for (std::uint32_t row = chosen.empty() ? 1 : chosen.back() + 1; row >> word_bits == 0; ++row) {
    Words more = chosen;
    more.push_back(row);
    best = std::min(best, fewest_passes(requests, word_bits, rows, more));
  }
  return best;
}

SearchRequest asking(const std::string& family, const std::string& method, std::uint32_t word_bits) {
  SearchRequest request;
  request.family = family;
  request.method = method;
  request.words = std::uint64_t{1} << word_bits;
  return request;
}

}  // namespace

namespace {

struct Space {
  std::uint32_t word_bits, bank_bits, cases;
};

void check_against_all_functions(std::initializer_list<Space> spaces) {
  std::mt19937 random(7);
  for (const Space& space : spaces) {
    for (std::uint32_t n = 0; n < space.cases; ++n) {
      const std::uint32_t lanes = 2 + random() % 15;
      const Requests requests = random_requests(random, space.word_bits, lanes);
      const AccessSet set = set_of(requests, 1u << space.bank_bits);
      const SearchResult result = search(set, asking("matrix", "exact", space.word_bits));
      INFO("space " << space.word_bits << " bits, " << space.bank_bits << " bits of bank, case " << n);
      REQUIRE(result.after == fewest_passes(requests, space.word_bits, space.bank_bits));
      REQUIRE(result.optimal);
      REQUIRE(result.lower_bound == result.after);
      REQUIRE(result.least <= result.after);
    }
  }
}

}  // namespace

TEST_CASE("the exact search finds what trying all linear functions finds, and says that it is optimal") {
  check_against_all_functions({{3, 1, 20}, {4, 2, 20}, {5, 2, 15}, {6, 2, 5}, {5, 3, 4}});
}

TEST_CASE("in larger spaces the exact search finds what trying all linear functions finds", "[long]") {
  check_against_all_functions({{3, 1, 40}, {4, 2, 60}, {5, 2, 60}, {6, 2, 30}, {5, 3, 25}, {6, 3, 6}});
}

TEST_CASE("no search returns a hash worse than the baseline, below the universal bound or other than it says") {
  std::mt19937 random(11);
  constexpr std::uint32_t word_bits = 8;
  for (std::uint32_t n = 0; n < 5; ++n) {
    const Requests requests = random_requests(random, word_bits, 32);
    const AccessSet set = set_of(requests, 16);
    SearchResult best = search(set, asking("matrix", "exact", word_bits));
    REQUIRE(best.optimal);
    for (const SearchMethods& family : search_methods())
      for (const std::string& method : family.methods)
        for (const char* baseline : {"mod", "xor"}) {
          SearchRequest request = asking(family.family, method, word_bits);
          request.bank_hash = baseline;
          const SearchResult result = search(set, request);
          INFO("case " << n << ", " << family.family << " by " << method << ", found " << result.found);
          const auto counted = [&](const std::string& spec) {
            return count_passes(set, make_address_map(spec, 16, 1u << word_bits));
          };
          REQUIRE(result.before == counted(baseline));
          REQUIRE(result.found_cost == counted(result.found));
          REQUIRE(result.after == counted(result.hash));
          REQUIRE(result.after <= result.before);
          REQUIRE(result.after <= result.found_cost);
          REQUIRE(result.least <= result.lower_bound);
          REQUIRE(result.lower_bound <= result.after);
          // All families but sums and remainders are linear.
          if (family.family != "add" && family.family != "modulus") REQUIRE(result.after >= best.after);
          if (result.optimal) REQUIRE(result.lower_bound == result.after);
        }
  }
}

TEST_CASE("a hash that a search returns is the same every time") {
  std::mt19937 random(5);
  const AccessSet set = set_of(random_requests(random, 9, 32), 32);
  for (const char* family : {"bits", "bits-xor", "matrix"}) {
    const SearchResult first = search(set, asking(family, "climb", 9)),
                       second = search(set, asking(family, "climb", 9));
    CHECK(first.hash == second.hash);
    CHECK(first.steps == second.steps);
  }
}

TEST_CASE("a search that its limit ends says so, and bounds what it has not ruled out") {
  std::mt19937 random(3);
  Requests requests;
  for (int n = 0; n < 60; ++n) {
    std::set<std::uint32_t> words;
    while (words.size() < 32) words.insert(random() % 1024);
    requests.push_back({Words(words.begin(), words.end()), 1});
  }
  const AccessSet set = set_of(requests, 32);
  SearchRequest request = asking("matrix", "exact", 10);
  request.steps = 20'000;
  // On the way it tells its best, which only gets better, and its bound, which only rises.
  std::vector<Effort::Standing> standings;
  request.progress = [&](const Effort::Standing& standing) { standings.push_back(standing); };
  const SearchResult result = search(set, request);
  REQUIRE(standings.size() > 2);
  for (std::size_t n = 1; n < standings.size(); ++n) {
    const Effort::Standing &before = standings[n - 1], &now = standings[n];
    if (before.best) CHECK(now.best.value() <= *before.best);
    CHECK(now.bound >= before.bound);
    if (now.best) CHECK(now.bound <= *now.best);
  }
  CHECK(standings.back().best == result.found_cost);
  CHECK(result.ended_early);
  CHECK_FALSE(result.ended_by_clock);
  CHECK_FALSE(result.optimal);
  CHECK(result.lower_bound >= result.least);
  CHECK(result.lower_bound < result.after);
  CHECK(result.after <= result.before);
}

TEST_CASE("rows and columns of a tile together need no conflict, and the search proves it") {
  Requests requests;
  for (std::uint32_t i = 0; i < 32; ++i) {
    Words row, column;
    for (std::uint32_t j = 0; j < 32; ++j) {
      row.push_back(32 * i + j);
      column.push_back(32 * j + i);
    }
    requests.push_back({row, 1});
    requests.push_back({column, 1});
  }
  const AccessSet set = set_of(requests, 32);
  const SearchResult result = search(set, asking("matrix", "exact", 14));
  CHECK(result.conflicts_before() == 32 * 31);  // The columns, under the lowest bits.
  CHECK(result.conflicts_after() == 0);
  CHECK(result.optimal);
  CHECK(search(set, asking("bitvector-xor", "pruned", 14)).conflicts_after() == 0);
  // No single bits serve both.
  CHECK(search(set, asking("bits", "exact", 14)).conflicts_after() > 0);
}

TEST_CASE("among functions of the fewest passes, one without gates is found where single bits suffice") {
  Requests requests;
  for (const std::uint32_t stride : {16u, 48u, 80u}) {
    Words words;
    for (std::uint32_t lane = 0; lane < 32; ++lane) words.push_back(lane * stride % 1024);
    requests.push_back({words, 1});
  }
  const SearchResult result = search(set_of(requests, 32), asking("matrix", "exact", 14));
  CHECK(result.conflicts_after() == 0);
  CHECK(result.xor_gates == 0u);
}

TEST_CASE("a load that broadcasts one word counts with the passes that it takes") {
  ServiceRules rules;
  rules.shape = {16, 4, 16};
  rules.broadcast = lockstep::scratchpad::Broadcast::one_word;
  AccessSet set(rules);
  // Words 0, 16 and 32 in two lanes each: in one bank each is broadcast in a pass of its own. In three banks, a first
  // pass serves both lanes of one and a lane of the others, and a second one the rest.
  set.add_lane_request(Words{0, 0, 16, 16, 32, 32});
  const SearchResult result = search(set, asking("matrix", "exact", 6));
  CHECK(result.before == 3);
  CHECK(result.after == 2);
  CHECK(result.least == 2);
  CHECK(result.optimal);
}

TEST_CASE("where one word is broadcast the exact search finds the fewest passes by lane of all linear functions") {
  // Of half warps, as on compute capability 1.x: words in lane order, with repetitions, as the hardware serves them: a pass
  // takes the word of the first lane that waits, all its lanes, and of every other bank the first lane.
  const auto passes_of = [](const Words& lanes, const Words& rows) {
    Words waiting = lanes;
    std::uint64_t count = 0;
    for (; !waiting.empty(); ++count) {
      std::set<std::uint32_t> served{lockstep::test::linear_target(rows, waiting[0])};
      Words left;
      for (const std::uint32_t word : waiting)
        if (word != waiting[0] && !served.insert(lockstep::test::linear_target(rows, word)).second)
          left.push_back(word);
      waiting = left;
    }
    return count;
  };
  std::mt19937 random(11);
  ServiceRules rules;
  rules.broadcast = lockstep::scratchpad::Broadcast::one_word;
  for (const auto& [of_word, of_bank, cases] : {std::array{5u, 2u, 12u}, {5u, 3u, 5u}, {6u, 2u, 4u}}) {
    const unsigned word_bits = of_word, bank_bits = of_bank;  // Bindings cannot be captured.
    rules.shape = {1u << bank_bits, 4, 16};
    for (std::uint32_t n = 0; n < cases; ++n) {
      AccessSet set(rules);
      std::vector<std::pair<Words, std::uint64_t>> all;
      for (std::uint32_t r = 1 + random() % 5; r > 0; --r) {
        Words lanes(16);
        const std::uint32_t first = random(), stride = random() % 9, row = 1u << random() % 4, pitch = random();
        for (std::uint32_t lane = 0; lane < 16; ++lane)
          lanes[lane] = (r % 2 == 0 ? random() : first + lane % row * stride + lane / row * pitch) % (1u << word_bits);
        all.emplace_back(lanes, 1 + random() % 3);
        set.add_lane_request(lanes, all.back().second);
      }
      std::uint64_t fewest = ~std::uint64_t{0};
      Words rows(bank_bits);
      const std::function<void(std::size_t, std::uint32_t)> choose = [&](std::size_t row, std::uint32_t from) {
        if (row == rows.size()) {
          std::uint64_t sum = 0;
          for (const auto& [lanes, weight] : all) sum += weight * passes_of(lanes, rows);
          fewest = std::min(fewest, sum);
          return;
        }
        for (rows[row] = from; rows[row] >> word_bits == 0; ++rows[row]) choose(row + 1, rows[row] + 1);
      };
      choose(0, 1);
      const SearchResult result = search(set, asking("matrix", "exact", word_bits));
      INFO(word_bits << " bits of word, " << bank_bits << " of bank, case " << n);
      REQUIRE(result.after == fewest);
      REQUIRE(result.optimal);
    }
  }
}

TEST_CASE("what cannot be searched is named with what can") {
  const AccessSet set = set_of({{{0, 1}, 1}}, 32);
  CHECK_THROWS_WITH(search(set, asking("matirx", "exact", 14)),
                    Catch::Contains("\"matirx\"") && Catch::Contains("matrix"));
  CHECK_THROWS_WITH(search(set, asking("bits-xor", "pruned", 14)),
                    Catch::Contains("no method \"pruned\"") && Catch::Contains("givargis, mih, climb"));
  CHECK_THROWS_WITH(search(AccessSet(banks(32)), asking("bits", "mih", 14)), Catch::Contains("no access"));
  CHECK_THROWS_WITH(search(set_of({{{0, 1}, 1}}, 24), asking("bits", "mih", 14)), Catch::Contains("24 banks"));
  SearchRequest locks = asking("bits", "mih", 14);
  locks.unit = Unit::lock;
  CHECK_THROWS_WITH(search(set, locks), Catch::Contains("no atomic"));
}

TEST_CASE("a number of banks that is no power of two can have a remainder searched") {
  const AccessSet set = set_of({{{0, 24, 48}, 1}, {{0, 23, 46}, 2}}, 24);
  SearchRequest request = asking("modulus", "exact", 6);
  const SearchResult result = search(set, request);
  CHECK(result.before == 3 + 2);
  CHECK(result.after == 3);
  CHECK(result.optimal);
}
