// Small expressions as ptxas 13.0 compiles them for compute capability 9.0: how many instructions they become there and here.

#include <catch2/catch.hpp>
#include <fstream>
#include <optional>
#include <sstream>

#include "isa/ptx/module.hpp"
#include "tests/places.hpp"
#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::expressions_test {

namespace {

/// A row of expressions.tsv: the kernel of its number is its code.
struct Expression {
  std::size_t counted = 0;  ///< Instructions that ptxas writes.
  /// How far from that they may be here, where they differ: a limit, no expectation.
  std::optional<std::size_t> differently;
  std::string code;
};

std::string file(const char* extension) {
  return source_dir() + "/tests/unit/isa/machine/expressions." + extension;
}

std::vector<Expression> expressions() {
  std::vector<Expression> all;
  std::ifstream table(file("tsv"));
  for (std::string line, counted, differently; std::getline(table, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream row(line);
    Expression& one = all.emplace_back();
    std::getline(std::getline(std::getline(row, counted, '\t'), differently, '\t'), one.code);
    one.counted = std::stoul(counted);
    if (!differently.empty()) one.differently = std::stoul(differently);
  }
  return all;
}

std::size_t lowered(const ptx::Module& module, std::size_t n) {
  const machine::Target hopper{"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list, 6};
  const program::Kernel kernel = ptx::to_static_program(ptx::link(module, "k" + std::to_string(n)));
  const auto program = machine::lower(kernel, hopper).instructions;
  return static_cast<std::size_t>(std::count_if(program.begin(), program.end(), [](const machine::Instruction& i) {
    return i.space != program::MemorySpace::param || !i.only_own_space;
  }));
}

}  // namespace

TEST_CASE(
    "Three in four expressions become as many instructions as ptxas writes, none more or fewer than the table allows, "
    "all within 1 %") {
  const ptx::Module module = ptx::parse_file(file("ptx"));
  const std::vector<Expression> all = expressions();
  REQUIRE(all.size() >= 300);
  std::size_t same = 0, here = 0, there = 0;
  for (std::size_t n = 0; n < all.size(); ++n) {
    CAPTURE(n, all[n].code, all[n].counted);
    const std::size_t found = lowered(module, n);
    const auto [fewest, most] = std::minmax({all[n].counted, all[n].differently.value_or(all[n].counted)});
    CHECK(fewest <= found);
    CHECK(found <= most);
    // A difference that is gone is not allowed any more.
    CHECK((found == all[n].counted) == !all[n].differently);
    same += found == all[n].counted;
    here += found;
    there += all[n].counted;
  }
  // What holds today, so that it does not become worse.
  CHECK(same * 4 >= all.size() * 3);
  CHECK(here * 100 >= there * 99);
  CHECK(here * 100 <= there * 101);
}

}  // namespace lockstep::expressions_test
