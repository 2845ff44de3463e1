#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"

using namespace lockstep;

namespace {

gpu::Occupancy of(const gpu::OccupancySpec& spec, std::uint32_t threads, std::uint32_t registers, std::uint32_t bytes) {
  program::Kernel kernel;
  kernel.name = "k";
  kernel.static_shared_bytes = bytes;
  trace::Launch launch;
  launch.block = {threads, 1, 1};
  launch.registers_per_thread = registers;
  return gpu::occupancy(spec, kernel, launch);
}

gpu::OccupancySpec fermi() {
  return config::load_gpu("gtx580").sm.occupancy;
}

/// Compute capability 1.2: Gomez-Luna (2012), Table 2.1; granularities of section 3.4 of the inventory of that thesis:
/// registers per block in units of 512, scratchpad in units of 512 bytes.
gpu::OccupancySpec gt200() {
  gpu::OccupancySpec spec = fermi();
  spec.threads = 1024;
  spec.warps = 32;
  spec.blocks = 8;
  spec.threads_per_block = 512;
  spec.registers = 16384;
  spec.registers_per_thread = 124;
  spec.register_unit = 512;
  spec.register_allocation = gpu::RegisterAllocation::per_block;
  spec.warp_unit = 2;
  spec.scratchpad_bytes = spec.scratchpad_bytes_per_block = 16384;
  spec.scratchpad_unit = 512;
  return spec;
}

}  // namespace

TEST_CASE("The limits of Fermi bind one by one") {
  CHECK(of(fermi(), 128, 16, 0).blocks == 8);
  CHECK(of(fermi(), 128, 16, 0).limit == "blocks");
  CHECK(of(fermi(), 512, 16, 0).blocks == 3);
  CHECK(of(fermi(), 512, 16, 0).limit == "threads");
  CHECK(of(fermi(), 1024, 32, 0).blocks == 1);
  CHECK(of(fermi(), 256, 21, 0).blocks == 5);  // 8 warps of 672 registers, rounded up to 704: 32768 / 5632
  CHECK(of(fermi(), 256, 20, 0).blocks == 6);  // 8 warps of 640: 32768 / 5120
  CHECK(of(fermi(), 64, 16, 16384).blocks == 3);
  CHECK(of(fermi(), 64, 16, 16385).blocks == 2);
  CHECK(of(fermi(), 64, 16, 16385).limit == "scratchpad");
}

TEST_CASE("The nine kernels of Table 5.4 of Gomez-Luna (2012) reach their occupancy on compute capability 1.2") {
  struct Vector {
    const char* name;
    std::uint32_t registers, bytes, blocks;
  };
  // Blocks = published occupancy times 32 warps over 4 warps per block.
  const Vector vectors[] = {{"SP_BASE", 22, 4184, 3}, {"SP_LB", 26, 4004, 4}, {"SP_SSM", 24, 2452, 5},
                            {"S_BASE", 13, 2148, 6},  {"S_LB", 18, 2164, 6},  {"S_SSM", 10, 1132, 8},
                            {"D_BASE", 21, 3144, 4},  {"D_LB", 25, 3156, 4},  {"D_SSM", 20, 1604, 6}};
  for (const Vector& v : vectors) {
    CAPTURE(v.name);
    CHECK(of(gt200(), 128, v.registers, v.bytes).blocks == v.blocks);
  }
}

TEST_CASE("A block that does not fit says what is short") {
  CHECK_THROWS_WITH(of(fermi(), 1025, 16, 0), Catch::Contains("1025 threads") && Catch::Contains("1024"));
  CHECK_THROWS_WITH(of(fermi(), 32, 16, 48 * 1024 + 1), Catch::Contains("scratchpad") && Catch::Contains("49152"));
  CHECK_THROWS_WITH(of(fermi(), 1024, 63, 0), Catch::Contains("registers") && Catch::Contains("32768"));
}

TEST_CASE("What the system takes of the scratchpad for each block counts like the block's own") {
  gpu::OccupancySpec spec = fermi();  // 48 KiB.
  spec.scratchpad_reserved = 1024;
  CHECK(of(spec, 32, 16, 0).blocks == 8);
  CHECK(of(spec, 32, 16, 11 * 1024).blocks == 4);  // 12 KiB each.
  CHECK(of(spec, 32, 16, 11 * 1024 + 1).blocks == 3);
  spec.scratchpad_reserved = 0;
  CHECK(of(spec, 32, 16, 11 * 1024 + 1).blocks == 4);
}
