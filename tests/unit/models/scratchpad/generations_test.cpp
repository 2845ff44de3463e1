// Passes of scratchpad accesses by generation: half-warp requests, one broadcast word, banks of 8 bytes, wide elements,
// native atomics. Expected numbers come from the CUDA Programming Guide's rules, worked out by hand.

#include <catch2/catch.hpp>

#include <functional>

#include "models/scratchpad/scratchpad.hpp"

namespace lockstep::generations_test {

using namespace lockstep::scratchpad;

namespace {

constexpr std::uint64_t bytes = 16 * 1024;

/// Compute capability 1.x: 16 banks, half-warps, one word broadcast.
Spec gt200() {
  Spec spec;
  spec.banks = 16;
  spec.bank_bytes = 4;
  spec.locks = 256;
  spec.request_lanes = 16;
  spec.broadcast = Broadcast::one_word;
  spec.bank_hash = spec.lock_hash = "mod";
  return spec;
}

Spec fermi() {
  Spec spec = gt200();
  spec.banks = 32;
  spec.locks = 1024;
  spec.request_lanes = 32;
  spec.broadcast = Broadcast::every_word;
  return spec;
}

Spec kepler() {
  Spec spec = fermi();
  spec.bank_bytes = 8;
  return spec;
}

using Address = std::function<std::uint64_t(std::uint64_t lane)>;

Passes load(const Spec& spec, const Address& address, std::uint32_t width = 4, std::uint32_t mask = ~0u) {
  std::uint64_t all[32];
  for (std::uint64_t lane = 0; lane < 32; ++lane) all[lane] = address(lane);
  return Scratchpad(spec, bytes).load_passes(all, mask, width);
}
Passes store(const Spec& spec, const Address& address, std::uint32_t width = 4, std::uint32_t mask = ~0u) {
  std::uint64_t all[32];
  for (std::uint64_t lane = 0; lane < 32; ++lane) all[lane] = address(lane);
  return Scratchpad(spec, bytes).store_passes(all, mask, width);
}
Passes atomic(const Spec& spec, const Address& address, bool aggregated = false, std::uint32_t width = 4,
              std::uint32_t mask = ~0u) {
  std::uint64_t all[32];
  for (std::uint64_t lane = 0; lane < 32; ++lane) all[lane] = address(lane);
  return Scratchpad(spec, bytes).atomic_passes(all, mask, width, aggregated);
}

Address words(std::uint64_t stride) {
  return [stride](std::uint64_t lane) { return 4 * stride * lane; };
}

}  // namespace

TEST_CASE("Each half-warp is a request: without conflict two passes, of which none is a replay") {
  const Passes free = load(gt200(), words(1));
  CHECK(free.all == 2);
  CHECK(free.further == 0);
  CHECK(free.split == 0);
  CHECK(free.degree == 1);
  const Passes half = load(gt200(), words(1), 4, 0xffff0000);
  CHECK(half.all == 1);
  CHECK(half.further == 0);
  // Stride 2 over 16 banks: each half has two words in every second bank.
  CHECK(load(gt200(), words(2)).all == 4);
  CHECK(load(gt200(), words(2)).further == 2);
  CHECK(load(gt200(), words(2)).degree == 2);
  CHECK(load(gt200(), words(16)).all == 32);
  // Lanes of different halves never conflict.
  CHECK(load(gt200(), [](std::uint64_t lane) { return lane % 16 * 4 + lane / 16 * 64; }).further == 0);
  CHECK(load(gt200(), words(1), 4, 0).all == 1);
}

TEST_CASE("One word of a request is broadcast; lanes that share another word wait for each other") {
  // All lanes of a half on one word: one pass.
  CHECK(load(gt200(), [](std::uint64_t) { return 40; }).all == 2);
  // Lanes 0 and 1 share word 0; lanes 2 and 3 share word 1, whose bank gives one lane per pass.
  const Address pairs = [](std::uint64_t lane) { return lane < 4 ? lane / 2 * 4 : 0; };
  CHECK(load(gt200(), pairs, 4, 0xf).all == 2);
  CHECK(load(gt200(), pairs, 4, 0x7).all == 1);
  // Eight pairs: each pass ends one pair by broadcast and takes a lane of every other: the second pass ends the second
  // pair's other lane and, one bank each, those of all others.
  CHECK(load(
            gt200(), [](std::uint64_t lane) { return lane / 2 * 4; }, 4, 0xffff)
            .all == 2);
  // Triples: the lowest is broadcast whole, the others give a lane each; then the next, and so on.
  CHECK(load(
            gt200(), [](std::uint64_t lane) { return lane / 3 * 4; }, 4, 0x7fff)
            .all == 3);
  // Fermi serves each of these in one pass.
  CHECK(load(fermi(), pairs, 4, 0xf).all == 1);
  CHECK(load(fermi(), [](std::uint64_t lane) { return lane / 3 * 4; }).all == 1);
}

TEST_CASE("Byte and half-word loads conflict on compute capability 1.x and not on 2.x; stores of a word do not") {
  const Address successive_bytes = [](std::uint64_t lane) { return lane; };
  const Address successive_halves = [](std::uint64_t lane) { return 2 * lane; };
  // CUDA Programming Guide 2.3, section 5.1.2.5: char array[] indexed by thread conflicts four ways, short two ways.
  CHECK(load(gt200(), successive_bytes, 1, 0xffff).all == 4);
  CHECK(load(gt200(), successive_bytes, 1).further == 6);
  CHECK(load(gt200(), successive_halves, 2, 0xffff).all == 2);
  CHECK(load(
            gt200(), [](std::uint64_t lane) { return 4 * lane; }, 1)
            .further == 0);
  CHECK(load(fermi(), successive_bytes, 1).all == 1);
  CHECK(load(fermi(), successive_halves, 2).all == 1);
  CHECK(store(gt200(), [](std::uint64_t) { return 40; }).all == 2);
  CHECK(store(gt200(), successive_bytes, 1).further == 0);
}

TEST_CASE("Lanes that name the two halves of an 8-byte bank word do not conflict") {
  CHECK(load(kepler(), words(1)).all == 1);
  CHECK(load(kepler(), words(2)).all == 1);
  // Stride 4: words of 8 bytes two apart over 32 banks, so two lanes to a bank.
  CHECK(load(kepler(), words(4)).all == 2);
  CHECK(load(kepler(), words(64)).all == 32);
  // Words 0 and 1 are one bank word; words 0 and 64 two of one bank.
  CHECK(load(kepler(), [](std::uint64_t lane) { return lane % 2 * 4; }).all == 1);
  CHECK(load(kepler(), [](std::uint64_t lane) { return lane % 2 * 256; }).all == 2);
  CHECK(load(fermi(), words(2)).all == 2);
}

TEST_CASE("64-bit elements take two requests of 4-byte banks and one of 8-byte banks; 128-bit ones four and two") {
  const Address doubles = [](std::uint64_t lane) { return 8 * lane; };
  const Address quads = [](std::uint64_t lane) { return 16 * lane; };
  const Passes on_fermi = load(fermi(), doubles, 8);
  CHECK(on_fermi.all == 2);
  CHECK(on_fermi.further == 0);
  CHECK(on_fermi.split == 1);
  CHECK(on_fermi.degree == 1);
  CHECK(load(kepler(), doubles, 8).all == 1);
  CHECK(load(kepler(), doubles, 8).split == 0);
  CHECK(load(fermi(), quads, 16).all == 4);
  CHECK(load(fermi(), quads, 16).split == 3);
  CHECK(load(kepler(), quads, 16).all == 2);
  CHECK(load(kepler(), quads, 16).split == 1);
  CHECK(load(fermi(), quads, 16, 0xff).split == 0);
  // 64-bit elements two apart: of a half-warp, two lanes in every bank.
  CHECK(load(fermi(), quads, 8).all == 4);
  CHECK(load(fermi(), quads, 8).further == 2);
  CHECK(load(kepler(), quads, 8).all == 2);
  // Half-warp requests of 16 banks: eight 64-bit elements are 64 bytes.
  CHECK(load(gt200(), doubles, 8).all == 4);
  CHECK(load(gt200(), doubles, 8).split == 2);
  CHECK(load(gt200(), doubles, 8).further == 0);
}

TEST_CASE("128-bit elements take the further passes of their generation, narrower ones none") {
  Spec spec = fermi();
  spec.quad_word_passes = 2;
  const Address quads = [](std::uint64_t lane) { return 16 * lane; };
  CHECK(load(spec, quads, 16).all == 6);
  CHECK(load(spec, quads, 16).split == 5);
  CHECK(load(spec, quads, 16).further == 0);
  CHECK(load(
            spec, [](std::uint64_t lane) { return 8 * lane; }, 8)
            .all == 2);
}

TEST_CASE("A native atomic counts the lanes of its most-named word, unless increments are aggregated") {
  CHECK(atomic(fermi(), words(1)).all == 1);
  CHECK(atomic(fermi(), words(1)).further_lanes == 0);
  const Address one_word = [](std::uint64_t) { return 12; };
  CHECK(atomic(fermi(), one_word).all == 1);
  CHECK(atomic(fermi(), one_word).further_lanes == 31);
  CHECK(atomic(fermi(), one_word, true).further_lanes == 0);
  CHECK(atomic(fermi(), one_word, false, 4, 0b1011).further_lanes == 2);
  // Lanes 0 to 9 on word 0, the others each on a word of its own: one bank holds words 0 and 32.
  const Address mixed = [](std::uint64_t lane) { return lane < 10 ? 0 : lane == 10 ? 128 : 4 * lane; };
  CHECK(atomic(fermi(), mixed).all == 2);
  CHECK(atomic(fermi(), mixed).further_lanes == 9);
  CHECK(atomic(fermi(), mixed, true).all == 2);
  CHECK(atomic(fermi(), mixed, true).further_lanes == 0);
  // Two requests of half a warp: each has 15 further lanes.
  CHECK(atomic(fermi(), one_word, false, 8).further_lanes == 30);
}

}  // namespace lockstep::generations_test
