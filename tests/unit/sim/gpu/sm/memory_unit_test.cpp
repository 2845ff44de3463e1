// The port to the memory, translation, constants and textures.

#include <catch2/catch.hpp>

#include "tests/unit/sim/gpu/sm/memory_unit_fake.hpp"

namespace lockstep::memory_unit_test {

using namespace lockstep::test;
using gpu::MemoryUnit;
using machine::CacheOperator;

namespace {

gpu::GpuSpec without_l1() {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.l1.cache.bytes = 0;
  return spec;
}

}  // namespace

TEST_CASE("memory unit: requests leave one after the other, header and data at the port's bandwidth") {
  UnitAndMemory m(without_l1());
  m.store(line_at(0, 4, 128), 10);  // Four of 8 + 32 bytes: five cycles each.
  m.load(line_at(0, 1), 14);        // A header: one cycle.
  m.run(5000);
  std::vector<Cycle> left;
  for (const noc::Request& request : m.sent) left.push_back(request.cycle);
  CHECK(left == std::vector<Cycle>{15, 20, 25, 30, 31});
  CHECK(m.unit.counters().request_bytes == 4 * 40 + 8);
}

TEST_CASE("memory unit: the unit stalls while as many transactions wait as the queue holds, and no longer") {
  gpu::GpuSpec spec = without_l1();
  spec.memory.noc.injection_queue = 3;
  UnitAndMemory m(spec);
  m.store(line_at(0, 2, 128), 0);
  CHECK(m.unit.free_at() == 0);
  m.store(line_at(0, 1), 1);
  CHECK(m.unit.free_at() == 5);  // When the first has left there is room again.
  m.store(line_at(0, 1), 5);
  CHECK(m.unit.free_at() == 10);
}

TEST_CASE("memory unit: a request without a credit holds up those behind it until one comes back") {
  gpu::GpuSpec spec = without_l1();
  spec.memory.noc.credits = 2;
  spec.memory.noc.injection_queue = 2;
  spec.memory.l2.slices = 2;
  UnitAndMemory m(spec, 500, 100);
  // Slice 0, leaving at 1 and 2, and one that waits.
  for (std::uint32_t n = 0; n < 3; ++n) m.load(line_at(0, 1), n, n);
  m.load(line_at(256, 1), 3, 3);  // Slice 1 has credits, but comes after it.
  CHECK(m.unit.free_at() == never);
  CHECK(m.unit.counters().port.credit_stalls == 1);
  m.run(100);
  CHECK(m.sent.size() == 2);
  m.run(5000);
  REQUIRE(m.sent.size() == 4);
  CHECK(m.sent[2].cycle == 102);  // The first credit is back at 101.
  CHECK(m.sent[3].cycle == 103);
  CHECK(m.sent[3].slice == 1);
  CHECK(m.completed(3) == 603);
}

TEST_CASE("memory unit: a request whose page the translation buffer lacks says so until a reply has brought it") {
  gpu::GpuSpec spec = without_l1();
  spec.sm.tlb = {2, 0, 4096, 50};
  UnitAndMemory m(spec);
  m.load(line_at(0, 1), 0);
  m.load(line_at(64, 1), 10);  // The same page, not there yet.
  m.run(1000);
  m.load(line_at(4092, 1), 1000);
  m.load(line_at(4096, 1), 1001);
  m.run(2000);
  std::vector<bool> translated;
  for (const noc::Request& request : m.sent) translated.push_back(request.translated);
  CHECK(translated == std::vector<bool>{false, false, true, false});
  CHECK(m.unit.counters().tlb_miss == 3);
  m.unit.begin_launch();  // Translations outlive a launch.
  m.load(line_at(0, 1), 0);
  m.run(1000);
  CHECK(m.sent.back().translated);
}

TEST_CASE("memory unit: lanes that read one constant are served together, each further word an interval later") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.constant.l1 = {256, 64, 64, 0, "mod", 4, 64};
  spec.sm.constant.l15 = {4096, 256, 256, 4, "mod", 4, 64};
  spec.sm.constant.latency = 20;
  spec.sm.constant.l15_latency = 70;
  spec.sm.constant.interval = 4;
  UnitAndMemory m(spec);
  const auto cold = m.constant(line_at(0, 32, 0), 0, 1);
  CHECK_FALSE(cold.complete);
  CHECK(cold.occupied == 1);  // The address interval.
  m.run(1000);
  CHECK(m.completed(1) == 501);
  REQUIRE(m.sent.size() == 1);
  CHECK(m.sent[0].bytes == 256);
  CHECK(m.constant(line_at(0, 32, 0), 1000).ready == 1020);
  const auto four = m.constant({0, 4, 0, 8, 4, 8, 1}, 1100);  // Byte 1 is looked up beside byte 0 of the same word.
  CHECK(four.ready == 1100 + 20 + 3 * 4);
  CHECK(four.occupied == 1 + 3 * 4);
  // The second level has the other lines of its own; they are in the first when that has brought them.
  CHECK(m.constant({64}, 1200).ready == 1270);
  CHECK(m.constant({68}, 1210).ready == 1270);
  CHECK(m.constant({64}, 1270).ready == 1290);
  CHECK(m.sent.size() == 1);
  const auto counters = m.unit.counters();
  CHECK(counters.constant_miss == 1);
  CHECK(counters.constant_l15_hit == 1);
  CHECK(counters.constant_hit == 1 + 4 + 2);
  CHECK(counters.constant_words == 9);
}

TEST_CASE("memory unit: a store that goes through and allocates is forwarded, and loads of what it wrote hit") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.l1.local_write = cache::WritePolicy::allocate;
  UnitAndMemory m(spec);
  const std::uint64_t local = gpu::local_region;
  m.local(MemoryUnit::Kind::store, line_at(local, 32, 4), 0, 1);
  m.run(1000);
  REQUIRE(m.sent.size() == 1);
  CHECK(m.sent[0].kind == noc::RequestKind::write);
  CHECK(m.local(MemoryUnit::Kind::load, line_at(local, 32, 4), 1000, 2).complete);
  CHECK(m.sent.size() == 1);
  CHECK_FALSE(m.local(MemoryUnit::Kind::load, line_at(local + 4096, 32, 4), 1100, 3).complete);
}

TEST_CASE("memory unit: the words of a constant load delay its warp for longer than the unit") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.constant.l1 = {64, 64, 64, 0, "mod", 4, 64};  // One line.
  spec.sm.constant.l15 = {4096, 256, 256, 4, "mod", 4, 64};
  spec.sm.constant.latency = 20;
  spec.sm.constant.l15_latency = 70;
  spec.sm.constant.access_interval = 3;
  spec.sm.constant.interval = 2;
  spec.sm.constant.word_spacing = 11;
  UnitAndMemory m(spec);
  m.constant({0}, 0, 1);
  m.run(1000);
  const auto four = m.constant({0, 4, 8, 12}, 1000);
  CHECK(four.ready == 1000 + 20 + 3 * 11);
  CHECK(four.occupied == 3 + 3 * 2);
  // Word 64 takes 50 cycles more, and those behind it wait until it is there; so does the next line's.
  CHECK(m.constant({0, 64, 68, 128}, 2000).ready == 2000 + 20 + 3 * 11 + 2 * 50);
}

TEST_CASE("memory unit: without constant caches every word is fetched") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.constant.l1 = {0, 64, 64, 0, "mod", 4, 64};
  spec.sm.constant.l15 = {0, 256, 256, 4, "mod", 4, 64};
  UnitAndMemory m(spec);
  for (std::uint32_t n = 0; n < 2; ++n) {
    CHECK_FALSE(m.constant({0}, n * 1000, n).complete);
    m.run(n * 1000 + 999);
    CHECK(m.completed(n) == n * 1000 + 501);
  }
  CHECK(m.sent.at(1).bytes == 64);
}

TEST_CASE("memory unit: constants that find no MSHR wait their turn") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.constant.l1 = {256, 64, 64, 0, "mod", 1, 1};
  spec.sm.constant.l15 = {4096, 64, 64, 4, "mod", 1, 1};
  UnitAndMemory m(spec);
  m.constant({0}, 0, 1);
  m.constant({64}, 1, 2);
  m.run(10000);
  CHECK(m.completed(1) == 501);
  CHECK(m.sent.at(1).cycle == 502);
  CHECK(m.completed(2) == 1002);
}

TEST_CASE("memory unit: a texture fetch takes its unit per quad, and hits after its latency") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.texture.cache = {4096, 128, 32, 4, "mod", 8, 64};
  spec.sm.texture.latency = 90;
  spec.sm.texture.interval = 2;
  spec.sm.texture.bytes_per_cycle = 32;
  UnitAndMemory m(spec);
  const auto cold = m.texture(line_at(0), 0, 1);
  CHECK_FALSE(cold.complete);
  CHECK(cold.occupied == 16);
  m.run(2000);
  CHECK(m.completed(1) == 513);  // Quad 6 asks for the last sector at 12; it leaves at 13.
  const auto hit = m.texture(line_at(0), 3000);
  CHECK(hit.complete);
  CHECK(hit.ready == 3000 + 7 * 2 + 90);
  CHECK(m.texture(line_at(0, 5), 4000).occupied == 4);
  CHECK_FALSE(m.load(line_at(0), 5000).complete);  // It is not an L1 cache for other loads.
}

TEST_CASE(
    "memory unit: a fetch takes a time for its quads, for the blocks that they touch, and for the bytes of its "
    "texels") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.texture.cache.bytes = 0;
  spec.sm.texture.interval = 1;
  spec.sm.texture.fetch_interval = 8;
  spec.sm.texture.block_interval = 1;
  spec.sm.texture.texel_bytes_per_cycle = 32;
  UnitAndMemory m(spec);
  const auto occupied = [&](std::uint32_t active, std::uint64_t stride, std::uint8_t bytes = 4,
                            std::uint8_t texels = 1) {
    return m.texture(line_at(0, active, stride), 0, bytes, texels).occupied;
  };
  CHECK(occupied(32, 4) == 8);
  CHECK(occupied(1, 4) == 8);    // As a whole warp does.
  CHECK(occupied(32, 16) == 8);  // Four texels in 64 bytes.
  CHECK(occupied(32, 32) == 16);
  CHECK(occupied(32, 64) == 32);
  CHECK(occupied(20, 64) == 20);      // Five quads of four.
  CHECK(occupied(32, 1000) == 32);    // A quad has four texels.
  CHECK(occupied(32, 16, 16) == 16);  // 64 bytes of a quad.
  CHECK(occupied(24, 16, 16) == 12);
  CHECK(occupied(32, 8, 8, 4) == 16);  // Four are filtered.
  CHECK(occupied(32, 16, 16, 4) == 32);
}

TEST_CASE(
    "memory unit: without a cache of their own fetches use the L1 cache, with a latency and counters of their own") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.texture.cache.bytes = 0;
  spec.sm.texture.latency = 90;
  UnitAndMemory m(spec);
  m.load(line_at(0), 0);
  m.run(1000);
  const auto hit = m.texture(line_at(0), 1000);
  CHECK(hit.complete);
  CHECK(hit.ready >= 1090);
  CHECK(m.unit.counters().tex_cache_hit == 8);  // Each quad looks its line up.
  CHECK(m.unit.counters().l1_global_load_hit == 0);
}

TEST_CASE("memory unit: read-only loads use the texture cache where the GPU has it so, else the L1 cache") {
  gpu::GpuSpec spec = memory_unit_gpu();
  spec.sm.texture.cache = {4096, 128, 32, 4, "mod", 8, 64};
  spec.sm.texture.latency = 90;
  spec.sm.l1.global = false;
  const auto second_load = [](const gpu::GpuSpec& gpu) {
    UnitAndMemory m(gpu);
    m.load(line_at(0), 0, 0, CacheOperator::read_only);
    m.run(1000);
    return m.load(line_at(0), 1000, 0, CacheOperator::read_only);
  };
  CHECK_FALSE(second_load(spec).complete);
  spec.sm.texture.read_only_loads = true;
  CHECK(second_load(spec).ready == 1090);
  spec.sm.texture.cache.bytes = 0;
  CHECK(second_load(spec).ready == 1030);
}

}  // namespace lockstep::memory_unit_test
