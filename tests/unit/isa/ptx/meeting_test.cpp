// Where lanes meet in loops. The loops with breaks are those of kernels in which ptxas 13.0 has BSSY, BREAK and BSYNC there.
#include <catch2/catch.hpp>
#include <random>

#include "isa/ptx/control_flow/meeting.hpp"
#include "isa/ptx/control_flow/post_dominators.hpp"
#include "isa/ptx/module.hpp"

namespace lockstep::meeting_test {

using ptx::find_meeting;
using ptx::Meeting;
using ptx::no_index;
using Graph = std::vector<std::vector<std::uint32_t>>;
using Result = std::vector<std::uint32_t>;

TEST_CASE("without loops lanes meet at the immediate post-dominator") {
  const Graph graph = {{1, 2}, {3}, {3}, {}};
  const Meeting found = find_meeting(graph);
  CHECK(found.meets == ptx::immediate_post_dominators(graph));
  CHECK(found.loops.empty());
  CHECK(found.loop == Result{no_index, no_index, no_index, no_index});
}

TEST_CASE("lanes that stay in a loop meet in it, though others break out") {
  // 0 -> 1: if skip goto 3; 2: if found break (to 4); 3: next round or 4.
  const Meeting found = find_meeting({{1}, {2, 3}, {3, 4}, {1, 4}, {}});
  REQUIRE(found.loops.size() == 1);
  CHECK(found.loops[0].members == std::vector<bool>{false, true, true, true, false});
  CHECK(found.loops[0].meets == 4);
  CHECK(found.meets[1] == 3);
  CHECK(found.meets[2] == 3);
  CHECK(found.meets[3] == 1);  // The next round.
}

TEST_CASE("lanes that leave by different ways meet behind all of them") {
  // 1: break to 4, or 2; 2: break to 5, or round again; 4 -> 6, 5 -> 6.
  const Meeting found = find_meeting({{1}, {2, 4}, {1, 5}, {}, {6}, {6}, {}});
  CHECK(found.loops[0].meets == 6);
  // One that returns meets nobody.
  CHECK(find_meeting({{1}, {2, 4}, {1, 5}, {}, {}, {6}, {}}).loops[0].meets == no_index);
}

TEST_CASE("a loop in a loop meets in the outer one") {
  // 1: outer head; 2: inner head, to 3 or 4; 3: break of both to 6, or 2; 4: outer latch, to 1 or 5; 5 -> 6.
  const Meeting found = find_meeting({{1}, {2}, {3, 4}, {2, 6}, {1, 5}, {6}, {}});
  REQUIRE(found.loops.size() == 2);
  CHECK(found.loops[0].members == std::vector<bool>{false, true, true, true, true, false, false});
  CHECK(found.loops[1].members == std::vector<bool>{false, false, true, true, false, false, false});
  CHECK(found.loops[1].parent == 0);
  CHECK(found.loops[0].meets == 6);
  CHECK(found.loops[1].meets == 4);
  CHECK(found.loop == Result{no_index, 0, 1, 1, 0, no_index, no_index});
}

TEST_CASE("two ways back to the head meet there") {
  const Meeting found = find_meeting({{1}, {2, 3, 4}, {1}, {1}, {}});
  CHECK(found.meets[1] == 1);
  CHECK(found.loops[0].meets == 4);
}

TEST_CASE("what has two entries is no loop") {
  // 1 and 2 lead to each other, and both are entered.
  const Graph graph = {{1, 2}, {2}, {1, 3}, {}};
  const Meeting found = find_meeting(graph);
  CHECK(found.loops.empty());
  CHECK(found.meets == ptx::immediate_post_dominators(graph));
}

TEST_CASE("in random graphs lanes meet in the innermost loop, and behind a loop in the one around it") {
  std::mt19937 random(11);
  unsigned loops = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto size = static_cast<std::uint32_t>(3 + random() % 12);
    Graph graph(size);
    for (std::uint32_t block = 0; block + 1 < size; ++block) {
      graph[block].push_back(block + 1);
      if (random() % 2 == 0) graph[block].push_back(static_cast<std::uint32_t>(random() % size));
    }
    const Meeting found = find_meeting(graph);
    for (std::uint32_t block = 0; block < size; ++block) {
      const std::uint32_t loop = found.loop[block];
      if (loop == no_index) continue;
      REQUIRE(found.loops[loop].contains(block));
      REQUIRE(found.meets[block] != no_index);
      CHECK(found.loops[loop].contains(found.meets[block]));
    }
    for (const ptx::Loop& loop : found.loops) {
      ++loops;
      if (loop.meets != no_index) CHECK_FALSE(loop.contains(loop.meets));
      if (loop.parent == no_index) continue;
      REQUIRE(loop.meets != no_index);
      CHECK(found.loops[loop.parent].contains(loop.meets));
    }
  }
  CHECK(loops > 500);
}

}  // namespace lockstep::meeting_test
