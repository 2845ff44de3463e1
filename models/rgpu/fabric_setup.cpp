// The beginning and the end of a run: units, FIFOs and delays from graph and mapping; counters that follow from numbers of
// firings.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "isa/dataflow/rates.hpp"
#include "isa/error.hpp"
#include "models/rgpu/fabric.hpp"
#include "models/rgpu/fabric_state.hpp"

namespace lockstep::rgpu {

using dataflow::Operand;
using dataflow::UnitClass;

namespace {

bool of_load_store(const dataflow::Node& node) {
  return dataflow::facts(node.op).unit == UnitClass::load_store;
}

Cycle latency(const dataflow::Node& node, const Spec& spec) {
  const dataflow::OpcodeFacts& facts = dataflow::facts(node.op);
  switch (facts.unit) {
    case UnitClass::load_store: return spec.load_latency;
    case UnitClass::special: return spec.special_latency;
    case UnitClass::integer:
    case UnitClass::floating: break;
  }
  return facts.operands == 3 ? spec.three_operand_latency : spec.two_operand_latency;
}

std::uint32_t capacity(const dataflow::Node& node, std::size_t operand, const Spec& spec) {
  return of_load_store(node) && operand == 0 ? spec.address_fifo : spec.data_fifo;
}

std::string entries_text(const dataflow::Node& node, std::size_t operand, std::uint32_t entries) {
  return fmt::format("its FIFO has {} entr{} (sm.rgpu.{})", entries, entries == 1 ? "y" : "ies",
                     of_load_store(node) && operand == 0 ? "address_fifo" : "data_fifo");
}

/// Firings of the first `firings` whose results go to other nodes.
std::uint64_t emitted(const dataflow::NodeValues& values) {
  const std::uint64_t rest = values.iterations % values.emit_period, silent = values.emit_period - values.emit_last;
  return values.iterations / values.emit_period * values.emit_last + (rest > silent ? rest - silent : 0);
}

void check(const dataflow::Graph& graph, const dataflow::Instance& instance, const Spec& spec) {
  Diagnostics errors;
  for (std::size_t n = 0; n != graph.nodes.size(); ++n) {
    const dataflow::Node& node = graph.nodes[n];
    const dataflow::NodeValues& values = instance.nodes.at(n);
    bool numbers = values.emit_period != 0 && values.emit_last <= values.emit_period;
    for (std::size_t k = 0; k != node.operands.size(); ++k) {
      const Operand& operand = node.operands[k];
      if (operand.kind == Operand::Kind::constant) continue;
      numbers = numbers && values.operands.at(k).reuse != 0;
      const std::uint32_t entries = capacity(node, k, spec);
      if (operand.initial > entries) {
        errors.add(node.where, fmt::format("operand {} of node '{}' has {} initial values; {}", k, node.name,
                                           operand.initial, entries_text(node, k, entries)));
      }
      if (operand.kind == Operand::Kind::ring && operand.initial == 0)
        errors.add(node.where, fmt::format("operand {} of node '{}' is a ring without values", k, node.name));
    }
    if (!numbers) throw Bug("node '" + node.name + "' has an emit or reuse that has not been checked");
  }
  errors.throw_if_any();
}

}  // namespace

void check_that_it_ends(const dataflow::Graph& graph, const dataflow::Instance& instance, const Spec& spec) {
  Diagnostics errors;
  for (std::uint32_t n = 0; n != graph.nodes.size(); ++n) {
    const dataflow::Node& node = graph.nodes[n];
    for (std::size_t k = 0; k != node.operands.size(); ++k) {
      const Operand& operand = node.operands[k];
      if (operand.kind != Operand::Kind::edge) continue;
      const std::uint32_t entries = capacity(node, k, spec);
      const std::uint64_t sent = dataflow::values_sent(instance.nodes.at(operand.source), operand.source == n);
      const std::uint64_t all = sent + operand.initial;
      const std::uint64_t left =
          all - std::min(all, instance.nodes[n].iterations / instance.nodes[n].operands[k].reuse);
      if (left <= entries) continue;
      const std::string& source = graph.nodes[operand.source].name;
      errors.add(node.where,
                 fmt::format("node '{}' takes {} of the {} values at operand {}{} from '{}'; {} are left, but {}, so "
                             "that '{}' cannot send them all",
                             node.name, all - left, all, k,
                             operand.initial == 0 ? "" : fmt::format(", {} initial and {}", operand.initial, sent),
                             source, left, entries_text(node, k, entries), source));
    }
  }
  errors.throw_if_any();
}

Fabric::State::State(const Spec& of, std::uint32_t line_bytes) : spec(of) {
  if (!std::has_single_bit(line_bytes)) throw Bug("the line of an R-GPU prefetcher is not a power of two");
  line_shift = static_cast<std::uint32_t>(std::countr_zero(line_bytes));
}

/// Cores first, then load-store units, each in order of their places.
void Fabric::State::number_units() {
  const auto nodes = static_cast<std::uint32_t>(graph().nodes.size());
  std::vector<std::uint32_t> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  const auto in_order = [this](std::uint32_t a, std::uint32_t b) {
    return std::pair(of_load_store(graph().nodes[a]), mapping->place.at(a)) <
           std::pair(of_load_store(graph().nodes[b]), mapping->place.at(b));
  };
  std::sort(order.begin(), order.end(), in_order);

  units.assign(nodes, {});
  groups.assign((nodes + word_bits - 1) / word_bits, {});
  unit_of_node.assign(nodes, 0);
  unit_of_number.assign(spec.load_store_units, no_fifo);
  first_memory = nodes;
  for (std::uint32_t u = 0; u != nodes; ++u) {
    const dataflow::Node& node = graph().nodes[order[u]];
    const std::uint32_t place = mapping->place[order[u]];
    units[u].node = order[u];
    unit_of_node[order[u]] = u;
    if (place >= (of_load_store(node) ? spec.load_store_units : spec.cores) ||
        (u != 0 && !in_order(order[u - 1], order[u])))
      throw Bug("node '" + node.name + "' is mapped to no unit, or to that of another node");
    UnitGroup& in = group(u);
    in.used |= bit(u);
    switch (dataflow::facts(node.op).unit) {
      case UnitClass::load_store:
        in.memory |= bit(u);
        first_memory = std::min(first_memory, u);
        unit_of_number[place] = u;
        if (node.locks && node.op == dataflow::Opcode::load) in.locks |= bit(u);
        break;
      case UnitClass::integer: in.integer |= bit(u); break;
      case UnitClass::floating:
      case UnitClass::special: in.floating |= bit(u); break;
    }
    in.cores = in.used & ~in.memory;
  }
}

/// FIFOs in order of owner and operand, and their writers.
void Fabric::State::connect() {
  fifos.clear();
  for (std::uint32_t u = 0; u != units.size(); ++u) {
    units[u].fifos = static_cast<std::uint16_t>(fifos.size());
    const dataflow::Node& node = graph().nodes[units[u].node];
    for (std::uint32_t k = 0; k != node.operands.size(); ++k) {
      if (node.operands[k].kind != Operand::Kind::edge) continue;
      Fifo& fifo = fifos.emplace_back();
      fifo.owner = u;
      fifo.source = unit_of_node.at(node.operands[k].source);
      fifo.operand = static_cast<std::uint16_t>(k);
      fifo.capacity = capacity(node, k, spec);
      fifo.arrived = node.operands[k].initial;
      fifo.free = fifo.capacity - fifo.arrived;
    }
    units[u].fifos_end = static_cast<std::uint16_t>(fifos.size());
  }
  receivers.clear();
  for (std::uint32_t u = 0; u != units.size(); ++u) {
    units[u].receivers = static_cast<std::uint16_t>(receivers.size());
    for (const bool own : {false, true}) {
      if (own) units[u].own = static_cast<std::uint16_t>(receivers.size());
      for (std::uint32_t f = 0; f != fifos.size(); ++f)
        if (fifos[f].source == u && (fifos[f].owner == u) == own) receivers.push_back(f);
    }
    units[u].receivers_end = static_cast<std::uint16_t>(receivers.size());
  }
}

/// Latencies of the units, and of every FIFO the cycles that a value is on its lane; a wheel that holds the longest.
void Fabric::State::set_delays() {
  route_slots.assign(units.size(), 0);
  std::vector<std::uint32_t> first(units.size(), 0);
  for (const Route& route : mapping->routes) {
    route_slots[unit_of_node.at(route.source)] = route.slots;
    first[unit_of_node[route.source]] = route.first;
  }
  pipelines.assign(units.size(), {});
  for (std::uint32_t u = 0; u != units.size(); ++u) {
    const Cycle cycles = latency(graph().nodes[units[u].node], spec);
    if (cycles == 0 || cycles > most_latency) throw Bug("a unit of an R-GPU fabric has an impossible latency");
    pipelines[u].latency = static_cast<std::uint32_t>(cycles);
  }
  lane_delay.clear();
  Cycle longest = 0;
  for (const Fifo& fifo : fifos) {
    Cycle delay = 0;
    if (fifo.source != fifo.owner) {
      const std::uint32_t node = units[fifo.owner].node, reads = read_slot(graph(), spec, *mapping, node);
      const std::uint32_t passed = (reads + spec.cores - first[fifo.source]) % spec.cores;
      if (passed >= route_slots[fifo.source])
        throw Bug("the route of node '" + graph().nodes[units[fifo.source].node].name + "' does not reach node '" +
                  graph().nodes[node].name + "'");
      delay = spec.slot_latency * passed;
    }
    longest = std::max(longest, delay);
    lane_delay.push_back(static_cast<std::uint32_t>(delay));
  }
  fifo_words = static_cast<std::uint32_t>((fifos.size() + word_bits - 1) / word_bits);
  const Cycle cycles = std::bit_ceil(longest + 1);
  wheel_mask = cycles - 1;
  wheel.assign(cycles * fifo_words, 0);
  rows.assign((cycles + word_bits - 1) / word_bits, 0);
}

/// Iterations, uses and addresses.
void Fabric::State::set_numbers() {
  memory.assign(units.size() - first_memory, {});
  for (std::uint32_t u = 0; u != units.size(); ++u) {
    Unit& unit = units[u];
    UnitGroup& in = group(u);
    const dataflow::Node& node = graph().nodes[unit.node];
    const dataflow::NodeValues& values = run->instance->nodes[unit.node];
    unit.left = values.iterations;
    unit.emit_period = values.emit_period;
    unit.emit_silent = values.emit_period - values.emit_last;
    unit.emits = unit.emit_silent == 0;
    if (unit.left != 0) in.alive |= bit(u);
    for (std::uint32_t f = unit.fifos; f != unit.fifos_end; ++f) {
      fifos[f].reuse = fifos[f].uses_left = values.operands[fifos[f].operand].reuse;
      if (fifos[f].arrived == 0) ++unit.missing;
    }
    if (unit.missing != 0) in.empty |= bit(u);
    for (std::uint32_t r = unit.receivers; r != unit.own; ++r)
      if (fifos[receivers[r]].free == 0) ++unit.full;
    set_full(u);
    if (u < first_memory) continue;

    MemoryUnit& of = memory[u - first_memory];
    const bool load = node.op == dataflow::Opcode::load, global = node.space == dataflow::Space::global;
    of.kind = load ? MemoryUnit::Kind::load : MemoryUnit::Kind::store;
    of.number = mapping->place[unit.node];
    of.gathers = !load && global;
    const dataflow::AddressStream& stream = run->accesses.at(unit.node);
    std::uint64_t addresses = 0;
    for (const dataflow::AddressRun& part : stream.runs()) addresses += part.count;
    if (addresses != values.iterations)
      throw Bug(fmt::format("node '{}' fires {} times and has {} addresses", node.name, values.iterations, addresses));
    of.cursor = dataflow::AddressCursor(stream);
    if (unit.left != 0) of.head = of.cursor.next();
    const Operand& address = node.operands.at(0);
    if (address.kind == Operand::Kind::constant) continue;
    of.reuse = of.uses_left = values.operands[0].reuse;
    if (address.kind == Operand::Kind::edge) of.fifo = unit.fifos;
    if (address.kind == Operand::Kind::ring) of.ring = address.initial;
    of.prefetches = load && global && node.cache_operator == dataflow::CacheOperator::l1 && spec.prefetch_scan != 0;
    if (!of.prefetches) continue;
    of.scan = dataflow::AddressCursor(stream);
    of.scan_left = values.iterations;
    of.scan_end = (values.iterations + of.reuse - 1) / of.reuse;
    if (of.fifo != no_fifo) fifos[of.fifo].scanned = true;
    if (to_scan(of)) in.scanning |= bit(u);
  }
}

void Fabric::start(std::shared_ptr<const dataflow::GraphRun> run, const Mapping& mapping, Cycle now) {
  State& state = *state_;
  if (state.running) throw Bug("R-GPU fabric", now, "a run begins before the last one has ended");
  check(*run->graph, *run->instance, state.spec);
  // Places of FIFOs are kept in 16 bits.
  if (run->graph->nodes.size() > 4096) throw Bug("R-GPU fabric", now, "more nodes than any fabric has units");
  state.run = std::move(run);
  state.mapping = &mapping;
  state.begin = state.accounted = state.moved = now;
  state.unanswered = 0;
  state.asks.clear();
  state.number_units();
  state.connect();
  state.set_delays();
  state.set_numbers();
  state.counters = {};
  state.unit_cycles.assign(records_nodes_ ? state.units.size() : 0, {});
  state.running = true;
}

/// What follows from the numbers of firings, when all have been.
std::uint64_t& firings_of(FabricCounters& counters, const dataflow::Node& node) {
  switch (dataflow::facts(node.op).unit) {
    case UnitClass::integer: return counters.integer_firings;
    case UnitClass::floating: return counters.floating_firings;
    case UnitClass::special: return counters.special_firings;
    case UnitClass::load_store: break;
  }
  return node.op == dataflow::Opcode::load ? counters.load_firings : counters.store_firings;
}

void Fabric::State::count() {
  for (std::uint32_t u = 0; u != units.size(); ++u) {
    const dataflow::Node& node = graph().nodes[units[u].node];
    const dataflow::NodeValues& values = run->instance->nodes[units[u].node];
    const std::uint64_t firings = values.iterations, sent = emitted(values);
    firings_of(counters, node) += firings;
    if (units[u].receivers != units[u].own) {
      counters.lane_words += sent;
      counters.lane_slots += sent * route_slots[u];
    }
    for (std::uint32_t k = 0; k != node.operands.size(); ++k) {
      const Operand& operand = node.operands[k];
      if (operand.kind == Operand::Kind::constant) continue;
      const std::uint64_t read = firings / values.operands[k].reuse;
      std::uint64_t written = read;
      if (operand.kind == Operand::Kind::edge) {
        const dataflow::NodeValues& source = run->instance->nodes[operand.source];
        written = operand.source == units[u].node ? source.iterations : emitted(source);
      }
      const bool address = u >= first_memory && k == 0;
      (address ? counters.address_fifo_reads : counters.data_fifo_reads) += read;
      (address ? counters.address_fifo_writes : counters.data_fifo_writes) += written;
    }
  }
}

void Fabric::finish(Cycle now) {
  State& state = *state_;
  if (!done()) throw Bug("R-GPU fabric", now, "a run ends before it is done");
  state.skip_to(now);
  state.count();
  FabricCounters& run = state.counters;
  run.runs = 1;
  run.cycles = state.accounted - state.begin;
  run.unit_cycles = run.cycles * state.units.size();
  run.memory_unit_cycles = run.cycles * state.memory.size();
  if (run.fired + run.waits_operand + run.waits_receiver + run.waits_memory + run.waits_lock + run.ended !=
      run.unit_cycles)
    throw Bug("R-GPU fabric", now, "the states of the units do not add up to their cycles");
  if (run.fired !=
      run.integer_firings + run.floating_firings + run.special_firings + run.load_firings + run.store_firings)
    throw Bug("R-GPU fabric", now, "units have not fired as often as their nodes shall");
  counter::add(counters_, run);
  if (!state.unit_cycles.empty()) {
    auto of = std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& one) { return one.first == state.mapping; });
    if (of == nodes_.end()) of = nodes_.insert(of, {state.mapping, std::vector<NodeCycles>(state.units.size())});
    for (std::uint32_t u = 0; u != state.units.size(); ++u) {
      state.unit_cycles[u].fired = state.iterations(state.units[u]);
      counter::add(of->second[state.units[u].node], state.unit_cycles[u]);
    }
  }
  state.running = false;
  state.run.reset();
}

}  // namespace lockstep::rgpu
