#include "isa/dataflow/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "isa/dataflow/components.hpp"
#include "isa/dataflow/rates.hpp"

namespace lockstep::dataflow {

namespace {

constexpr std::uint64_t slot_alignment = 256;
constexpr std::uint64_t most_values = std::uint64_t{1} << 29;  ///< Addresses are signed 32-bit byte offsets.

/// What the instances of all thread blocks say about a graph.
struct Numbers {
  std::vector<std::uint32_t> rate;       ///< Per node: nodes with the same one send equally many values, everywhere.
  std::vector<std::uint64_t> most_sent;  ///< Per node: values that go to other nodes, at most.
  std::vector<std::set<std::uint32_t>> buffers;  ///< Per memory operation: where its base lies.
};

Numbers numbers_of(const Program& whole, std::uint64_t thread_blocks) {
  const Graph& graph = *whole.parts[0];
  Numbers result;
  result.rate.assign(graph.nodes.size(), 0);
  result.most_sent.assign(graph.nodes.size(), 0);
  result.buffers.resize(graph.nodes.size());
  for (std::uint64_t block = 0; block < thread_blocks; ++block) {
    const Instance instance = whole.instance(block);
    check(graph, instance);
    // Nodes that sent equally many so far, and now.
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> rates;
    for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
      const std::uint64_t sent = values_sent(instance.nodes[node], false);
      const auto next = static_cast<std::uint32_t>(rates.size());
      result.rate[node] = rates.emplace(std::pair{result.rate[node], sent}, next).first->second;
      result.most_sent[node] = std::max(result.most_sent[node], sent);
      if (is_memory(graph.nodes[node].op)) result.buffers[node].insert(instance.nodes[node].base.buffer);
    }
  }
  return result;
}

/// Nodes whose values are computed again in every part: cores that take values of no other node. Results are stored once.
std::vector<bool> copied_nodes(const Graph& graph) {
  std::vector<bool> copied;
  const auto all = receivers(graph);
  for (std::uint32_t number = 0; number < graph.nodes.size(); ++number) {
    const Node& node = graph.nodes[number];
    const bool alone = std::all_of(node.operands.begin(), node.operands.end(), [&](const Operand& operand) {
      return operand.kind != Operand::Kind::edge || operand.source == number;
    });
    const bool is_used = std::any_of(all[number].begin(), all[number].end(),
                                     [&](const Receiver& receiver) { return receiver.node != number; });
    const bool has_result = std::any_of(graph.results.begin(), graph.results.end(),
                                        [&](const Result& result) { return result.node == number; });
    copied.push_back(alone && is_used && !has_result && !is_memory(node.op) && node.op != Opcode::guard);
  }
  return copied;
}

/// Whether edges lead from one node to another.
bool leads(const Successors& successors, std::uint32_t from, std::uint32_t to) {
  std::vector<bool> seen(successors.size(), false);
  std::vector<std::uint32_t> open = {from};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (at == to) return true;
    if (seen[at]) continue;
    seen[at] = true;
    open.insert(open.end(), successors[at].begin(), successors[at].end());
  }
  return false;
}

bool share(const std::set<std::uint32_t>& a, const std::set<std::uint32_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](std::uint32_t buffer) { return b.count(buffer) != 0; });
}

PartitionProblem problem_of(const Graph& graph, const Numbers& numbers, const PartLimits& limits) {
  const auto count = static_cast<std::uint32_t>(graph.nodes.size());
  const std::vector<bool> copied = copied_nodes(graph);
  PartitionProblem problem;
  problem.limits = limits;
  Successors bound = successors(graph);  // With edges back where nodes stay together, and what must come first.
  std::uint32_t in_scratchpad = no_node;
  for (std::uint32_t number = 0; number < count; ++number) {
    const Node& node = graph.nodes[number];
    PartitionProblem::Node& part = problem.nodes.emplace_back();
    part.load_store = is_memory(node.op);
    part.special = facts(node.op).unit == UnitClass::special;
    part.rate = numbers.rate[number];
    part.copied = copied[number];
    for (const Operand& operand : node.operands) {
      if (operand.kind != Operand::Kind::edge || operand.source == number) continue;
      part.sources.push_back(operand.source);
      if (graph.nodes[operand.source].op == Opcode::guard) bound[number].push_back(operand.source);
    }
    if (!part.load_store || node.space != Space::scratchpad) continue;
    if (in_scratchpad != no_node) {
      bound[number].push_back(in_scratchpad);
      bound[in_scratchpad].push_back(number);
    }
    in_scratchpad = number;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> first_then;
  for (std::uint32_t load = 0; load < count; ++load) {
    if (graph.nodes[load].cache_operator != CacheOperator::wait_for_hit) continue;
    for (std::uint32_t store = 0; store < count; ++store) {
      const Opcode op = graph.nodes[store].op;
      if ((op != Opcode::store && op != Opcode::reduce) || !share(numbers.buffers[load], numbers.buffers[store]) ||
          leads(bound, load, store))
        continue;
      bound[store].push_back(load);
      first_then.emplace_back(store, load);
    }
  }
  problem.components = strongly_connected(bound);
  std::erase_if(problem.components, [&](const auto& component) { return copied[component[0]]; });
  std::vector<std::uint32_t> component(count);
  for (std::uint32_t c = 0; c < problem.components.size(); ++c) {
    for (const std::uint32_t node : problem.components[c]) component[node] = c;
  }
  for (const auto& [first, then] : first_then) problem.precedence.emplace_back(component[first], component[then]);
  return problem;
}

constexpr std::uint32_t in_every_part = ~std::uint32_t{0};  ///< Where a copied node is.

/// How to make a part's instance from that of the whole graph.
struct Part {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::vector<std::uint32_t> nodes;    ///< Of the whole graph; they come first in the part.
  std::vector<std::uint32_t> results;  ///< Of the whole graph.
  struct Added {
    enum class Kind : std::uint8_t { counter, load, store };
    Kind kind = Kind::counter;
    std::uint32_t source = 0;  ///< The node of the whole graph whose values are meant; of a counter: one like it.
    std::uint64_t offset = 0;  ///< Of the values in the thread block's share of the buffer.
  };
  std::vector<Added> added;
};

class PartBuilder {
 public:
  PartBuilder(const Graph& whole, const Numbers& numbers, const std::vector<std::uint32_t>& part_of,
              const std::vector<std::uint64_t>& offsets, std::uint32_t counter_values, std::uint32_t number,
              std::uint32_t parts)
      : whole_(whole),
        numbers_(numbers),
        part_of_(part_of),
        offsets_(offsets),
        counter_values_(counter_values),
        number_(number) {
    part_.graph->name = fmt::format("{} (part {} of {})", whole.name, number + 1, parts);
    part_.graph->file = whole.file;
    for (const Node& node : whole.nodes) names_.insert(node.name);
  }

  Part build(const std::vector<std::uint32_t>& nodes) {
    std::vector<std::uint32_t> own(whole_.nodes.size(), no_node);  // Where the part has a node's values.
    for (const std::uint32_t node : nodes) {
      own[node] = static_cast<std::uint32_t>(part_.nodes.size());
      part_.nodes.push_back(node);
      part_.graph->nodes.push_back(whole_.nodes[node]);
    }
    std::vector<bool> leaves(whole_.nodes.size(), false);
    for (std::uint32_t node = 0; node < whole_.nodes.size(); ++node) {
      for (const Operand& operand : whole_.nodes[node].operands) {
        if (operand.kind == Operand::Kind::edge && part_of_[operand.source] == number_ && part_of_[node] != number_)
          leaves[operand.source] = true;
      }
    }
    std::map<std::uint32_t, std::uint32_t> load_counters, store_counters;  // By rate.
    for (const std::uint32_t node : part_.nodes) {
      for (Operand& operand : part_.graph->nodes[own[node]].operands) {
        if (operand.kind != Operand::Kind::edge) continue;
        if (own[operand.source] == no_node) own[operand.source] = receive(operand.source, load_counters);
        operand.source = own[operand.source];
      }
    }
    for (const std::uint32_t node : part_.nodes) {
      if (leaves[node]) send(node, own[node], store_counters);
    }
    for (std::uint32_t i = 0; i < whole_.results.size(); ++i) {
      const Result& result = whole_.results[i];
      if (part_of_[result.node] != number_) continue;
      part_.results.push_back(i);
      part_.graph->results.push_back({own[result.node], result.operand, result.count});
    }
    return std::move(part_);
  }

 private:
  std::uint32_t add(Node node, const std::string& name, std::uint32_t like, Part::Added added) {
    node.name = name;
    while (!names_.insert(node.name).second) node.name += '\'';
    node.where = whole_.nodes[like].where;
    part_.graph->nodes.push_back(std::move(node));
    part_.added.push_back(added);
    return static_cast<std::uint32_t>(part_.graph->nodes.size() - 1);
  }
  std::uint32_t counter(std::uint32_t source, const char* purpose, std::map<std::uint32_t, std::uint32_t>& counters) {
    const auto [found, is_new] = counters.emplace(numbers_.rate[source], 0);
    if (!is_new) return found->second;
    Node node;
    node.op = Opcode::add;
    node.operands.resize(2);
    node.operands[0] = {Operand::Kind::edge, static_cast<std::uint32_t>(part_.graph->nodes.size()), counter_values_};
    found->second = add(std::move(node), fmt::format("addresses to {} {}", purpose, whole_.nodes[source].name), source,
                        {Part::Added::Kind::counter, source, 0});
    return found->second;
  }
  std::uint32_t receive(std::uint32_t source, std::map<std::uint32_t, std::uint32_t>& counters) {
    Node node;
    node.op = Opcode::load;
    node.cache_operator = CacheOperator::wait_for_hit;
    node.operands.push_back({Operand::Kind::edge, counter(source, "receive", counters), 0});
    return add(std::move(node), fmt::format("receive {}", whole_.nodes[source].name), source,
               {Part::Added::Kind::load, source, offsets_[source]});
  }
  void send(std::uint32_t source, std::uint32_t own, std::map<std::uint32_t, std::uint32_t>& counters) {
    Node node;
    node.op = Opcode::store;
    node.cache_operator = CacheOperator::write_through;
    node.operands.push_back({Operand::Kind::edge, counter(source, "send", counters), 0});
    node.operands.push_back({Operand::Kind::edge, own, 0});
    add(std::move(node), fmt::format("send {}", whole_.nodes[source].name), source,
        {Part::Added::Kind::store, source, offsets_[source]});
  }

  const Graph& whole_;
  const Numbers& numbers_;
  const std::vector<std::uint32_t>& part_of_;
  const std::vector<std::uint64_t>& offsets_;
  std::uint32_t counter_values_;
  std::uint32_t number_;
  std::set<std::string> names_;
  Part part_;
};

Instance instance_of(const Part& part, const Instance& whole, std::uint32_t buffer, std::uint64_t share) {
  Instance result;
  for (const std::uint32_t node : part.nodes) result.nodes.push_back(whole.nodes[node]);
  for (const std::uint32_t i : part.results) result.results.push_back(whole.results[i]);
  for (const Part::Added& added : part.added) {
    NodeValues& values = result.nodes.emplace_back();
    values.iterations = values_sent(whole.nodes[added.source], false);
    if (added.kind == Part::Added::Kind::counter) {
      const auto under_way = static_cast<std::int32_t>(part.graph->nodes[result.nodes.size() - 1].operands[0].initial);
      values.operands.resize(2);
      for (std::int32_t i = 0; i < under_way; ++i) {
        values.operands[0].initial.words.push_back(static_cast<std::uint32_t>(4 * (i - under_way)));
      }
      values.operands[1].value = static_cast<std::uint32_t>(4 * under_way);
      continue;
    }
    values.operands.resize(added.kind == Part::Added::Kind::load ? 1 : 2);
    values.base = {buffer, static_cast<std::int64_t>(share + added.offset)};
  }
  return result;
}

std::string text_of(const PartNeed& need) {
  return fmt::format("{} cores ({} with a special function unit) and {} load-store units", need.cores,
                     need.special_function_units, need.load_store_units);
}

[[noreturn]] void report(const Graph& graph, const PartitionProblem& problem, const Partition& partition) {
  const PartLimits& limits = problem.limits;
  const auto exceeds = [&](const PartNeed& need) {
    return need.cores > limits.cores || need.load_store_units > limits.load_store_units ||
           need.special_function_units > limits.special_function_units;
  };
  const auto names = [&](const std::vector<std::uint32_t>& nodes) {
    constexpr std::size_t most = 20;
    std::string text;
    for (std::size_t i = 0; i < nodes.size() && i < most; ++i) {
      text += fmt::format("{}'{}'", i == 0 ? "" : ", ", graph.nodes[nodes[i]].name);
    }
    return nodes.size() > most ? fmt::format("{} and {} more", text, nodes.size() - most) : text;
  };
  std::string message = fmt::format(
      "graph '{}' cannot be split over SMs of {} cores ({} with a special function unit) "
      "and {} load-store units",
      graph.name, limits.cores, limits.special_function_units, limits.load_store_units);
  const SourceLocation* where = nullptr;
  for (std::size_t i = 0; i < partition.parts.size(); ++i) {
    if (!exceeds(partition.needs[i])) continue;
    const auto& part = partition.parts[i];
    if (where == nullptr) where = &graph.nodes[part[0]].where;
    const bool together =
        part.size() > 1 &&
        std::any_of(problem.components.begin(), problem.components.end(), [&](const auto& component) {
          return component.size() > 1 && std::includes(part.begin(), part.end(), component.begin(), component.end());
        });
    message +=
        fmt::format("\n  {} needs {}, of which {} loads and {} stores carry values from and to other parts{}: {}",
                    part.size() == 1 ? "this node" : "this part", text_of(partition.needs[i]), partition.needs[i].loads,
                    partition.needs[i].stores,
                    together ? "; cycles, guards with what takes their values, and all accesses to scratchpad "
                               "memory stay together"
                             : "",
                    names(part));
  }
  throw InputError(where == nullptr || where->file.empty() ? SourceLocation{graph.file, 0, 0} : *where, message);
}

PartNeed need_of(const Graph& graph) {
  PartNeed need;
  for (const Node& node : graph.nodes) {
    const UnitClass unit = facts(node.op).unit;
    ++(unit == UnitClass::load_store ? need.load_store_units : need.cores);
    need.special_function_units += unit == UnitClass::special ? 1 : 0;
  }
  return need;
}

}  // namespace

Split split(const Program& whole, std::uint64_t thread_blocks, const PartLimits& limits,
            std::uint32_t communication_buffer) {
  if (whole.parts.size() != 1) throw Bug(fmt::format("dataflow: a program of {} parts is split", whole.parts.size()));
  const Graph& graph = *whole.parts[0];
  check(graph);
  Split result;
  const PartNeed all = need_of(graph);
  if (all.cores <= limits.cores && all.load_store_units <= limits.load_store_units &&
      all.special_function_units <= limits.special_function_units) {
    result.program = whole;
    result.needs = {all};
    return result;
  }
  const Numbers numbers = numbers_of(whole, thread_blocks);
  const PartitionProblem problem = problem_of(graph, numbers, limits);
  Partition found = partition(problem);
  if (!found.fits) report(graph, problem, found);

  std::vector<std::uint32_t> part_of(graph.nodes.size(), in_every_part);
  for (std::uint32_t p = 0; p < found.parts.size(); ++p) {
    for (const std::uint32_t node : found.parts[p]) {
      if (!problem.nodes[node].copied) part_of[node] = p;
    }
  }
  // Each value that is cut has a place of its own in the thread block's share of the buffer.
  std::vector<std::uint64_t> offsets(graph.nodes.size(), 0);
  std::uint64_t share = 0;
  const auto all_receivers = receivers(graph);
  for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
    if (part_of[node] == in_every_part) continue;
    const bool is_cut = std::any_of(all_receivers[node].begin(), all_receivers[node].end(),
                                    [&](const Receiver& receiver) { return part_of[receiver.node] != part_of[node]; });
    if (!is_cut) continue;
    if (numbers.most_sent[node] > most_values) {
      throw InputError(
          graph.nodes[node].where,
          fmt::format("node '{}' sends {} values from one part of the split graph '{}' to another; at most "
                      "{} are possible",
                      graph.nodes[node].name, numbers.most_sent[node], graph.name, most_values));
    }
    offsets[node] = share;
    share += (4 * numbers.most_sent[node] + slot_alignment - 1) / slot_alignment * slot_alignment;
  }
  const auto parts = std::make_shared<std::vector<Part>>();
  for (std::uint32_t p = 0; p < found.parts.size(); ++p) {
    parts->push_back(PartBuilder(graph, numbers, part_of, offsets, limits.counter_values, p,
                                 static_cast<std::uint32_t>(found.parts.size()))
                         .build(found.parts[p]));
    check(*parts->back().graph);
    result.program.parts.push_back(parts->back().graph);
  }
  result.program.barrier = whole.barrier;
  result.communication_bytes = share * thread_blocks;
  result.needs = std::move(found.needs);
  struct Latest {
    std::uint64_t block = ~std::uint64_t{0};
    Instance instance;
  };
  result.program.instance = [parts, communication_buffer, share, ask = whole.instance,
                             latest = std::make_shared<Latest>()](std::uint64_t thread_block) {
    const std::uint64_t block = thread_block / parts->size();
    if (latest->block != block) {
      latest->instance = ask(block);
      latest->block = block;
    }
    return instance_of((*parts)[thread_block % parts->size()], latest->instance, communication_buffer, share * block);
  };
  return result;
}

}  // namespace lockstep::dataflow
