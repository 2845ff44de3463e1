#include "isa/program/demangled.hpp"

#include <catch2/catch.hpp>

namespace lockstep::demangled_test {

using Catch::Matchers::Contains;
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

TEST_CASE("A kernel is named as the PTX has it, or as its source calls one of them") {
  const std::string of_float = "_ZN3app5scaleIfEEvPT_", of_double = "_ZN3app5scaleIdEEvPT_", copy = "_Z4copyPfS_";
  const std::vector<std::string> kernels{of_float, of_double, copy, "plain"};
  const auto called = [&](const std::string& name) { return program::kernel_called(name, kernels, "k.ptx"); };
  CHECK(called(of_double) == of_double);
  CHECK(called("plain") == "plain");
  CHECK(called("copy") == copy);
  CHECK(called("app::scale<float>") == of_float);
  CHECK(called("scale<double>") == of_double);
  CHECK_THROWS_WITH(called("scale"), Contains("k.ptx has several kernels 'scale'") && Contains(of_float) &&
                                         Contains("void app::scale<double>(double*)"));
  CHECK_THROWS_WITH(called("app::scale"), Contains("several kernels"));
  CHECK_THROWS_WITH(called("copi"), Contains("k.ptx has no kernel 'copi'; did you mean 'copy'?") &&
                                        Contains("app::scale<float>, app::scale<double>, copy, plain"));
  CHECK_THROWS_WITH(called("cale<float>"), Contains("has no kernel"));
}

}  // namespace lockstep::demangled_test
