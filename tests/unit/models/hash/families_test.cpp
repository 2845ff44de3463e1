// Tables of hash families, by hand and by formulas of their own.

#include <catch2/catch.hpp>
#include <fstream>

#include "isa/error.hpp"
#include "models/hash/linear.hpp"
#include "models/scratchpad/conflicts.hpp"
#include "tests/temporary_folder.hpp"

using namespace lockstep;
using hash::AddressMap;
using hash::make_address_map;

namespace {

using Targets = std::vector<std::uint32_t>;

Targets table(const std::string& spec, std::uint32_t targets, std::uint64_t words) {
  const AddressMap map = make_address_map(spec, targets, words);
  CHECK(map.targets() == targets);
  Targets all;
  for (std::uint64_t word = 0; word < words; ++word) all.push_back(map[word]);
  return all;
}

/// Compares 2^14 words with a formula.
template <class Formula>
void check_formula(const std::string& spec, std::uint32_t targets, Formula&& formula) {
  INFO(spec);
  const AddressMap map = make_address_map(spec, targets, 1 << 14);
  std::uint64_t wrong = 0;
  for (std::uint64_t word = 0; word < 1 << 14; ++word) wrong += map[word] != formula(word);
  CHECK(wrong == 0);
}

std::uint32_t degree(const std::string& spec, const std::vector<std::uint64_t>& words, std::uint32_t banks = 32) {
  std::vector<std::uint64_t> lanes = words;
  lanes.resize(32);
  const std::uint32_t mask = words.size() == 32 ? ~0u : (1u << words.size()) - 1;
  return scratchpad::conflict_degree(make_address_map(spec, banks, 1 << 14), lanes.data(), mask);
}

std::vector<std::uint64_t> strided(std::uint64_t stride) {
  std::vector<std::uint64_t> words;
  for (std::uint64_t lane = 0; lane < 32; ++lane) words.push_back(lane * stride);
  return words;
}

std::uint64_t bits(std::uint64_t word, int high, int low) {
  return word >> low & ((std::uint64_t{1} << (high - low + 1)) - 1);
}

}  // namespace

TEST_CASE("hash family: baseline, XOR and ADD of four banks are those of figure 5.5") {
  CHECK(table("mod", 4, 16) == Targets{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(table("xor", 4, 16) == Targets{0, 1, 2, 3, 1, 0, 3, 2, 2, 3, 0, 1, 3, 2, 1, 0});
  CHECK(table("add", 4, 16) == Targets{0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2});
}

TEST_CASE("hash family: XOR and ADD choose bank and lock as table 5.1 says, in byte addresses") {
  const auto bank = [](auto combine) {
    return [combine](std::uint64_t word) { return combine(bits(4 * word, 6, 2), bits(4 * word, 11, 7)) % 32; };
  };
  // The lock within its bank, and that bank.
  const auto lock = [bank](auto combine) {
    return [combine, bank](std::uint64_t word) {
      return combine(bits(4 * word, 11, 7), bits(4 * word, 15, 12)) % 32 * 32 + bank(combine)(word);
    };
  };
  const auto exclusive_or = [](std::uint64_t a, std::uint64_t b) { return a ^ b; };
  const auto sum = [](std::uint64_t a, std::uint64_t b) { return a + b; };
  check_formula("mod", 32, [](std::uint64_t word) { return bits(4 * word, 6, 2); });
  check_formula("mod", 1024, [](std::uint64_t word) { return bits(4 * word, 11, 2); });
  check_formula("xor", 32, bank(exclusive_or));
  check_formula("xor", 1024, lock(exclusive_or));
  check_formula("add", 32, bank(sum));
  check_formula("add", 1024, lock(sum));
}

TEST_CASE("hash family: the width of XOR and ADD can be given") {
  check_formula("xor:5", 32, [](std::uint64_t word) { return bits(word, 4, 0) ^ bits(word, 9, 5); });
  check_formula("xor:10", 1024, [](std::uint64_t word) { return bits(word, 9, 0) ^ bits(word, 13, 10); });
  check_formula("xor:2", 16, [](std::uint64_t word) { return bits(word, 3, 0) ^ bits(word, 5, 2); });
  check_formula("add:2", 16, [](std::uint64_t word) {
    return (bits(word, 1, 0) + bits(word, 3, 2)) % 4 | (bits(word, 3, 2) + bits(word, 5, 4)) % 4 << 2;
  });
  check_formula("add:3", 32, [](std::uint64_t word) {
    return (bits(word, 2, 0) + bits(word, 5, 3)) % 8 | (bits(word, 4, 3) + bits(word, 7, 6)) % 4 << 3;
  });
  // Up to 64 targets the whole number is hashed.
  check_formula("xor", 64, [](std::uint64_t word) { return bits(word, 5, 0) ^ bits(word, 11, 6); });
}

TEST_CASE("hash family: section 5.4.1 - word 256 moves to bank 8 and 512 to bank 16, and no locks conflict any more") {
  const AddressMap banks = make_address_map("xor", 32, 12288);
  CHECK(banks[256] == 8);
  CHECK(banks[512] == 16);
  CHECK(degree("xor", strided(32)) == 1);
  CHECK(degree("add", strided(32)) == 1);
  for (const char* spec : {"xor", "add"}) {
    CHECK(degree(spec, strided(256), 1024) == 1);
    // Padding by one: section 5.3.
    CHECK(degree(spec, strided(33)) == (spec == std::string("xor") ? 32 : 2));
  }
  CHECK(degree("mod", strided(256), 1024) == 8);
}

TEST_CASE("hash family: the bit-vector XOR of figure 6.5 makes the five bits shown there") {
  check_formula("bitvector-xor:k1=2,k2=8,mask=7", 32, [](std::uint64_t a) {
    const auto bit = [a](int n) { return a >> n & 1; };
    return (bit(2) ^ bit(8)) | (bit(3) ^ bit(9)) << 1 | (bit(4) ^ bit(10)) << 2 | bit(5) << 3 | bit(6) << 4;
  });
  check_formula("bitvector-xor:mask=0x15,k2=7,k1=0", 32,
                [](std::uint64_t address) { return (address ^ (address >> 7 & 0x15)) % 32; });
  check_formula("bitvector:k=3", 32, [](std::uint64_t address) { return (address >> 3) % 32; });
  check_formula("bitvector:k=9", 32, [](std::uint64_t address) { return (address >> 9) % 32; });
}

TEST_CASE("hash family: patterns of chapter 6 lose their conflicts as the text says") {
  // Equation 6.10, the Walsh transform: 32 ty + tx with tx < 8, ty < 4.
  std::vector<std::uint64_t> walsh;
  for (std::uint64_t ty = 0; ty < 4; ++ty)
    for (std::uint64_t tx = 0; tx < 8; ++tx) walsh.push_back(32 * ty + tx);
  CHECK(degree("mod", walsh) == 4);
  CHECK(degree("bitvector-xor:k1=0,k2=2,mask=24", walsh) == 1);
  CHECK(degree("bits:0,1,2,5,6", walsh) == 1);
  // Section 6.3.1: S = S0 * 2^k.
  for (const std::uint64_t odd : {1, 3, 7})
    for (std::uint64_t k = 0; k < 6; ++k) {
      const std::string spec = "bitvector:k=" + std::to_string(k);
      CHECK(degree(spec, strided(odd << k)) == 1);
    }
  // Figure 6.6: eight references, and the addressing bits that its heuristic finds.
  CHECK(degree("bits:0,3,4", {27, 12, 6, 19, 11, 4, 28, 3}, 8) == 2);
  CHECK(degree("mod", {27, 12, 6, 19, 11, 4, 28, 3}, 8) == 4);
}

TEST_CASE("hash family: single bits, and the XOR of two, in the order in which they are given") {
  check_formula("bits:3,4,0,1,2", 32, [](std::uint64_t a) { return bits(a, 4, 3) | bits(a, 2, 0) << 2; });
  check_formula("bits-xor:0^5,1^6,2^7,3,4", 32, [](std::uint64_t a) { return bits(a, 4, 0) ^ bits(a, 7, 5); });
  check_formula("bits-xor:13,2^0", 4, [](std::uint64_t a) { return (a >> 13 & 1) | ((a >> 2 ^ a) & 1) << 1; });
  check_formula("matrix:7,0x2a00", 4,
                [](std::uint64_t a) { return ((a ^ a >> 1 ^ a >> 2) & 1) | ((a >> 9 ^ a >> 11 ^ a >> 13) & 1) << 1; });
}

TEST_CASE("hash family: a polynomial hash is the remainder of long division") {
  for (const auto& [spec, polynomial, degree] :
       {std::tuple{"ipoly:25", 0x25u, 5}, {"ipoly:0x3D", 0x3du, 5}, {"ipoly", 0x25u, 5}, {"ipoly:30", 0x30u, 5}}) {
    check_formula(spec, 32, [polynomial = polynomial, degree = degree](std::uint64_t word) {
      std::uint32_t rest = 0;  // One bit after the other, the highest first.
      for (int bit = 13; bit >= 0; --bit) {
        rest = rest << 1 | (word >> bit & 1);
        if ((rest >> degree & 1) != 0) rest ^= polynomial;
      }
      return rest;
    });
  }
  // Rau (1991): with an irreducible polynomial no power-of-two stride conflicts.
  for (std::uint64_t stride = 1; stride <= 256; stride *= 2) CHECK(degree("ipoly", strided(stride)) == 1);
  // Smallest irreducible polynomials: x^4 + x + 1, x^8 + x^4 + x^3 + x + 1, x^10 + x^3 + 1.
  CHECK(hash::linear_hash("ipoly", 16, 14) == hash::linear_hash("ipoly:13", 16, 14));
  CHECK(hash::linear_hash("ipoly", 256, 14) == hash::linear_hash("ipoly:11b", 256, 14));
  CHECK(hash::linear_hash("ipoly", 1024, 14) == hash::linear_hash("ipoly:409", 1024, 14));
  CHECK(hash::linear_hash("ipoly", 2, 14) == hash::linear_hash("ipoly:3", 2, 14));
  CHECK(table("ipoly", 1, 4) == Targets{0, 0, 0, 0});
}

TEST_CASE("hash family: a swizzle is CuTe's, and a negative shift goes the other way") {
  check_formula("swizzle:3,2,3", 32, [](std::uint64_t x) { return (x ^ (x & 7 << 5) >> 3) % 32; });
  check_formula("swizzle:2,0,-3", 32, [](std::uint64_t x) { return (x ^ (x & 3) << 3) % 32; });
  check_formula("swizzle:5,0,5", 32, [](std::uint64_t x) { return (x ^ x >> 5) % 32; });
  check_formula("swizzle:3,4,3", 32, [](std::uint64_t x) { return (x ^ (x & 7 << 7) >> 3) % 32; });
  check_formula("swizzle:0,4,0", 32, [](std::uint64_t x) { return x % 32; });
}

TEST_CASE("hash family: any modulus up to the number of targets, and any number of targets") {
  check_formula("modulus:31", 32, [](std::uint64_t word) { return word % 31; });
  check_formula("modulus:1021", 1024, [](std::uint64_t word) { return word % 1021; });
  check_formula("modulus:5", 12, [](std::uint64_t word) { return word % 5; });
  check_formula("mod", 24, [](std::uint64_t word) { return word % 24; });
  check_formula("table:0,2,1,1", 3, [](std::uint64_t word) { return Targets{0, 2, 1, 1}[word % 4]; });
  CHECK(degree("modulus:31", strided(32)) == 2);
}

TEST_CASE("hash family: a free table can stand in a file") {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("file", "# four banks\n0, 1 3\n2 # and\n\n\t3,2\r\n1,0\n");
  CHECK(table("table:" + file, 4, 8) == Targets{0, 1, 3, 2, 3, 2, 1, 0});
  check_formula("table:" + file, 4, [](std::uint64_t w) { return Targets{0, 1, 3, 2, 3, 2, 1, 0}[w % 8]; });
}

TEST_CASE("hash family: every linear family reaches all targets evenly, and its table is its function's") {
  for (const char* spec : {"mod", "xor", "xor:3", "bitvector:k=4", "bitvector-xor:k1=3,k2=0,mask=7", "bits:9,1,12,3,5",
                           "bits-xor:0^13,1^2,2,3^4,4^5", "matrix:1fff,2,34,4001,1000", "ipoly", "ipoly:3b",
                           "swizzle:4,1,6", "swizzle:2,1,-2"}) {
    INFO(spec);
    // A matrix row beyond 14 bits needs a larger memory.
    const std::uint32_t word_bits = 15;
    const auto linear = hash::linear_hash(spec, 32, word_bits);
    REQUIRE(linear);
    CHECK(linear->reaches_all());
    const AddressMap map = make_address_map(spec, 32, std::uint64_t{1} << word_bits);
    std::vector<std::uint32_t> count(32, 0);
    std::uint64_t wrong = 0;
    for (std::uint64_t word = 0; word < std::uint64_t{1} << word_bits; ++word) {
      ++count[map[word]];
      wrong += map[word] != linear->target_of(word);
    }
    CHECK(wrong == 0);
    CHECK(count == std::vector<std::uint32_t>(32, 1024));
    CHECK(linear->null_space(word_bits).size() == word_bits - 5);
  }
}

TEST_CASE("hash family: ADD reaches all targets evenly but is not linear, like tables and other moduli") {
  for (const char* spec : {"add", "add:2", "modulus:32", "table:0,1"}) {
    const std::uint32_t targets = spec == std::string("table:0,1") ? 2 : 32;
    CHECK_FALSE(hash::linear_hash(spec, targets, 14));
    const AddressMap map = make_address_map(spec, targets, 1 << 14);
    std::vector<std::uint32_t> count(targets, 0);
    for (std::uint64_t word = 0; word < 1 << 14; ++word) ++count[map[word]];
    CHECK(count == std::vector<std::uint32_t>(targets, (1 << 14) / targets));
  }
  CHECK_FALSE(hash::linear_hash("mod", 12, 14));
}

TEST_CASE("Equal maps that are shared have one table, others their own") {
  const AddressMap one = hash::shared_address_map("xor", 32, 1 << 12),
                   same = hash::shared_address_map("xor", 32, 1 << 12);
  CHECK(one.table() == same.table());
  CHECK(hash::shared_address_map("xor", 16, 1 << 12).table() != one.table());
  CHECK(hash::shared_address_map("mod", 32, 1 << 12).table() != one.table());
  const AddressMap own = make_address_map("xor", 32, 1 << 12);
  CHECK(own.table() != one.table());
  for (std::uint64_t word = 0; word < 1 << 12; ++word) REQUIRE(own[word] == same[word]);
  CHECK_THROWS_AS(hash::shared_address_map("xorr", 32, 1 << 12), lockstep::InputError);
}

TEST_CASE("Whether a family is linear is known without a table of all addresses") {
  CHECK_FALSE(hash::linear_hash("modulus:3", 4, 60));
  CHECK_THROWS_AS(hash::linear_hash("modulus:5", 4, 60), lockstep::InputError);
}
