// Parameters at the ends of their ranges, through the program.

#include <fmt/format.h>

#include "isa/trace/file.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/system/program.hpp"

namespace lockstep::extreme_parameters_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

std::uint64_t cycles(std::vector<std::string> words) {
  words.insert(words.end(), {"--json", "--quiet"});
  const Outcome outcome = run(words);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return value<std::uint64_t>(parse_json(outcome.out), "cycles");
}

/// A trace of one thread that loads `loads` words, each 64 KiB from the one before and none twice.
std::string chase(const TemporaryFolder& folder, int loads) {
  const std::string trace = folder / "chase.trace", length = std::to_string(loads);
  const Outcome outcome =
      run({"trace", "micro-chase", "-s", "args.length=" + length, "-s", "args.footprint=" + length + " * 65536", "-s",
           "args.stride=65536", "-s", "args.warm=0", "-s", "args.cache=cg", "-o", trace, "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return trace;
}

}  // namespace

TEST_CASE("Without a launch latency a kernel ends earlier by that latency, and an access takes as long as with it") {
  const TemporaryFolder folder;
  const std::string trace = folder / "chain.trace";
  REQUIRE(run({"trace", "micro-arithmetic", "-o", trace, "--quiet"}).code == 0);
  const auto replay = [&](const std::string& latency) {
    return cycles({"replay", trace, "--gpu", "gtx580", "-s", "sm.launch_latency=" + latency});
  };
  // One thread block without a global load until its end: all of it moves. A multiple of the scheduler's interval of 2.
  CHECK(replay("200") == replay("0") + 200);
  // Gomez-Luna (2012), section 4.3.4: 108 cycles, and 152 for a second lane on a lock bit.
  CHECK(cycles({"probe", "--gpu", "gtx580", "--op", "atom", "0,1024,2-31", "-s", "sm.launch_latency=0"}) == 108 + 152);
}

TEST_CASE("A row that takes nearly a refresh interval to open is waited for, one that takes longer is refused") {
  const TemporaryFolder folder;
  const std::string trace = chase(folder, 128);
  const auto with = [&](const std::string& rcd) {
    return std::vector<std::string>{"replay", trace, "--gpu", "gtx580", "-s", "memory.dram.timing.rcd=" + rcd};
  };
  // Each load opens a row: 3799 cycles of the DRAM at 1002 MHz, counted in cycles of the SM at 1544 MHz.
  CHECK(cycles(with("3799")) > 128 * 3799 * 1544 / 1002);
  const Outcome refused = run(with("4000"));
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("gtx580.yaml:29:14: memory.dram.timing.refi is 3908") &&
                              Contains("= 4108 DRAM cycles"));  // rp 13 + ras 30 + rfc 65 + rcd 4000
}

TEST_CASE("Every number of a GPU at its least and at its most is simulated or refused") {
  const TemporaryFolder folder;
  const std::string file = folder / "v.trace";
  REQUIRE(run({"trace", "vector-add", "-s", "args.length=1024", "-s", "args.blocks=4", "-o", file, "--quiet"}).code ==
          0);
  setenv("LOCKSTEP_HOME", source_dir().c_str(), 1);
  const auto trace = trace::open_file(file);
  const auto check = [&](const std::string& path, const std::string& number) {
    INFO(path << " = " << number);
    try {
      const gpu::GpuSpec spec = config::load_gpu("gtx580", {config::parse_override(path + "=" + number)});
      const gpu::Result result = gpu::simulate(spec, *trace);
      CHECK(result.warp_instructions > 0);
    } catch (const InputError&) {  // Refused.
    }
  };
  for (const config::Parameter& parameter : config::gpu_parameters()) {
    using Type = config::Parameter::Type;
    if (parameter.type == Type::whole) {
      check(parameter.path, std::to_string(parameter.minimum));
      check(parameter.path, std::to_string(parameter.maximum));
    } else if (parameter.type == Type::number) {
      check(parameter.path, fmt::format("{}", parameter.number_minimum));
      check(parameter.path, fmt::format("{}", parameter.number_maximum));
    }
  }
}

TEST_CASE("Caches and buffers that would take a machine's memory are refused with their place") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& setting) {
    const Outcome outcome = run({"info", "h200", "-s", setting});
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  // 132 SMs, lines of 128 bytes.
  CHECK_THAT(refused("sm.fetch.cache.bytes=1 GiB"),
             Contains("sm.fetch.cache.bytes gives 8388608 lines in each of 132 SMs; at most 16777216"));
  CHECK_THAT(refused("sm.tlb.entries=1048576"), Contains("sm.tlb.entries gives 1048576 entries in each of 132 SMs"));
  // A single way: as many sets as entries.
  const Outcome sets = run({"info", "gtx580", "-s", "memory.tlb.entries=1048576", "-s", "memory.tlb.ways=1"});
  CHECK(sets.code == 2);
  CHECK_THAT(sets.err, Contains("memory.tlb has 1048576 sets, but may have at most 65536"));
}

TEST_CASE("A launch or a barrier that no GPU has is wrong input") {
  const TemporaryFolder folder;
  const auto traced = [&](const std::string& grid, const std::string& instruction) {
    folder.write("k.ptx", ".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n" +
                              instruction + "\nret;\n}\n");
    const std::string workload =
        folder.write("w.yaml", "buffers: {c: {zero: 64, type: f32}}\nkernel: k.ptx\ngrid: " + grid +
                                   "\nblock: 32\nparameters: [c]\n");
    const Outcome outcome = run({"trace", workload, "-o", folder / "t", "--quiet"});
    CHECK(outcome.code == 2);
    CHECK_FALSE(std::filesystem::exists(folder / "t"));
    return outcome.err;
  };
  // 2147483647 x 65535 x 65535 is more than 2^48.
  CHECK_THAT(traced("[2147483647, 65535, 65535]", ""),
             Contains("k.ptx:4:17: kernel 'k': a grid of") && Contains("at most 281474976710656"));
  CHECK_THAT(traced("1", "bar.sync 16;"), Contains("k.ptx:6:1: there is no barrier 16; they are 0 to 15"));
  CHECK_THAT(traced("1", "bar.sync 0, 65568;"), Contains("k.ptx:6:1: a barrier for 65568 threads"));
}

}  // namespace lockstep::extreme_parameters_test
