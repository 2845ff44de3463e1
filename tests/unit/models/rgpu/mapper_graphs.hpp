#pragma once
// Graphs for the mapper's tests: nodes by name, edges by the names of their sources.

#include <cstdint>
#include <string>
#include <vector>

#include "isa/dataflow/graph.hpp"
#include "models/rgpu/mapper.hpp"

namespace lockstep::rgpu::test {

/// A source of an operand; "" is a constant. `initial` values wait in the FIFO.
struct From {
  From(const char* from, std::uint32_t values = 0) : name(from), initial(values) {}
  From(std::string from, std::uint32_t values = 0) : name(std::move(from)), initial(values) {}
  std::string name;
  std::uint32_t initial;
};

class GraphBuilder {
 public:
  GraphBuilder& node(const std::string& name, dataflow::Opcode op, std::vector<From> sources);
  /// Sources may be nodes that come later.
  dataflow::Graph build(std::uint32_t copies = 1) const;

 private:
  std::vector<dataflow::Node> nodes_;
  std::vector<std::vector<From>> sources_;
};

/// The fabric of Figure 7.2, or a smaller one.
Spec fabric(std::uint32_t cores = 32, std::uint32_t load_store_units = 16, std::uint32_t lanes = 6,
            std::uint32_t special_function_units = 4);

/// `length` cores in a row.
dataflow::Graph chain(std::uint32_t length);
/// Figure 7.4: two address counters, a load, taps, a store.
dataflow::Graph fir(std::uint32_t taps, std::uint32_t copies = 1);
/// Figure 7.6a with `rows` rows of `columns` taps.
dataflow::Graph convolution(std::uint32_t rows, std::uint32_t columns, std::uint32_t copies = 1);
/// `leaves` cores without operands that are summed in pairs, and the sums again; a power of two.
dataflow::Graph tree(std::uint32_t leaves);
/// Any graph of up to so many nodes, feedbacks included. Every cycle has an initial value.
dataflow::Graph random_graph(std::uint32_t seed, std::uint32_t cores, std::uint32_t memory);

/// What the best mapping has.
struct Best {
  bool exists = false;
  std::uint32_t lanes = 0;          ///< Fewest.
  std::uint32_t span = 0;           ///< Fewest slots with so few lanes.
  std::uint32_t span_in_lanes = 0;  ///< Fewest slots within the fabric's lanes.
};
/// Tries every placement and every choice of lanes. For a handful of nodes.
Best try_everything(const dataflow::Graph& graph, const Spec& spec);

}  // namespace lockstep::rgpu::test
