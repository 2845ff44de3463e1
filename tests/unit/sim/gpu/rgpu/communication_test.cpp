// Thread blocks on different SMs that talk through the L2 cache.

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "isa/error.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/stats/catalog.hpp"
#include "tests/unit/sim/gpu/rgpu/graph_trace.hpp"

namespace lockstep::communication_test {

using namespace lockstep::test;
using dataflow::CacheOperator;
using dataflow::Opcode;

namespace {

constexpr std::uint64_t shared_words = 1u << 28, result_words = 1u << 29;

std::uint64_t value(const gpu::Result& result, const std::string& name) {
  const stats::Statistic* statistic = stats::find_statistic(name);
  REQUIRE(statistic != nullptr);
  return statistic->value(result.counters);
}

/// Stores `count` words, one every 64 cycles when slow: its counter adds every eight, and sends each eighth sum.
GraphMaker producer(std::uint64_t count, CacheOperator op, bool slow = false) {
  GraphMaker graph("producer");
  const auto where = graph.counter("where", slow ? 8 * count : count, slow ? 1 : 8);
  if (slow) graph.last_values().emit_period = 8;
  graph.store("out", where, where, shared_words, count, op);
  return graph;
}

/// Waits for words from `first` on and stores them elsewhere.
GraphMaker consumer(std::uint64_t count, std::uint64_t first = shared_words) {
  GraphMaker graph("consumer");
  const auto where = graph.counter("where", count), to = graph.counter("to", count);
  const auto in = graph.load("in", where, first, count, CacheOperator::wait_for_hit);
  graph.store("out", to, in, result_words, count);
  return graph;
}

gpu::Result run(const gpu::GpuSpec& spec, GraphMaker& first, GraphMaker& second, unsigned threads = 1,
                std::uint32_t blocks = 2) {
  GraphTrace trace({first.graph(), second.graph()});
  trace.launch().grid = {blocks, 1, 1};
  trace.runs = [&](std::uint64_t block, std::uint32_t) { return block % 2 == 0 ? first.run() : second.run(); };
  gpu::Options options;
  options.threads = threads;
  return gpu::simulate(spec, trace, options);
}

std::string deadlock(const gpu::GpuSpec& spec, GraphMaker& first, GraphMaker& second, std::uint32_t blocks = 2) {
  try {
    run(spec, first, second, 1, blocks);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A consumer gets every word that a producer on another SM stores, and not before") {
  GraphMaker from = producer(128, CacheOperator::write_through, true), to = consumer(128);
  const gpu::Result result = run(rgpu_gpu(2), from, to);
  CHECK(value(result, "sm.rgpu.wait_loads") == 128);
  CHECK(value(result, "sm.rgpu.stores") == 2 * 128);
  CHECK(value(result, "memory.l2.waits") == value(result, "sm.rgpu.wait_requests"));
  CHECK(value(result, "memory.l2.waits") == 128 / 8);  // Whole sectors leave, so that one answer has eight words.
  // A sector comes every 512 cycles, sooner than that a request cannot be served; a round of the queue is 16 cycles of the
  // SM's clock, twice the L2's.
  CHECK(value(result, "memory.l2.wait_trips") > 14 * 5);
  CHECK(value(result, "memory.l2.wait_trips") < 16 * 512 / 16);
  CHECK(result.cycles > 128 * 64);
  // Behind the last word: its way to the slice and the consumer's to it and back, twice for the stores of the consumer.
  const gpu::MemorySpec memory = rgpu_gpu().memory;
  const Cycle way = 2 * (memory.noc.request_latency + memory.l2.latency + memory.noc.reply_latency);
  CHECK(result.cycles < 128 * 64 + way + 1000);
}

TEST_CASE("A consumer whose producer is done finds every word in the L2 cache and waits for nothing") {
  GraphMaker from = producer(256, CacheOperator::l2), to = consumer(256);
  const gpu::Result result = run(rgpu_gpu(1), from, to);  // One SM: one thread block after the other.
  CHECK(value(result, "memory.l2.waits") == 256 / 32);    // An answer has all of a line that is written.
  CHECK(value(result, "memory.l2.wait_trips") == 0);
}

TEST_CASE("Gathered words reach the consumer when the store unit has been idle for its time limit") {
  // Four words are less than a sector. A fifth comes after 300 additions of eight cycles.
  GraphMaker from("producer");
  const auto where = from.counter("where", 5), slow = from.counter("slow", 300, 1);
  from.last_values().emit_period = 300;
  from.node("out", Opcode::store, {GraphMaker::edge(where), GraphMaker::edge(slow, 4)}, 5,
            GraphMaker::words_from(shared_words, 5));
  GraphMaker to = consumer(4);
  const auto consumed = [&](Cycle limit) {
    gpu::GpuSpec spec = rgpu_gpu(2);
    spec.sm.rgpu.store_timeout = limit;
    GraphTrace trace({from.graph(), to.graph()});
    trace.launch().grid = {2, 1, 1};
    trace.runs = [&](std::uint64_t block, std::uint32_t) { return block == 0 ? from.run() : to.run(); };
    std::vector<gpu::Issue> issues;
    gpu::Options options;
    options.issues = &issues;
    gpu::simulate(spec, trace, options);
    for (const gpu::Issue& issue : issues)
      if (issue.thread_block == 1 && issue.operation == machine::Operation::integer) return issue.cycle;
    return never;
  };
  // The slice serves the load when it recirculates, every 16 cycles, and must read from DRAM what is not written of the
  // sector: a refresh of 91 cycles may be in the way.
  const Cycle early = consumed(500), late = consumed(1500), never_idle = consumed(100'000);
  CHECK(late >= early + 1000 - 120);
  CHECK(late <= early + 1000 + 120);
  CHECK(never_idle >= 2400);  // With the fifth.
  CHECK(never_idle < 2400 + early);
}

TEST_CASE("Communication comes out the same for any number of threads") {
  gpu::GpuSpec spec = rgpu_gpu(4);
  spec.memory.l2.wait_queue = 3;
  GraphMaker from = producer(300, CacheOperator::write_through), to = consumer(300);
  const gpu::Result one = run(spec, from, to, 1, 8), four = run(spec, from, to, 4, 8);
  CHECK(one.cycles == four.cycles);
  for (const stats::Statistic& statistic : stats::statistics()) {
    CAPTURE(statistic.name);
    CHECK(statistic.value(one.counters) == statistic.value(four.counters));
  }
  CHECK(value(one, "sm.rgpu.runs") == 8);
}

TEST_CASE("A word that is never stored is a deadlock, explained from node to slice") {
  GraphMaker from = producer(16, CacheOperator::write_through), to = consumer(17);
  const std::string text = deadlock(rgpu_gpu(2), from, to);
  CHECK(has(text, "deadlock at cycle"));
  CHECK(has(text, "sm 1: thread block 1, warp 0"));
  CHECK(has(text, "while the SM is in R-GPU mode"));
  CHECK(has(text, "thread block 1 has run graph consumer"));
  CHECK(has(text, "'in'"));
  CHECK(has(text, "16 of 17 firings"));
  CHECK(has(text, "a load of sm 1 waits for the word at 0x10000040, which no store has written"));
}

TEST_CASE("Loads that take all places of a slice keep it from the stores that they wait for") {
  // Fourteen load-store units wait for the first words of sectors of one slice, whose queue has eight places. The store that
  // they wait for comes behind them on the same SM: it never gets past.
  GraphMaker waiting("waiting");
  gpu::GpuSpec spec = rgpu_gpu(1);
  spec.memory.l2.slices = spec.memory.dram.channels = 1;
  spec.memory.l2.cache.bytes = 64 << 10;
  const auto where = waiting.counter("where", 1), late = waiting.counter("late", 100, 1);
  for (std::uint32_t n = 0; n < 12; ++n)
    waiting.load(fmt::format("in{}", n), where, shared_words + 32 * n, 1, CacheOperator::wait_for_hit);
  waiting.store("out", late, late, shared_words, 100);
  GraphMaker none = producer(1, CacheOperator::l2);
  const std::string text = deadlock(spec, waiting, none, 1);
  CHECK(has(text, "they take all 8 places of memory.l2.wait_queue"));
  CHECK(has(text, "in slice 0 of the L2 cache"));
  spec.memory.l2.wait_queue = 12;
  CHECK(deadlock(spec, waiting, none, 1).empty());
}

}  // namespace lockstep::communication_test
