// Stores that wait in an SM: which join, when lines leave, and how long the unit is taken. A port of 8 bytes per cycle and a header of
// 8 bytes take 17 cycles for a line, 5 for a sector.
#include <catch2/catch.hpp>

#include "tests/unit/sim/gpu/sm/memory_unit_fake.hpp"

namespace lockstep::store_buffer_test {

using test::line_at;

namespace {

gpu::GpuSpec buffered(std::uint32_t lines, Cycle hold) {
  gpu::GpuSpec spec = test::memory_unit_gpu();
  spec.sm.store_buffer.lines = lines;
  spec.sm.store_buffer.hold = hold;
  return spec;
}

}  // namespace

TEST_CASE("store buffer: stores to a line that waits are one request, whole when together they write every byte") {
  test::UnitAndMemory m(buffered(4, 20));
  m.store(line_at(0, 16, 8), 10, 1);  // Even words,
  m.store(line_at(4, 16, 8), 15, 2);  // and odd ones, of the same line.
  m.run(1000);
  REQUIRE(m.sent.size() == 1);
  CHECK(m.sent[0].sectors == 0xf);
  CHECK(m.sent[0].whole_sectors);
  CHECK(m.sent[0].bytes == 128);
  CHECK(m.sent[0].cycle == 15 + 20 + 17);  // 20 cycles after the last that joined.
}

TEST_CASE("store buffer: a part of a sector that nobody completes keeps the request one of parts") {
  test::UnitAndMemory m(buffered(4, 20));
  m.store(line_at(0, 8), 10);   // The first sector wholly,
  m.store(line_at(32, 7), 12);  // the second but for a word.
  m.run(1000);
  REQUIRE(m.sent.size() == 1);
  CHECK(m.sent[0].sectors == 0x3);
  CHECK_FALSE(m.sent[0].whole_sectors);
}

TEST_CASE("store buffer: what comes after the line has left is a request of its own") {
  test::UnitAndMemory m(buffered(4, 20));
  m.store(line_at(0), 10, 1);
  m.run(30);
  m.store(line_at(0), 31, 2);
  m.run(2000);
  CHECK(m.sent.size() == 2);
  CHECK(m.completed(1) == std::optional<Cycle>(47 + 500));
  CHECK(m.completed(2) == std::optional<Cycle>(51 + 17 + 500));
}

TEST_CASE("store buffer: a store that joins is complete at once, the first of its line when it is acknowledged") {
  test::UnitAndMemory m(buffered(4, 20));
  CHECK_FALSE(m.store(line_at(0), 10, 1).complete);
  CHECK(m.store(line_at(0), 12, 2).complete);
  m.run(2000);
  CHECK(m.completed(1) == std::optional<Cycle>(49 + 500));
}

TEST_CASE("store buffer: a line stays as long as stores come within its time") {
  test::UnitAndMemory m(buffered(4, 20));
  for (Cycle at = 10; at <= 143; at += 19) {
    m.run(at);
    m.store(line_at(0, 8), at);
  }
  m.run(1000);
  REQUIRE(m.sent.size() == 1);
  CHECK(m.sent[0].cycle == 143 + 20 + 5);
}

TEST_CASE(
    "store buffer: lines beyond its size leave early, first in first out, and hold up later stores until they have") {
  test::UnitAndMemory m(buffered(2, 100));
  for (std::uint64_t n = 0; n < 4; ++n) m.store(line_at(1024 * n), 10 + n);
  // Two must leave: the first as soon as it came, the second behind it.
  // The unit takes a further store when the first has passed the port and only the second still has to leave it.
  CHECK(m.unit.free_at() == 10 + 17);
  m.run(90);
  REQUIRE(m.sent.size() == 2);
  CHECK(m.sent[0].address == 0);
  CHECK(m.sent[0].cycle == 10 + 17);
  CHECK(m.sent[1].address == 1024);
  CHECK(m.sent[1].cycle == 27 + 17);
  CHECK(m.unit.free_at() <= 90);
  m.run(5000);
  CHECK(m.sent.size() == 4);
}

TEST_CASE("store buffer: without lines every store sends its own request at once") {
  test::UnitAndMemory m(buffered(0, 0));
  m.store(line_at(0), 10);
  m.store(line_at(0), 11);
  m.run(1000);
  REQUIRE(m.sent.size() == 2);
  CHECK(m.sent[0].cycle == 10 + 17);
}

TEST_CASE(
    "store interval: a store takes the unit for at least that long and for a cycle per line, a load for four lines a "
    "cycle") {
  gpu::GpuSpec spec = test::memory_unit_gpu();
  spec.sm.l1.banks = 0;
  spec.sm.address_lines = 4;
  spec.sm.store_interval = 2;
  test::UnitAndMemory m(spec);
  CHECK(m.store(line_at(0), 0).occupied == 2);            // One line.
  CHECK(m.store(line_at(0, 32, 8), 100).occupied == 2);   // Two lines.
  CHECK(m.store(line_at(0, 32, 16), 200).occupied == 4);  // Four.
  CHECK(m.store(line_at(0, 32, 128), 300).occupied == 32);
  CHECK(m.load(line_at(8192, 32, 128), 2000, 0, machine::CacheOperator::second_level).occupied == 8);
}

}  // namespace lockstep::store_buffer_test
