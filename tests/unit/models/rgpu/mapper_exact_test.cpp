// The mapper against every placement there is, on fabrics of a few cores.
#include <catch2/catch.hpp>

#include "tests/unit/models/rgpu/mapper_graphs.hpp"

using namespace lockstep;
using namespace lockstep::rgpu;
using namespace lockstep::rgpu::test;

namespace {

struct MapperOutcomes {
  std::uint32_t mapped = 0, without = 0;
  std::uint32_t more_lanes_than_values_at_a_slot = 0;  ///< Ways round a ring may need it.
  std::uint32_t lanes_for_slots = 0;                   ///< The two goals differ.
};

MapperOutcomes check_against_everything(std::uint32_t seeds) {
  MapperOutcomes all;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    const std::uint32_t cores = 3 + seed % 4, units = 1 + seed / 4 % 3;
    const Spec spec = fabric(cores, units, 1 + seed % 5 % 4, 0);
    const dataflow::Graph graph = random_graph(seed, 1 + seed / 12 % cores, seed / 7 % (units + 1));
    const Best best = try_everything(graph, spec);
    const MapOutcome outcome = map(graph, spec);
    MapOptions slots_first;
    slots_first.goal = Goal::slots;
    const MapOutcome short_outcome = map(graph, spec, slots_first);
    INFO("seed " << seed);
    REQUIRE(outcome.mapping.has_value() == best.exists);
    REQUIRE(short_outcome.mapping.has_value() == best.exists);
    if (!best.exists) {
      ++all.without;
      REQUIRE(outcome.shortages.size() == 1);
      CHECK(outcome.shortages[0].resource == "lanes");
      CHECK(outcome.shortages[0].proved);
      // What is said to be enough is enough.
      Spec wider = spec;
      wider.lanes = static_cast<std::uint32_t>(outcome.shortages[0].needed);
      CHECK(map(graph, wider).mapping.has_value());
      continue;
    }
    ++all.mapped;
    CHECK(outcome.mapping->lanes == best.lanes);
    CHECK(outcome.mapping->lower_bound == best.lanes);
    CHECK(outcome.mapping->span == best.span);
    CHECK(outcome.optimal);
    CHECK(short_outcome.mapping->span == best.span_in_lanes);
    CHECK(short_outcome.optimal);
    all.lanes_for_slots += short_outcome.mapping->span < outcome.mapping->span;
    std::uint32_t fullest = 0;
    for (std::uint32_t slot = 0; slot < cores; ++slot) {
      std::uint32_t values = 0;
      for (const Route& route : outcome.mapping->routes) {
        values += (slot + cores - route.first) % cores < route.slots;
      }
      fullest = std::max(fullest, values);
    }
    all.more_lanes_than_values_at_a_slot += outcome.mapping->lanes > fullest;
  }
  return all;
}

}  // namespace

TEST_CASE("on small fabrics the mapper finds what trying everything finds, and proves it", "[rgpu]") {
  const MapperOutcomes all = check_against_everything(300);
  CHECK(all.mapped > 125);
  CHECK(all.without > 25);
  CHECK(all.lanes_for_slots > 0);
}

TEST_CASE("on many small fabrics the mapper finds what trying everything finds", "[rgpu][long]") {
  const MapperOutcomes all = check_against_everything(1200);
  CHECK(all.mapped > 500);
  CHECK(all.without > 100);
  CHECK(all.lanes_for_slots > 0);
  CHECK(all.more_lanes_than_values_at_a_slot > 0);
}
