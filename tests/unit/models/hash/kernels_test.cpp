#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "models/hash/kernel_hashes.hpp"

using namespace lockstep;
using Catch::Contains;
using hash::KernelHashes;

TEST_CASE("hash per kernel: one SPEC is for all kernels") {
  const KernelHashes hashes("bitvector-xor:k1=0,k2=5,mask=7");
  CHECK(hashes.spec_of("any") == "bitvector-xor:k1=0,k2=5,mask=7");
  REQUIRE(hashes.all().size() == 1);
  CHECK(hashes.all()[0].first.empty());
}

TEST_CASE("hash per kernel: a named kernel has its own, and all others the last or the baseline") {
  const KernelHashes hashes("transpose=xor  rows=bitvector:k=3 add");
  CHECK(hashes.spec_of("transpose") == "xor");
  CHECK(hashes.spec_of("rows") == "bitvector:k=3");
  CHECK(hashes.spec_of("other") == "add");
  CHECK(hashes.spec_of("") == "add");
  CHECK(hashes.spec_of("transpos") == "add");
  CHECK(hashes.all().size() == 3);
  CHECK(hashes.all().back().first.empty());
  CHECK(KernelHashes("a=xor").spec_of("b") == "mod");
  CHECK(KernelHashes("add a=xor").spec_of("b") == "add");
}

TEST_CASE("hash per kernel: what names nothing, or twice, is an error that says so") {
  CHECK_THROWS_WITH(KernelHashes(""), Contains("mod"));
  CHECK_THROWS_WITH(KernelHashes("=xor"), Contains("column 1"));
  CHECK_THROWS_WITH(KernelHashes("a=xor b= add"), Contains("column 7"));
  CHECK_THROWS_WITH(KernelHashes("a=xor a=add"), Contains("kernel a has two hashes"));
  CHECK_THROWS_WITH(KernelHashes("xor add"), Contains("\"xor\"") && Contains("\"add\""));
  CHECK_THROWS_AS(KernelHashes("xor add"), InputError);
}
