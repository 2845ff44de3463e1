#include <catch2/catch.hpp>

#include <bit>
#include <set>

#include "isa/error.hpp"
#include "models/hash/linear.hpp"

using namespace lockstep;
using hash::LinearHash;

namespace {

/// The null space by trying every address.
std::set<std::uint64_t> zero_addresses(const LinearHash& hash, std::uint32_t word_bits) {
  std::set<std::uint64_t> found;
  for (std::uint64_t word = 0; word < std::uint64_t{1} << word_bits; ++word) {
    bool zero = true;
    for (const std::uint64_t row : hash.rows) {
      int ones = 0;
      for (std::uint32_t bit = 0; bit < word_bits; ++bit) ones += static_cast<int>((word & row) >> bit & 1);
      zero = zero && ones % 2 == 0;
    }
    if (zero) found.insert(word);
  }
  return found;
}

std::set<std::uint64_t> span(const std::vector<std::uint64_t>& basis) {
  std::set<std::uint64_t> all = {0};
  for (const std::uint64_t vector : basis) {
    const std::set<std::uint64_t> before = all;
    for (const std::uint64_t other : before) all.insert(other ^ vector);
  }
  return all;
}

bool in_reduced_echelon_form(const std::vector<std::uint64_t>& basis) {
  for (std::size_t i = 0; i < basis.size(); ++i)
    for (std::size_t j = 0; j < basis.size(); ++j)
      if (i != j && (basis[j] & std::bit_floor(basis[i])) != 0) return false;
  for (std::size_t i = 1; i < basis.size(); ++i)
    if (basis[i] >= basis[i - 1]) return false;
  return true;
}

/// Bits in all rows of the function with the fewest, found by trying every set of rows.
int fewest_bits(const std::set<std::uint64_t>& null_space, std::uint32_t rows, std::uint32_t word_bits) {
  int fewest = 1000;
  const std::uint64_t end = std::uint64_t{1} << word_bits;
  for (std::uint64_t code = 0; code < std::uint64_t{1} << (rows * word_bits); ++code) {
    LinearHash hash;
    int bits = 0;
    for (std::uint32_t i = 0; i < rows; ++i) {
      hash.rows.push_back(code >> (i * word_bits) & (end - 1));
      bits += std::popcount(hash.rows.back());
    }
    if (bits < fewest && hash.reaches_all() && zero_addresses(hash, word_bits) == null_space) fewest = bits;
  }
  return fewest;
}

}  // namespace

TEST_CASE("hash linear: a bit of the target is the parity of the address bits of its row") {
  const LinearHash hash{{0b00101, 0b11000}};
  CHECK(hash.target_of(0b00000) == 0);
  CHECK(hash.target_of(0b00001) == 1);
  CHECK(hash.target_of(0b00101) == 0);
  CHECK(hash.target_of(0b01100) == 3);
  CHECK(hash.target_of(0b11010) == 0);
  CHECK(hash.xor_gates() == 2);
  CHECK(LinearHash{{0b111, 0b1, 0}}.xor_gates() == 2);
}

TEST_CASE("hash linear: a function reaches all targets only when no rows XOR to zero") {
  CHECK(LinearHash{{1, 2, 4}}.reaches_all());
  CHECK(LinearHash{{3, 2, 7}}.reaches_all());
  CHECK_FALSE(LinearHash{{3, 5, 6}}.reaches_all());
  CHECK_FALSE(LinearHash{{3, 3}}.reaches_all());
  CHECK_FALSE(LinearHash{{1, 0}}.reaches_all());
  CHECK(LinearHash{}.reaches_all());
}

TEST_CASE("hash linear: the null space of the baseline and of the XOR hash are what they are by hand") {
  const LinearHash modulo{{1, 2}};
  CHECK(modulo.null_space(4) == std::vector<std::uint64_t>{0b1000, 0b0100});
  // Bank 0 under (a1 a0) XOR (a3 a2): both halves are equal.
  const LinearHash folded{{0b0101, 0b1010}};
  CHECK(folded.null_space(4) == std::vector<std::uint64_t>{0b1010, 0b0101});
  CHECK(folded.null_space(3) == std::vector<std::uint64_t>{0b101});
  CHECK(LinearHash{{1, 2}}.null_space(2).empty());
}

TEST_CASE("hash linear: over all pairs of rows of 4 bits, the null space is what trying every address finds") {
  for (std::uint64_t a = 0; a < 16; ++a)
    for (std::uint64_t b = 0; b < 16; ++b) {
      const LinearHash hash{{a, b}};
      const std::vector<std::uint64_t> basis = hash.null_space(4);
      const std::set<std::uint64_t> zero = zero_addresses(hash, 4);
      INFO("rows " << a << " " << b);
      CHECK(span(basis) == zero);
      CHECK(std::size_t{1} << basis.size() == zero.size());
      CHECK(in_reduced_echelon_form(basis));
      CHECK(hash.reaches_all() == (zero.size() == 4));
    }
}

TEST_CASE(
    "hash linear: a function made from a null space has that null space, and no function with it has fewer bits") {
  for (std::uint64_t a = 1; a < 32; a += 2)
    for (std::uint64_t b = 1; b < 32; ++b)
      for (const std::uint64_t c : {std::uint64_t{6}, std::uint64_t{17}}) {
        const std::vector<std::uint64_t> null_space = {a, b, c};
        if (!LinearHash{null_space}.reaches_all()) continue;
        const LinearHash hash = hash::hash_with_null_space(null_space, 5);
        INFO("null space " << a << " " << b << " " << c);
        REQUIRE(hash.rows.size() == 2);
        CHECK(hash.reaches_all());
        CHECK(zero_addresses(hash, 5) == span(null_space));
        int bits = 0;
        for (const std::uint64_t row : hash.rows) bits += std::popcount(row);
        CHECK(bits == fewest_bits(span(null_space), 2, 5));
      }
}

TEST_CASE("hash linear: known functions come back from their null spaces as they were") {
  for (const char* spec : {"mod", "xor", "bitvector:k=3", "bits:0,2,5,7,11", "bits-xor:0^5,1^6,2^7,3,4",
                           "bitvector-xor:k1=0,k2=7,mask=21"}) {
    INFO(spec);
    const LinearHash hash = hash::linear_hash(spec, 32, 14).value();
    CHECK(hash::hash_with_null_space(hash.null_space(14), 14) == hash);
  }
  CHECK(hash::hash_with_null_space({0b11111}, 5).null_space(5) == std::vector<std::uint64_t>{0b11111});
  // More target bits than are listed: the rows are those of the null space all the same.
  const LinearHash wide = hash::hash_with_null_space({0b100000000000000000001}, 21);
  REQUIRE(wide.rows.size() == 20);
  CHECK(wide.reaches_all());
  CHECK(wide.null_space(21) == std::vector<std::uint64_t>{0b100000000000000000001});
}

TEST_CASE("hash linear: null spaces that are none are a bug of the caller") {
  CHECK_THROWS_AS(hash::hash_with_null_space({1, 2, 3}, 5), Bug);
  CHECK_THROWS_AS(hash::hash_with_null_space({32}, 5), Bug);
}

TEST_CASE("hash linear: a function's own SPEC is the simplest that names it, and names it") {
  const auto spec_of = [](std::vector<std::uint64_t> rows) { return LinearHash{std::move(rows)}.spec(); };
  CHECK(spec_of({1, 2, 4, 8, 16}) == "mod");
  CHECK(spec_of({1 | 32, 2 | 64, 4 | 128, 8 | 256, 16 | 512}) == "xor");
  CHECK(spec_of({8, 16, 1, 2, 4}) == "bits:3,4,0,1,2");
  CHECK(spec_of({1 | 32, 2 | 64, 4 | 128, 8, 16}) == "bits-xor:0^5,1^6,2^7,3,4");
  CHECK(spec_of({7, 2, 4}) == "matrix:7,2,4");
  CHECK(spec_of({0x41, 0x2a2}) == "matrix:41,2a2");
  std::uint64_t state = 1;
  for (int trial = 0; trial < 300; ++trial) {
    LinearHash hash;
    for (int i = 0; i < 5; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const std::uint64_t random = state >> 50;  // 14 bits.
      hash.rows.push_back(trial % 3 == 0 ? random : random & (state >> 20) & (state >> 5));
      if (trial % 3 == 1) hash.rows.back() = std::uint64_t{1} << (random % 14);
    }
    if (!hash.reaches_all()) continue;
    INFO(hash.spec());
    CHECK(hash::linear_hash(hash.spec(), 32, 14) == hash);
  }
}

TEST_CASE("hash linear: the table of a function holds the target of every address") {
  const LinearHash hash{{0b1000100110, 0b0110000001, 0b0000011000}};
  const hash::AddressMap map = hash::make_address_map(hash, 10);
  CHECK(map.targets() == 8);
  for (std::uint64_t word = 0; word < 1024; ++word) REQUIRE(map[word] == hash.target_of(word));
  CHECK(hash::make_address_map(LinearHash{{1, 2}}, 14).entries() == 4);
  CHECK(hash::make_address_map(LinearHash{}, 4).targets() == 1);
}
