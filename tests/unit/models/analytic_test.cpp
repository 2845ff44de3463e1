// The closed-form models against the values that Gomez-Luna (2012) and Van den Braak (2015) print, or that follow from
// what they print.

#include <catch2/catch.hpp>
#include <cmath>

#include "models/analytic/latency_estimate.hpp"
#include "models/analytic/state_machine.hpp"

namespace lockstep::analytic_test {

using namespace lockstep::analytic;

namespace {

Layout layout_of(std::uint32_t banks, std::uint32_t locks) {
  return {hash::make_address_map("mod", banks, 12288), hash::make_address_map("mod", locks, 12288), 0};
}

/// The given words, then each lane its own number: the way both theses write patterns.
WarpAccess pattern(const std::vector<std::uint64_t>& first) {
  WarpAccess access;
  access.mask = ~0u;
  for (std::uint64_t lane = 0; lane < 32; ++lane) access.word[lane] = lane < first.size() ? first[lane] : lane;
  return access;
}

/// Equation 5.1 of Van den Braak (2015).
WarpAccess strided(std::uint32_t conflicts, std::uint64_t stride) {
  std::vector<std::uint64_t> words;
  for (std::uint64_t lane = 0; lane < conflicts; ++lane) words.push_back(lane * stride);
  return pattern(words);
}

Spec gtx580(Cycle bank_write) {
  Spec spec;
  spec.load_base = 44;
  spec.store_base = 36;
  spec.read_modify_write_base = 98;
  spec.atomic_base = 108;
  spec.position = 120;
  spec.bank_read = 32;
  spec.bank_write = bank_write;
  spec.state_machine = {32, 18, 36, 32};
  return spec;
}

Cycle atomic(const WarpAccess& access, Cycle bank_write = 32) {
  return atomic_latency(gtx580(bank_write), layout_of(32, 1024), access)->cycles;
}

}  // namespace

TEST_CASE("Listing 4.5 gives the penalties that Gomez-Luna prints for each example") {
  const Cycle base = 108, position = 120, bank = 32;
  const Cycle t_short = 2 * bank, t_long = position + bank, extra = bank;
  CHECK(atomic(pattern({})) == base);
  CHECK(atomic(pattern({0, 32})) == base + t_short);
  CHECK(atomic(pattern({0, 1024})) == base + t_long);
  CHECK(atomic(pattern({0, 1024, 2048})) == base + 2 * t_long + extra);
  CHECK(atomic(pattern({0, 1024, 2048, 32})) == base + 2 * t_long + extra + t_short);
  CHECK(atomic(pattern({0, 1024, 2048, 32, 1056})) == base + 2 * t_long + extra + 2 * t_short + extra);
  // Figure 4.7: lanes 0, 4, 5, 7 and lanes 1, 6 want one lock each.
  CHECK(atomic(pattern({0, 32, 2, 3, 0, 1024, 1056, 2048})) == base + 3 * position + 10 * bank);
}

TEST_CASE("Listing 4.5 as sums: the golden values of an independent implementation") {
  CHECK(atomic(pattern({0, 32})) == 172);
  CHECK(atomic(pattern({0, 1024})) == 260);
  CHECK(atomic(pattern({0, 1024, 2048})) == 444);
  CHECK(atomic(pattern({0, 1024, 2048, 32})) == 508);
  CHECK(atomic(pattern({0, 1024, 2048, 32, 1056})) == 604);
  CHECK(atomic(pattern({0, 32, 2, 3, 0, 1024, 1056, 2048})) == 788);
  CHECK(atomic(pattern({0, 0, 0, 0, 4, 4, 1024, 2304, 3328, 4352, 5376})) == 1164);  // Figure 4.1
  CHECK(atomic(strided(32, 0)) == 3828);
  CHECK(atomic(strided(32, 32)) == 2092);
  CHECK(atomic(strided(32, 256)) == 6068);
}

TEST_CASE("With 36 cycles per further write pass a short conflict costs the measured 68") {
  for (std::uint32_t degree = 1; degree <= 32; ++degree)
    CHECK(atomic(strided(degree, 32), 36) == 108 + 68 * (degree - 1));
  CHECK(atomic(pattern({0, 1024}), 36) == 108 + 152);
}

TEST_CASE("The nine patterns of Table 4.1 on a GTX 280 follow from 256 locks and 16 banks") {
  // 24 and 136 are chosen to meet 228 and 340; that the other seven agree is what the aliasing rule must do.
  Spec spec;
  spec.atomic_base = 180;
  spec.position = 136;
  spec.bank_read = spec.bank_write = 24;
  const Layout layout = layout_of(16, 256);
  const std::pair<std::uint64_t, Cycle> measured[] = {{1, 180},   {32, 228},  {64, 228},  {128, 228}, {224, 228},
                                                      {256, 340}, {288, 228}, {512, 340}, {544, 228}};
  for (const auto& [word, cycles] : measured) {
    WarpAccess access = pattern({0, word});
    access.mask = 0xffff;  // One request of a half-warp.
    CAPTURE(word);
    CHECK(atomic_latency(spec, layout, access)->cycles == cycles);
  }
}

TEST_CASE("Loads, stores and load-add-store grow with the bank conflict degree alone") {
  const Spec spec = gtx580(36);
  const Layout layout = layout_of(32, 1024);
  for (const std::uint64_t stride : {32u, 256u, 1024u}) {
    for (std::uint32_t degree = 1; degree <= 12288 / stride && degree <= 32; ++degree) {
      CHECK(load_latency(spec, layout, strided(degree, stride)) == 44 + 32 * (degree - 1));
      CHECK(store_latency(spec, layout, strided(degree, stride)) == 36 + 36 * (degree - 1));
      CHECK(read_modify_write_latency(spec, layout, strided(degree, stride)) == 98 + 68 * (degree - 1));
    }
  }
  CHECK(load_latency(spec, layout, strided(32, 0)) == 44);
}

TEST_CASE("The lock degree counts lanes, the bank degree words, and the first lane in the list wins") {
  const Layout layout = layout_of(32, 1024);
  const WarpAccess access = pattern({5, 5, 1029, 37, 5});  // lanes 0, 1, 4 and 5 want word 5, lane 2 its lock
  CHECK(bank_conflict_degree(layout, access) == 3);
  CHECK(position_conflict_degree(access) == 4);
  const LockConflicts locks = lock_conflicts(layout, access);
  CHECK(locks.degree == 5);
  CHECK(locks.winners == (~0u & ~(1u << 1 | 1u << 2 | 1u << 4 | 1u << 5)));
  WarpAccess upper = access;
  upper.mask = ~0x7u;
  CHECK(lock_conflicts(layout, upper).degree == 2);
  CHECK((lock_conflicts(layout, upper).winners & 0x3f) == (1u << 3 | 1u << 4));
}

TEST_CASE("Without lanes nothing takes time, and without constants there is no estimate") {
  const Layout layout = layout_of(32, 1024);
  const WarpAccess none;
  CHECK(bank_conflict_degree(layout, none) == 0);
  CHECK(position_conflict_degree(none) == 0);
  CHECK(atomic_latency(gtx580(32), layout, none)->cycles == 0);
  CHECK(load_latency(gtx580(32), layout, none) == 0);
  CHECK(state_machine_latency(gtx580(32).state_machine, layout, none) == 0);
  CHECK_FALSE(atomic_latency(Spec{}, layout, pattern({})));
  CHECK_FALSE(load_latency(Spec{}, layout, pattern({})));
  CHECK_FALSE(store_latency(Spec{}, layout, pattern({})));
  CHECK_FALSE(read_modify_write_latency(Spec{}, layout, pattern({})));
  CHECK_FALSE(state_machine_latency(StateMachineSpec{}, layout, pattern({})));
}

TEST_CASE("The four states follow each other once per lane that wants the same word") {
  const StateMachineSpec spec = gtx580(36).state_machine;
  const Layout layout = layout_of(32, 1024);
  AtomicStateMachine machine(spec, layout, strided(2, 0));
  using State = AtomicStateMachine::State;
  for (int iteration = 0; iteration < 2; ++iteration) {
    for (const State state : {State::read, State::update, State::write, State::branch}) {
      REQUIRE(machine.state() == state);
      machine.step();
    }
  }
  CHECK(machine.state() == State::done);
  CHECK(machine.lanes_left() == 0);
  CHECK(machine.cycles() == 2 * (32 + 18 + 36 + 32));
}

TEST_CASE("The state machine is off by 8.5 % at a conflict degree of 1 and nowhere more, as its author says") {
  const StateMachineSpec spec = gtx580(36).state_machine;
  const Layout layout = layout_of(32, 1024);
  double largest = 0, sum = 0;
  int count = 0;
  for (const std::uint64_t stride : {0u, 32u, 256u}) {  // Figure 5.3
    for (std::uint32_t degree = 1; degree <= 32; ++degree) {
      const WarpAccess access = strided(degree, stride);
      const auto simulated = static_cast<double>(*state_machine_latency(spec, layout, access));
      const auto measured = static_cast<double>(atomic(access, 36));
      const double error = std::abs(measured - simulated) / simulated;
      if (degree == 1) CHECK(error == Approx(0.085).margin(0.0005));
      largest = std::max(largest, error);
      sum += error;
      ++count;
    }
  }
  CHECK(largest == Approx(0.085).margin(0.0005));
  CHECK(sum / count < 0.029);  // 2.9 % against points that jitter; these do not.
}

TEST_CASE("Banks of eight bytes hold two words side by side") {
  Layout layout = layout_of(32, 1024);
  layout.bank_shift = 1;
  CHECK(bank_conflict_degree(layout, pattern({})) == 1);
  CHECK(bank_conflict_degree(layout, pattern({0, 32})) == 1);  // words 0 and 32: banks 0 and 16
  CHECK(bank_conflict_degree(layout, pattern({0, 64})) == 2);  // bank-wide words 0 and 32
  CHECK(bank_conflict_degree(layout, pattern({0, 1})) == 1);   // the same bank-wide word
}

}  // namespace lockstep::analytic_test
