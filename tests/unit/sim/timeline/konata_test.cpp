// The log of the viewer Konata, read back by the rules of its documentation (docs/kanata-log-format.md, version 4).

#include "sim/timeline/konata.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "isa/trace/composed_trace.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

using namespace lockstep;
using namespace lockstep::test;
using program::AccessKind;
using program::MemorySpace;

namespace {

struct Stage {
  std::string name;
  std::uint64_t from = 0, to = 0;
  friend bool operator==(const Stage&, const Stage&) = default;
};

struct Seen {
  std::uint64_t number = 0, thread = 0, retired = 0, retire_id = 0;
  std::string label, details;
  std::map<int, std::vector<Stage>> lanes;
  bool ended = false;
};

/// Reads a log, and fails where it breaks a rule: a header, then commands of tab-separated columns; every instruction is
/// begun by I with the next number, commands of it come between its I and its R, time only goes on, and a lane is in one
/// stage at a time.
std::vector<Seen> read_log(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  REQUIRE(std::getline(in, line));
  REQUIRE(line == "Kanata\t0004");
  std::vector<Seen> all;
  std::map<std::pair<std::uint64_t, int>, Stage> open;
  std::uint64_t cycle = 0, retired = 0;
  bool has_begin = false;
  while (std::getline(in, line)) {
    std::vector<std::string> words;
    std::istringstream columns(line);
    for (std::string word; std::getline(columns, word, '\t');) words.push_back(word);
    INFO(line);
    REQUIRE(!words.empty());
    const std::string& command = words[0];
    if (command == "C=") {
      REQUIRE(words.size() == 2);
      REQUIRE(!has_begin);
      cycle = std::stoull(words[1]);
      has_begin = true;
      continue;
    }
    REQUIRE(has_begin);
    if (command == "C") {
      REQUIRE(words.size() == 2);
      REQUIRE(std::stoll(words[1]) > 0);
      cycle += std::stoull(words[1]);
      continue;
    }
    REQUIRE(words.size() == 4);
    const std::uint64_t id = std::stoull(words[1]);
    if (command == "I") {
      REQUIRE(id == all.size());
      all.emplace_back();
      all.back().number = std::stoull(words[2]);
      all.back().thread = std::stoull(words[3]);
      continue;
    }
    REQUIRE(id < all.size());
    Seen& one = all[id];
    REQUIRE(!one.ended);
    if (command == "L") {
      REQUIRE((words[2] == "0" || words[2] == "1"));
      (words[2] == "0" ? one.label : one.details) += words[3];
    } else if (command == "S") {
      const int lane = std::stoi(words[2]);
      REQUIRE(open.try_emplace({id, lane}, Stage{words[3], cycle, 0}).second);
    } else if (command == "E") {
      const int lane = std::stoi(words[2]);
      const auto begun = open.find({id, lane});
      REQUIRE(begun != open.end());
      REQUIRE(begun->second.name == words[3]);
      one.lanes[lane].push_back({words[3], begun->second.from, cycle});
      open.erase(begun);
    } else {
      REQUIRE(command == "R");
      REQUIRE(words[3] == "0");
      one.retire_id = std::stoull(words[2]);
      REQUIRE(one.retire_id == retired++);
      one.retired = cycle;
      one.ended = true;
    }
  }
  CHECK(open.empty());
  for (const Seen& one : all) CHECK(one.ended);
  return all;
}

std::vector<Seen> log_of(FakeTrace& fake, const gpu::IssueWindow& window = {0, 100000, {0}, {}}) {
  timeline::Events events;
  events.window = window;
  gpu::Options options;
  options.issue_window = window;
  options.issues = &events.issues;
  options.blocks = &events.blocks;
  const gpu::Result result = gpu::simulate(gtx580(), fake, options);
  return read_log(timeline::konata_log(fake.header(), gtx580(), result, events));
}

}  // namespace

TEST_CASE("Konata: an addition waits for the one before it; each is shown from its wait to its result") {
  FakeTrace fake;
  const std::uint32_t r = fake.reg();
  fake.add("add.s32", {r}, {});
  fake.add("add.s32", {fake.reg()}, {r});
  fake.control("exit", program::Control::exit);
  const std::vector<Seen> seen = log_of(fake);
  REQUIRE(seen.size() == 3);
  // Set-up takes 200 cycles, a result 18; a slot is 2 cycles.
  const std::uint64_t start = seen[0].lanes.at(0)[0].from, first = start + 200;
  CHECK(seen[0].label == "0: add.s32");
  CHECK(seen[0].details.find("thread block 0, warp 0, lanes 0xffffffff") != std::string::npos);
  CHECK(seen[0].lanes.at(1) == std::vector<Stage>{{"launch", start, first}});
  CHECK(seen[0].lanes.at(0) ==
        std::vector<Stage>{{"D", start, first}, {"I", first, first + 2}, {"X", first + 2, first + 18}});
  CHECK(seen[0].retired == first + 18);
  CHECK(seen[1].lanes.at(1) == std::vector<Stage>{{"arithmetic_result", first + 2, first + 18}});
  CHECK(seen[1].lanes.at(0) ==
        std::vector<Stage>{{"D", first + 2, first + 18}, {"I", first + 18, first + 20}, {"X", first + 20, first + 36}});
  CHECK(seen[2].number == 2);
  CHECK(seen[2].thread == 0);
}

TEST_CASE("Konata: a load is at the memory until the instruction that needs it can issue") {
  FakeTrace fake;
  const std::uint32_t p = fake.reg(64), v = fake.reg();
  fake.access("ld.global.u32", AccessKind::load, MemorySpace::global, {v}, {p});
  fake.add("add.s32", {v}, {v});
  fake.control("exit", program::Control::exit);
  fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    script.enter(0).touch(strided(1u << 26, 1));
  };
  std::vector<Seen> seen = log_of(fake);
  REQUIRE(seen.size() >= 3);
  const auto named = [&](const std::string& label) {
    const auto found =
        std::find_if(seen.begin(), seen.end(), [&](const Seen& one) { return one.label.ends_with(label); });
    REQUIRE(found != seen.end());
    return *found;
  };
  const Seen load = named("ld.global.u32"), add = named("add.s32");
  const Stage memory = load.lanes.at(0).back(), waits = add.lanes.at(1).back();
  CHECK(memory.name == "M");
  CHECK(memory.to - memory.from > 300);
  CHECK(waits.name == "memory_result");
  CHECK(waits.to == memory.to);
}

TEST_CASE("Konata: only chosen warps of chosen SMs and cycles are there") {
  FakeTrace fake;
  for (int n = 0; n < 20; ++n) fake.add("add.s32", {fake.reg()}, {});
  fake.control("exit", program::Control::exit);
  fake.launch().grid = {48, 1, 1};
  fake.launch().block = {256, 1, 1};
  const std::vector<Seen> seen = log_of(fake, {0, 100000, {1}, {{17, 2, 3}}});
  CHECK(seen.size() == 2 * 21);
  for (const Seen& one : seen) {
    CHECK(one.details.find("SM 1, launch 0 (fake), thread block 17, warp ") != std::string::npos);
    CHECK((one.details.find("warp 2,") != std::string::npos || one.details.find("warp 3,") != std::string::npos));
    CHECK(one.thread < 2);
  }
  CHECK(log_of(fake, {0, 100000, {2}, {{17, 2, 3}}}).empty());
  CHECK(log_of(fake, {0, 100, {1}, {}}).empty());  // Nothing issues so early.
}
