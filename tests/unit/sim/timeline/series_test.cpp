// Statistics over time as CSV.

#include "sim/timeline/series.hpp"

#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

using namespace lockstep;
using namespace lockstep::test;
using timeline::Series;

namespace {

gpu::Sample sample(Cycle at, std::uint64_t instructions, std::uint64_t loads, std::uint64_t passes) {
  gpu::Sample one;
  one.at = at;
  one.counters.sm.warp_instructions = instructions;
  one.counters.sm.scratchpad_loads = loads;
  one.counters.sm.scratchpad_load_passes = passes;
  return one;
}

}  // namespace

TEST_CASE("A row of a series has what was counted in its interval, and ratios of that") {
  Series series(gtx580(), {"sm.warp_instructions", "derived.ipc", "passes_per_load"});
  series.take(sample(100, 50, 0, 0));
  series.take(sample(200, 250, 4, 12));
  series.take(sample(210, 250, 5, 14));
  CHECK(series.csv() ==
        "from,to,sm.warp_instructions,derived.ipc,passes_per_load\n"
        "0,100,50,0.5,\n"
        "100,200,200,2,3\n"
        "200,210,0,0,2\n");
}

TEST_CASE("A series that begins later has no row before its first sample") {
  Series series(gtx580(), {"sm.warp_instructions"});
  series.begin(90);
  series.take(sample(100, 50, 0, 0));
  series.take(sample(200, 250, 0, 0));
  CHECK(series.csv() == "from,to,sm.warp_instructions\n100,200,200\n");
}

TEST_CASE("A series of an unknown statistic, or of one that only a whole replay has, is an error") {
  CHECK_THROWS_WITH(Series(gtx580(), {"sm.issue.isued"}), Catch::Contains("did you mean 'sm.issue.issued'"));
  CHECK_THROWS_AS(Series(gtx580(), {"derived.ip"}), InputError);
  CHECK_THROWS_WITH(Series(gtx580(), {"derived.clock"}), Catch::Contains("of a whole replay"));
}
