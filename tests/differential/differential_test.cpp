// Random kernels leave the same bytes on the functional machine and on the oracle, and mistakes would be found.
#include <catch2/catch.hpp>

#include <algorithm>

#include "isa/ptx/opcode_syntax.hpp"
#include "tests/differential/compare.hpp"
#include "tests/differential/form_list.hpp"
#include "tests/differential/forms.hpp"
#include "tests/differential/generate.hpp"
#include "tests/differential/kernel_text.hpp"
#include "tests/differential/machine.hpp"
#include "tests/differential/oracle/oracle.hpp"
#include "tests/differential/oracle/semantics.hpp"
#include "tests/differential/print.hpp"
#include "tests/differential/reduce.hpp"

using namespace lockstep;
using namespace lockstep::differential;
using ptx::Opcode;

namespace {

void compare_seeds(std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const Kernel kernel = generate(seed);
    if (!kernel.is_exact) continue;
    const std::string found = difference(kernel);
    INFO("seed " << seed << ": build/release/tests/differential compare --reduce --seeds " << seed);
    CHECK(found.empty());
    if (!found.empty()) FAIL(found);
  }
}

/// A mistake: one opcode is executed as another one.
struct Mistake {
  Opcode meant, executed;
};

Kernel with_mistake(Kernel kernel, Mistake mistake) {
  for_each_block(kernel, [&](Block& block) {
    for (Statement& statement : block) {
      auto* compute = std::get_if<Compute>(&statement.is);
      if (compute == nullptr) continue;
      for (Instruction& one : compute->chain) {
        if (one.opcode == mistake.meant && one.modifiers == Modifiers{"b32"}) one.opcode = mistake.executed;
      }
    }
  });
  return kernel;
}

std::size_t statements_in(const Kernel& kernel) {
  std::size_t count = 0;
  for_each_statement(kernel.body, [&](const Statement&) { ++count; });
  return count;
}

}  // namespace

TEST_CASE("200 random kernels leave the bytes that the oracle says") {
  compare_seeds(1, 250);  // One seed in five has no oracle.
}

TEST_CASE("10,000 random kernels leave the bytes that the oracle says", "[nightly]") {
  compare_seeds(1, 12'500);
}

TEST_CASE("An instruction that is executed as another one is found, and reduced to itself and a store", "[long]") {
  for (const Mistake mistake : {Mistake{Opcode::xor_, Opcode::or_}, Mistake{Opcode::and_, Opcode::or_},
                                Mistake{Opcode::shl, Opcode::shr}, Mistake{Opcode::brev, Opcode::not_}}) {
    const auto machine = [&](const Kernel& kernel) { return execute(with_mistake(kernel, mistake)); };
    const Shows shows = [&](const Kernel& kernel) { return !difference(kernel, machine, interpret).empty(); };
    INFO(ptx::name_of(mistake.meant) << " executed as " << ptx::name_of(mistake.executed));
    bool found = false;
    for (std::uint64_t seed = 1; seed <= 250 && !found; ++seed) {
      const Kernel kernel = generate(seed);
      if (!kernel.is_exact || !shows(kernel)) continue;
      found = true;
      const Kernel small = reduce(kernel, shows);
      INFO(printed(small));
      CHECK(statements_in(small) <= 4);
      CHECK(small.blocks() == 1);
      CHECK(printed(small).find(name_of_form(mistake.meant, {"b32"})) != std::string::npos);
    }
    CHECK(found);
  }
}

TEST_CASE("A reduced kernel reads what its neighbours wrote behind a barrier, as the whole one does", "[long]") {
  const Shows reads_neighbours = [](const Kernel& kernel) {
    bool found = false;
    for_each_statement(kernel.body, [&](const Statement& statement) {
      const auto* access = std::get_if<Access>(&statement.is);
      found |= access != nullptr && access->instruction.opcode == Opcode::ld && access->place.neighbour != 0;
    });
    return found;
  };
  unsigned reduced = 0;
  for (std::uint64_t seed = 1; seed <= 250 && reduced < 5; ++seed) {
    const Kernel kernel = generate(seed);
    if (!reads_neighbours(kernel)) continue;
    ++reduced;
    const Kernel small = reduce(kernel, reads_neighbours);
    unsigned barriers = 0;
    for_each_statement(small.body, [&](const Statement& statement) {
      barriers += std::holds_alternative<Barrier>(statement.is) ? 1 : 0;
    });
    INFO(printed(small));
    CHECK(barriers >= 2);
  }
  CHECK(reduced == 5);
}

TEST_CASE("The text of a kernel gives the same kernel again") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Kernel kernel = generate(seed), again = kernel_of(text_of(kernel));
    INFO(text_of(kernel));
    REQUIRE(printed(again) == printed(kernel));
    REQUIRE(again.is_exact == kernel.is_exact);
    REQUIRE(again.grid == kernel.grid);
    REQUIRE(again.block == kernel.block);
  }
}

TEST_CASE("The text of a kernel says which word is wrong") {
  std::string text = text_of(generate(1));
  CHECK_THROWS_WITH(kernel_of(text.substr(0, text.size() / 2)), Catch::Contains("ends too early"));
  CHECK_THROWS_WITH(kernel_of("1 1 1 1 32 1 1 1 ( ) ( ) ( computes"),
                    Catch::Contains("'computes', which is no statement"));
  CHECK_THROWS_WITH(kernel_of("1 1 1 1 32 1 1 1 ( ) ( ) ( compute ( nop"),
                    Catch::Contains("'nop', which is no opcode"));
  CHECK_THROWS_WITH(kernel_of("1 1 1 1 32 1 1 1 ( ) ( ) ( compute ( not.b32 ( %x1"),
                    Catch::Contains("'%x1' is no register"));
}

TEST_CASE("A byte that differs is named by its thread and place") {
  const Kernel kernel = generate(1);
  const auto oracle = [](const Kernel& of) { return std::vector<std::uint8_t>(of.data_bytes()); };
  const auto machine = [](const Kernel& of) {
    std::vector<std::uint8_t> bytes(of.data_bytes());
    bytes[bytes_of(Area::counters) + of.threads() * bytes_of(Area::own) + 3 * bytes_of(Area::results) + 17] = 0xab;
    return bytes;
  };
  CHECK(difference(kernel, machine, oracle) ==
        "thread 3, byte 17 of its results: 000000000000ab00, the oracle has 0000000000000000");
}

TEST_CASE("The oracle knows every form of the table that is drawn, but the approximate ones") {
  REQUIRE(arithmetic_forms().exact.size() > 5000);
  for (const Instruction& form : arithmetic_forms().exact) {
    INFO(name_of_form(form.opcode, form.modifiers));
    CHECK(semantics_of(form));
  }
  for (const Instruction& form : arithmetic_forms().other) CHECK(is_approximate(form));
}

TEST_CASE("Every opcode that the functional machine executes is drawn, or the list says why not") {
  const Occurrences kernels = occurrences_of_forms(1, 1000);
  for (const ptx::OpcodeRow& row : ptx::opcode_table) {
    if (!row.is_executed()) continue;
    bool is_drawn = false, can_be = false;
    for (std::uint64_t n = 0; n < ptx::form_count(row.opcode) && !is_drawn; ++n) {
      const Modifiers modifiers = ptx::form(row.opcode, n);
      can_be |= why_never(row.opcode, modifiers).empty();
      is_drawn = kernels.contains(name_of_form(row.opcode, modifiers));
    }
    INFO(row.name);
    CHECK(is_drawn == can_be);
  }
}
