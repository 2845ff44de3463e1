#include "isa/exec/dataflow/access_order.hpp"

#include <algorithm>

#include "isa/dataflow/rates.hpp"

namespace lockstep::dataflow {

AccessOrder::AccessOrder(const Graph& graph, const Instance& instance, std::uint64_t bytes,
                         std::vector<std::uint32_t> loads, std::vector<std::uint32_t> stores)
    : graph_(graph), instance_(instance), column_(graph.nodes.size(), no_node) {
  for (const auto& nodes : {loads, stores}) {
    for (const std::uint32_t node : nodes) granule_ = std::min(granule_, bytes_of(graph.nodes[node].element));
  }
  const std::uint64_t granules = (bytes + granule_ - 1) / granule_;
  for (const std::uint32_t node : loads) {
    column_[node] = static_cast<std::uint32_t>(loads_.size());
    loads_.push_back({node, graph.nodes[node].locks, Zeroed<std::uint64_t>(granules)});
  }
  stored_ = Zeroed<std::uint32_t>(granules);
  freed_ = Zeroed<std::uint32_t>(granules);
}

AccessOrder::Conflict AccessOrder::load(std::uint32_t node, std::uint64_t firing, std::uint64_t at,
                                        std::uint32_t bytes) {
  Load& load = loads_[column_[node]];
  for (std::uint64_t granule = at / granule_; granule < (at + bytes) / granule_; ++granule) {
    if (stored_[granule] != 0) return {(stored_[granule] & ~several) - 1, 0, false};
    if (!load.locks && freed_[granule] != 0) return {freed_[granule] - 1, 0, false};
    load.last[granule] = firing + 1;
  }
  return {};
}

bool AccessOrder::commute(std::uint32_t a, std::uint32_t b, bool changes) const {
  const Node &x = graph_.nodes[a], &y = graph_.nodes[b];
  if (x.op != y.op) return false;
  return x.op == Opcode::reduce ? x.reduction == y.reduction : !changes;
}

AccessOrder::Conflict AccessOrder::store(std::uint32_t node, std::uint64_t firing, std::uint64_t at,
                                         std::uint32_t bytes, bool changes) {
  const bool locks = graph_.nodes[node].locks;
  bool knows_needed = false;
  for (std::uint64_t granule = at / granule_; granule < (at + bytes) / granule_; ++granule) {
    for (const Load& load : loads_) {
      const std::uint64_t last = load.last[granule];
      if (last == 0 || (locks && load.locks)) continue;
      if (!knows_needed) find_needed(node, firing);
      knows_needed = true;
      if (needed_[load.node] < last) return {load.node, last - 1, true};
    }
    if (locks) {
      freed_[granule] = node + 1;
      continue;
    }
    std::uint32_t& stored = stored_[granule];
    if (stored == 0) {
      stored = node + 1;
    } else if (stored != node + 1) {
      const std::uint32_t first = (stored & ~several) - 1;
      if (!commute(first, node, changes)) return {first, 0, false};
      stored |= several;
    }
  }
  return {};
}

void AccessOrder::find_needed(std::uint32_t node, std::uint64_t firing) {
  needed_.assign(graph_.nodes.size(), 0);
  needed_[node] = firing + 1;
  queue_.assign(1, node);
  // Following a cycle only leads to earlier firings, so this ends.
  while (!queue_.empty()) {
    const std::uint32_t at = queue_.back();
    queue_.pop_back();
    const std::uint64_t last = needed_[at] - 1;
    for (std::size_t i = 0; i < graph_.nodes[at].operands.size(); ++i) {
      const Operand& operand = graph_.nodes[at].operands[i];
      if (operand.kind != Operand::Kind::edge) continue;
      const OperandValues& values = instance_.nodes[at].operands[i];
      std::uint64_t value = last / values.reuse;
      if (values.restart != 0) {
        // Values in whose place initial ones are read bring no order: the last one before them does.
        const std::uint64_t place = value % (values.restart / values.reuse);
        if (place < operand.initial) {
          if (value <= place) continue;
          value -= place + 1;
        }
      }
      if (value < operand.initial) continue;
      const std::uint64_t needed =
          firing_of_value(instance_.nodes[operand.source], value - operand.initial, operand.source == at) + 1;
      if (needed <= needed_[operand.source]) continue;
      needed_[operand.source] = needed;
      queue_.push_back(operand.source);
    }
  }
}

}  // namespace lockstep::dataflow
