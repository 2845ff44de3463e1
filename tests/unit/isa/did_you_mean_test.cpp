#include <catch2/catch.hpp>

#include "isa/did_you_mean.hpp"

using namespace lockstep;

TEST_CASE("A message names what was meant, or says what it would say otherwise") {
  const std::vector<std::string> names = {"banks", "locks"};
  CHECK(did_you_mean("bank", names) == "; did you mean 'banks'?");
  CHECK(did_you_mean("bank", names, "; known: banks, locks") == "; did you mean 'banks'?");
  CHECK(did_you_mean("xyz", names) == "");
  CHECK(did_you_mean("xyz", names, "; known: banks, locks") == "; known: banks, locks");
  CHECK(did_you_mean("bank", {}) == "");
  CHECK(did_you_mean_aside("bank", names) == " (did you mean 'banks'?)");
  CHECK(did_you_mean_aside("xyz", names) == "");
  CHECK(did_you_mean_name("locks") == "; did you mean 'locks'?");
  CHECK(did_you_mean_name("") == "");
}
