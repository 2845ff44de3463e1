// What the search counts is what the pipeline does: retries and passes of a lone warp's atomics, under any hashes.

#include <catch2/catch.hpp>

#include <random>

#include "models/hash_search/joint_search.hpp"
#include "sim/probe/probe.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

using namespace lockstep;

TEST_CASE("the search counts the retries and conflicts that the pipeline makes") {
  std::mt19937 random(3);
  for (const char* banks : {"mod", "xor", "bits:3,4,5,6,7"})
    for (const char* locks : {"mod", "xor", "bits:2,3,4,5,6,7,8,9,10,11"}) {
      gpu::GpuSpec spec = test::gtx580();
      spec.sm.scratchpad.bank_hash = banks;
      spec.sm.scratchpad.lock_hash = locks;
      for (int n = 0; n < 4; ++n) {
        analytic::WarpAccess access;
        access.mask = n == 0 ? ~0u : static_cast<std::uint32_t>(random()) | 1;
        const std::uint32_t words = 16u << 2 * n;
        std::uint64_t address[32] = {};
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          access.word[lane] = random() % words * (n == 3 ? 8 : 1);
          address[lane] = access.word[lane] * 4;
        }
        hash::AccessSet set{hash::ServiceRules(spec.sm.scratchpad)};
        set.add_lock_loop(address, access.mask, 4);
        hash::SearchRequest request;
        request.words = spec.sm.occupancy.scratchpad_bytes / 4;
        const hash::JointCost counted = hash::joint_cost(set, request, {1, 1}, banks, locks);

        const probe::Result probed = probe::measure(spec, probe::AccessOperation::atomic, access);
        std::uint64_t conflicts = 0;
        for (const probe::Step& step : probed.steps) conflicts += step.degree == 0 ? 0 : step.degree - 1;
        INFO("banks " << banks << ", locks " << locks << ", case " << n);
        CHECK(counted.retries == probed.iterations - 1);
        CHECK(counted.conflicts == conflicts);
      }
    }
}
