#include "isa/meant_name.hpp"

#include <catch2/catch.hpp>

using namespace lockstep;

namespace {

const std::vector<std::string> names = {"sm.l1.banks",
                                        "sm.scratchpad.banks",
                                        "sm.scratchpad.bank_hash",
                                        "sm.scratchpad.lock_hash",
                                        "sm.registers.banks",
                                        "derived.simd_efficiency",
                                        "derived.speedup",
                                        "derived.bank_conflict_degree",
                                        "derived.lock_iterations"};

}  // namespace

TEST_CASE("A name is known by a part of it that was left out, or by its last part alone") {
  CHECK(meant_name("sm.scratchpad.hash", names) == "sm.scratchpad.bank_hash");
  CHECK(meant_name("banks", names) == "sm.scratchpad.banks");
  CHECK(meant_name("l1.banks", names) == "sm.l1.banks");
  CHECK(meant_name("sm.scratchpad.bank", names) == "sm.scratchpad.banks");  // Rather than bank_hash.
  CHECK(meant_name("lock hash", names) == "sm.scratchpad.lock_hash");
}

TEST_CASE("A name is known as tables print it, and by begins and misspellings of its parts") {
  CHECK(meant_name("bank conflict degree", names) == "derived.bank_conflict_degree");
  CHECK(meant_name("Lock iterations", names) == "derived.lock_iterations");
  CHECK(meant_name("derived.sped", names) == "derived.speedup");
  CHECK(meant_name("derived.lock_iteratoins", names) == "derived.lock_iterations");
  CHECK(meant_name("sm.regs", names) == "sm.registers.banks");
}

TEST_CASE("A word with nothing in common with any name means none") {
  CHECK(meant_name("zzzzzz", names).empty());
  CHECK(meant_name("", names).empty());
  CHECK(meant_name("...", names).empty());
  CHECK(meant_name("banks", {}).empty());
}
