// Declarations of counters: what they say of a structure, and how its parts combine.
#include <catch2/catch.hpp>

#include "models/counter/declaration.hpp"
#include "models/dram/counters.hpp"
#include "models/l2/counters.hpp"
#include "models/noc/counters.hpp"
#include "models/rgpu/counters.hpp"

namespace lockstep::counter_test {

namespace {

counter::Entry entry(std::size_t i) {
  return {"place." + std::to_string(i), "Visits of the place"};
}

struct Queue {
  std::uint64_t requests = 0, longest = 0;
  std::array<std::uint64_t, 3> places{};

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    declare(&Queue::requests, "requests", "requests", "Requests taken");
    declare(&Queue::longest, "longest", "requests", "Most requests at a time", counter::largest);
    declare.total(&Queue::places, "all", "visits", "Visits of all places");
    declare.each(&Queue::places, "visits", entry);
  }
};

struct Machine {
  Queue in, out;
  std::uint64_t stops = 0;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    declare.part(&Machine::in, "in.");
    declare.part(&Machine::out, "out.");
    declare(&Machine::stops, "stops", "stops", "Stops");
  }
};

struct Forgetful {
  std::uint64_t requests = 0, forgotten = 0;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    declare(&Forgetful::requests, "requests", "requests", "Requests taken");
  }
};

struct Repetitive {
  std::uint64_t twice = 0, never = 0;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    declare(&Repetitive::twice, "once", "events", "Events");
    declare(&Repetitive::twice, "twice", "events", "The same events");
  }
};

/// Declares the parts of a machine, one of them twice.
struct Doubled {
  Machine machine;
  std::uint64_t stops = 0;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    declare.part(&Doubled::machine, "");
    declare.part(&Doubled::machine, "again.");
  }
};

}  // namespace

TEST_CASE("A structure declares all of its counters, or it is told apart") {
  STATIC_REQUIRE(counter::declares_all<Queue>());
  STATIC_REQUIRE(counter::declares_all<Machine>());
  STATIC_REQUIRE_FALSE(counter::declares_all<Forgetful>());
  STATIC_REQUIRE_FALSE(counter::declares_all<Repetitive>());
  STATIC_REQUIRE_FALSE(counter::declares_all<Doubled>());
}

TEST_CASE("The models declare every counter exactly once") {
  STATIC_REQUIRE(counter::declares_all<dram::Counters>());
  STATIC_REQUIRE(counter::declares_all<l2::Counters>());
  STATIC_REQUIRE(counter::declares_all<noc::Counters>());
  STATIC_REQUIRE(counter::declares_all<noc::InjectionCounters>());
  STATIC_REQUIRE(counter::declares_all<rgpu::NodeCycles>());
  STATIC_REQUIRE(counter::declares_all<rgpu::FabricCounters>());
}

TEST_CASE("Counters of equal parts add up, but of the largest the larger stays") {
  Machine sum{{3, 7, {1, 2, 3}}, {10, 20, {0, 0, 5}}, 1};
  counter::add(sum, Machine{{4, 5, {10, 20, 30}}, {1, 21, {0, 4, 0}}, 2});
  CHECK(sum.in.requests == 7);
  CHECK(sum.in.longest == 7);
  CHECK(sum.in.places == std::array<std::uint64_t, 3>{11, 22, 33});
  CHECK(sum.out.requests == 11);
  CHECK(sum.out.longest == 21);
  CHECK(sum.out.places == std::array<std::uint64_t, 3>{0, 4, 5});
  CHECK(sum.stops == 3);
}

TEST_CASE("What is counted in ticks is shown in cycles") {
  CHECK(counter::ticks.shown(clock::to_ticks(41) + clock::to_ticks(1) / 2) == 41);
  CHECK(counter::ticks.aggregation == counter::Aggregation::sum);
}

TEST_CASE("The difference of two states of counters is what came between; a largest value stays") {
  Machine before, after;
  before.in = {10, 4, {1, 2, 3}};
  before.stops = 1;
  after.in = {25, 6, {1, 5, 3}};
  after.out = {7, 7, {0, 0, 9}};
  after.stops = 1;
  const Machine between = counter::difference(after, before);
  CHECK(between.in.requests == 15);
  CHECK(between.in.longest == 6);
  CHECK(between.in.places == std::array<std::uint64_t, 3>{0, 3, 0});
  CHECK(between.out.requests == 7);
  CHECK(between.stops == 0);
}

}  // namespace lockstep::counter_test
