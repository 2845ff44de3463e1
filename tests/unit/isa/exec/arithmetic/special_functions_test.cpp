// The special function unit against an NVIDIA H200. Every expected value is the CRC-32 of what that GPU gave (driver
// 580.159.04) for every 61st argument of a binade, or for all of 16 bits, in order and as little-endian words.

#include <boost/crc.hpp>
#include <catch2/catch.hpp>

#include <bit>
#include <string>
#include <vector>

#include "isa/exec/arithmetic/special_functions.hpp"
#include "tests/unit/isa/exec/arithmetic/runner.hpp"

using namespace lockstep::exec;
using namespace lockstep::test;

namespace {

constexpr std::uint32_t binade = 1u << 23, stride = 61;

struct Measured {
  std::uint32_t first;  ///< Bits of the first argument.
  std::uint32_t checksum;
};

template <class Word>
void add_word(boost::crc_32_type& checksum, Word word) {
  for (unsigned byte = 0; byte < sizeof word; ++byte)
    checksum.process_byte(static_cast<unsigned char>(word >> 8 * byte));
}

void check_binades(float (*function)(float), const std::vector<Measured>& measured) {
  for (const Measured& one : measured) {
    boost::crc_32_type checksum;
    for (std::uint32_t i = 0; i < binade; i += stride) {
      add_word(checksum, std::bit_cast<std::uint32_t>(function(std::bit_cast<float>(one.first + i))));
    }
    CAPTURE(std::bit_cast<float>(one.first));
    CHECK(checksum.checksum() == one.checksum);
  }
}

void check_upper(std::uint32_t (*function)(std::uint32_t), std::uint32_t count, std::uint32_t expected) {
  boost::crc_32_type checksum;
  for (std::uint32_t i = 0; i < count; i += stride) add_word(checksum, function(0x3ff00000 + i));
  CHECK(checksum.checksum() == expected);
}

/// Of an instruction's results for every `step`th argument from `first` on.
std::uint32_t checksum_of(const std::string& instruction, std::uint32_t first, std::uint32_t count, std::uint32_t step,
                          unsigned bytes) {
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i < count; i += step) rows.push_back({first + i});
  boost::crc_32_type checksum;
  for (const std::uint64_t result : InstructionRunner(instruction).run_rows(rows)) {
    if (bytes == 2) add_word(checksum, static_cast<std::uint16_t>(result));
    if (bytes == 4) add_word(checksum, static_cast<std::uint32_t>(result));
  }
  return checksum.checksum();
}

}  // namespace

TEST_CASE("reciprocals and roots have the bits of an H200", "[special]") {
  check_binades(special::reciprocal, {{0x3f800000, 0xc6827cf4}});
  check_binades(special::reciprocal_root, {{0x3f800000, 0x5452c13c}, {0x40000000, 0xf3a0baf3}});
  check_binades(special::root, {{0x3f800000, 0xb3628b30}, {0x40000000, 0x243e59d1}});
}

TEST_CASE("logarithms have the bits of an H200, below one, near one and above", "[special]") {
  check_binades(special::logarithm, {{0x3e800000, 0x769063de},
                                     {0x3f000000, 0xa85aadd0},
                                     {0x3f800000, 0x81713e1a},
                                     {0x40000000, 0x09a7f78d},
                                     {0x40800000, 0x1b1406ff},
                                     {0x44800000, 0xf2c46404}});
  // Exact powers of two above one are exact; below one they are one unit too large, as measured.
  CHECK(special::logarithm(1.0f) == 0.0f);
  CHECK(special::logarithm(8.0f) == 3.0f);
  CHECK(std::bit_cast<std::uint32_t>(special::logarithm(0x1p-126f)) == 0xc2fbffff);
}

TEST_CASE("powers have the bits of an H200, of small and negative arguments too", "[special]") {
  check_binades(special::power, {{0x3f800000, 0x6136adb2},
                                 {0x40000000, 0xf6a8a716},
                                 {0x42800000, 0x90092fdc},
                                 {0x3f000000, 0x7613ae88},
                                 {0x3e800000, 0xc12f8645},
                                 {0x3d800000, 0xfaf0de46},
                                 {0x3a800000, 0x7dfa57e9},
                                 {0x34800000, 0x00f07cdc},
                                 {0xbf000000, 0x172789b0},
                                 {0xbf800000, 0x914e9e55},
                                 {0xc0000000, 0x2e81a8cf}});
}

TEST_CASE("sines and cosines of a kernel have the bits of an H200", "[special]") {
  const auto sine = [](std::uint32_t first) {
    return checksum_of("sin.approx.f32 %f0, %f1;", first, binade, stride, 4);
  };
  const auto cosine = [](std::uint32_t first) {
    return checksum_of("cos.approx.f32 %f0, %f1;", first, binade, stride, 4);
  };
  CHECK(sine(0x3d000000) == 0x77a73355);
  CHECK(sine(0x3f000000) == 0x4fdef184);
  CHECK(sine(0x40000000) == 0x64576d82);
  CHECK(cosine(0x3d000000) == 0xd68cca47);
  CHECK(cosine(0x3f800000) == 0x7b677d93);
  CHECK(cosine(0x40000000) == 0xc0d66fad);
}

TEST_CASE("ex2 of half precision is the single-precision result, cut off", "[special]") {
  CHECK(checksum_of("ex2.approx.f16 %h0, %h1;", 0, 65536, 1, 2) == 0xd5350e3b);
  CHECK(checksum_of("ex2.approx.ftz.bf16 %h0, %h1;", 0, 65536, 1, 2) == 0xeab02565);
}

TEST_CASE("gross f64 approximations have the bits of an H200", "[special]") {
  check_upper(special::reciprocal_upper, 1u << 20, 0xbff7fccb);
  check_upper(special::reciprocal_root_upper, 1u << 21, 0xf0b6fd97);
}
