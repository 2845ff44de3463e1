// What a vector more adds to a part of a null space: bounds by sets of requests, and counts, against merging the words.

#include <catch2/catch.hpp>

#include <random>
#include <vector>

#include "models/hash_search/conflict_stack.hpp"

using namespace lockstep::hash;

namespace {

/// Requests of random words below 2^word_bits, some of them often, with the lanes that want each word.
NullSpaceProblem random_problem(std::uint32_t requests, std::uint32_t word_bits, std::uint32_t most_load,
                                unsigned seed) {
  std::mt19937 random(seed);
  ServiceRules rules;
  rules.shape.banks = 4;
  AccessSet set(rules);
  for (std::uint32_t n = 0; n < requests; ++n) {
    std::uint64_t address[32];
    const std::uint32_t lanes = 2 + static_cast<std::uint32_t>(random() % 10);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      // A lane wants the word of the lane before it, so that up to `most_load` lanes want one.
      const bool same = lane > 0 && lane % most_load != 0;
      address[lane] = same ? address[lane - 1] : 4 * (random() % (1u << word_bits));
    }
    set.add_lock_loop(address, (1u << lanes) - 1, 4, 1 + random() % 3);
    std::vector<std::uint32_t> words;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) words.push_back(static_cast<std::uint32_t>(address[lane] / 4));
    set.add_request(words, 1 + random() % 3);
  }
  return most_load == 1 ? bank_problem(set, 2, word_bits) : lock_problem(set, 2, word_bits);
}

}  // namespace

TEST_CASE("bounds of what a vector adds are never above it, and all parts together are what it adds") {
  const auto most_load = GENERATE(1u, 2u, 3u);
  const auto requests = GENERATE(1u, 63u, 64u, 65u, 400u, 4200u);
  const NullSpaceProblem problem = random_problem(requests, 6, most_load, requests + most_load);
  const Quotient whole(problem);
  const std::uint32_t levels = std::max(1u, std::min(3u, whole.dimension()));
  ConflictStack stack(whole, levels);
  std::vector<std::uint64_t> added, exact;
  stack.begin(added);
  Quotient now = whole;
  std::mt19937 random(7);
  for (std::uint32_t level = 0;; ++level) {
    INFO("level " << level << ", " << requests << " requests, loads of " << most_load);
    REQUIRE(stack.size(level) == now.size());
    REQUIRE(stack.cost(level) == now.cost());
    now.costs_of_vectors(exact);
    for (std::uint32_t vector = 1; vector < now.size(); ++vector) CHECK(added[vector] <= exact[vector]);
    for (std::uint32_t part = 0; part < stack.parts(); ++part) {
      stack.look_at(level, part, added);
      for (std::uint32_t vector = 1; vector < now.size(); ++vector) CHECK(added[vector] <= exact[vector]);
    }
    for (std::uint32_t vector = 1; vector < now.size(); ++vector) CHECK(added[vector] == exact[vector]);
    if (level + 1 == levels) break;
    const std::uint32_t vector = 1 + static_cast<std::uint32_t>(random() % (now.size() - 1));
    std::vector<std::uint8_t> excluded(stack.size(level + 1), 0);
    stack.choose(level, vector, added[vector], ~std::uint64_t{0}, added, excluded);
    Quotient next;
    next.assign_modulo(now, vector);
    now = std::move(next);
  }
}

TEST_CASE("a vector joins the excluded ones when its bound reaches the limit, not below") {
  // Two requests of two words that differ by 1, and one of words 0 and 2: the first vector adds two, the second one.
  ServiceRules rules;
  rules.shape.banks = 2;
  AccessSet set(rules);
  set.add_request(std::vector<std::uint32_t>{0, 1, 4}, 2);
  set.add_request(std::vector<std::uint32_t>{0, 2, 5}, 1);
  const Quotient whole(bank_problem(set, 1, 3));
  ConflictStack stack(whole, 2);
  std::vector<std::uint64_t> added;
  stack.begin(added);
  REQUIRE(whole.cost() == 3);
  CHECK(added[1] == 2);  // 0 and 1
  CHECK(added[2] == 1);  // 0 and 2
  CHECK(added[6] == 0);
  // Modulo 1 both 0 and 1 count twice, of the first request; 4 makes it three, and the second request's 0 and 5 two.
  std::vector<std::uint8_t> excluded(4, 0);
  std::vector<std::uint64_t> next;
  const std::uint64_t cost = whole.cost() + added[1];
  stack.choose(0, 1, added[1], cost + 1, next, excluded);
  CHECK(next[1] == 1);  // Vector 2: the second request, and not the first, which conflicts already.
  CHECK(excluded[1] == 1);
  std::fill(excluded.begin(), excluded.end(), std::uint8_t{0});
  stack.choose(0, 1, added[1], cost + 2, next, excluded);
  CHECK(excluded[1] == 0);
}
