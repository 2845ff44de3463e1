// Scratchpads without conflicts and without waiting, which no GPU has.

#include <catch2/catch.hpp>

#include "models/scratchpad/scratchpad.hpp"

namespace lockstep::ideal_test {

namespace {

scratchpad::Spec spec_of(bool ideal_banks, bool ideal_atomics) {
  scratchpad::Spec spec;
  spec.banks = 32;
  spec.bank_bytes = 4;
  spec.locks = 1024;
  spec.request_lanes = 32;
  spec.bank_hash = spec.lock_hash = "mod";
  spec.ideal_banks = ideal_banks;
  spec.ideal_atomics = ideal_atomics;
  return spec;
}

struct Column {
  std::uint64_t address[32];
  Column() {
    for (std::uint64_t lane = 0; lane < 32; ++lane) address[lane] = lane * 128;
  }
};

}  // namespace

TEST_CASE("with ideal banks a column takes one pass, and a wide access as many as it has requests") {
  const Column column;
  const scratchpad::Scratchpad real(spec_of(false, false), 48 << 10), ideal(spec_of(true, false), 48 << 10);
  CHECK(real.load_passes(column.address, ~0u, 4).all == 32);
  CHECK(ideal.load_passes(column.address, ~0u, 4).all == 1);
  CHECK(ideal.store_passes(column.address, ~0u, 4).further == 0);
  // 64 bits a lane: two requests of half a warp, each with 16 words in one bank.
  CHECK(real.load_passes(column.address, ~0u, 8).all == 32);
  CHECK(ideal.load_passes(column.address, ~0u, 8).all == 2);
}

TEST_CASE("with ideal atomics every lane gets its lock, whoever holds it, and no lane waits for another of its word") {
  const std::uint64_t word[32] = {};
  scratchpad::Scratchpad real(spec_of(false, false), 48 << 10), ideal(spec_of(false, true), 48 << 10);
  CHECK(real.acquire(word, ~0u, 0, 0).acquired == 1);
  CHECK(real.acquire(word, ~0u, 1, 0).failed_warp > 0);
  for (const std::uint32_t warp : {0u, 1u}) {
    const scratchpad::LockOutcome outcome = ideal.acquire(word, ~0u, warp, 0);
    CHECK(outcome.acquired == ~0u);
    CHECK(outcome.failed_position + outcome.failed_alias + outcome.failed_warp == 0);
  }
  CHECK_NOTHROW(ideal.release(word, ~0u, 5));
  CHECK(real.atomic_passes(word, ~0u, 4, false).further_lanes == 31);
  CHECK(ideal.atomic_passes(word, ~0u, 4, false).further_lanes == 0);
}

}  // namespace lockstep::ideal_test
