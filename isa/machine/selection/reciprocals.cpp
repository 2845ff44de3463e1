#include "isa/machine/selection/reciprocals.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <optional>
#include <tuple>

namespace lockstep::machine {

namespace {

using program::SourceOperand;
using Kind = SourceOperand::Kind;

/// Which basic blocks every way to another one passes, and which lie in a loop together.
class Dominance {
 public:
  explicit Dominance(const std::vector<program::StaticBlock>& blocks) : above_(blocks.size(), Graph::null_vertex()) {
    Graph graph(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (const std::uint32_t next : blocks[b].successors) boost::add_edge(b, next, graph);
    boost::lengauer_tarjan_dominator_tree(
        graph, boost::vertex(0, graph),
        boost::make_iterator_property_map(above_.begin(), boost::get(boost::vertex_index, graph)));
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (const std::uint32_t head : blocks[b].successors)
        if (passes(b, head)) loops_.push_back(loop(graph, b, head));
  }

  /// Every way to `block` passes `by`.
  bool passes(std::size_t block, std::size_t by) const {
    while (block != by && block != Graph::null_vertex()) block = above_[block];
    return block == by;
  }
  /// Some loop has `inside` and has not `outside`.
  bool loop_separates(std::size_t inside, std::size_t outside) const {
    return std::any_of(loops_.begin(), loops_.end(),
                       [&](const std::vector<bool>& loop) { return loop[inside] && !loop[outside]; });
  }

 private:
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

  static std::vector<bool> loop(const Graph& graph, std::size_t last, std::size_t head) {
    std::vector<bool> members(boost::num_vertices(graph));
    members[head] = true;
    std::vector<std::size_t> open = {last};
    while (!open.empty()) {
      const std::size_t b = open.back();
      open.pop_back();
      if (members[b]) continue;
      members[b] = true;
      for (auto [edge, end] = boost::in_edges(b, graph); edge != end; ++edge)
        open.push_back(boost::source(*edge, graph));
    }
    return members;
  }

  std::vector<std::size_t> above_;  ///< The immediate dominator.
  std::vector<std::vector<bool>> loops_;
};

/// A literal, or a register that at most one instruction writes.
struct Value {
  bool literal;
  std::uint64_t value;  ///< Of the literal, or the register's number.
  auto operator<=>(const Value&) const = default;
};

struct Division {
  std::uint32_t instruction, block;
  bool is_signed;
  std::optional<Value> dividend;
  Value divisor;
};

class Sharing {
 public:
  explicit Sharing(SelectionDraft& draft) : draft_(draft) {}

  void run() {
    find_divisions();
    if (divisions_.empty()) return;
    const Dominance dominance(draft_.blocks());
    for (auto division = divisions_.begin(); division != divisions_.end(); ++division) {
      const auto before = [&](bool same_dividend) {
        return std::any_of(divisions_.begin(), division, [&](const Division& other) {
          return other.is_signed == division->is_signed && other.divisor == division->divisor &&
                 (!same_dividend || (other.dividend && other.dividend == division->dividend)) &&
                 dominance.passes(division->block, other.block);
        });
      };
      const bool again = before(false) || dominance.loop_separates(division->block, block_of(division->divisor));
      if (const bool pair = before(true); pair || again) mark(division->instruction, pair ? ".pair" : ".again");
    }
  }

 private:
  std::optional<Value> value(const SourceOperand& operand) const {
    if (const auto literal = draft_.literal(operand)) return Value{true, *literal};
    if (operand.kind != Kind::reg) return {};
    const auto reg = static_cast<std::uint32_t>(operand.value);
    if (draft_.flow().writes(reg) > 1) return {};
    return Value{false, reg};
  }

  /// Where the value is written; the entry for a literal, or where nothing writes it.
  std::uint32_t block_of(const Value& of) const {
    if (of.literal) return 0;
    const std::uint32_t by = draft_.flow().writer(static_cast<std::uint32_t>(of.value));
    if (by == program::DataFlow::none) return 0;
    const auto& blocks = draft_.blocks();
    const auto found = std::find_if(blocks.begin(), blocks.end(),
                                    [&](const auto& b) { return by >= b.first && by < b.first + b.count; });
    return static_cast<std::uint32_t>(found - blocks.begin());
  }

  void find_divisions() {
    for (std::uint32_t b = 0; b < draft_.blocks().size(); ++b) {
      const program::StaticBlock& block = draft_.blocks()[b];
      for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
        const Mnemonic w = draft_.words(i);
        const auto& operands = draft_.at(i).operands;
        if (draft_.chosen(i).removed || !w.opcode || operands.size() != 2) continue;
        if (!is_one_of(*w.opcode, {ptx::Opcode::div, ptx::Opcode::rem}) || !w.ends({"u32", "s32"})) continue;
        if (const auto divisor = value(operands[1]))
          divisions_.push_back({i, b, w.ends({"s32"}), value(operands[0]), *divisor});
      }
    }
  }

  void mark(std::uint32_t i, std::string_view modifier) {
    const std::size_t opcode = draft_.words(i).parts[0].size();
    draft_.chosen(i).mnemonic.insert(opcode, modifier);
  }

  SelectionDraft& draft_;
  std::vector<Division> divisions_;
};

}  // namespace

void share_reciprocals(SelectionDraft& draft) {
  Sharing(draft).run();
}

}  // namespace lockstep::machine
