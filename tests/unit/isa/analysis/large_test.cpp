// Kernels that are far larger than any that a person writes are analysed all the same.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "isa/analysis/affine.hpp"
#include "isa/ptx/program.hpp"

using namespace lockstep;

TEST_CASE("A thousand loops one behind the other, each leaving its counter behind, have an address at the end") {
  std::string text =
      ".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p;\n.reg .b32 %r<3>;\n"
      ".shared .align 4 .b8 s[4096];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\n";
  for (int i = 0; i < 1000; ++i) {
    text +=
        fmt::format("L{0}:\nadd.u32 %r1, %r1, 1;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p, %r2, {0};\n@%p bra L{0};\n", i);
  }
  const ptx::Module module =
      ptx::parse(text + "st.shared.u32 [s], %r1;\nst.shared.u32 [%r1], %r1;\nret;\n}\n", "k.ptx");
  analysis::AddressAnalysis analysis(ptx::link(module, "k"), {});
  REQUIRE(analysis.accesses().size() == 2);
  CHECK(analysis.algebra().constant_value(analysis.accesses()[0].address) == 0);
  CHECK_FALSE(analysis.algebra().constant_value(analysis.accesses()[1].address));
}
