// Residency of thread blocks as published, on the GPU files of the devices that the publications use.
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

gpu::OccupancySpec limits(const std::string& gpu) {
  return config::load_gpu(gpu).sm.occupancy;
}

}  // namespace

TEST_CASE("The nine kernels of Table 5.4 of Gomez-Luna (2012) reach their occupancy on the GTX 280") {
  struct Vector {
    const char* name;
    std::uint32_t registers, bytes;
    double occupancy_pct;
  };
  const Vector vectors[] = {{"SP_BASE", 22, 4184, 37.5}, {"SP_LB", 26, 4004, 50.0}, {"SP_SSM", 24, 2452, 62.5},
                            {"S_BASE", 13, 2148, 75.0},  {"S_LB", 18, 2164, 75.0},  {"S_SSM", 10, 1132, 100.0},
                            {"D_BASE", 21, 3144, 50.0},  {"D_LB", 25, 3156, 50.0},  {"D_SSM", 20, 1604, 75.0}};
  const gpu::OccupancySpec gtx280 = limits("gtx280");
  for (const Vector& v : vectors) {
    CAPTURE(v.name);
    CHECK(100.0 * of(gtx280, 128, v.registers, v.bytes).warps / gtx280.warps == v.occupancy_pct);
  }
}

TEST_CASE("Equation 4.4 of Gomez-Luna (2012) gives the largest replication factors that fit on the GTX 580") {
  const gpu::OccupancySpec gtx580 = limits("gtx580");
  const auto padded_bytes = [](std::uint32_t replication) { return 4 * replication * (256 + 1); };
  CHECK(of(gtx580, 768, 16, padded_bytes(47)).blocks == 1);
  CHECK_THROWS_AS(of(gtx580, 768, 16, padded_bytes(48)), InputError);
  CHECK(of(gtx580, 384, 16, padded_bytes(23)).blocks == 2);
  CHECK(of(gtx580, 384, 16, padded_bytes(24)).blocks == 1);
}

TEST_CASE(
    "Every launch configuration of Table 4.2 of Gomez-Luna (2012) has its thread blocks resident on the GTX 580") {
  const gpu::OccupancySpec gtx580 = limits("gtx580");
  const std::vector<std::vector<std::uint32_t>> threads = {{768, 1024},     {384, 512, 768}, {256, 384, 512},
                                                           {192, 256, 384}, {192, 256},      {128, 192, 256},
                                                           {128, 192},      {128, 192}};
  for (std::uint32_t blocks = 1; blocks <= threads.size(); ++blocks) {
    const std::uint32_t replication = 12288 / (blocks * 257);  // Equation 4.4
    for (const std::uint32_t count : threads[blocks - 1]) {
      CAPTURE(blocks, count);
      CHECK(of(gtx580, count, 16, 4 * 257 * replication).blocks == blocks);
    }
  }
}

TEST_CASE("Every launch configuration of Table 4.5 of Gomez-Luna (2012) fits the warps and registers of the GTX 280") {
  const gpu::OccupancySpec gtx280 = limits("gtx280");
  const std::vector<std::vector<std::uint32_t>> threads = {{192, 256, 384, 512},
                                                           {128, 192, 256, 384, 512},
                                                           {64, 128, 192, 256},
                                                           {64, 128, 192, 256},
                                                           {64, 128, 192},
                                                           {64, 128},
                                                           {64, 128},
                                                           {64, 128}};
  for (std::uint32_t blocks = 1; blocks <= threads.size(); ++blocks) {
    for (const std::uint32_t count : threads[blocks - 1]) {
      CAPTURE(blocks, count);
      CHECK(of(gtx280, count, 16, 0).blocks >= blocks);
    }
  }
}

TEST_CASE("The maxima of Table 2.2 of Van den Braak (2015) are reached and not exceeded") {
  struct Row {
    const char* gpu;
    std::uint32_t sms, threads_per_block, blocks, warps, threads, scratchpad, scratchpad_per_block;
  };
  const Row rows[] = {{"8800gt", 14, 512, 8, 24, 768, 16, 16},
                      {"gtx470", 14, 1024, 8, 48, 1536, 48, 48},
                      {"gtxtitan", 14, 1024, 16, 64, 2048, 48, 48},
                      {"gtx750ti", 5, 1024, 32, 64, 2048, 64, 48}};
  for (const Row& row : rows) {
    CAPTURE(row.gpu);
    CHECK(config::load_gpu(row.gpu).sms == row.sms);
    const gpu::OccupancySpec spec = limits(row.gpu);
    CHECK(of(spec, row.threads_per_block, 10, 0).blocks >= 1);
    CHECK_THROWS_AS(of(spec, row.threads_per_block + 1, 10, 0), InputError);
    CHECK(of(spec, 32, 10, 0).blocks == row.blocks);
    CHECK(of(spec, 256, 10, 0).warps == row.warps);
    CHECK(of(spec, 256, 10, 0).blocks == row.threads / 256);
    CHECK(of(spec, 32, 10, row.scratchpad_per_block << 10).blocks == row.scratchpad / row.scratchpad_per_block);
    CHECK(of(spec, 32, 10, row.scratchpad << 8).blocks == 4);
    CHECK(of(spec, 32, 10, (row.scratchpad << 8) + 1).blocks == 3);
    CHECK_THROWS_AS(of(spec, 32, 10, (row.scratchpad_per_block << 10) + 1), InputError);
  }
}

TEST_CASE("Odd numbers of warps per block leave no warp slot unused that NVIDIA's occupancy calculator uses") {
  CHECK(of(limits("gtx580"), 288, 16, 0).blocks == 5);    // 9 warps: 48 / 9
  CHECK(of(limits("gtx750ti"), 96, 16, 0).blocks == 21);  // 3 warps: 64 / 3
  CHECK(of(limits("gtx750ti"), 96, 48, 0).blocks == 13);  // 16384 / 1536 = 10 warps in each of four parts: 40 / 3
  CHECK(of(limits("p100"), 96, 48, 0).blocks == 14);      // 32768 / 1536 = 21 warps in each of two parts: 42 / 3
}
