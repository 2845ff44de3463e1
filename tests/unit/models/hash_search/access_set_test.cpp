// The accesses of a trace as requests to the banks: which there are, how often, and what makes two of them one.

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "isa/error.hpp"
#include "isa/trace/composed_trace.hpp"
#include "models/hash_search/collect.hpp"

using namespace lockstep;
using namespace lockstep::hash;
using program::AccessKind;
using program::MemorySpace;

namespace {

using Words = std::vector<std::uint32_t>;
using Counted = std::map<Words, std::uint64_t>;

Counted counted(const WeightedSequences& sequences) {
  Counted all;
  for (const WeightedSequences::Entry& entry : sequences.entries()) {
    const auto values = sequences.values(entry);
    all[Words(values.begin(), values.end())] += entry.weight;
  }
  CHECK(all.size() == sequences.entries().size());  // Each is there once.
  return all;
}

Words from(std::uint32_t first, std::uint32_t count, std::uint32_t step = 1) {
  Words words;
  for (std::uint32_t i = 0; i < count; ++i) words.push_back(first + i * step);
  return words;
}

/// Byte addresses.
std::vector<std::uint64_t> bytes(const Words& words) {
  std::vector<std::uint64_t> all;
  for (const std::uint32_t word : words) all.push_back(std::uint64_t{4} * word);
  return all;
}

ServiceRules fermi() {
  return {};
}

ServiceRules gt200() {
  ServiceRules rules;
  rules.shape = {16, 4, 16};
  rules.broadcast = scratchpad::Broadcast::one_word;
  return rules;
}

const machine::Target locks{"fermi", machine::ScratchpadAtomics::lock_loop};
const machine::Target native{"maxwell", machine::ScratchpadAtomics::native};

AccessSet only(trace::Source& source, const ServiceRules& rules, const machine::Target& target) {
  const auto all = collect_accesses(source, rules, target);
  REQUIRE(all.size() == 1);
  return all[0].set;
}

}  // namespace

TEST_CASE("equal requests are counted together, whatever the order of their lanes") {
  trace::ComposedTrace t("t");
  t.block();
  t.access("ld.shared.u32", AccessKind::load, MemorySpace::shared, {t.reg()}, {t.reg()});
  t.access("st.shared.u32", AccessKind::store, MemorySpace::shared, {}, {t.reg(), t.reg()});
  t.launch().grid = {3, 1, 1};
  t.execute = [](std::uint64_t block, std::uint32_t, trace::ComposedTrace::Script script) {
    auto forward = bytes(from(0, 32));
    auto backward = forward;
    std::reverse(backward.begin(), backward.end());
    script.enter(0).touch(forward).touch(block == 2 ? bytes(from(64, 32, 2)) : backward);
  };
  const AccessSet set = only(t, fermi(), locks);
  CHECK(counted(set.requests()) == Counted{{from(0, 32), 5}, {from(64, 32, 2), 1}});
  CHECK(set.request_weight() == 6);
  CHECK(set.word_bits() == 7);  // The highest word is 64 + 62.
  CHECK(set.lock_access_count() == 0);
}

TEST_CASE("lanes that name one word are one word of the request") {
  AccessSet set(fermi());
  const auto address = bytes({5, 5, 9, 5, 9});
  set.add_access(address.data(), 0b11111, 4, true);
  CHECK(counted(set.requests()) == Counted{{Words{5, 9}, 1}});
}

TEST_CASE("elements wider than a bank are several words, in requests of as many lanes as all banks are wide") {
  AccessSet set(fermi());
  std::vector<std::uint64_t> address;
  for (std::uint32_t lane = 0; lane < 32; ++lane) address.push_back(8 * lane);
  set.add_access(address.data(), ~0u, 8, true);
  CHECK(counted(set.requests()) == Counted{{from(0, 32), 1}, {from(32, 32), 1}});
}

TEST_CASE("banks of 8 bytes have words of 8 bytes") {
  ServiceRules kepler;
  kepler.shape.bank_bytes = 8;
  AccessSet set(kepler);
  const auto address = bytes(from(0, 32));
  set.add_access(address.data(), ~0u, 4, true);
  CHECK(counted(set.requests()) == Counted{{from(0, 16), 1}});
}

TEST_CASE("where one word is broadcast, loads keep every lane and stores do not") {
  AccessSet set(gt200());
  const auto address = bytes({7, 7, 3, 3, 3});
  set.add_access(address.data(), 0b11111, 4, true);
  set.add_access(address.data(), 0b11111, 4, false);
  CHECK(counted(set.lane_requests()) == Counted{{Words{7, 7, 3, 3, 3}, 1}});
  CHECK(counted(set.requests()) == Counted{{Words{3, 7}, 1}});
}

TEST_CASE("an atomic is a lock loop on a GPU with locks and a request where it is native") {
  trace::ComposedTrace t("t");
  t.block();
  t.access("atom.shared.add.u32", AccessKind::atomic, MemorySpace::shared, {t.reg()}, {t.reg(), t.reg()});
  t.execute = [](std::uint64_t, std::uint32_t, trace::ComposedTrace::Script script) {
    for (int n = 0; n < 4; ++n) script.enter(0).touch(bytes({8, 8, 40}));
  };
  const AccessSet with_locks = only(t, fermi(), locks);
  CHECK(with_locks.requests().entries().empty());
  REQUIRE(with_locks.lock_access_count() == 1);
  const LockAccess access = with_locks.lock_access(0);
  CHECK(Words(access.words.begin(), access.words.end()) == Words{8, 8, 40});
  CHECK(access.weight == 4);
  CHECK(with_locks.lock_word_bits() == 6);

  const AccessSet without = only(t, fermi(), native);
  CHECK(without.lock_access_count() == 0);
  CHECK(counted(without.requests()) == Counted{{Words{8, 40}, 4}});
}

TEST_CASE("a loop around a compare-and-swap serves one lane of every word in each round, with a load and a swap") {
  AccessSet set(fermi());
  const auto address = bytes({1, 1, 2, 1});
  set.add_swap_loop(address.data(), 0b1111, 4);
  // Rounds: {1, 2}, then {1}, then {1}.
  CHECK(counted(set.requests()) == Counted{{Words{1, 2}, 2}, {Words{1}, 4}});
}

TEST_CASE("generic accesses count with the lanes whose address lies in the scratchpad's window") {
  trace::ComposedTrace t("t");
  t.block();
  t.access("ld.u32", AccessKind::load, MemorySpace::generic, {t.reg()}, {t.reg(64)});
  const std::uint64_t base = t.header().windows.shared_base;
  t.execute = [base](std::uint64_t, std::uint32_t, trace::ComposedTrace::Script script) {
    script.enter(0).touch({base + 12, 0x7000'0000, base + 400});
  };
  CHECK(counted(only(t, fermi(), locks).requests()) == Counted{{Words{3, 100}, 1}});
}

TEST_CASE("an access to global memory is none of the scratchpad's") {
  trace::ComposedTrace t("t");
  t.block();
  t.access("ld.global.u32", AccessKind::load, MemorySpace::global, {t.reg()}, {t.reg(64)});
  t.execute = [](std::uint64_t, std::uint32_t, trace::ComposedTrace::Script script) {
    script.enter(0).touch({0x7000'0000});
  };
  CHECK(collect_accesses(t, fermi(), locks).empty());
}

TEST_CASE("a kernel that the trace does not have is named with those that it has") {
  trace::ComposedTrace t("sum");
  t.block();
  CHECK_THROWS_WITH(collect_accesses(t, fermi(), locks, {"summ", {}}),
                    Catch::Contains("\"summ\"") && Catch::Contains("it has: sum"));
}
