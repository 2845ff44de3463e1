// Replacement policies: what all of them must do, and what each does step by step.

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "models/cache/tag_array.hpp"

#include "tests/places.hpp"

using namespace lockstep;
using namespace lockstep::cache;

namespace {

std::vector<std::string> all_specs() {
  std::vector<std::string> specs;
  for (const lockstep::PolicyText& policy : Replacement::all) specs.emplace_back(policy.name);
  specs.insert(specs.end(), {"random:9", "srrip:1", "srrip:3", "brrip:4"});
  return specs;
}

/// What went for each new line of a stream of lookups, fills, drops and demotions by chance. Every step is compared
/// with a set of lines that knows nothing of order.
std::vector<std::uint64_t> victims_by_chance(TagArray& tags, std::uint32_t seed) {
  const std::uint32_t sets = tags.sets(), ways = tags.ways();
  std::mt19937 random(seed);
  std::map<std::uint32_t, std::set<std::uint64_t>> held;
  std::vector<std::uint64_t> gone;
  std::uint64_t demoted = ~std::uint64_t{0};  // The line that must go next, if its set is the next to lose one.
  for (int step = 0; step < 3000; ++step) {
    const std::uint64_t line = random() % (2 * sets * ways + 1);
    const auto set = static_cast<std::uint32_t>(line % sets);
    const std::uint32_t entry = tags.find(line);
    REQUIRE((entry != TagArray::none) == held[set].contains(line));
    const std::uint32_t action = random() % 16;
    if (action < 7) {
      REQUIRE((tags.lookup(line) != 0) == held[set].contains(line));
      if (line == demoted) demoted = ~std::uint64_t{0};
    } else if (action < 14) {
      const bool there = held[set].contains(line), full = held[set].size() == ways;
      const TagArray::Victim victim = tags.fill(line, 1);
      REQUIRE((victim.valid != 0) == (!there && full));
      if (victim.valid != 0) {
        REQUIRE(held[set].erase(victim.line) == 1);
        if (demoted % sets == set && demoted != ~std::uint64_t{0}) REQUIRE(victim.line == demoted);
        gone.push_back(victim.line);
      }
      if (line == demoted || victim.line == demoted) demoted = ~std::uint64_t{0};
      held[set].insert(line);
      REQUIRE(tags.find(line) / ways == set);
    } else if (entry != TagArray::none && action == 14) {
      tags.drop(entry);
      held[set].erase(line);
      if (line == demoted) demoted = ~std::uint64_t{0};
    } else if (entry != TagArray::none && held[set].size() == ways) {
      tags.demote(entry);
      demoted = line;
    }
  }
  return gone;
}

/// The share of lookups that hit when `lines` lines are used one after the other, again and again.
double hit_rate_of_loop(const std::string& spec, std::uint32_t ways, std::uint32_t lines) {
  TagArray tags(ways, 0, "mod", spec);
  constexpr std::uint32_t rounds = 2000;
  std::uint32_t hits = 0;
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (std::uint64_t line = 0; line < lines; ++line) {
      if (tags.lookup(line) != 0) {
        ++hits;
      } else {
        tags.fill(line, 1);
      }
    }
  return static_cast<double>(hits) / (rounds * lines);
}

/// Uses a line of a TagArray of one set; returns what went for it, or 0. Lines are letters.
char use(TagArray& tags, char line) {
  const auto number = static_cast<std::uint64_t>(line);
  if (tags.lookup(number) != 0) return 0;
  return static_cast<char>(tags.fill(number, 1).line);
}

std::string victims(TagArray& tags, const std::string& lines) {
  std::string gone;
  for (const char line : lines)
    if (const char victim = use(tags, line); victim != 0) gone += victim;
  return gone;
}

}  // namespace

TEST_CASE("replacement: a victim is a line of the set, and none goes while a way is empty or a demoted line is there") {
  for (const std::string& spec : all_specs())
    for (const auto& [sets, ways] :
         {std::pair{1u, 1u}, {1u, 2u}, {4u, 3u}, {2u, 4u}, {3u, 5u}, {8u, 8u}, {2u, 12u}, {1u, 33u}}) {
      CAPTURE(spec, sets, ways);
      TagArray tags(sets * ways, sets == 1 ? 0 : ways, "mod", spec);
      const std::vector<std::uint64_t> gone = victims_by_chance(tags, ways);
      CHECK(gone.size() > 100);
      tags.clear();
      CHECK(victims_by_chance(tags, ways) == gone);  // An emptied array is as good as a new one.
    }
}

TEST_CASE("replacement: what fits hits for ever, whatever the policy") {
  for (const std::string& spec : all_specs()) {
    CAPTURE(spec);
    for (const std::uint32_t ways : {1u, 3u, 4u, 16u})
      CHECK(hit_rate_of_loop(spec, ways, ways) == Approx(1999.0 / 2000));
  }
}

TEST_CASE("replacement: a loop over one line more than fits") {
  const std::uint32_t ways = GENERATE(3u, 4u, 16u);
  CAPTURE(ways);
  // The line that is used next is the one that was used, and came, longest ago.
  CHECK(hit_rate_of_loop("lru", ways, ways + 1) == 0);
  CHECK(hit_rate_of_loop("fifo", ways, ways + 1) == 0);
  // Jaleel et al., section 4.2: when all lines are used again after more than fits, SRRIP has no hits either, BRRIP has.
  CHECK(hit_rate_of_loop("srrip", ways, ways + 1) == 0);
  // All ways but one keep their lines; the two that are left over take turns in it.
  CHECK(hit_rate_of_loop("brrip", ways, ways + 1) == Approx((ways - 1.0) / (ways + 1)).margin(0.02));
  // A line hits if no miss has taken it since its last use; there are at most `ways` of them, each of which takes it with
  // probability 1 / ways.
  CHECK(hit_rate_of_loop("random", ways, ways + 1) > std::pow(1 - 1.0 / ways, ways));
}

TEST_CASE("replacement: LRU") {
  TagArray tags(3, 0, "mod", "lru");
  CHECK(victims(tags, "abcadbe") == "bca");  // d takes b; b, gone, takes c; e takes a.
}

TEST_CASE("replacement: FIFO heeds no use, nor sectors that come later") {
  TagArray tags(3, 0, "mod", "fifo");
  CHECK(victims(tags, "abca").empty());
  tags.fill('a', 2);
  CHECK(victims(tags, "dbcae") == "abc");  // d takes a; b and c are there; a takes b, e takes c.
}

TEST_CASE("replacement: tree pseudo-LRU of four ways, node by node") {
  TreePlru policy({1, 4});
  for (std::uint32_t way = 0; way < 4; ++way) policy.insert({0, way});
  CHECK(policy.victim(0) == 0);  // Root: away from way 3; lower node: away from way 1.
  policy.hit({0, 0});
  CHECK(policy.victim(0) == 2);  // Root: upper half; its node: away from way 3. True LRU would name way 1.
  policy.hit({0, 2});
  CHECK(policy.victim(0) == 1);
  policy.hit({0, 1});
  CHECK(policy.victim(0) == 3);
}

TEST_CASE("replacement: tree pseudo-LRU of ways that are no power of two never names one that is not there") {
  TreePlru three({1, 3});
  for (std::uint32_t way = 0; way < 3; ++way) three.insert({0, way});
  CHECK(three.victim(0) == 0);
  three.hit({0, 0});
  CHECK(three.victim(0) == 2);  // Its node points to way 3.
  three.hit({0, 2});
  CHECK(three.victim(0) == 1);
  for (std::uint32_t ways = 1; ways <= 33; ++ways) {
    TreePlru policy({2, ways});
    std::set<std::uint32_t> named;
    for (std::uint32_t step = 0; step < 2 * ways; ++step) {
      const std::uint32_t way = policy.victim(1);
      REQUIRE(way < ways);
      policy.insert({1, way});
      named.insert(way);
    }
    CHECK(named.size() == ways);
    CHECK(policy.victim(0) == 0);  // The other set's tree has not changed.
  }
}

TEST_CASE("replacement: SRRIP with hit priority on the mixed access pattern of Jaleel et al.") {
  // a and b are used again, p to s are a scan. Intervals after "abba": a 0, b 0; p and q come with 2. For r all become more
  // distant by one: p and q are distant, p goes; for s, q goes.
  TagArray tags(4, 0, "mod", "srrip");
  CHECK(victims(tags, "abbapqrs") == "pq");
  CHECK(victims(tags, "ab").empty());
  // a and b are 0 again, r and s 2.
  CHECK(victims(tags, "tu") == "rs");
  TagArray lru(4, 0, "mod", "lru");
  CHECK(victims(lru, "abbapqrs") == "ba");
}

TEST_CASE("replacement: SRRIP counts a use only when a line is used, not when its sectors arrive") {
  TagArray tags(2, 0, "mod", "srrip");
  tags.fill('a', 1);
  tags.fill('a', 2);
  tags.fill('b', 1);
  CHECK(tags.fill('c', 1).line == 'a');  // Both had 2, and a is in the way that is filled first.
}

TEST_CASE("replacement: SRRIP of one bit forgets all uses when every line is used") {
  TagArray tags(2, 0, "mod", "srrip:1");
  CHECK(victims(tags, "abab").empty());
  CHECK(victims(tags, "c") == "a");
}

TEST_CASE("replacement: a SPEC that is none is an error that says what would be right") {
  const auto message = [](const char* spec) {
    try {
      check_replacement(spec);
    } catch (const lockstep::InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(message("srip"),
             Catch::StartsWith("unknown replacement policy 'srip' (did you mean 'srrip'?); there are: lru, "));
  CHECK(message("lru:2") == "replacement 'lru:2': lru takes no argument");
  CHECK(message("srrip:0") == "replacement 'srrip:0': '0' must be a whole number from 1 to 7");
  CHECK(message("srrip:8") == "replacement 'srrip:8': '8' must be a whole number from 1 to 7");
  CHECK(message("random:") == "replacement 'random:': '' must be a whole number from 0 to 4294967295");
  CHECK(message("random:1x") == "replacement 'random:1x': '1x' must be a whole number from 0 to 4294967295");
  CHECK(message("srrip:7").empty());
  CHECK(message("random:4294967295").empty());
}

TEST_CASE("replacement: every policy has its row in the page of the folder") {
  std::ifstream page(source_dir() + "/models/cache/README.md");
  std::string rows;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| `")) rows += line + "\n";
  for (const lockstep::PolicyText& policy : Replacement::all)
    CHECK_THAT(rows, Catch::Contains("`" + std::string(policy.name) + "`"));
}
