// Counters of a replay at regular times: they change nothing, add up, and do not depend on how often one looks.

#include <catch2/catch.hpp>
#include <map>

#include "sim/gpu/simulation.hpp"
#include "sim/stats/catalog.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"
#include "tests/unit/sim/gpu/rgpu/graph_trace.hpp"

using namespace lockstep;
using namespace lockstep::test;
using program::AccessKind;
using program::MemorySpace;

namespace {

/// A kernel of 40 thread blocks that load, add and store, launched twice.
class TwoLaunches final : public trace::ComposedTrace {
 public:
  TwoLaunches() : ComposedTrace("two") {
    const std::uint32_t p = reg(64), v = reg();
    access("ld.global.u32", AccessKind::load, MemorySpace::global, {v}, {p});
    add("add.s32", {v}, {v});
    access("st.shared.u32", AccessKind::store, MemorySpace::shared, {}, {p, v});
    access("st.global.u32", AccessKind::store, MemorySpace::global, {}, {p, v});
    control("exit", program::Control::exit);
    kernel().live_registers = 16;
    kernel().static_shared_bytes = 8192;
    launch().grid = {40, 1, 1};
    launch().block = {96, 1, 1};
    execute = [](std::uint64_t block, std::uint32_t warp, Script script) {
      std::vector<std::uint64_t> lanes, columns;
      for (std::uint64_t lane = 0; lane < 32; ++lane) {
        lanes.push_back((1u << 28) + 4096 * block + 512 * warp + 4 * lane);
        columns.push_back(128 * lane % 4096);
      }
      script.enter(0).touch(lanes).touch(columns).touch(lanes);
    };
    header_ = ComposedTrace::header();
    header_.launches.push_back(header_.launches[0]);
  }
  const trace::Header& header() const override { return header_; }
  std::unique_ptr<trace::ThreadBlockStreams> open(std::uint32_t, std::uint64_t number) override {
    return ComposedTrace::open(0, number);
  }

 private:
  trace::Header header_;
};

struct Sampled {
  gpu::Result result;
  std::map<Cycle, gpu::Counters> at;
  std::vector<Cycle> order;
};

Sampled sampled(trace::Source& trace, const gpu::GpuSpec& spec, gpu::SampleOptions samples, unsigned threads = 1) {
  Sampled all;
  gpu::Options options;
  options.threads = threads;
  options.samples = std::move(samples);
  options.samples.take = [&all](const gpu::Sample& sample) {
    all.at[sample.at] = sample.counters;
    all.order.push_back(sample.at);
  };
  all.result = gpu::simulate(spec, trace, options);
  return all;
}

gpu::SampleOptions every(Cycle interval) {
  gpu::SampleOptions samples;
  samples.interval = interval;
  return samples;
}

Sampled sampled(Cycle interval, unsigned threads = 1) {
  TwoLaunches trace;
  return sampled(trace, gtx580(), every(interval), threads);
}

/// Every statistic, by its name.
std::map<std::string, std::uint64_t> values(const gpu::Counters& counters) {
  std::map<std::string, std::uint64_t> all;
  for (const stats::Statistic& one : stats::statistics()) all[one.name] = one.value(counters);
  return all;
}

}  // namespace

TEST_CASE("Samples change no count of a replay, however often they are taken") {
  const gpu::Result plain = sampled(0).result;
  REQUIRE(plain.launches.size() == 2);
  for (const Cycle interval : {1, 7, 64, 1000, 1'000'000}) {
    INFO("every " << interval << " cycles");
    const gpu::Result result = sampled(interval).result;
    CHECK(result.cycles == plain.cycles);
    CHECK(values(result.counters) == values(plain.counters));
  }
}

TEST_CASE("Samples stand at the multiples of the interval and at the end, where they are the result") {
  const Sampled every = sampled(64);
  const Cycle end = every.result.cycles;
  std::vector<Cycle> expected;
  for (Cycle at = 64; at < end; at += 64) expected.push_back(at);
  expected.push_back(end);
  CHECK(every.order == expected);
  CHECK(values(every.at.at(end)) == values(every.result.counters));
}

TEST_CASE("What a sample says does not depend on the interval or on the number of threads") {
  const Sampled fine = sampled(1), coarse = sampled(96), threads = sampled(96, 3);
  REQUIRE(coarse.order.size() > 10);
  for (const Cycle at : coarse.order) {
    INFO("cycle " << at);
    CHECK(values(fine.at.at(at)) == values(coarse.at.at(at)));
    CHECK(values(threads.at.at(at)) == values(coarse.at.at(at)));
  }
}

TEST_CASE("Counts never fall, and the issue slots of a sample are all slots of all SMs until then") {
  const Sampled fine = sampled(7);
  std::map<std::string, std::uint64_t> before;
  for (const auto& [at, counters] : fine.at) {
    const auto now = values(counters);
    for (const auto& [name, count] : before) {
      if (now.at(name) >= count) continue;
      INFO(name << " at cycle " << at);
      CHECK(now.at(name) >= count);
    }
    before = now;
  }
  // Two schedulers of an SM issue every second cycle, one in even and one in odd cycles; a launch begins in a first one.
  const gpu::GpuSpec& spec = gtx580();
  REQUIRE(spec.sm.schedulers == 2);
  REQUIRE(spec.sm.scheduler_interval == 2);
  const Cycle first = fine.result.launches[0].cycles;
  for (const auto& [at, counters] : fine.at) {
    const std::uint64_t launches = at <= first ? at : first + (at - first);
    const std::uint64_t slots = values(counters).at("sm.issue.slots");
    CHECK(slots >= launches * spec.sms);
    CHECK(slots <= (launches + 1) * spec.sms);
  }
}

TEST_CASE("Samples of chosen SMs and cycles") {
  TwoLaunches trace;
  gpu::SampleOptions samples = every(50);
  samples.from = 120;
  samples.to = 400;
  samples.sms = {1};
  const Sampled one = sampled(trace, gtx580(), samples);
  CHECK(one.order == std::vector<Cycle>{150, 200, 250, 300, 350, 400});
  // SM 1 of 16 gets its first thread blocks, 1, 17 and 33, at the begin.
  CHECK(values(one.at.at(400)).at("sm.thread_blocks") == 3);
  CHECK(values(one.at.at(400)).at("sm.issue.slots") == 400);
}

TEST_CASE("The FIFOs of a running graph are in the samples, and its counters are those of the end") {
  GraphMaker graph("copy");
  const auto where = graph.counter("where", 600);
  const auto in = graph.load("in", where, 1u << 28, 600);
  graph.store("out", where, in, 1u << 29, 600);
  GraphTrace trace({graph.graph()});
  trace.runs = [&](std::uint64_t, std::uint32_t) { return graph.run(); };
  const gpu::GpuSpec spec = rgpu_gpu(1);
  const auto replay = [&](Cycle interval) {
    std::uint32_t most = 0;
    std::uint64_t before = 0;
    gpu::Options options;
    options.samples = every(interval);
    options.samples.fifos = true;
    options.samples.take = [&](const gpu::Sample& sample) {
      for (const gpu::FifoLevel& fifo : sample.fifos) {
        CHECK(fifo.graph->nodes.size() == 3);
        most = std::max(most, fifo.values);
      }
      const rgpu::FabricCounters& fabric = sample.counters.sm.fabric;
      const std::uint64_t now = fabric.integer_firings + fabric.load_firings + fabric.store_firings;
      CHECK(now >= before);
      CHECK(now == fabric.fired);
      before = now;
    };
    const gpu::Result result = gpu::simulate(spec, trace, options);
    if (interval != 0) {
      CHECK(before == 3 * 600);
      CHECK(most > 0);
    }
    return std::pair(result.cycles, values(result.counters));
  };
  CHECK(replay(10) == replay(0));
}
