#include "tests/differential/values.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace lockstep::differential {

namespace {

constexpr auto halves = std::to_array<std::uint16_t>(
    {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x3c00, 0xbc00, 0x3800, 0x3e00, 0x4100, 0x7bff,
     0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0x3f80, 0xbf80, 0x007f, 0x0080, 0x7f7f, 0x7f80, 0xff80,
     0x7fc0, 0xffc1, 0x7f81, 0x3f00, 0x4020, 0x7fff, 0xffff, 0x00ff, 0xff00, 0x5bf8, 0x4700});
constexpr auto singles = std::to_array<std::uint32_t>(
    {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000,
     0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x3effffff, 0x3f7fffff, 0x3f800001,
     0x4b000001, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf000001, 0x5f800000, 0x7f7fffff,
     0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0xffbfffff, 0x477fe000, 0x477ff000,
     0x33800000, 0x387fc000, 0x38800000, 0x437f8000, 0x7f000000, 0x00ffffff});
constexpr auto doubles = std::to_array<std::uint64_t>(
    {0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff,
     0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000, 0x3ff8000000000000,
     0xc004000000000000, 0x3ff0000000000001, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000200000,
     0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
     0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001,
     0x47efffffefffffff, 0x47efffffe0000000, 0x36a0000000000000, 0x3690000000000000, 0x380fffffffffffff,
     0x40effc0000000000, 0x40effe0000000000, 0x3e70000000000000, 0x4330000000000001});
constexpr auto integers = std::to_array<std::uint64_t>({0,
                                                        1,
                                                        2,
                                                        3,
                                                        5,
                                                        7,
                                                        31,
                                                        32,
                                                        33,
                                                        63,
                                                        64,
                                                        127,
                                                        128,
                                                        255,
                                                        256,
                                                        0x7fff,
                                                        0x8000,
                                                        0xffff,
                                                        0x10000,
                                                        0x7fffffff,
                                                        0x80000000,
                                                        0xffffffff,
                                                        0x100000000,
                                                        0x7fffffffffffffff,
                                                        0x8000000000000000,
                                                        ~std::uint64_t{0},
                                                        ~std::uint64_t{0} - 1,
                                                        ~std::uint64_t{0} - 31,
                                                        0xaaaaaaaaaaaaaaaa,
                                                        0x00ff00ff00ff00ff});

template <class List>
std::uint64_t one_of(Random& random, const List& list) {
  return list[random.below(list.size())];
}

std::uint64_t draw_half(Random& random) {
  if (random.below(3) == 0) return random.next() & 0xffff;
  return one_of(random, halves);
}

std::uint64_t draw_single(Random& random) {
  switch (random.below(6)) {
    case 0: return random.next() & 0xffffffff;
    case 1: return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(random.below(2001)) - 1000) / 8);
    case 2: return (random.next() & 0x81ffffff) + 0x3f000000;  // Around 1.
    case 3: return draw_half(random) << 16 | draw_half(random);
    default: return one_of(random, singles) ^ (random.below(4) == 0 ? random.below(2) : 0);
  }
}

std::uint64_t draw_double(Random& random) {
  switch (random.below(5)) {
    case 0: return random.next();
    case 1: return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<int>(random.below(2001)) - 1000) / 16);
    case 2: return (random.next() & 0x801fffffffffffff) + 0x3ff0000000000000;
    default: return one_of(random, doubles) ^ (random.below(4) == 0 ? random.below(2) : 0);
  }
}

std::uint64_t draw_integer(Random& random) {
  switch (random.below(4)) {
    case 0: return random.next() >> random.below(64);
    case 1: return std::uint64_t{1} << random.below(64);
    default: return one_of(random, integers);
  }
}

void fill(std::vector<std::uint8_t>& bytes, Random& random) {
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    switch (random.below(5)) {
      case 0:
        for (unsigned i = 0; i < 4; ++i) word |= draw_value(random, 16) << 16 * i;
        break;
      case 1:
      case 2: word = draw_value(random, 32) | draw_value(random, 32) << 32; break;
      default: word = draw_value(random, 64);
    }
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
}

}  // namespace

std::uint64_t draw_value(Random& random, unsigned bits) {
  if (random.below(2) == 0) return draw_integer(random) & (~std::uint64_t{0} >> (64 - bits));
  return bits == 16 ? draw_half(random) : bits == 32 ? draw_single(random) : draw_double(random);
}

Contents contents_of(const Kernel& kernel) {
  Random random(kernel.seed * 2 + 1);
  Contents all;
  all.input.resize(bytes_of(Area::input));
  all.constants.resize(bytes_of(Area::constants));
  all.parameters.resize(bytes_of(Area::parameters));
  all.data.resize(kernel.data_bytes());
  all.texels.resize(texel_bytes(kernel));
  for (auto* bytes : {&all.input, &all.constants, &all.parameters, &all.data, &all.texels}) fill(*bytes, random);
  return all;
}

}  // namespace lockstep::differential
