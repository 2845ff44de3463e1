// Measurements of one warp on a GeForce GTX 580: Gomez-Luna (2012), section 4.3 and Figure 4.13. Durations are found as
// the difference between a kernel with and without the access, so that launch and end do not matter.

#include <catch2/catch.hpp>

#include "sim/gpu/simulation.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

using namespace lockstep;
using namespace lockstep::test;
using program::AccessKind;
using program::MemorySpace;

namespace {

Cycle cycles(FakeTrace& fake) {
  return gpu::simulate(gtx580(), fake).cycles;
}

/// Load, add, store of one warp at these words, followed by the end of the kernel: Listing 4.2 of Gomez-Luna (2012).
Cycle of_read_modify_write(const Lanes& addresses) {
  FakeTrace fake;
  const std::uint32_t a = fake.reg(), v = fake.reg();
  fake.access("ld.shared.u32", AccessKind::load, MemorySpace::shared, {v}, {a});
  fake.add("add.u32", {v}, {v});
  fake.access("st.shared.u32", AccessKind::store, MemorySpace::shared, {}, {a, v});
  fake.control("exit", program::Control::exit);
  fake.launch().dynamic_shared_bytes = 48 * 1024;
  fake.execute = [&](std::uint64_t, std::uint32_t, FakeTrace::Script script) {
    script.enter(0).touch(addresses).touch(addresses);
  };
  return cycles(fake);
}

/// One atomic addition of one warp: Listing 4.1 of Gomez-Luna (2012).
Cycle of_atomic(const Lanes& addresses) {
  FakeTrace fake;
  const std::uint32_t a = fake.reg(), v = fake.reg();
  fake.access("atom.shared.add.u32", AccessKind::atomic, MemorySpace::shared, {v}, {a});
  fake.control("exit", program::Control::exit);
  fake.launch().dynamic_shared_bytes = 48 * 1024;
  fake.execute = [&](std::uint64_t, std::uint32_t, FakeTrace::Script script) { script.enter(0).touch(addresses); };
  return cycles(fake);
}

Cycle of_nothing() {
  FakeTrace fake;
  fake.control("exit", program::Control::exit);
  return cycles(fake);
}

Lanes first_then_own(const std::vector<std::uint64_t>& first) {
  std::vector<std::uint64_t> all = first;
  for (std::uint64_t lane = first.size(); lane < 32; ++lane) all.push_back(lane);
  return words(all);
}

/// All lanes of a warp vote in bin 0 of a histogram; lane n in sub-histogram n % replication, `distance` words apart.
Lanes replicated_votes(std::uint64_t replication, std::uint64_t distance) {
  std::vector<std::uint64_t> votes;
  for (std::uint64_t lane = 0; lane < 32; ++lane) votes.push_back(lane % replication * distance);
  return words(votes);
}

}  // namespace

TEST_CASE("Load, add and store take 98 cycles, and 68 more per bank conflict degree, at any stride") {
  const Cycle base = of_nothing();
  CHECK(of_read_modify_write(strided(0, 1)) - base == 98);
  for (const std::uint64_t stride : {32u, 64u, 256u}) {
    for (std::uint64_t degree = 2; degree <= 12288 / stride && degree <= 32; ++degree) {
      std::vector<std::uint64_t> first;
      for (std::uint64_t lane = 0; lane < degree; ++lane) first.push_back(lane * stride);
      CAPTURE(stride, degree);
      CHECK(of_read_modify_write(first_then_own(first)) - base == 98 + 68 * (degree - 1));
    }
  }
}

TEST_CASE("An atomic without conflict takes 108 cycles, and 120 more per lane that wants the same word") {
  const Cycle base = of_nothing();
  for (std::uint64_t degree = 1; degree <= 32; ++degree) {
    CAPTURE(degree);
    CHECK(of_atomic(first_then_own(std::vector<std::uint64_t>(degree, 0))) - base == 108 + 120 * (degree - 1));
  }
}

TEST_CASE("Bank conflicts of an atomic cost 68 each, and 152 when the words share a lock") {
  const Cycle base = of_nothing() + 108;
  CHECK(of_atomic(first_then_own({0, 32})) - base == 68);
  CHECK(of_atomic(first_then_own({0, 1024})) - base == 152);
  CHECK(of_atomic(first_then_own({0, 1024, 2048})) - base == 2 * 152 + 32);
  CHECK(of_atomic(first_then_own({0, 1024, 2048, 32})) - base == 2 * 152 + 32 + 68);
  CHECK(of_atomic(first_then_own({0, 1024, 2048, 32, 1056})) - base == 2 * 152 + 32 + 2 * 68 + 32);
}

TEST_CASE("A conflict is settled once, by the bank with the highest degree") {
  const Cycle base = of_nothing();
  CHECK(of_read_modify_write(first_then_own({0, 32, 64, 3, 35})) - base == 98 + 68 * 2);
}

TEST_CASE("Lanes that read the same word share its pass") {
  const Cycle base = of_nothing();
  CHECK(of_read_modify_write(words(std::vector<std::uint64_t>(32, 7))) - base == 98);
}

TEST_CASE("Replication without padding pays while all sub-histograms fit into 1,024 words (section 4.4.1)") {
  const auto best = [](std::uint64_t bins) {
    std::uint64_t best_factor = 0;
    Cycle least = never;
    for (std::uint64_t r = 1; r <= 32 && r * bins <= 12288; r *= 2) {
      const Cycle c = of_atomic(replicated_votes(r, bins));
      if (c >= least) continue;
      least = c;
      best_factor = r;
    }
    return best_factor;
  };
  CHECK(best(32) == 32);
  CHECK(best(256) == 4);
  CHECK(best(64) == 16);
  CHECK(best(512) == 2);
}

TEST_CASE("With padding every further sub-histogram pays (section 4.4.2)") {
  for (const std::uint64_t bins : {32u, 256u}) {
    Cycle before = never;
    for (std::uint64_t r = 1; r <= 32; r *= 2) {
      const Cycle c = of_atomic(replicated_votes(r, bins + 1));
      CAPTURE(bins, r);
      CHECK(c < before);
      before = c;
    }
    CHECK(before - of_nothing() == 108);
  }
}
