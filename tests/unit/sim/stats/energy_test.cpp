#include <catch2/catch.hpp>
#include <cstdlib>

#include "sim/config/parameter.hpp"
#include "sim/stats/catalog.hpp"

#include "tests/places.hpp"

using namespace lockstep;

namespace {

gpu::GpuSpec gpu_of(const std::string& name, const std::vector<std::string>& overrides = {}) {
  setenv("LOCKSTEP_HOME", source_dir().c_str(), 1);
  std::vector<config::Override> parsed;
  for (const std::string& text : overrides) parsed.push_back(config::parse_override(text));
  return config::load_gpu(name, parsed);
}

std::optional<double> value(const std::string& name, const gpu::GpuSpec& gpu, const gpu::Result& result = {}) {
  const stats::Derived* derived = stats::find_derived("energy." + name);
  REQUIRE(derived != nullptr);
  return derived->value(gpu, result);
}

double area(const std::vector<std::string>& overrides = {}) {
  return *value("rgpu_area", gpu_of("gtx480-rgpu", overrides));
}

/// A run of one millisecond on a GTX 480 with R-GPU.
gpu::Result a_millisecond() {
  gpu::Result result;
  result.cycles = 1401000;
  return result;
}

}  // namespace

TEST_CASE("R-GPU takes the area that the thesis states, and 4 % of the GPU") {
  const gpu::GpuSpec gpu = gpu_of("gtx480-rgpu");
  CHECK(area() == Approx(23).epsilon(0.005));
  CHECK(*value("rgpu_area_share", gpu) == Approx(23.0 / 529).epsilon(0.005));
  CHECK(*value("rgpu_area_wires", gpu) / area() == Approx(0.40).epsilon(0.005));
  CHECK(*value("rgpu_area_data_fifos", gpu) == Approx(15 * 112 * 0.0015).epsilon(0.001));
  CHECK(*value("rgpu_area_address_fifos", gpu) == Approx(15 * 16 * 0.031).epsilon(0.001));
  double parts = 0;
  for (const char* part : {"wires", "muxes", "data_fifos", "address_fifos"})
    parts += *value(std::string("rgpu_area_") + part, gpu);
  CHECK(parts == Approx(area()));
}

TEST_CASE("The area grows with lanes and FIFO entries as the thesis prints it, rounded to whole percent") {
  CHECK(100 * (area({"sm.rgpu.data_fifo=16"}) / area() - 1) == Approx(2).margin(0.5));
  CHECK(100 * (area({"sm.rgpu.address_fifo=512"}) / area() - 1) == Approx(10).margin(0.5));
  CHECK(100 * area({"sm.rgpu.lanes=10"}) / 529 == Approx(6).margin(0.5));
  CHECK(100 * area({"sm.rgpu.lanes=4"}) / 529 < 4);
  CHECK(area({"sms=30"}) == Approx(2 * area()));
}

TEST_CASE("The GPU's power is its average, with the run's own register files and R-GPU") {
  gpu::GpuSpec gpu = gpu_of("gtx480-rgpu", {"energy.register_energy=500", "energy.rgpu.mux_energy=0"});
  gpu::Result result = a_millisecond();
  result.counters.sm.registers = 8'000'000;  // 500 pJ each, in a millisecond: 4 W
  CHECK(*value("register_file", gpu, result) == Approx(4));
  CHECK(*value("rgpu", gpu, result) == 0);
  CHECK(*value("gpu", gpu, result) == Approx(153 - 13 + 4));
  CHECK(*value("run", gpu, result) == Approx(144));  // mJ
  CHECK(*value("saved", gpu, result) == 0);
  // A word over a whole lane takes 60 pJ/m x 8 mm x 32 = 15.36 pJ; 32 slots are a lane.
  result.counters.sm.fabric.lane_slots = 3'200'000'000;
  result.counters.sm.fabric.cycles = 15 * 1401000 / 2;  // half of the SMs' time
  CHECK(*value("rgpu", gpu, result) == Approx(1.536));
  CHECK(*value("rgpu_wires", gpu, result) == Approx(1.536));
  CHECK(*value("saved", gpu, result) == Approx(6.5));
  CHECK(*value("gpu", gpu, result) == Approx(145.536));
  // 10^9 reads of data FIFOs of 32 bytes, 5 pJ x sqrt(32 / 8192) each: 0.3125 W; of address FIFOs of 1 KiB: 1.77 W.
  result.counters.sm.fabric = {};
  result.counters.sm.fabric.data_fifo_reads = 1'000'000'000;
  CHECK(*value("rgpu_data_fifos", gpu, result) == Approx(0.3125));
  result.counters.sm.fabric.address_fifo_reads = 1'000'000'000;
  CHECK(*value("rgpu_address_fifos", gpu, result) == Approx(1.76777));
  CHECK(*value("rgpu", gpu, result) == Approx(0.3125 + 1.76777));
}

TEST_CASE("A GPU of which nothing is known has no power, one without R-GPU nothing added") {
  const gpu::Result result = a_millisecond();
  for (const char* name : {"rgpu", "rgpu_area", "register_file", "saved", "gpu", "run", "hash"})
    CHECK_FALSE(value(name, gpu_of("v100"), result).has_value());
  const gpu::GpuSpec plain = gpu_of("gtx480");
  CHECK_FALSE(value("rgpu", plain, result).has_value());
  CHECK(*value("gpu", plain, result) == Approx(140));
  CHECK_FALSE(value("gpu", plain, {}).has_value());  // no time
}

TEST_CASE("Hash hardware at every bank of a GTX 580 takes what Table 6.4 prints") {
  const auto on = [](const std::string& hash) { return gpu_of("gtx580", {"sm.scratchpad.bank_hash=" + hash}); };
  const struct {
    const char* hash;
    double power, area;
  } printed[] = {{"bitvector:k=1", 0.1, 0.2},
                 {"bitvector-xor:k1=0,k2=5,mask=7", 0.2, 0.3},
                 {"bits:0,1,2,3,5", 0.3, 0.5},
                 {"bits-xor:0^5,1^6,2^7,3,4", 0.5, 1.1}};
  for (const auto& one : printed) {
    INFO(one.hash);
    CHECK(*value("hash", on(one.hash)) == Approx(one.power).margin(0.005));
    CHECK(*value("hash_area", on(one.hash)) == Approx(one.area).margin(0.005));
  }
  CHECK_FALSE(value("hash", on("mod")).has_value());
}
