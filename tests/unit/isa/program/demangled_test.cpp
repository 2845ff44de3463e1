#include "isa/program/demangled.hpp"

#include <catch2/catch.hpp>

namespace lockstep::demangled_test {

using program::demangled;
using program::short_name;

TEST_CASE("Kernels are called as their source writes them, in tables without result and parameters") {
  const std::string name = "_ZN3app4workIfEEvPT_PKS1_Pii";
  CHECK(demangled(name) == "void app::work<float>(float*, float const*, int*, int)");
  CHECK(short_name(name) == "app::work<float>");
  CHECK(short_name("_Z4copyPfS_") == "copy");
  CHECK(short_name("_ZN12_GLOBAL__N_14fillEPFviEi") == "(anonymous namespace)::fill");  // Takes a function.
  for (const char* plain : {"histogram", "_Zodd", ""}) {
    CHECK(demangled(plain) == plain);
    CHECK(short_name(plain) == plain);
  }
}

}  // namespace lockstep::demangled_test
