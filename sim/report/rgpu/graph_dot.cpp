#include "sim/report/rgpu/graph_dot.hpp"

#include <fmt/format.h>

#include <bit>

#include "sim/report/svg.hpp"

namespace lockstep::report {
namespace {

using dataflow::Graph;
using dataflow::InitialValues;
using dataflow::Instance;
using dataflow::MemoryAddress;
using dataflow::Node;
using dataflow::NodeValues;
using dataflow::Opcode;
using dataflow::Operand;
using dataflow::OperandValues;
using dataflow::UnitClass;

using Names = std::vector<std::string>;

std::string address_text(const MemoryAddress& address, const Names& buffers) {
  const std::string from = address.buffer == MemoryAddress::scratchpad ? "scratchpad"
                           : address.buffer < buffers.size()           ? buffers[address.buffer]
                                                                       : fmt::format("buffer {}", address.buffer);
  return address.offset ? fmt::format("{} {} {}", from, address.offset < 0 ? "-" : "+", std::abs(address.offset))
                        : from;
}

std::string words_text(const Node& node, std::uint32_t operand, const InitialValues& initial, const Names& buffers) {
  if (initial.loaded) return fmt::format("{} from {}", initial.count, address_text(initial.from, buffers));
  constexpr std::size_t shown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, initial.words.size()); ++i) {
    text += (i ? ", " : "") + value_text(node, operand, initial.words[i]);
  }
  if (initial.words.size() > shown) text += fmt::format(", \u2026 ({} values)", initial.words.size());
  return text;
}

/// What a cell says of an operand.
std::string operand_text(const Node& node, std::uint32_t number, const OperandValues& values, const Names& buffers) {
  const Operand& operand = node.operands[number];
  std::string text = fmt::format("{}", number);
  if (node.predicated && number + 1 == node.operands.size()) text += node.inverted ? " unless" : " when";
  if (operand.kind == Operand::Kind::constant) {
    text += ": " + value_text(node, number, values.value);
    if (values.period) {
      text +=
          fmt::format("; last {} of {}: {}", values.tail, values.period, value_text(node, number, values.tail_value));
    }
  }
  if (operand.kind == Operand::Kind::ring) text += ": ring " + words_text(node, number, values.initial, buffers);
  if (operand.kind != Operand::Kind::constant && values.reuse > 1) text += fmt::format(", each \u00d7{}", values.reuse);
  if (values.restart) text += fmt::format(", anew after {}", values.restart);
  return text;
}

/// "load f32-sized" details below the name.
std::string operation_text(const Graph& graph, const Node& node) {
  std::string text = dataflow::facts(node.op).name;
  if (node.op == Opcode::reduce) text += fmt::format(" {}", dataflow::facts(node.reduction).name);
  if (!dataflow::is_memory(node.op)) return text;
  constexpr const char* elements[] = {"u8", "s8", "u16", "s16", ""};
  if (*elements[static_cast<std::size_t>(node.element)]) {
    text += fmt::format(" {}", elements[static_cast<std::size_t>(node.element)]);
  }
  switch (node.cache_operator) {
    case dataflow::CacheOperator::l1: break;
    case dataflow::CacheOperator::l2:
      if (node.op == Opcode::load) text += ", past L1";
      break;
    case dataflow::CacheOperator::write_through: text += ", write-through"; break;
    case dataflow::CacheOperator::wait_for_hit: text += ", wait for hit"; break;
  }
  if (node.locks) text += ", lock";
  (void)graph;
  return text;
}

std::string details(const Node& node, const NodeValues& values, const Names& buffers) {
  std::string text = fmt::format("\u00d7{}", values.iterations);
  if (values.emit_period > 1) text += fmt::format(", sends last {} of {}", values.emit_last, values.emit_period);
  if (dataflow::is_memory(node.op)) {
    text += ", " + address_text(values.base, buffers);
    if (node.offset) text += fmt::format(" {} {}", node.offset < 0 ? "-" : "+", std::abs(node.offset));
  }
  return text;
}

}  // namespace

NodeColours node_colours(const Node& node) {
  switch (dataflow::facts(node.op).unit) {
    case UnitClass::integer: return {"#2e7d32", "#ffffff"};
    case UnitClass::floating: return {"#a5d6a7", "#1b3a1d"};
    case UnitClass::special: return {"#ffcc80", "#4a2c00"};
    case UnitClass::load_store: break;
  }
  return node.op == Opcode::load ? NodeColours{"#90caf9", "#0b2c4d"} : NodeColours{"#ce93d8", "#3a0a45"};
}

std::string value_text(const Node& node, std::uint32_t operand, std::uint32_t value) {
  const bool conversion = node.op == Opcode::s32_to_f32 || node.op == Opcode::u32_to_f32;
  const UnitClass unit = dataflow::facts(node.op).unit;
  const bool predicate = node.predicated && operand + 1 == node.operands.size();
  if ((unit == UnitClass::floating || unit == UnitClass::special) && !conversion && !predicate) {
    return fmt::format("{:g}", std::bit_cast<float>(value));
  }
  return fmt::format("{}", static_cast<std::int32_t>(value));
}

std::string graph_dot(const Graph& graph, const Instance& instance, const Names& buffers) {
  std::string title = graph.name;
  if (graph.copies > 1) title += fmt::format(" (one of {} copies)", graph.copies);
  std::string dot = fmt::format(
      "digraph \"{}\" {{\n  graph [label=<<B>{}</B>>, labelloc=t, labeljust=l, fontname=Helvetica, fontsize=15, "
      "ranksep=0.45, nodesep=0.3];\n"
      "  node [shape=plain, fontname=Helvetica, fontsize=11];\n"
      "  edge [fontname=Helvetica, fontsize=9, color=\"#555555\", fontcolor=\"#a0340b\", arrowsize=0.7];\n",
      escaped(graph.name), escaped(title));
  for (std::uint32_t i = 0; i < graph.nodes_per_copy(); ++i) {
    const Node& node = graph.nodes[i];
    const NodeValues& values = instance.nodes.at(i);
    const NodeColours colours = node_colours(node);
    std::string cells;
    for (std::uint32_t operand = 0; operand < node.operands.size(); ++operand) {
      cells +=
          fmt::format("<TD PORT=\"i{}\" BGCOLOR=\"#ffffff\"><FONT POINT-SIZE=\"9\" COLOR=\"#333333\">{}</FONT></TD>",
                      operand, escaped(operand_text(node, operand, values.operands.at(operand), buffers)));
    }
    dot += fmt::format(
        "  n{} [label=<<TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"0\" CELLPADDING=\"3\" COLOR=\"#444444\">"
        "<TR>{}</TR><TR><TD COLSPAN=\"{}\" BGCOLOR=\"{}\" PORT=\"o\"><FONT COLOR=\"{}\"><B>{}</B><BR/>{}<BR/>"
        "<FONT POINT-SIZE=\"8\">{}</FONT></FONT></TD></TR></TABLE>>];\n",
        i, cells, node.operands.size(), colours.fill, colours.text, escaped(node.name),
        escaped(operation_text(graph, node)), escaped(details(node, values, buffers)));
  }
  for (std::uint32_t i = 0; i < graph.nodes_per_copy(); ++i) {
    const Node& node = graph.nodes[i];
    for (std::uint32_t number = 0; number < node.operands.size(); ++number) {
      const Operand& operand = node.operands[number];
      if (operand.kind != Operand::Kind::edge) continue;
      std::string label;
      if (operand.initial) {
        label = fmt::format(", label=\" {} \"",
                            escaped(words_text(node, number, instance.nodes[i].operands[number].initial, buffers)));
      }
      // A feedback edge does not determine the order of ranks.
      const bool back = operand.initial && operand.source >= i;
      dot += fmt::format("  n{}:o{} -> n{}:i{}:n [tooltip=\"{} to operand {} of {}\"{}{}];\n", operand.source,
                         operand.source == i ? ":w" : "", i, number, escaped(graph.nodes[operand.source].name), number,
                         escaped(node.name), label, back ? ", constraint=false" : "");
    }
  }
  return dot + "}\n";
}

}  // namespace lockstep::report
