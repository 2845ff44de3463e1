// The histogram kernels on the functional machine against their references: every layout, width of bins and pixels, order of reading
// and way of adding, at small sizes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "isa/error.hpp"
#include "isa/exec/machine.hpp"
#include "sim/workload/workload.hpp"

namespace lockstep::histogram_kernels_test {

using namespace lockstep::workload;
using Catch::Matchers::Contains;

namespace {

void run(const std::string& name, ArgumentOverrides overrides) {
  const bool drawn =
      std::any_of(overrides.begin(), overrides.end(), [](const auto& one) { return one.first == "input"; });
  if (!drawn) overrides.emplace_back("image", name == "histogram-colour" ? "coffee-colour" : "raccoon-small");
  std::string shown = name;
  for (const auto& [argument, value] : overrides) shown += " " + argument + "=" + value;
  CAPTURE(shown);
  const Workload workload = Workload::load(name);
  exec::Machine machine(workload.build(overrides));
  machine.finish();
  const CheckResult result = workload.check(overrides, machine);
  CHECK(result.checked);
  CHECK(result.message == "");
  CHECK(result.passed);
}

const char* const layouts[] = {"hist-major", "hist-major-padded", "bin-major"};
const char* const orders[] = {"naive", "interleaved", "contiguous", "strided"};

}  // namespace

TEST_CASE("votes in global memory are counted in every layout and order, however many sub-histograms there are") {
  for (const char* layout : layouts) {
    for (const char* replication : {"1", "8", "128"})
      run("histogram-global", {{"layout", layout}, {"replication", replication}, {"threads", "128"}, {"sms", "2"}});
    run("histogram-global", {{"layout", layout}, {"bins", "4096"}, {"replication", "4"}, {"pixel_bits", "32"}});
  }
  for (const char* order : orders)
    for (const char* unrolled : {"0", "1"})
      run("histogram-global", {{"order", order}, {"unrolled", unrolled}, {"threads", "96"}, {"blocks_per_sm", "1"}});
  CHECK_THROWS_WITH(run("histogram-global", {{"replication", "3"}}), Contains("no power of two"));
}

TEST_CASE("votes in scratchpad memory are counted in every layout, and blocks that have nothing to do add nothing") {
  for (const char* layout : layouts)
    for (const char* replication : {"1", "4", "32"})
      for (const char* rotate : {"0", "1"})
        run("histogram-scratchpad",
            {{"layout", layout}, {"replication", replication}, {"rotate", rotate}, {"sms", "3"}});
  run("histogram-scratchpad", {{"threads", "32"}, {"unrolled", "1"}, {"bins", "16"}, {"sms", "1"}});
  run("histogram-scratchpad", {{"input", "degenerate"}, {"length", "64"}, {"blocks_per_sm", "4"}});
}

TEST_CASE("threads count alone in bins of 8, 16 and 32 bits, wherever the bins lie") {
  for (const char* counters : {"bits-32", "bits-16", "bits-8", "bank-private-16", "bank-private-8", "shuffled-8"})
    for (const auto& [pixel_bits, threads] : {std::pair{"8", "192"}, {"16", "64"}, {"32", "64"}})
      run("histogram-thread-private",
          {{"counters", counters}, {"pixel_bits", pixel_bits}, {"threads", threads}, {"bins", "16"}});
  for (const char* layout : layouts)
    for (const char* counters : {"bits-32", "bits-16", "bits-8"})
      run("histogram-thread-private",
          {{"counters", counters}, {"layout", layout}, {"threads", "96"}, {"unrolled", "0"}});
  for (const char* order : orders) run("histogram-thread-private", {{"order", order}, {"counters", "bank-private-16"}});
}

TEST_CASE("a bin that could overflow is refused, and one that is full to the last count is not") {
  CHECK_THROWS_WITH(run("histogram-thread-private", {{"counters", "bits-8"}, {"sms", "1"}, {"blocks_per_sm", "1"}}),
                    Contains("more pixels than a bin holds"));
  // 127 pixels of one level for each of 32 threads, and what the order of reading may add.
  run("histogram-thread-private",
      {{"counters", "bits-8"}, {"input", "degenerate"}, {"length", "4064"}, {"sms", "1"}, {"blocks_per_sm", "1"}});
}

TEST_CASE("warps count alone, by tags and by atomics") {
  for (const char* addition : {"software", "hardware"}) {
    for (const char* layout : layouts)
      for (const char* replication : {"1", "2", "8"})
        run("histogram-warp-private",
            {{"addition", addition}, {"layout", layout}, {"replication", replication}, {"threads", "64"}});
    for (const char* pixel_bits : {"8", "16", "32"})
      for (const char* shuffle : {"0", "1"})
        run("histogram-warp-private", {{"addition", addition},
                                       {"pixel_bits", pixel_bits},
                                       {"shuffle", shuffle},
                                       {"threads", "96"},
                                       {"input", "uniform"},
                                       {"length", "8192"}});
    for (const char* order : orders)
      run("histogram-warp-private", {{"addition", addition}, {"order", order}, {"threads", "64"}});
    // All lanes of a warp on one bin: the loop of tags takes 32 iterations.
    run("histogram-warp-private",
        {{"addition", addition}, {"input", "degenerate"}, {"length", "8192"}, {"replication", "1"}});
  }
  for (const char* range : {"64", "512", "4096"})
    run("histogram-warp-private", {{"addition", "hardware-ranges"},
                                   {"pixel_bits", "32"},
                                   {"bins", "1024"},
                                   {"range", range},
                                   {"replication", "1"},
                                   {"threads", "64"}});
}

TEST_CASE("pixels of one word are counted per block and by sorting, whatever their number") {
  for (const char* bins : {"2", "32", "4096"})
    for (const char* order : orders) run("histogram-words", {{"bins", bins}, {"order", order}, {"threads", "160"}});
  for (const char* threads : {"32", "64", "512"})
    for (const char* length : {"1", "1023", "5000"})
      for (const char* input : {"uniform", "degenerate"})
        run("histogram-words", {{"method", "sort-and-count"},
                                {"threads", threads},
                                {"input", input},
                                {"length", length},
                                {"bins", "64"},
                                {"sms", "2"}});
  CHECK_THROWS_WITH(run("histogram-words", {{"method", "sort-and-count"}, {"threads", "96"}}),
                    Contains("no power of two"));
  CHECK_THROWS_WITH(run("histogram-words", {{"bins", "4096"}, {"blocks_per_sm", "3"}}),
                    Contains("no sub-histogram fits"));
}

TEST_CASE("colour pixels are counted as grey levels, as combinations and by colour") {
  const ArgumentOverrides small = {{"width", "101"}, {"height", "67"}, {"sms", "2"}, {"threads", "128"}};
  const auto run_with = [&small](ArgumentOverrides more) {
    more.insert(more.end(), small.begin(), small.end());
    run("histogram-colour", more);
  };
  for (const char* kernel : {"grey", "direct", "channels"}) {
    run_with({{"kernel", kernel}});
    run_with({{"kernel", kernel}, {"replication", "1"}, {"padding", "0"}});
  }
  for (const char* levels : {"2", "16"}) run_with({{"kernel", "direct"}, {"levels", levels}});
}

}  // namespace lockstep::histogram_kernels_test
