// What a hash SPEC that is wrong says.

#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "models/hash/linear.hpp"
#include "tests/temporary_folder.hpp"

using namespace lockstep;
using Catch::Contains;

namespace {

/// The message for 32 targets, unless told otherwise, over 2^14 words; the same from linear_hash.
std::string mistake(const std::string& spec, std::uint32_t targets = 32) {
  std::string message;
  try {
    hash::make_address_map(spec, targets, 1 << 14);
  } catch (const InputError& error) {
    message = error.what();
  }
  try {
    hash::linear_hash(spec, targets, 14);
    CHECK(message.empty());
  } catch (const InputError& error) {
    CHECK(message == error.what());
  }
  return message;
}

}  // namespace

TEST_CASE("hash error: an unknown family names the nearest one and all there are") {
  CHECK_THAT(mistake("bitsxor:0,1,2,3,4"), Contains("\"bitsxor:0,1,2,3,4\"") && Contains("did you mean 'bits-xor'?"));
  CHECK_THAT(mistake("nonsense"), Contains("known: mod, xor, add, bitvector") && !Contains("did you mean"));
  CHECK_THAT(mistake(""), Contains("known: mod"));
  CHECK_THAT(mistake("XOR"), Contains("did you mean 'xor'?") || Contains("known: mod, xor"));
}

TEST_CASE("hash error: arguments that are missing, too many or no numbers are named with their place") {
  CHECK_THAT(mistake("mod:3"), Contains("column 4") && Contains("takes no arguments"));
  CHECK_THAT(mistake("bits"), Contains("column 5") && Contains("bits:B,B,..."));
  CHECK_THAT(mistake("bits:"), Contains("arguments are missing"));
  CHECK_THAT(mistake("bits:1,,3,4,5"), Contains("column 8") && Contains("an argument is missing"));
  CHECK_THAT(mistake("bits:0,1,2,3"), Contains("found 4 arguments, but 5"));
  CHECK_THAT(mistake("bits:0,1,2,3,4,10"), Contains("column 16") && Contains("found 6 arguments, but 5"));
  CHECK_THAT(mistake("bits:0,1,2x,3,4"), Contains("column 10") && Contains("\"2x\""));
  CHECK_THAT(mistake("bits:0,1,-2,3,4"), Contains("column 10") && Contains("0 to 23"));
  CHECK_THAT(mistake("bits:0,1,99999999999999999999,3,4"), Contains("99999999999999999999"));
  CHECK_THAT(mistake("matrix:1,2,4,8,xyz"), Contains("column 16") && Contains("hexadecimal") && Contains("xyz"));
  CHECK_THAT(mistake("matrix:1,2,4,8,11112222333344445"), Contains("more than 64 bits"));
  CHECK_THAT(mistake("xor:6"), Contains("the width of a digit is 6, but must be from 1 to 5"));
  CHECK_THAT(mistake("add:0"), Contains("from 1 to 5"));
}

TEST_CASE("hash error: a single target has no bits, so that no function of bits leads past it") {
  CHECK_THAT(mistake("bits:3", 1), Contains("found 1 argument, but 0 are needed"));
  CHECK_THAT(mistake("bits-xor:0^5", 1), Contains("found 1 argument, but 0 are needed"));
  CHECK_THAT(mistake("matrix:1,2", 1), Contains("found 2 arguments, but 0 are needed"));
  CHECK(mistake("mod", 1).empty());
}

TEST_CASE("hash error: named arguments are all there, once, and no others") {
  CHECK_THAT(mistake("bitvector:3"), Contains("bitvector:k=K"));
  CHECK_THAT(mistake("bitvector:m=3"), Contains("unknown argument \"m\""));
  CHECK_THAT(mistake("bitvector-xor:k1=0,k2=5"), Contains("mask is missing"));
  CHECK_THAT(mistake("bitvector-xor:k1=0,k2=5,mesk=7"), Contains("column 25") && Contains("did you mean 'mask'?"));
  CHECK_THAT(mistake("bitvector-xor:k1=0,k1=5,mask=7"), Contains("column 20") && Contains("k1 is given twice"));
  CHECK_THAT(mistake("bitvector-xor:k1=0,k2=5,mask=32"), Contains("mask is 32, but must be from 0 to 31"));
}

TEST_CASE("hash error: bits beyond the memory's addresses are told with the width of these") {
  const auto width = Contains("14 bits: 0 to 13");
  CHECK_THAT(mistake("bits:0,1,2,3,14"), Contains("bit 14") && width);
  CHECK(mistake("bits:0,1,2,3,13").empty());
  CHECK_THAT(mistake("bitvector:k=10"), Contains("bit 14") && width);
  CHECK(mistake("bitvector:k=9").empty());
  CHECK_THAT(mistake("bitvector-xor:k1=0,k2=10,mask=16"), Contains("bit 14") && width);
  CHECK(mistake("bitvector-xor:k1=0,k2=13,mask=1").empty());
  CHECK_THAT(mistake("matrix:1,2,4,8,4010"), Contains("bit 14") && width);
  CHECK_THAT(mistake("swizzle:3,2,8"), !Contains("bit"));
  CHECK_THAT(mistake("swizzle:3,2,12"), Contains("bit 14") && width);
  CHECK_THAT(mistake("swizzle:3,20,3"), Contains("at most 24"));
}

TEST_CASE("hash error: a function that cannot reach every target names the rows that depend on each other") {
  CHECK_THAT(mistake("matrix:3,5,6,8,10"), Contains("all 32 targets") && Contains("rows 0, 1, 2 XOR to 0"));
  CHECK_THAT(mistake("matrix:1,2,4,0,10"), Contains("row 3 is 0"));
  CHECK_THAT(mistake("matrix:1,2,4,8,f"), Contains("rows 0, 1, 2, 3, 4 XOR to 0"));
  CHECK_THAT(mistake("bits:7,1,2,3,7"), Contains("rows 0 and 4 are equal"));
  CHECK_THAT(mistake("bits-xor:0^5,1,2,5^0,4"), Contains("rows 0 and 3 are equal"));
  CHECK_THAT(mistake("bits-xor:0,1,2,3^3,4"), Contains("column 16") && Contains("always 0"));
  CHECK_THAT(mistake("bits-xor:0,1,2,3^4^5,4"), Contains("matrix"));
  CHECK_THAT(mistake("bitvector-xor:k1=3,k2=3,mask=4"), Contains("row 2 is 0"));
}

TEST_CASE("hash error: functions of bits need a power of two of targets; the others do not") {
  for (const char* spec : {"xor", "add", "bitvector:k=1", "bits:0,1,2,3", "ipoly", "swizzle:1,0,1", "matrix:1,2,4,8"})
    CHECK_THAT(mistake(spec, 12), Contains("power-of-two") && Contains("12"));
  CHECK(mistake("mod", 12).empty());
  CHECK(mistake("modulus:12", 12).empty());
  CHECK_THAT(mistake("modulus:13", 12), Contains("1 to 12"));
  CHECK_THAT(mistake("modulus:0"), Contains("1 to 32"));
}

TEST_CASE("hash error: a polynomial has the degree that the targets need, and swizzled fields do not overlap") {
  CHECK_THAT(mistake("ipoly:1f"), Contains("degree 5, for example 25") && Contains("found degree 4"));
  CHECK_THAT(mistake("ipoly:65"), Contains("found degree 6"));
  CHECK_THAT(mistake("ipoly:0"), Contains("found 0"));
  CHECK_THAT(mistake("ipoly:25,3"), Contains("found 2 arguments"));
  CHECK_THAT(mistake("swizzle:3,2,2"), Contains("overlap") && Contains("up to -3"));
  CHECK(mistake("swizzle:3,2,-3").empty());
  CHECK_THAT(mistake("swizzle:3,2"), Contains("swizzle:B,M,S"));
}

TEST_CASE("hash error: a table is a power of two long, fits the addresses, and has every target") {
  CHECK_THAT(mistake("table:0,1,0", 2), Contains("power of two of entries; found 3"));
  CHECK_THAT(mistake("table:0,1,2,1", 4), Contains("no address has target 3"));
  CHECK_THAT(mistake("table:0,1,2,4", 4), Contains("column 13") && Contains("0 to 3"));
  CHECK_THAT(mistake("table:no-such-file", 4), Contains("no-such-file: there is no such file"));
  std::string long_table = "0";
  for (int n = 1; n < 1 << 15; ++n) long_table += n % 2 == 0 ? ",0" : ",1";
  CHECK_THAT(mistake("table:" + long_table, 2), Contains("32768 entries") && Contains("14 bits"));
  const test::TemporaryFolder folder;
  const std::string file = folder.write("file", "0 1\n2 x\n");
  CHECK_THAT(mistake("table:" + file, 4), Contains(file + ":2:3") && Contains("\"x\""));
  const std::string empty = folder.write("empty", "# nothing\n");
  CHECK_THAT(mistake("table:" + empty, 4), Contains("found 0"));
}
