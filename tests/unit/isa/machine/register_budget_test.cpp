// How many registers a compiler gives a kernel, and what their number lets overlap. Numbers of ptxas 13.0 for sm_90, which was given the
// same kernels: isa/machine/schedule/README.md.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "isa/machine/lowering.hpp"
#include "isa/machine/schedule/liveness.hpp"
#include "isa/ptx/module.hpp"
#include "isa/ptx/program.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/places.hpp"
#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::register_budget_test {

using machine::Operation;
using machine::Schedule;
using machine::ScratchpadAtomics;
using machine::test::kernel_of;

namespace {

/// Loads behind the barrier whose results nothing has read yet, at most, of four rounds that each load 16 bytes of a vector and of `rows`
/// rows by addresses of their own; ptxas 13.0 for sm_90 was given the same kernels.
std::size_t loads_of_rows_in_flight(unsigned rows) {
  std::string body =
      ".reg .f32 %s<20>; .reg .f32 %x<200>; .reg .b64 %a<20>; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, %r1;";
  const auto each = [&](auto&& text) {
    for (unsigned r = 0; r < rows; ++r) body += text(std::to_string(r));
  };
  each([](const std::string& r) { return "ld.global.f32 %s" + r + ", [%rd1+" + r + "00];"; });
  each([](const std::string& r) { return "mul.f32 %s" + r + ", %s" + r + ", %s" + r + ";"; });
  body += "bar.sync 0;";
  each([](const std::string& r) { return "mad.wide.u32 %a" + r + ", %r2, 1" + r + "4, %rd1;"; });
  body += "mad.wide.u32 %a19, %r2, 4, %rd2;";
  unsigned next = 0;
  const auto load = [&](const std::string& address, unsigned round) {
    std::string words;
    for (unsigned w = 0; w < 4; ++w) words += (w == 0 ? "%x" : ", %x") + std::to_string(next++);
    body += "ld.global.v4.f32 {" + words + "}, [" + address + "+" + std::to_string(512 * round) + "];";
  };
  for (unsigned round = 0; round < 4; ++round) {
    const unsigned vector = next;
    load("%a19", round);
    each([&](const std::string& r) {
      const unsigned row = next;
      load("%a" + r, round);
      std::string text;
      for (unsigned w = 0; w < 4; ++w)
        text += fmt::format("fma.rn.f32 %s{0}, %x{1}, %x{2}, %s{0};", r, row + w, vector + w);
      return text;
    });
  }
  each([](const std::string& r) { return "st.global.f32 [%rd2+1" + r + "000], %s" + r + ";"; });
  const machine::Program program =
      machine::lower(kernel_of(body), {"hopper", ScratchpadAtomics::native, Schedule::list});
  std::map<std::uint16_t, std::uint32_t> awaited;  // The load, by register.
  std::set<std::uint32_t> in_flight;
  std::size_t most = 0;
  bool behind = false;
  for (std::uint32_t n = 0; n < program.instructions.size(); ++n) {
    const machine::Instruction& i = program.instructions[n];
    behind = behind || i.operation == Operation::barrier;
    for (unsigned s = 0; s < i.source_count; ++s)
      if (awaited.contains(i.sources[s])) in_flight.erase(awaited[i.sources[s]]);
    if (!behind || i.operation != Operation::global_load) continue;
    for (unsigned d = 0; d < i.destination_count; ++d) awaited[i.destinations[d]] = n;
    most = std::max(most, in_flight.insert(n).second ? in_flight.size() : 0);
  }
  return most;
}

/// Words that were loaded and not added yet, at most, of `loads` loads into a sum while `live` words live across; ptxas 13.0
/// for sm_90 was given the same kernels.
std::size_t words_in_flight(unsigned loads, unsigned live, unsigned width) {
  std::string body = ".reg .f32 %g<200>; .reg .b32 %l<100>;";
  for (unsigned n = 0; n < live; ++n) body += "ld.global.u32 %l" + std::to_string(n) + ", [%rd1];";
  body += "bar.sync 0;";
  unsigned next = 0;
  for (unsigned n = 0; n < loads; ++n) {
    std::string words;
    for (unsigned w = 0; w < width; ++w) words += (w == 0 ? "%g" : ", %g") + std::to_string(next++);
    body += width == 1 ? "ld.global.f32 " + words : "ld.global.v" + std::to_string(width) + ".f32 {" + words + "}";
    body += ", [%rd1+" + std::to_string(4 * width * n) + "];";
  }
  for (unsigned n = 0; n < next; ++n) body += "add.f32 %f1, %f1, %g" + std::to_string(n) + ";";
  for (unsigned n = 0; n < live; ++n) body += "st.global.u32 [%rd2], %l" + std::to_string(n) + ";";
  const program::Kernel kernel = kernel_of(body + "st.global.f32 [%rd2], %f1;");
  const machine::Program program = machine::lower(kernel, {"hopper", ScratchpadAtomics::native, Schedule::list});
  std::size_t now = 0, most = 0;
  bool behind = false;
  for (const machine::Instruction& i : program.instructions) {
    if (i.operation == Operation::barrier) behind = true;
    if (behind && i.operation == Operation::global_load) now += width;
    if (i.operation == Operation::floating) --now;
    most = std::max(most, now);
  }
  return most;
}

/// Rounds that have begun with a load from the scratchpad and not ended with the last of three sums, at most, of 32 rounds of a
/// loop, each the attraction of two bodies, while `live` words live across it.
int attractions_at_a_time(unsigned live) {
  std::string body = ".reg .f32 %g<2000>; .reg .b32 %n, %l<20>;";
  for (unsigned n = 0; n < 14; ++n)
    body += "ld.global.f32 %g" + std::to_string(n) + ", [%rd1+" + std::to_string(4 * n) + "];";
  for (unsigned n = 0; n < live; ++n)
    body += "ld.global.u32 %l" + std::to_string(n) + ", [%rd2+" + std::to_string(4 * n) + "];";
  body += "mov.u32 %n, 9; LOOP: bar.sync 0;";
  unsigned next = 20;
  for (unsigned round = 0; round < 32; ++round) {
    const auto g = [&](unsigned n) { return "%g" + std::to_string(next + n); };
    body += "ld.shared.v4.f32 {" + g(0) + ", " + g(1) + ", " + g(2) + ", " + g(3) + "}, [%r11+" +
            std::to_string(16 * round) + "];";
    for (unsigned axis = 0; axis < 3; ++axis)
      body += "sub.f32 " + g(4 + axis) + ", " + g(axis) + ", %g" + std::to_string(axis) + ";";
    body += "fma.rn.f32 " + g(7) + ", " + g(4) + ", " + g(4) + ", %g3;";
    body += "fma.rn.f32 " + g(8) + ", " + g(5) + ", " + g(5) + ", " + g(7) + ";";
    body += "fma.rn.f32 " + g(9) + ", " + g(6) + ", " + g(6) + ", " + g(8) + ";";
    body += "rsqrt.approx.ftz.f32 " + g(10) + ", " + g(9) + ";";
    body += "mul.f32 " + g(11) + ", " + g(10) + ", " + g(10) + "; mul.f32 " + g(12) + ", " + g(11) + ", " + g(10) +
            "; mul.f32 " + g(13) + ", " + g(12) + ", " + g(3) + ";";
    for (unsigned axis = 0; axis < 3; ++axis)
      body += "fma.rn.f32 %g1" + std::to_string(axis) + ", " + g(4 + axis) + ", " + g(13) + ", %g1" +
              std::to_string(axis) + ";";
    next += 14;
  }
  body += "sub.u32 %n, %n, 1; setp.ne.u32 %p1, %n, 0; @%p1 bra LOOP;";
  for (unsigned axis = 0; axis < 3; ++axis) body += "st.global.f32 [%rd1], %g1" + std::to_string(axis) + ";";
  for (unsigned n = 0; n < live; ++n) body += "st.global.u32 [%rd2], %l" + std::to_string(n) + ";";
  const program::Kernel kernel = kernel_of(body);
  const machine::Program program = machine::lower(kernel, {"hopper", ScratchpadAtomics::native, Schedule::list});
  int loads = 0, roots = 0, multiply_adds = 0, most = 0;
  for (const machine::Instruction& i : program.instructions) {
    const std::string& name = kernel.strings[kernel.instructions[i.static_index].mnemonic];
    loads += i.operation == Operation::scratchpad_load;
    roots += i.operation == Operation::special_function;
    multiply_adds += name == "fma.rn.f32";
    most = std::max(most, loads - (multiply_adds - 3 * roots) / 3);
  }
  REQUIRE(roots == 32);
  return most;
}

}  // namespace

TEST_CASE("registers: where registers are scarce, rounds that have begun end before others begin") {
  // ptxas 13.0 for sm_90 has 4, 4, 4 and 3 of them in progress: half to one and a half times as many here. Where a schedule keeps to the
  // longest way it is 7; where the words of loads are not among those for which a kernel gets registers, 1.
  for (const unsigned live : {0u, 4u, 8u, 12u}) {
    CAPTURE(live);
    const int rounds = attractions_at_a_time(live);
    CHECK(rounds >= 2);
    CHECK(rounds <= 6);
  }
}

namespace {

/// On every `step`th of the kernels.
void compare_with_ptxas(int step) {
  std::ifstream file(source_dir() + "/tests/unit/isa/machine/registers.tsv");
  REQUIRE(file);
  double sum = 0, sum_of_errors = 0;
  int lines = 0, kernels = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#") || lines++ % step != 0) continue;
    std::istringstream words(line);
    std::string path, name;
    double given = 0;
    words >> path >> name >> given;
    CAPTURE(path, name);
    const ptx::Module module = ptx::parse_file(source_dir() + "/traces/kernels/" + path);
    const program::Kernel kernel = ptx::to_static_program(ptx::link(module, name));
    const machine::Program program = machine::lower(kernel, {"hopper", ScratchpadAtomics::native, Schedule::list});
    REQUIRE(program.registers > 0);
    const double ratio = std::log(program.registers / given);
    sum += ratio;
    sum_of_errors += std::abs(ratio);
    ++kernels;
  }
  // An estimate from the program's own order is 23 % off in the mean, 20 % too high.
  REQUIRE(kernels > 80 / step);
  CHECK(sum_of_errors / kernels < 0.15);
  CHECK(std::abs(sum) / kernels < 0.1);
}

}  // namespace

TEST_CASE("registers: every second kernel gets about as many as ptxas gives it") {
  compare_with_ptxas(2);
}

TEST_CASE("registers: so does every kernel", "[long]") {
  compare_with_ptxas(1);
}

TEST_CASE("registers: what a predicated side writes first takes none before it") {
  // Thirty sides of a load and a store between barriers, that become one code with guards.
  std::string body = ".reg .f32 %w<30>; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 7;";
  for (unsigned n = 0; n < 30; ++n)
    body +=
        fmt::format("@%p1 bra J{0}; ld.shared.f32 %w{0}, [%r1+{1}]; st.shared.f32 [%r1+{2}], %w{0}; J{0}: bar.sync 0;",
                    n, 4 * n, 4 * n + 400);
  const program::Kernel kernel = kernel_of(body);
  CHECK(machine::lower(kernel, {"hopper", ScratchpadAtomics::native, Schedule::list}).registers <= 8);
}

TEST_CASE("registers: what a guard of one instruction's own leaves is no value of the round before") {
  const program::Kernel kernel = kernel_of(
      ".reg .b32 %n; mov.u32 %n, 9; LOOP: bar.sync 0; rsqrt.approx.f32 %f2, %f1; add.f32 %f3, %f3, %f2;"
      "sub.u32 %n, %n, 1; setp.ne.u32 %p1, %n, 0; @%p1 bra LOOP; st.global.f32 [%rd1], %f3;");
  const machine::Program program = machine::lower(kernel, {"hopper", ScratchpadAtomics::native, Schedule::list});
  const machine::Liveness liveness(program);
  bool scales = false;
  for (const machine::Instruction& i : program.instructions) scales = scales || i.guarded_in_chain;
  CHECK(scales);  // A denormal's root is that of a multiple.
  for (std::uint32_t block = 0; block < kernel.blocks.size(); ++block)
    for (auto entry = static_cast<std::uint32_t>(kernel.register_bits.size()); entry < program.register_bits.size();
         ++entry)
      CHECK_FALSE(liveness.at_begin(block, entry));
}

TEST_CASE("registers: as many loads are in flight as the registers of a resident warp more hold") {
  struct Seen {
    unsigned live, width, words;
  };
  for (const Seen& seen : {Seen{0, 1, 23}, Seen{8, 1, 16}, Seen{16, 1, 9}, Seen{24, 1, 7}, Seen{32, 1, 7},
                           Seen{0, 2, 24}, Seen{8, 2, 16}, Seen{16, 2, 8}, Seen{18, 2, 14}, Seen{24, 2, 8},
                           Seen{0, 4, 24}, Seen{8, 4, 16}, Seen{12, 4, 20}, Seen{16, 4, 16}, Seen{32, 4, 16}}) {
    CAPTURE(seen.live, seen.width, seen.words);
    const auto words = static_cast<int>(words_in_flight(48, seen.live, seen.width));
    CHECK(std::abs(words - static_cast<int>(seen.words)) <= 2);
  }
  CHECK(words_in_flight(4, 0, 1) == 4);  // All that there are.
}

TEST_CASE("registers: addresses that live through the code do not take the registers of loads in flight") {
  CHECK(std::abs(static_cast<int>(loads_of_rows_in_flight(2)) - 5) <= 3);
}

// Deviates: of eight rows ptxas has nine loads in flight and gives the kernel 78 registers; here they are five.
TEST_CASE("registers: as many loads of eight rows are in flight", "[!shouldfail]") {
  CHECK(std::abs(static_cast<int>(loads_of_rows_in_flight(8)) - 9) <= 3);
}

namespace {

/// In front of each store of the code of four rounds, how many loads stand. A round loads by an index, has two multiply-adds and `states`
/// values that go on from round to round, each a multiply-add of its own value and what those gave; it adds them up and stores the
/// sum: by the index of the load, or where a pointer of its own says.
std::vector<std::size_t> loads_before_stores(unsigned states, bool by_index) {
  std::string body =
      ".reg .f32 %s<40>, %a<40>, %v<4>, %t<40>; .reg .b32 %i, %left; .reg .b64 %x<4>, %out; mov.u32 %i, %tid.x;"
      "mov.u32 %left, %r5; mov.u64 %out, %rd2;";
  const auto each = [&](unsigned first, const std::string& text) {
    for (unsigned k = first; k < states; ++k) body += fmt::format(fmt::runtime(text), k, k - first);
  };
  each(0, "ld.const.f32 %a{0}, [fixed+{0}]; mov.f32 %s{0}, 0f00000000;");
  body +=
      "LOOP: mul.wide.s32 %x0, %i, 4; add.s64 %x1, %rd1, %x0; ld.global.nc.f32 %v0, [%x1];"
      "fma.rn.f32 %v1, %v0, 0f3F000001, %v0; fma.rn.f32 %v2, %v1, 0f3F000002, %v1;";
  each(0, "fma.rn.f32 %s{0}, %s{0}, 0f3F0000{0:02}, %v2;");
  body += "add.rn.f32 %t1, %s0, %s1;";
  for (unsigned k = 2; k < states; ++k) body += fmt::format("add.rn.f32 %t{}, %t{}, %s{};", k, k - 1, k);
  body += by_index ? "add.s64 %x2, %rd2, %x0; st.global.f32 [%x2], " : "st.global.f32 [%out], ";
  body += fmt::format("%t{};", states - 1) + (by_index ? "" : "add.s64 %out, %out, 4;") +
          "add.s32 %i, %i, %r6; add.s32 %left, %left, -1; setp.ne.s32 %p1, %left, 0; @%p1 bra LOOP;";
  const program::Kernel kernel = kernel_of(body);
  const auto program = machine::lower(kernel, {"hopper", ScratchpadAtomics::native, Schedule::list, 6});
  std::vector<std::size_t> before;
  for (const auto& paths : program.unrolled) {
    if (paths.empty()) continue;
    std::size_t loads = 0;
    for (std::uint32_t n = paths[0].code.first; n < paths[0].code.end; ++n) {
      loads += program.instructions[n].operation == Operation::global_load;
      if (program.instructions[n].operation == Operation::global_store) before.push_back(loads);
    }
  }
  return before;
}

}  // namespace

// As in ptxas' code for the same text.
TEST_CASE("registers: rounds overlap less where the index of each is needed until its store") {
  using Loads = std::vector<std::size_t>;
  CHECK(loads_before_stores(5, true) == Loads{4, 4, 4, 4});
  CHECK(loads_before_stores(12, true) == Loads{1, 2, 3, 4});
  CHECK(loads_before_stores(13, true) == Loads{1, 2, 3, 4});
  CHECK(loads_before_stores(14, true) == Loads{1, 2, 3, 4});
  CHECK(loads_before_stores(8, false) == Loads{4, 4, 4, 4});
  CHECK(loads_before_stores(14, false) == Loads{4, 4, 4, 4});
}

}  // namespace lockstep::register_budget_test
