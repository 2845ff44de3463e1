// Quotients and remainders of 64-bit integers, which ptxas 13.0 leaves to a function (compute capabilities 7.5 and 9.0).

#include <catch2/catch.hpp>

#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::long_division_test {

using namespace lockstep::machine::test;
using machine::Operation;

namespace {

/// What stands between the loads of both operands and the store of the result.
Operations division(const std::string& mnemonic, const std::string& set) {
  const Operations all = issued("ld.global.u64 %rd1, [%rd9]; ld.global.u64 %rd2, [%rd9]; " + mnemonic +
                                    " %rd10, %rd1, %rd2; st.global.u64 [%rd9], %rd10;",
                                set);
  return {std::find(all.rbegin(), all.rend(), load).base(), all.end() - 1};
}

}  // namespace

TEST_CASE("A division of 64-bit integers is a MOV, a call, the function and two MOVs") {
  for (const char* set : {"volta", "hopper"}) {
    CAPTURE(set);
    CHECK(division("div.u64", set).size() == 4 + 68);
    CHECK(division("div.s64", set).size() == 4 + 84);
    CHECK(division("rem.u64", set).size() == 4 + 64);
    CHECK(division("rem.s64", set).size() == 4 + 78);
  }
}

TEST_CASE("The function estimates the reciprocal and corrects it with fifteen wide and nine other products") {
  const Operations quotient = division("div.u64", "hopper");
  CHECK(std::count(quotient.begin(), quotient.end(), Operation::special_function) == 1);
  CHECK(std::count(quotient.begin(), quotient.end(), Operation::conversion) == 2);
  CHECK(std::count(quotient.begin(), quotient.end(), Operation::wide_multiply) == 15);
  CHECK(std::count(quotient.begin(), quotient.end(), multiply) == 9);
  CHECK(std::count(quotient.begin(), quotient.end(), Operation::compare) == 6);
  CHECK(std::count(quotient.begin(), quotient.end(), Operation::branch) == 2);
}

}  // namespace lockstep::long_division_test
