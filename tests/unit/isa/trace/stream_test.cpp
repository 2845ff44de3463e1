// Round trips of every address mode at its edges, and streams that are not valid.

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <random>
#include <vector>

#include "isa/error.hpp"
#include "isa/trace/stream.hpp"

namespace lockstep::stream_test {

using namespace lockstep::trace;

namespace {

constexpr std::uint32_t all = ~std::uint32_t{0};
using Addresses = std::array<std::uint64_t, 32>;

/// Hands out fixed pieces.
class Pieces final : public WarpStream {
 public:
  explicit Pieces(std::vector<std::vector<std::byte>> pieces) : pieces_(std::move(pieces)) {}
  explicit Pieces(std::span<const std::byte> piece) : pieces_{{piece.begin(), piece.end()}} {}
  std::span<const std::byte> next_piece() override {
    if (next_ == pieces_.size()) return {};
    return pieces_[next_++];
  }
  std::string place() const override { return "test stream"; }

 private:
  std::vector<std::vector<std::byte>> pieces_;
  std::size_t next_ = 0;
};

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

/// Writes one block with one access, checks that both come back, and returns the size of the access entry.
std::size_t round_trip(std::uint32_t block_mask, std::uint32_t mask, const Addresses& address) {
  StreamEncoder encoder;
  encoder.block(7, block_mask);
  const std::size_t block_size = encoder.size();
  encoder.access(mask, address.data());
  const std::size_t access_size = encoder.size() - block_size;
  encoder.block(8, block_mask);

  Pieces pieces(encoder.bytes());
  StreamCursor cursor(pieces, 9);
  BlockEntry block;
  AccessEntry access;
  REQUIRE(cursor.next_block(block));
  CHECK(block.block == 7);
  CHECK(block.mask == block_mask);
  cursor.next_access(access);
  REQUIRE(access.mask == mask);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    CAPTURE(lane);
    if ((mask >> lane & 1) != 0) REQUIRE(access.address[lane] == address[lane]);
  }
  REQUIRE(cursor.next_block(block));
  CHECK(block.block == 8);
  CHECK_FALSE(cursor.next_block(block));
  CHECK_FALSE(cursor.next_block(block));
  return access_size;
}

/// Lane i at first + i * stride, except that the last lane is `bend` further away.
Addresses line(std::uint64_t first, std::uint64_t stride, std::uint64_t bend = 0) {
  Addresses address;
  for (std::uint32_t lane = 0; lane < 32; ++lane) address[lane] = first + lane * stride;
  address[31] += bend;
  return address;
}

}  // namespace

TEST_CASE("A trace stream keeps lane differences at the edges of each width") {
  struct Case {
    std::int64_t difference;
    std::size_t width;
  };
  const Case cases[] = {
      {127, 1},    {128, 2},        {-128, 1},       {-129, 2},        {32767, 2},       {32768, 4},     {-32768, 2},
      {-32769, 4}, {2147483647, 4}, {2147483648, 8}, {-2147483648, 4}, {-2147483649, 8}, {INT64_MAX, 8}, {INT64_MIN, 8},
  };
  for (const Case& c : cases) {
    CAPTURE(c.difference);
    // Lane 31 differs by the edge, all others by 0, so that the entry is not affine: 31 differences of that width,
    // a control byte, and a 2-byte first address (0x1000, in zigzag 0x2000).
    CHECK(round_trip(all, all, line(0x1000, 0, static_cast<std::uint64_t>(c.difference))) == 1 + 2 + 31 * c.width);
    // Two of three lanes apart by the edge: differences of the same width, behind a mask.
    Addresses some = line(0x1000, 0);
    some[9] = some[30] = 0x1000 + static_cast<std::uint64_t>(c.difference);
    const std::uint32_t mask = 1u << 4 | 1u << 9 | 1u << 30;
    CHECK(round_trip(all, mask, some) == 1 + 4 + 2 + 2 * c.width);
  }
}

TEST_CASE("A trace stream stores an affine access by its stride alone") {
  for (const std::int64_t stride : {1L, 4L, -4L, 127L, 128L, 32767L, -32768L}) {
    CAPTURE(stride);
    CHECK(round_trip(all, all, line(0x1000, static_cast<std::uint64_t>(stride))) == 1 + 2 + 2);
  }
  for (const std::int64_t stride : {32768L, -32769L, 1L << 40, -(1L << 40), INT64_MAX, INT64_MIN}) {
    CAPTURE(stride);
    CHECK(round_trip(all, all, line(0x1000, static_cast<std::uint64_t>(stride))) == 1 + 2 + 8);
  }
  CHECK(round_trip(all, all, line(0x1000, 0)) == 1 + 2);
}

TEST_CASE("A trace stream finds an affine access between the active lanes of a partial mask") {
  const Addresses address = line(0x40, 12);
  CHECK(round_trip(0xfff0'0ff0, 0xfff0'0ff0, address) == 1 + 1 + 2);
  CHECK(round_trip(all, 0x8000'0001, address) == 1 + 4 + 1 + 2);
  CHECK(round_trip(all, 0x5555'5554, address) == 1 + 4 + 1 + 2);
  // Lanes 0 and 3 are 4 bytes apart: no whole stride, so a difference of one byte.
  Addresses odd = line(0x20, 0);
  odd[3] = 0x24;
  CHECK(round_trip(all, 0x9, odd) == 1 + 4 + 1 + 1);
  // Negative, and not a multiple of the gap either.
  odd[3] = 0x1c;
  CHECK(round_trip(all, 0x9, odd) == 1 + 4 + 1 + 1);
  // The first two lanes lie on a line, the third does not.
  odd[3] = 0x26;
  odd[5] = 0x2b;
  CHECK(round_trip(all, 0x29, odd) == 1 + 4 + 1 + 2);
}

TEST_CASE("A trace stream keeps addresses that wrap around 2^64") {
  CHECK(round_trip(all, all, line(~std::uint64_t{0} - 10, 4)) == 1 + 1 + 2);
  CHECK(round_trip(all, all, line(3, 0 - std::uint64_t{4})) == 1 + 1 + 2);
  round_trip(all, all, line(0x8000'0000'0000'0000, 0x1000'0000'0000'0001));
  round_trip(all, 0x8000'0002, line(0x8000'0000'0000'0000, 0x8000'0000'0000'0000));
  Addresses ends{};
  ends[31] = ~std::uint64_t{0};
  round_trip(all, 0x8000'0001, ends);
}

TEST_CASE("A trace stream keeps first addresses of every length") {
  for (int bits = 0; bits <= 64; ++bits) {
    const std::uint64_t top = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
    for (const std::uint64_t first : {top, top - 1, 0 - top, 0 - top - 1}) {
      CAPTURE(bits, first);
      const std::size_t size = round_trip(all, all, line(first, 0));
      CHECK(size >= 1);
      CHECK(size <= 9);
    }
  }
  CHECK(round_trip(all, all, line(0, 0)) == 1);
  CHECK(round_trip(all, all, line(0x7f, 0)) == 2);
  CHECK(round_trip(all, all, line(0x80, 0)) == 3);
  CHECK(round_trip(all, all, line(0x0000'7fff'ffff'ffff, 0)) == 7);
  CHECK(round_trip(all, all, line(0x0000'8000'0000'0000, 0)) == 9);
}

TEST_CASE("A trace stream keeps single lanes and accesses without lanes") {
  Addresses address;
  for (std::uint32_t lane = 0; lane < 32; ++lane) address[lane] = 0x1'0000'0000 * (lane + 1);
  for (std::uint32_t lane = 0; lane < 32; ++lane) round_trip(all, 1u << lane, address);
  CHECK(round_trip(all, 0, address) == 1);
  CHECK(round_trip(0, 0, address) == 1);
  CHECK_THROWS_AS(round_trip(0x7, 0x8, address), Bug);
}

TEST_CASE("A trace stream predicts the accesses of a loop each from its own past") {
  StreamEncoder encoder;
  std::size_t before = 0;
  for (std::uint64_t iteration = 0; iteration < 3; ++iteration) {
    before = encoder.size();
    encoder.block(1, all);
    encoder.access(all, line(0x7000'0000'0000 + iteration * 16, 4).data());
    encoder.access(all, line(0x20 + iteration, 4).data());
  }
  // Block entry without mask, then twice control, 1 byte of first address, 2 bytes of stride.
  CHECK(encoder.size() - before == 1 + 2 * (1 + 1 + 2));
}

TEST_CASE("A trace stream keeps long random sequences, across pieces") {
  std::mt19937_64 random(20240917);
  struct Written {
    BlockEntry block;
    std::vector<AccessEntry> accesses;
  };
  std::vector<Written> written;
  std::vector<std::vector<std::byte>> pieces;
  StreamEncoder encoder;
  for (int i = 0; i < 5000; ++i) {
    if (random() % 100 == 0 && encoder.size() != 0) {
      pieces.emplace_back(encoder.bytes().begin(), encoder.bytes().end());
      encoder.start_piece();
    }
    Written w;
    w.block.block = static_cast<std::uint32_t>(random() >> (33 + random() % 31));
    w.block.mask = random() % 2 != 0 ? all : static_cast<std::uint32_t>(random());
    encoder.block(w.block.block, w.block.mask);
    // More accesses than there are predictions, now and then.
    for (std::uint64_t n = random() % (i % 50 == 0 ? 40 : 4); n > 0; --n) {
      AccessEntry a;
      a.mask = w.block.mask & (random() % 2 != 0 ? all : static_cast<std::uint32_t>(random() & random()));
      const std::uint64_t stride = random() >> (random() % 64), noise = random() % 2 * (random() >> (random() % 63));
      const std::uint64_t first = random() >> (random() % 64);
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        a.address[lane] = first + lane * stride + (noise == 0 ? 0 : random() % noise);
      }
      encoder.access(a.mask, a.address);
      w.accesses.push_back(a);
    }
    written.push_back(std::move(w));
  }
  pieces.emplace_back(encoder.bytes().begin(), encoder.bytes().end());

  Pieces stream(std::move(pieces));
  StreamCursor cursor(stream);
  BlockEntry block;
  AccessEntry access;
  for (const Written& w : written) {
    REQUIRE(cursor.next_block(block));
    REQUIRE(block.block == w.block.block);
    REQUIRE(block.mask == w.block.mask);
    for (const AccessEntry& expected : w.accesses) {
      cursor.next_access(access);
      REQUIRE(access.mask == expected.mask);
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if ((access.mask >> lane & 1) != 0) REQUIRE(access.address[lane] == expected.address[lane]);
      }
    }
  }
  CHECK_FALSE(cursor.next_block(block));
}

TEST_CASE("A trace stream that is not valid is an input error") {
  BlockEntry block;
  AccessEntry access;
  SECTION("block numbers beyond the kernel's blocks") {
    Pieces last(bytes_of({9 << 1}));
    CHECK(StreamCursor(last, 10).next_block(block));
    CHECK(block.block == 9);
    Pieces beyond(bytes_of({10 << 1}));
    CHECK_THROWS_WITH(StreamCursor(beyond, 10).next_block(block),
                      Catch::Contains("test stream") && Catch::Contains("basic block"));
  }
  SECTION("a block number that never ends") {
    Pieces pieces(bytes_of({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}));
    CHECK_THROWS_AS(StreamCursor(pieces).next_block(block), InputError);
  }
  SECTION("a block entry cut short") {
    for (const auto& cut :
         {bytes_of({0x80}), bytes_of({0x01}), bytes_of({0x01, 1, 2, 3}), bytes_of({0x81, 0x00, 1, 2})}) {
      Pieces pieces{std::span(cut)};
      CHECK_THROWS_WITH(StreamCursor(pieces).next_block(block), Catch::Contains("ends inside a block entry"));
    }
  }
  SECTION("an access that the piece does not hold") {
    Pieces pieces(bytes_of({0x00}));
    StreamCursor cursor(pieces);
    REQUIRE(cursor.next_block(block));
    CHECK_THROWS_WITH(cursor.next_access(access), Catch::Contains("ends inside an access entry"));
  }
  SECTION("every cut of every kind of access entry") {
    for (const std::uint64_t bend : {0ull, 1ull, 200ull, 40000ull, 3'000'000'000ull}) {
      for (const std::uint32_t mask : {all, 0x8421'0000u}) {
        for (const std::uint64_t stride : {0ull, 4ull, 1ull << 20}) {
          StreamEncoder encoder;
          encoder.block(0, all);
          const std::size_t begin = encoder.size();
          encoder.access(mask, line(0x12'3456'789a, stride, bend).data());
          for (std::size_t size = begin; size < encoder.size(); ++size) {
            CAPTURE(bend, mask, stride, size);
            Pieces pieces(encoder.bytes().first(size));
            StreamCursor cursor(pieces);
            REQUIRE(cursor.next_block(block));
            REQUIRE_THROWS_AS(cursor.next_access(access), InputError);
          }
        }
      }
    }
  }
  SECTION("control bytes without meaning") {
    for (int control = 0; control < 256; ++control) {
      const int addresses = control & 7;
      const bool meaningful = addresses == 0 ? control == 0 : addresses <= 6 && (control < 128 || addresses == 2);
      std::vector<std::byte> bytes = bytes_of({0x01, 0xff, 0xff, 0xff, 0xff, control});
      bytes.resize(bytes.size() + 300, std::byte{0xff});
      Pieces pieces{std::span<const std::byte>(bytes)};
      StreamCursor cursor(pieces);
      REQUIRE(cursor.next_block(block));
      CAPTURE(control);
      if (meaningful) {
        REQUIRE_NOTHROW(cursor.next_access(access));
      } else {
        REQUIRE_THROWS_WITH(cursor.next_access(access), Catch::Contains("control byte"));
      }
    }
  }
  SECTION("an access by lanes that are not in the block, or by none") {
    Pieces outside(bytes_of({0x01, 0x0f, 0, 0, 0, 0x09, 0x10, 0, 0, 0}));
    StreamCursor cursor(outside);
    REQUIRE(cursor.next_block(block));
    CHECK_THROWS_WITH(cursor.next_access(access), Catch::Contains("not in the block's mask"));
    Pieces none(bytes_of({0x01, 0x0f, 0, 0, 0, 0x09, 0, 0, 0, 0}));
    StreamCursor second(none);
    REQUIRE(second.next_block(block));
    CHECK_THROWS_WITH(second.next_access(access), Catch::Contains("without lanes"));
  }
}

TEST_CASE("A cursor without a stream is at its end") {
  BlockEntry block;
  CHECK_FALSE(StreamCursor().next_block(block));
}

TEST_CASE("Random bytes either decode or are an input error") {
  std::mt19937 random(1);
  int damaged = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> bytes(random() % 400);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & random());
    Pieces pieces{std::span<const std::byte>(bytes)};
    StreamCursor cursor(pieces, 1u << (random() % 32));
    BlockEntry block;
    AccessEntry access;
    try {
      while (cursor.next_block(block)) {
        for (std::uint32_t n = random() % 3; n > 0; --n) {
          cursor.next_access(access);
          if ((access.mask & ~block.mask) != 0) FAIL("access mask outside the block mask");
        }
      }
    } catch (const InputError&) {
      ++damaged;
    }
  }
  CHECK(damaged > 0);
  CHECK(damaged < 20000);
}

}  // namespace lockstep::stream_test
