#include <catch2/catch.hpp>
#include <set>

#include "isa/error.hpp"
#include "models/hash/address_map.hpp"
#include "models/hash/software.hpp"

using namespace lockstep;
using hash::SoftwareHash;
using rewrite::AddressStep;

namespace {

std::uint32_t word_after(const SoftwareHash& hash, std::uint32_t word) {
  return rewrite::apply(hash.steps(), word * 4) / 4;
}

}  // namespace

TEST_CASE("In software, every word keeps its own place, in the bank that the hash gives it", "[hash]") {
  for (const char* spec :
       {"mod", "xor", "xor:3", "add", "add:1", "add:2", "add:4", "bitvector:k=3", "bitvector-xor:k1=0,k2=5,mask=7",
        "bits:5,6,7,8,9", "bits:3,4,0,1,2", "bits:9,8,7,6,5", "bits-xor:0^5,1^6,2^7,3,4", "matrix:3ff,3e,1c,118,210",
        "modulus:31", "modulus:17", "modulus:16", "modulus:1"}) {
    for (const std::uint64_t bytes : {4u, 1000u, 4096u, 4100u, 49152u}) {
      INFO(spec << " over " << bytes << " bytes");
      const SoftwareHash hash(spec, 32, bytes);
      const hash::AddressMap banks = hash::make_address_map(spec, 32, 1 << 14);
      std::set<std::uint32_t> places;
      std::uint32_t last = 0;
      for (std::uint32_t word = 0; word < (bytes + 3) / 4; ++word) {
        const std::uint32_t place = word_after(hash, word);
        CHECK(place % 32 == banks[word]);
        CHECK(places.insert(place).second);
        last = std::max(last, place);
        // Bytes stay where they are in their word.
        CHECK(rewrite::apply(hash.steps(), word * 4 + 3) == place * 4 + 3);
      }
      CHECK(hash.bytes_needed(bytes) == std::max<std::uint64_t>(bytes, 4 * (std::uint64_t{last} + 1)));
    }
  }
}

TEST_CASE("A bit-vector XOR takes the three instructions of Listing 6.2", "[hash]") {
  using Operation = AddressStep::Operation;
  const SoftwareHash hash("bitvector-xor:k1=0,k2=5,mask=7", 32, 4096);
  REQUIRE(hash.steps().size() == 3);
  // address ^ ((address >> 5) & mask), the mask at the place of the word bits.
  CHECK(hash.steps()[0].operation == Operation::shift_right);
  CHECK(hash.steps()[0].immediate == 5);
  CHECK(hash.steps()[1].operation == Operation::bit_and);
  CHECK(hash.steps()[1].immediate == 7 << 2);
  CHECK(hash.steps()[2].operation == Operation::bit_xor);
}

TEST_CASE("The baseline takes no instruction in software", "[hash]") {
  CHECK(SoftwareHash("mod", 32, 4096).is_identity());
  CHECK(SoftwareHash("bits:0,1,2,3,4", 32, 4096).is_identity());
  CHECK(SoftwareHash("xor", 32, 128).is_identity());  // One row of words: the bits above are 0.
}

TEST_CASE("A modulus below the number of banks leaves banks empty and takes more memory", "[hash]") {
  const SoftwareHash hash("modulus:31", 32, 4096);
  // Word 1023 = 33 * 31 + 0 stands in row 33, bank 0.
  CHECK(word_after(hash, 1023) == 33 * 32);
  CHECK(hash.bytes_needed(4096) == (33 * 32 + 1) * 4);
  CHECK(hash.bytes_needed(31 * 4) == 31 * 4);
  CHECK(hash.bytes_needed(32 * 4) == 33 * 4);
}

TEST_CASE("Words that a hash moves alike stay together", "[hash]") {
  CHECK(SoftwareHash("mod", 32, 4096).contiguous_words() == 4);
  CHECK(SoftwareHash("xor", 32, 4096).contiguous_words() == 1);
  CHECK(SoftwareHash("matrix:1,2,24,48,90", 32, 4096).contiguous_words() == 4);  // Bits 0 and 1 as they are.
  CHECK(SoftwareHash("matrix:1,22,4,8,10", 32, 4096).contiguous_words() == 2);
  CHECK(SoftwareHash("modulus:31", 32, 4096).contiguous_words() == 1);
}

TEST_CASE("A hash of bits above the memory's takes a larger memory, as in hardware banks stay empty", "[hash]") {
  // 64 words; bit 6 of the bank's five is always 0, so only half of the banks hold data.
  const SoftwareHash hash("bits:0,1,2,3,6", 32, 256);
  // Word 63: bits 0 to 3 and 5 stay, bit 4 goes where bit 6 was.
  CHECK(word_after(hash, 63) == 15 + 32 + 64);
  CHECK(hash.bytes_needed(256) == 112 * 4);
}

TEST_CASE("What has no software form is refused", "[hash]") {
  std::string table = "table:31";
  for (int i = 30; i >= 0; --i) table += "," + std::to_string(i);
  CHECK_THROWS_AS(SoftwareHash(table, 32, 4096), InputError);
  CHECK_THROWS_AS(SoftwareHash("xor", 24, 4096), InputError);
  CHECK_THROWS_AS(SoftwareHash("xyz", 32, 4096), InputError);
  CHECK_THROWS_AS(SoftwareHash("mod", 32, 1 << 24), InputError);
}
