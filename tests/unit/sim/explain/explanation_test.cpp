// Issue slots by source line, colliding lanes, paddings and lifted limits, on traces made by hand.

#include "sim/explain/explanation.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "sim/explain/collision.hpp"
#include "sim/explain/output.hpp"
#include "sim/explain/padding.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

using namespace lockstep;
using namespace lockstep::test;
using gpu::Slot;
using program::AccessKind;
using program::MemorySpace;

namespace {

/// A warp that loads words of the scratchpad and adds up what it gets: instructions 0 and 1, each a line of its own.
std::unique_ptr<FakeTrace> load_and_add(const Lanes& lanes) {
  auto fake = std::make_unique<FakeTrace>();
  fake->launch().dynamic_shared_bytes = 8192;
  const std::uint32_t address = fake->reg(), value = fake->reg();
  fake->access("ld.shared.u32", AccessKind::load, MemorySpace::shared, {value}, {address});
  fake->add("add.s32", {fake->reg()}, {value});
  fake->control("exit", program::Control::exit);
  fake->execute = [lanes](std::uint64_t, std::uint32_t, FakeTrace::Script script) { script.enter(0).touch(lanes); };
  return fake;
}

explain::Explanation explained(const Lanes& lanes, bool remedies = false) {
  explain::Options options;
  options.remedies = remedies;
  return explain::explain(
      gtx580(), [&] { return load_and_add(lanes); }, options);
}

const explain::LineCosts& line_of(const explain::Explanation& all, std::uint32_t number) {
  for (const explain::LineCosts& line : all.lines)
    if (line.number == number && !line.block_start) return line;
  FAIL("no line " << number);
  return all.lines.front();
}

std::uint64_t lost(const explain::LineCosts& line, Slot reason) {
  return line.lost[static_cast<std::size_t>(reason)];
}

const explain::Outcome& outcome(const explain::Explanation& all, const std::string& name) {
  for (const explain::Outcome& one : all.remedies)
    if (one.name == name) return one;
  FAIL("no remedy " << name);
  return all.remedies.front();
}

}  // namespace

TEST_CASE("explain: slots that wait for a load are charged to the line of the load, not to that of its user") {
  // A load of n words of one bank is there after 44 + 32 (n - 1) cycles, of which the first slot of two issues it.
  for (const std::uint64_t degree : {1u, 2u, 32u}) {
    CAPTURE(degree);
    const explain::Explanation all = explained(strided(0, 32, static_cast<std::uint32_t>(degree)));
    CHECK(lost(line_of(all, 1), Slot::scratchpad_result) == (44 + 32 * (degree - 1)) / 2 - 1);
    CHECK(line_of(all, 2).lost_slots() == 0);
    CHECK(line_of(all, 1).accesses.scratchpad_passes == degree);
    CHECK(line_of(all, 1).accesses.bank_conflicts == degree - 1);
  }
}

TEST_CASE("explain: the slots of all lines, of the start of thread blocks and without a warp are all slots") {
  const explain::Explanation all = explained(strided(0, 32));
  const std::uint64_t charged =
      std::accumulate(all.lines.begin(), all.lines.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const explain::LineCosts& line) { return sum + line.slots(); });
  CHECK(charged + all.result.counters.sm.slots[static_cast<std::size_t>(Slot::no_warp)] == all.all_slots());
  const auto start =
      std::find_if(all.lines.begin(), all.lines.end(), [](const auto& line) { return line.block_start; });
  REQUIRE(start != all.lines.end());
  CHECK(start->slots() == 200 / 2);  // The launch latency of a GTX 580, in slots of two cycles.
}

TEST_CASE("explain: the lanes of the fullest bank are named with their words") {
  // Lanes 0 to 7 read words 5, 37, ...; the others word 6.
  Lanes lanes = strided(5, 32, 8);
  lanes.resize(32, 6 * 4);
  const explain::Explanation all = explained(lanes);
  const explain::LineCosts& line = line_of(all, 1);
  REQUIRE(line.examples.size() == 1);
  const scratchpad::Spec& spec = gtx580().sm.scratchpad;
  const auto found = explain::collision_of(line.examples[0].example, spec, make_maps(spec, 48 << 10, "fake"));
  REQUIRE(found);
  CHECK(found->degree == 8);
  CHECK(found->bank == 5);
  CHECK(found->lanes == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(found->words == std::vector<std::uint64_t>{5, 37, 69, 101, 133, 165, 197, 229});
  CHECK(found->stride() == 32);
  CHECK(found->shared_word == 6);
  CHECK(found->shared_lanes.size() == 24);
}

TEST_CASE("explain: lanes of a wide access collide in the request that holds them") {
  // 64 bits a lane: two requests of 16 lanes. Lane l reads words 32 l and 32 l + 1, so that each request has 16 words in
  // bank 0 and 16 in bank 1.
  gpu::AccessExample example;
  example.lanes = ~0u;
  example.bytes_per_lane = 8;
  example.scratchpad = example.loads = true;
  for (std::uint32_t lane = 0; lane < 32; ++lane) example.address[lane] = std::uint64_t{lane} * 128;
  const scratchpad::Spec& spec = gtx580().sm.scratchpad;
  const auto found = explain::collision_of(example, spec, make_maps(spec, 48 << 10, "fake"));
  REQUIRE(found);
  CHECK(found->degree == 16);
  CHECK(found->lanes.size() == 16);
  CHECK(found->stride() == 32);
}

TEST_CASE("explain: what would help a column of a tile is a padding, a hash or no conflicts, and each takes as long") {
  const explain::Explanation all = explained(strided(3, 32), true);
  const Cycle without = explained(strided(3, 33)).result.cycles;  // The padded kernel's own replay.
  CHECK(without < all.result.cycles);
  CHECK(outcome(all, "pad:32+1").cycles == without);
  CHECK(outcome(all, "bank-hash:xor").cycles == without);
  CHECK(outcome(all, "no-bank-conflicts").cycles == without);
  CHECK(std::is_sorted(all.remedies.begin(), all.remedies.end(),
                       [](const auto& a, const auto& b) { return *a.cycles < *b.cycles; }));
}

TEST_CASE("explain: limits that a kernel did not meet are not lifted, and conflict-free accesses get no padding") {
  const explain::Explanation all = explained(strided(0, 1), true);
  for (const explain::Outcome& one : all.remedies) {
    CAPTURE(one.name);
    CHECK(one.name.find("pad:") == std::string::npos);
    CHECK(one.name.find("bank") == std::string::npos);
    CHECK(one.name != "free-locks");
    CHECK(one.name != "more-scratchpad");  // All thread blocks are resident.
  }
}

TEST_CASE("explain: results do not depend on the number of threads") {
  explain::Options options;
  const auto open = [] { return load_and_add(strided(0, 8)); };
  const explain::Explanation one = explain::explain(gtx580(), open, options);
  options.jobs = 3;
  const explain::Explanation three = explain::explain(gtx580(), open, options);
  REQUIRE(one.remedies.size() == three.remedies.size());
  for (std::size_t n = 0; n < one.remedies.size(); ++n) {
    CHECK(one.remedies[n].name == three.remedies[n].name);
    CHECK(one.remedies[n].cycles == three.remedies[n].cycles);
  }
}

TEST_CASE("explain: a line of an inlined function stands once for each place where it was inlined") {
  auto fake = load_and_add(strided(0, 1));
  program::Kernel& kernel = fake->kernel();
  kernel.strings.push_back("caller.cu");
  const auto file = static_cast<std::uint32_t>(kernel.strings.size() - 1);
  for (std::uint32_t n : {0u, 1u}) {  // Line 7 of one function, inlined at lines 20 and 21.
    kernel.instructions[n].source_line = 7;
    kernel.instructions[n].call_file = file;
    kernel.instructions[n].call_line = 20 + n;
  }
  gpu::Options options;
  options.per_instruction = true;
  const gpu::Result result = gpu::simulate(gtx580(), *fake, options);
  std::vector<std::uint32_t> calls;
  for (const explain::LineCosts& line : explain::line_costs(fake->header(), result)) {
    if (line.number != 7 || line.block_start) continue;
    CHECK(line.executed == 1);
    CHECK(line.call_file == "caller.cu");
    calls.push_back(line.call_number);
  }
  CHECK(calls.size() == 2);
}

TEST_CASE("explain: instructions of a kernel without source lines stand each by itself") {
  auto fake = load_and_add(strided(0, 1));
  for (program::StaticInstruction& i : fake->kernel().instructions) i.source_line = 0;
  gpu::Options options;
  options.per_instruction = true;
  const gpu::Result result = gpu::simulate(gtx580(), *fake, options);
  std::vector<std::string> names;
  for (const explain::LineCosts& line : explain::line_costs(fake->header(), result))
    if (!line.block_start) names.push_back(line.instruction);
  std::sort(names.begin(), names.end());
  CHECK(names ==
        std::vector<std::string>{"instruction 0: ld.shared.u32", "instruction 1: add.s32", "instruction 2: exit"});
}

TEST_CASE("explain: text, JSON and HTML name the line, its collision and what would help") {
  const explain::Explanation all = explained(strided(0, 32), true);
  explain::SourceFiles sources;
  const std::string text = explain::to_text(all, sources, {});
  CHECK(text.find("32.00 passes each") != std::string::npos);
  CHECK(text.find("conflict degree 32") != std::string::npos);
  CHECK(text.find("What would help") != std::string::npos);
  CHECK(explain::to_json(all, sources).find("\"schema\": \"lockstep.explain/1\"") != std::string::npos);
  const std::string page = explain::to_html(all, "point", sources);
  CHECK(page.find("32.00 passes each") != std::string::npos);
  CHECK(page.find("point") != std::string::npos);
}

TEST_CASE(
    "explain: the report's table has only what helps; what harms or does nothing is named below it, as in the text") {
  explain::Explanation all = explained(strided(0, 32), true);
  REQUIRE(all.remedies.size() >= 3);
  all.remedies.resize(3);
  const Cycle cycles = all.result.cycles;
  for (const auto& [n, name, change] :
       {std::tuple{0, "first", cycles / 2}, {1, "second", 2 * cycles}, {2, "third", cycles}}) {
    all.remedies[n].name = name;
    all.remedies[n].text = "the " + all.remedies[n].name;
    all.remedies[n].cycles = change;
  }
  all.remedies.push_back(all.remedies[0]);
  all.remedies[3].name = "fourth";
  all.remedies[3].cycles.reset();
  all.remedies[3].failure = "does not fit";
  explain::SourceFiles sources;
  const std::string text = explain::to_text(all, sources, {}), page = explain::to_html(all, "", sources);
  for (const std::string& shown : {text, page}) {
    CHECK(shown.find("Could not be replayed: fourth: does not fit") != std::string::npos);
    CHECK(shown.find("the first") != std::string::npos);
    CHECK(shown.find("the second") == std::string::npos);
    CHECK(shown.find("Slower: second (+100.0 % cycles)") != std::string::npos);
    CHECK(shown.find("No effect: third") != std::string::npos);
  }
}
