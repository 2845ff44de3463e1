// Passes of accesses of 8 and 16 bytes per lane against the wavefronts that an H200 counts.

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "models/scratchpad/scratchpad.hpp"
#include "tests/places.hpp"
#include "tests/unit/models/scratchpad/specs.hpp"

namespace lockstep::wide_access_test {

TEST_CASE("Passes of wide loads and stores are the wavefronts that an H200 counts for 668 patterns") {
  scratchpad::Spec spec = scratchpad::test::fermi();
  spec.neighbours_share = true;
  const scratchpad::Scratchpad memory(spec, 32768);
  std::ifstream file(source_dir() + "/tests/unit/models/scratchpad/inputs/h200_wavefronts.txt");
  unsigned patterns = 0, merged = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream in(line);
    std::string access;
    std::uint32_t bytes = 0, mask = 0, wavefronts = 0;
    std::uint64_t address[32];
    in >> access >> bytes >> std::hex >> mask >> std::dec;
    for (std::uint64_t& one : address) {
      in >> one;
      one *= bytes;
    }
    in >> wavefronts;
    REQUIRE(in);
    CAPTURE(line);
    const bool loads = access == "load";
    CHECK((loads ? memory.load_passes(address, mask, bytes) : memory.store_passes(address, mask, bytes)).all ==
          wavefronts);
    ++patterns;
    merged += loads && memory.store_passes(address, mask, bytes).all != wavefronts;
  }
  CHECK(patterns == 668);
  CHECK(merged > 100);
}

TEST_CASE(
    "Wide loads of a memory that serves a part of a warp whatever its lanes name are split by their width alone") {
  const scratchpad::Scratchpad memory(scratchpad::test::fermi(), 4096);
  const std::uint64_t one_element[32] = {};
  CHECK(memory.load_passes(one_element, ~0u, 4).all == 1);
  CHECK(memory.load_passes(one_element, ~0u, 8).all == 2);
  CHECK(memory.load_passes(one_element, ~0u, 16).all == 4);
}

TEST_CASE("Neighbours that share elements are served together by a memory with one broadcast, too, when they load") {
  scratchpad::Spec spec = scratchpad::test::fermi();
  spec.broadcast = scratchpad::Broadcast::one_word;
  const std::uint64_t one_element[32] = {};
  // Each request broadcasts the lower half of the element, then the upper one.
  CHECK(scratchpad::Scratchpad(spec, 4096).load_passes(one_element, ~0u, 8).all == 2 * 2);
  spec.neighbours_share = true;
  CHECK(scratchpad::Scratchpad(spec, 4096).load_passes(one_element, ~0u, 8).all == 2);
}

}  // namespace lockstep::wide_access_test
