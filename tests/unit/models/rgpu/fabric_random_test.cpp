// Random graphs against tests/unit/models/rgpu/fabric_reference.hpp.

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

#include "tests/unit/models/rgpu/fabric_reference.hpp"

using namespace lockstep;
using namespace lockstep::rgpu;
using dataflow::Opcode;

namespace {

class RandomGraph {
 public:
  explicit RandomGraph(std::uint32_t seed) : random_(seed) {}

  Bed make() {
    Bed bed;
    bed.spec.cores = std::array{20u, 32u, 100u}[below(3)];
    bed.spec.load_store_units = bed.spec.cores / 2;
    bed.spec.data_fifo = 2 + below(9);
    bed.spec.address_fifo = 4 + below(60);
    bed.spec.slot_latency = below(3);
    bed.spec.load_latency = 1 + below(4);
    bed.spec.prefetch_scan = below(4);
    bed.spec.store_timeout = 1 + below(20);
    const std::uint32_t units = bed.spec.cores + bed.spec.load_store_units - 6;
    const std::uint32_t nodes = 3 + below(below(8) == 0 ? units : 20);
    while (bed.graph->nodes.size() < nodes) add(bed);
    scatter(bed);
    return bed;
  }

 private:
  std::uint32_t below(std::uint32_t end) { return random_() % end; }

  /// Values that a node sends to others.
  static std::uint64_t sent(const Bed& bed, std::uint32_t node) {
    const dataflow::NodeValues& values = bed.instance->nodes[node];
    std::uint64_t sum = 0;
    for (std::uint64_t n = 0; n != values.iterations; ++n)
      if (n % values.emit_period >= values.emit_period - values.emit_last) ++sum;
    return sum;
  }

  /// An earlier node with results, or none.
  std::uint32_t source(const Bed& bed) {
    for (int attempt = 0; attempt != 8; ++attempt) {
      const auto nodes = static_cast<std::uint32_t>(bed.graph->nodes.size());
      if (nodes == 0) break;
      const std::uint32_t node = nodes - 1 - below(std::min(nodes, 6u));
      if (bed.graph->nodes[node].op != Opcode::store && sent(bed, node) != 0) return node;
    }
    return dataflow::no_node;
  }

  void add(Bed& bed) {
    const std::uint32_t first = source(bed);
    const bool core = bed.cores + 1 < bed.spec.cores;
    const bool memory = bed.load_store_units + 1 < bed.spec.load_store_units && (!core || below(3) == 0);
    const auto self = static_cast<std::uint32_t>(bed.graph->nodes.size());
    // The first operand decides how often the node fires; it may leave values in its FIFO, and a source stuck.
    std::uint64_t iterations = 40 + below(200);
    std::vector<Input> inputs;
    if (first == dataflow::no_node || below(6) == 0) {
      inputs.push_back(memory && below(2) == 0 ? ring(1 + below(bed.spec.address_fifo), 1 + below(3))
                       : memory                ? constant()
                                               : from(self, 1 + below(bed.spec.data_fifo)));
    } else {
      const std::uint32_t reuse = below(4) == 0 && sent(bed, first) < 100 ? 1 + below(4) : 1;
      const std::uint32_t initial = below(bed.spec.data_fifo < 4 ? bed.spec.data_fifo : 4);
      const std::uint64_t there = (initial + sent(bed, first)) * reuse;
      const std::uint64_t leaves = below(2) == 0 ? below(3) : below(60) == 0 ? bed.spec.address_fifo : 0;
      iterations = there > leaves ? there - leaves : there;
      inputs.push_back(from(first, initial, reuse));
    }
    if (memory) {
      const bool load = below(2) == 0;
      std::vector<std::uint64_t> addresses;
      const std::uint64_t step = std::array{4, 16, 128, 256}[below(4)];
      for (std::uint64_t n = 0; n != iterations; ++n)
        addresses.push_back(below(9) == 0 ? dataflow::no_access : below(9) == 0 ? below(5000) : 4096 + n * step);
      if (!load) inputs.push_back(second(bed, iterations));
      const std::uint32_t made =
          bed.memory_node("m" + std::to_string(self), load ? Opcode::load : Opcode::store, inputs, addresses);
      dataflow::Node& node = bed.graph->nodes[made];
      if (below(4) == 0) {
        node.space = dataflow::Space::scratchpad;
        node.locks = below(2) == 0;
      } else if (below(5) == 0) {
        node.cache_operator = load ? dataflow::CacheOperator::wait_for_hit : dataflow::CacheOperator::write_through;
      }
    } else {
      const Opcode op = std::array{Opcode::add, Opcode::mad, Opcode::sine, Opcode::fma_f32, Opcode::move}[below(5)];
      const std::size_t operands = op == Opcode::add ? 2 : op == Opcode::mad || op == Opcode::fma_f32 ? 3 : 1;
      while (inputs.size() < operands) inputs.push_back(second(bed, iterations));
      bed.node("c" + std::to_string(self), op, inputs, iterations);
    }
    dataflow::NodeValues& values = bed.instance->nodes[self];
    if (below(4) == 0) {
      values.emit_period = 1 + below(5);
      values.emit_last = 1 + below(values.emit_period);
    }
  }

  /// Another operand of a node that fires so often: an edge where one fits.
  Input second(const Bed& bed, std::uint64_t iterations) {
    const auto self = static_cast<std::uint32_t>(bed.graph->nodes.size());
    for (int attempt = 0; attempt != 4; ++attempt) {
      const std::uint32_t node = source(bed);
      if (node == dataflow::no_node) break;
      for (const std::uint32_t reuse : {1u, 2u, 3u, 4u, 6u})
        for (std::uint32_t initial = 0; initial < bed.spec.data_fifo; ++initial) {
          const std::uint64_t there = initial + sent(bed, node);
          if (there * reuse >= iterations && there - iterations / reuse <= bed.spec.data_fifo)
            return from(node, initial, reuse);
        }
    }
    switch (below(4)) {
      case 0: return ring(1 + below(bed.spec.data_fifo), 1 + below(3));
      case 1:
        if (bed.spec.data_fifo > 1) return from(self, 1 + below(bed.spec.data_fifo));
        [[fallthrough]];
      default: return constant();
    }
  }

  /// Any places; stores do not feed themselves.
  void scatter(Bed& bed) {
    std::vector<std::uint32_t> cores(bed.spec.cores), units(bed.spec.load_store_units);
    for (std::uint32_t n = 0; n != cores.size(); ++n) cores[n] = n;
    for (std::uint32_t n = 0; n != units.size(); ++n) units[n] = n;
    for (auto* places : {&cores, &units})
      for (std::size_t n = places->size(); n > 1; --n)
        std::swap((*places)[n - 1], (*places)[below(static_cast<std::uint32_t>(n))]);
    for (std::uint32_t n = 0; n != bed.graph->nodes.size(); ++n) {
      auto& places = bed.is_memory(n) ? units : cores;
      bed.mapping.place[n] = places.back();
      places.pop_back();
    }
    for (std::uint32_t n = 0; n != bed.graph->nodes.size(); ++n)
      for (std::uint32_t k = 0; k != bed.graph->nodes[n].operands.size(); ++k) {
        dataflow::Operand& operand = bed.graph->nodes[n].operands[k];
        if (bed.graph->nodes[n].op == Opcode::store && operand.source == n) operand = {};
      }
  }

  std::mt19937 random_;
};

/// Answers that look random and depend on nothing but seed, cycle and ask.
FakeMemory moody_memory(std::uint32_t seed, std::shared_ptr<std::set<Cycle>*> wakes) {
  FakeMemory memory;
  memory.answers = [seed, wakes](const Ask& ask, Cycle now) {
    std::mt19937 random(
        static_cast<std::uint32_t>(seed * 77 + now * 31 + ask.unit * 7 + static_cast<std::uint32_t>(ask.kind)));
    random.discard(3);
    const std::uint32_t mood = seed % 3 == 0 ? 100 : random() % 100;
    if (mood < 10) return Answer::refused;
    if (mood < 30) {
      (*wakes)->insert(now + 1 + random() % 40);
      return Answer::waits;
    }
    return Answer::done;
  };
  return memory;
}

}  // namespace

namespace {

struct GraphOutcomes {
  std::uint32_t ended = 0, stuck = 0;
};

GraphOutcomes check_random_graphs(std::uint32_t seeds) {
  GraphOutcomes all;
  for (std::uint32_t seed = 0; seed != seeds; ++seed) {
    CAPTURE(seed);
    Bed bed = RandomGraph(seed).make();
    auto wakes = std::make_shared<std::set<Cycle>*>();

    FakeMemory for_reference = moody_memory(seed, wakes);
    *wakes = &for_reference.wakes;
    const ReferenceResult expected = Reference(bed, for_reference).run(300);
    ++(expected.ended ? all.ended : all.stuck);

    for (const bool every_cycle : {false, true}) {
      CAPTURE(every_cycle);
      bed.memory = moody_memory(seed, wakes);
      *wakes = &bed.memory.wakes;
      Fabric fabric(bed.spec);
      fabric.record_activity(1);
      fabric.record_nodes(true);
      const Cycle last = bed.run_until_done(fabric, every_cycle);
      REQUIRE(bed.memory.log == for_reference.log);
      REQUIRE((last != never) == expected.ended);
      std::vector<std::array<std::uint32_t, 3>> firings = expected.firings, own = fabric.activity().intervals;
      const std::size_t length = std::max(firings.size(), own.size());
      firings.resize(length);
      own.resize(length);
      REQUIRE(own == firings);
      for (const auto& [fifo, left] : expected.left)
        if (bed.graph->nodes[fifo.first].operands[fifo.second].kind == dataflow::Operand::Kind::edge)
          REQUIRE(fabric.values(fifo.first, fifo.second) == left);
      if (!expected.ended) {
        REQUIRE(!fabric.describe().empty());
        continue;
      }
      fabric.finish(last + 1);
      REQUIRE(last == expected.last);
      const FabricCounters& counters = fabric.counters();
      CHECK(counters.fired == expected.fired);
      CHECK(counters.waits_operand == expected.waits_operand);
      CHECK(counters.waits_receiver == expected.waits_receiver);
      CHECK(counters.waits_memory == expected.waits_memory);
      CHECK(counters.waits_lock == expected.waits_lock);
      CHECK(counters.ended == expected.done);
      NodeCycles all;
      for (const NodeCycles& one : fabric.nodes(bed.mapping)) {
        CHECK(one.fired + one.waits_operand + one.waits_receiver + one.waits_memory + one.waits_lock + one.ended ==
              counters.cycles);
        counter::add(all, one);
      }
      CHECK(all.fired == expected.fired);
      CHECK(all.waits_operand == expected.waits_operand);
      CHECK(all.waits_receiver == expected.waits_receiver);
      CHECK(all.waits_memory == expected.waits_memory);
      CHECK(all.waits_lock == expected.waits_lock);
      CHECK(all.ended == expected.done);
      CHECK(counters.data_fifo_reads == expected.data_reads);
      CHECK(counters.data_fifo_writes == expected.data_writes);
      CHECK(counters.address_fifo_reads == expected.address_reads);
      CHECK(counters.address_fifo_writes == expected.address_writes);
      CHECK(counters.lane_words == expected.lane_words);
      CHECK(counters.lane_slots == expected.lane_slots);
      CHECK(counters.unit_cycles == (last + 1) * bed.graph->nodes.size());
      const auto memory_units = std::count_if(bed.graph->nodes.begin(), bed.graph->nodes.end(), [](const auto& node) {
        return dataflow::facts(node.op).unit == dataflow::UnitClass::load_store;
      });
      CHECK(counters.memory_unit_cycles == (last + 1) * static_cast<std::uint64_t>(memory_units));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("Random graphs run on the fabric as the rules say, also when nothing but events is stepped") {
  const GraphOutcomes all = check_random_graphs(40);
  CHECK(all.ended > 13);
  CHECK(all.stuck > 0);
}

TEST_CASE("Many random graphs run on the fabric as the rules say", "[long]") {
  const GraphOutcomes all = check_random_graphs(150);
  CHECK(all.ended > 50);
  CHECK(all.stuck > 5);
}
