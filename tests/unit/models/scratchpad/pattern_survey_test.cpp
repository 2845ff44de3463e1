// The patterns of scratchpad instructions, found in what their warps access.

#include <catch2/catch.hpp>

#include <numeric>

#include "isa/trace/composed_trace.hpp"
#include "models/scratchpad/pattern_survey.hpp"
#include "tests/unit/models/scratchpad/specs.hpp"

namespace lockstep::pattern_survey_test {

using namespace lockstep::scratchpad;
using analysis::LaneIndex;
using analysis::LanePattern;
using analysis::PatternClass;
using program::AccessKind;
using program::MemorySpace;

namespace {

using Addresses = std::vector<std::uint64_t>;

/// Byte addresses of lanes that are so many bytes apart.
Addresses strided(std::uint64_t bytes, std::uint64_t first = 0, std::size_t lanes = 32) {
  Addresses addresses(lanes);
  for (std::uint64_t lane = 0; lane < lanes; ++lane) addresses[lane] = first + lane * bytes;
  return addresses;
}

LanePattern stride(PatternClass kind, std::int64_t bytes) {
  return {kind, {{LaneIndex::Kind::lanes, 1, 32, bytes}}};
}

/// A thread block of a GPU with 32 banks of 4 bytes.
std::vector<InstructionPatterns> survey(trace::ComposedTrace& trace, const PatternPredictions& predictions = {}) {
  const Scratchpad scratchpad(test::fermi(), 48 * 1024);
  PatternSurvey survey(trace.kernel(), trace.header().windows, scratchpad);
  survey.add(*trace.open(0, 0), trace.launch(), predictions);
  return survey.finish();
}

}  // namespace

TEST_CASE(
    "pattern survey: accesses are counted by instruction and pattern, the most frequent first, with their passes") {
  trace::ComposedTrace trace("patterns");
  const std::uint32_t a = trace.reg(), b = trace.reg();
  trace.add("mov.u32", {a}, {});
  trace.access("ld.global.u32", AccessKind::load, MemorySpace::global, {b}, {a});
  trace.access("ld.shared.u32", AccessKind::load, MemorySpace::shared, {b}, {a});
  trace.access("st.shared.u32", AccessKind::store, MemorySpace::shared, {}, {a, b});
  trace.execute = [](std::uint64_t, std::uint32_t, auto script) {
    const Addresses global = strided(512);
    script.enter(0).touch(global).touch(strided(4)).touch(strided(0, 20, 1));
    script.enter(0).touch(global).touch(strided(8)).touch({});
    script.enter(0).touch(global).touch(strided(8, 64)).touch(strided(128));
  };
  const std::vector<InstructionPatterns> found = survey(trace);
  REQUIRE(found.size() == 2);

  const InstructionPatterns& load = found[0];
  CHECK(load.instruction == 2);
  CHECK(load.executed == 3);
  CHECK(load.single_lane == 0);
  CHECK(load.requests == 3);
  CHECK(load.passes == 1 + 2 + 2);  // Two words apart, lanes 0 and 16 meet in a bank.
  CHECK(load.most_passes == 2);
  REQUIRE(load.patterns.size() == 2);
  CHECK(load.patterns[0].pattern == stride(PatternClass::stride, 8));
  CHECK(load.patterns[0].count == 2);
  CHECK(load.patterns[1].pattern == stride(PatternClass::linear, 4));
  CHECK(load.patterns[1].count == 1);
  CHECK(load.kind() == PatternClass::stride);
  CHECK(load.at_distances + load.of_class + load.otherwise == 0);  // Nothing was predicted.

  const InstructionPatterns& store = found[1];
  CHECK(store.instruction == 3);
  CHECK(store.executed == 2);  // Once without lanes.
  CHECK(store.single_lane == 1);
  CHECK(store.requests == 2);
  CHECK(store.passes == 1 + 32);
  CHECK(store.most_passes == 32);
  REQUIRE(store.patterns.size() == 1);
  CHECK(store.patterns[0].pattern == stride(PatternClass::stride, 128));
  CHECK(store.patterns[0].count == 1);
}

TEST_CASE("pattern survey: of a generic access count the lanes inside the scratchpad, of a copy what it writes") {
  trace::ComposedTrace trace("patterns");
  const std::uint32_t a = trace.reg(), b = trace.reg();
  trace.access("ld.u32", AccessKind::load, MemorySpace::generic, {b}, {a});
  trace.access("cp.async.ca.shared.global", AccessKind::copy, MemorySpace::shared, {}, {a, b});
  const program::AddressWindows windows = trace.header().windows;
  trace.execute = [&](std::uint64_t, std::uint32_t, auto script) {
    Addresses both = strided(4, windows.shared_base, 16);
    const Addresses beyond = strided(4, windows.shared_base + windows.shared_size, 16);
    both.insert(both.end(), beyond.begin(), beyond.end());
    script.enter(0).touch(both).touch(strided(4, 4096)).touch(strided(8));
    script.enter(0).touch(beyond).touch(strided(4, 4096)).touch(strided(8));
  };
  const std::vector<InstructionPatterns> found = survey(trace);
  REQUIRE(found.size() == 2);
  CHECK(found[0].executed == 1);
  REQUIRE(found[0].patterns.size() == 1);
  CHECK(found[0].patterns[0].pattern == stride(PatternClass::linear, 4));
  CHECK(found[1].executed == 2);
  CHECK(found[1].passes == 2 * 2);
  REQUIRE(found[1].patterns.size() == 1);
  CHECK(found[1].patterns[0].pattern == stride(PatternClass::stride, 8));
}

TEST_CASE("pattern survey: a predicted class holds its special cases and single addresses, and nothing more general") {
  trace::ComposedTrace trace("patterns");
  const std::uint32_t a = trace.reg(), b = trace.reg();
  trace.access("ld.shared.u32", AccessKind::load, MemorySpace::shared, {b}, {a});
  Addresses squares(32);
  for (std::uint64_t lane = 0; lane < 32; ++lane) squares[lane] = 4 * lane * lane;
  trace.execute = [&](std::uint64_t, std::uint32_t, auto script) {
    for (const Addresses& addresses : {strided(4), strided(8), strided(8), strided(0), squares})
      script.enter(0).touch(addresses);
    script.enter(0).touch(strided(0, 0, 1));  // A single lane fits everything: it is no evidence.
  };
  const auto found_for = [&](PatternClass kind) { return survey(trace, {{0, {kind, {}}}}).at(0); };
  CHECK(found_for(PatternClass::linear).of_class == 2);
  CHECK(found_for(PatternClass::linear).otherwise == 3);
  CHECK(found_for(PatternClass::stride).of_class == 4);
  CHECK(found_for(PatternClass::stride).otherwise == 1);
  CHECK(found_for(PatternClass::random).of_class == 5);
  CHECK(found_for(PatternClass::random).at_distances == 0);
  CHECK(found_for(PatternClass::random).kind() == PatternClass::random);
}

TEST_CASE("pattern survey: predicted distances are from the first lane, warp by warp") {
  trace::ComposedTrace trace("patterns");
  const std::uint32_t a = trace.reg(), b = trace.reg();
  trace.access("ld.shared.u32", AccessKind::load, MemorySpace::shared, {b}, {a});
  trace.launch().block = {64, 1, 1};
  PatternPrediction predicted;
  predicted.distances.resize(2);
  for (std::int64_t lane = 0; lane < 32; ++lane) {
    predicted.distances[0][static_cast<std::size_t>(lane)] = 4 * lane;
    predicted.distances[1][static_cast<std::size_t>(lane)] = 1000 - 8 * lane;
  }
  trace.execute = [](std::uint64_t, std::uint32_t warp, auto script) {
    if (warp == 1) {
      Addresses falling = strided(8);
      std::reverse(falling.begin(), falling.end());
      script.enter(0).touch(falling);     // As predicted, wherever it begins.
      script.enter(0).touch(strided(8));  // Rising instead of falling.
      return;
    }
    script.enter(0).touch(strided(4, 400));
    script.enter(0).touch(0b1100, strided(4).data());
    Addresses last_differs = strided(4);
    last_differs[31] += 4;
    script.enter(0).touch(last_differs);
  };
  const InstructionPatterns found = survey(trace, {{0, predicted}}).at(0);
  CHECK(found.at_distances == 3);
  CHECK(found.otherwise == 2);
  CHECK(found.of_class == 0);
}

TEST_CASE("pattern survey: of each instruction 64 patterns are kept, and accesses with others are counted") {
  trace::ComposedTrace trace("patterns");
  const std::uint32_t a = trace.reg(), b = trace.reg();
  trace.access("ld.shared.u32", AccessKind::load, MemorySpace::shared, {b}, {a});
  trace.execute = [](std::uint64_t, std::uint32_t, auto script) {
    for (std::uint64_t words = 1; words <= 70; ++words) script.enter(0).touch(strided(4 * words));
    script.enter(0).touch(strided(4 * 64));
    script.enter(0).touch(strided(4 * 65));
  };
  const InstructionPatterns found = survey(trace).at(0);
  CHECK(found.executed == 72);
  CHECK(found.patterns.size() == 64);
  CHECK(found.other_patterns == 6 + 1);
  CHECK(found.patterns[0].pattern == stride(PatternClass::stride, 4 * 64));
  CHECK(found.patterns[0].count == 2);
}

}  // namespace lockstep::pattern_survey_test
