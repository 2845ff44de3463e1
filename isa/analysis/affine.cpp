// The fixed point over a function's blocks: every register's value at every block, beginning with the most that could be
// known (a register keeps its value in a loop, opaque values are the same in all lanes) and taking back what does not
// hold.

#include "isa/analysis/affine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "isa/analysis/control_flow.hpp"
#include "isa/analysis/transfer.hpp"
#include "isa/ptx/access.hpp"
#include "isa/ptx/register_use.hpp"

namespace lockstep::analysis {

using ptx::Instruction;
using ptx::no_index;
using ptx::RegisterId;

namespace {

/// What a register does in a loop, seen at its header.
struct HeaderValue {
  enum class Form : std::uint8_t {
    constant,  ///< It keeps the value with which the loop is entered.
    additive,  ///< Every iteration adds `step`.
    uniform,   ///< What varies between lanes stays; the rest is anything, the same in all lanes.
    anything
  };
  Form form = Form::constant;
  ExpressionId step = no_expression;
  std::uint32_t attempts = 0;
};

class FunctionAnalysis {
 public:
  FunctionAnalysis(const ptx::Program& program, std::uint32_t number, const Transfer& transfer, Algebra& algebra)
      : program_(program),
        number_(number),
        function_(*program.functions[number]),
        transfer_(transfer),
        algebra_(algebra),
        flow_(program, number) {
    uses_.reserve(function_.instructions.size());
    for (const Instruction& instruction : function_.instructions) uses_.push_back(ptx::register_use(instruction));
    find_crossing();
    out_.resize(flow_.count);
    branch_varies_.assign(flow_.count, false);
  }

  void solve() {
    // Each round takes back at least one assumption; after many the rest is given up at once, in large functions after fewer.
    constexpr std::uint32_t most_rounds = 64, most_blocks = 16'384;
    const std::uint32_t patient_rounds = std::min(most_rounds, most_blocks / std::max(1U, flow_.count));
    for (std::uint32_t round = 0;; ++round) {
      hasty_ = round >= patient_rounds;
      settle();
      changed_ = false;
      for (const Loop& loop : flow_.loops) check_header(loop);
      if (!changed_) return;
    }
  }

  void collect(std::vector<AccessAddress>& accesses) {
    std::vector<AccessAddress> found;
    for (const std::uint32_t block : flow_.order) {
      enter(block);
      walk(block, &found);
    }
    std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.instruction < y.instruction; });
    accesses.insert(accesses.end(), found.begin(), found.end());
  }

 private:
  using Values = std::vector<ExpressionId>;

  /// Values of all blocks under the assumptions made for the headers of loops.
  void settle() {
    for (;;) {
      changed_ = false;
      const std::uint64_t known = algebra_.changes();
      for (const std::uint32_t block : flow_.order) {
        enter(block);
        walk(block, nullptr);
        leave(block);
      }
      if (!changed_ && algebra_.changes() == known) return;
    }
  }

  /// Numbers the registers that some block reads before it writes them: only these have values between blocks.
  void find_crossing() {
    crossing_.assign(function_.registers.size(), no_index);
    current_.assign(function_.registers.size(), no_expression);
    std::vector<std::uint32_t> written(function_.registers.size(), no_index);
    for (std::uint32_t block = 0; block < flow_.count; ++block) {
      for_each_instruction(block, [&](std::uint32_t i) {
        const auto reads = [&](RegisterId id) {
          if (written[id] == block || crossing_[id] != no_index) return;
          crossing_[id] = static_cast<std::uint32_t>(crossing_registers_.size());
          crossing_registers_.push_back(id);
        };
        for (const RegisterId id : uses_[i].sources) reads(id);
        if (function_.instructions[i].guard != no_index) {
          for (const RegisterId id : uses_[i].destinations) reads(id);
        }
        for (const RegisterId id : uses_[i].destinations) written[id] = block;
      });
    }
  }

  template <class Visitor>
  void for_each_instruction(std::uint32_t block, Visitor visit) const {
    const ptx::BasicBlock& one = program_.blocks[flow_.first + block];
    const std::uint32_t start = one.first - program_.first_instruction[number_];
    for (std::uint32_t i = start; i < start + one.count; ++i) visit(i);
  }

  // Opaque atoms by where they come from.
  enum class Origin : std::uint32_t { instruction, join, loop_end, unset };
  /// `block`: where it gets a new value, so that it changes in the loops around that.
  AtomId opaque(Origin origin, std::uint32_t place, std::uint32_t which, std::uint32_t block,
                const std::function<std::string()>& name) {
    const std::uint32_t a = (static_cast<std::uint32_t>(origin) << 29) | place;
    opaque_blocks_.try_emplace({a, which}, block);
    return algebra_.atom(Atom::Kind::opaque, a, which, name);
  }
  std::string name_of(RegisterId id) const { return function_.registers[id].name; }
  std::uint32_t program_block(std::uint32_t block) const { return flow_.first + block; }

  ExpressionId read(RegisterId id) {
    if (current_[id] == no_expression) {
      // Not written on any way here, or a register that a caller passes.
      const AtomId unset = opaque(Origin::unset, number_, id, 0, [&] { return name_of(id); });
      if (number_ != 0) algebra_.set_varying(unset);
      return algebra_.of(unset);
    }
    return current_[id];
  }

  // ---- entry of a block ----

  void enter(std::uint32_t block) {
    for (std::uint32_t slot = 0; slot < crossing_registers_.size(); ++slot) {
      const RegisterId id = crossing_registers_[slot];
      const ExpressionId first = entering_value(block, slot);
      const std::uint32_t loop = flow_.loop_of_header[block];
      current_[id] = loop == no_index ? first : header_value(loop, slot, headers_[{block, slot}], first);
    }
  }

  /// The value with which a block is entered, or a loop when it is a header; back_ gets the values of the edges that come
  /// round.
  ExpressionId entering_value(std::uint32_t block, std::uint32_t slot) {
    const RegisterId id = crossing_registers_[slot];
    const std::uint32_t loop = flow_.loop_of_header[block];
    entering_.clear();
    back_.clear();
    for (const std::uint32_t before : flow_.predecessors[block]) {
      if (out_[before].empty()) continue;
      const bool comes_round = loop != no_index && flow_.loops[loop].blocks[before];
      (comes_round ? back_ : entering_).push_back(after_exits(out_[before][slot], before, block));
    }
    if (block == 0) {
      current_[id] = no_expression;
      entering_.push_back(read(id));
    }
    return join(entering_, block, id, flow_.irreducible[block]);
  }

  bool any_branch_varies(const std::vector<std::uint32_t>& blocks) const {
    return std::any_of(blocks.begin(), blocks.end(), [&](std::uint32_t b) { return branch_varies_[b]; });
  }
  bool exit_varies(const Loop& loop) const {
    for (std::uint32_t block = 0; block < flow_.count; ++block) {
      if (!loop.blocks[block] || !branch_varies_[block]) continue;
      for (const std::uint32_t next : flow_.successors[block]) {
        if (!loop.blocks[next]) return true;
      }
    }
    return false;
  }

  /// One of several values: what varies is kept where all agree on it.
  ExpressionId one_of(const std::vector<ExpressionId>& values, bool lanes_differ, AtomId which) {
    const ExpressionId first = values.front();
    if (std::all_of(values.begin(), values.end(), [&](ExpressionId v) { return v == first; })) return first;
    const ExpressionId varying = algebra_.split_varying(first).first;
    const bool same = std::all_of(values.begin(), values.end(),
                                  [&](ExpressionId v) { return algebra_.split_varying(v).first == varying; });
    if (lanes_differ || !same) algebra_.set_varying(which);
    if (!same) return algebra_.of(which);
    const ExpressionId sum = algebra_.add(varying, algebra_.of(which));
    return sum == no_expression ? algebra_.of(which) : sum;
  }

  AtomId join_atom(std::uint32_t block, RegisterId id, std::uint32_t further) {
    return opaque(Origin::join, program_block(block) * 2 + further, id, block, [&] { return name_of(id); });
  }

  ExpressionId join(const std::vector<ExpressionId>& values, std::uint32_t block, RegisterId id, bool lanes_differ) {
    if (std::all_of(values.begin(), values.end(), [&](ExpressionId v) { return v == values.front(); }))
      return values.front();
    return one_of(values, lanes_differ || any_branch_varies(flow_.deciders(block)), join_atom(block, id, 0));
  }

  bool changes_in(const Loop& loop, ExpressionId value) const {
    return algebra_.mentions(value, [&](const Atom& atom) {
      if (atom.kind == Atom::Kind::counter) return counter_in(loop, atom);
      return atom.kind == Atom::Kind::opaque && opaque_in(loop, atom);
    });
  }
  bool counter_in(const Loop& loop, const Atom& atom) const {
    const std::uint32_t header = atom.a - flow_.first;
    return header < flow_.count && loop.blocks[header];
  }
  bool opaque_in(const Loop& loop, const Atom& atom) const {
    const auto found = opaque_blocks_.find({atom.a, atom.b});
    return found != opaque_blocks_.end() && loop.blocks[found->second];
  }

  ExpressionId counter(const Loop& loop, std::uint32_t index) {
    return algebra_.of(algebra_.atom(Atom::Kind::counter, program_block(loop.header), 0,
                                     [&] { return fmt::format("i{}", index + 1); }));
  }

  /// The value at a loop's header, of a register that enters the loop with `first`.
  ExpressionId header_value(std::uint32_t index, std::uint32_t slot, const HeaderValue& header, ExpressionId first) {
    const Loop& loop = flow_.loops[index];
    const AtomId which = join_atom(loop.header, crossing_registers_[slot], 1);
    ExpressionId value = no_expression;
    switch (header.form) {
      case HeaderValue::Form::constant: return first;
      case HeaderValue::Form::additive:
        value = algebra_.multiply(header.step, counter(loop, index));
        if (value != no_expression) value = algebra_.add(first, value);
        break;
      case HeaderValue::Form::uniform:
        value = algebra_.add(algebra_.split_varying(first).first, algebra_.of(which));
        break;
      case HeaderValue::Form::anything: break;
    }
    if (value != no_expression) return value;
    algebra_.set_varying(which);
    return algebra_.of(which);
  }

  /// Weakens what is assumed of the registers of a loop whose values at the back edge differ from it.
  void check_header(const Loop& loop) {
    const std::uint32_t index = flow_.loop_of_header[loop.header];
    for (std::uint32_t slot = 0; slot < crossing_registers_.size(); ++slot) {
      HeaderValue& header = headers_[{loop.header, slot}];
      const ExpressionId first = entering_value(loop.header, slot);
      const ExpressionId value = header_value(index, slot, header, first);
      if (holds(loop, slot, header, first, value)) continue;
      give_up_one(loop, slot, header, first, value);
      changed_ = true;
    }
  }

  bool holds(const Loop& loop, std::uint32_t slot, const HeaderValue& header, ExpressionId first, ExpressionId value) {
    const auto all = [&](auto&& test) { return std::all_of(back_.begin(), back_.end(), test); };
    switch (header.form) {
      case HeaderValue::Form::constant: return all([&](ExpressionId v) { return v == value; });
      case HeaderValue::Form::additive: {
        const ExpressionId next = algebra_.add(value, header.step);
        return !changes_in(loop, header.step) && all([&](ExpressionId v) { return v == next; });
      }
      case HeaderValue::Form::uniform: {
        const AtomId which = join_atom(loop.header, crossing_registers_[slot], 1);
        if (algebra_.is_power_of_two(algebra_.of(which)) &&
            !(algebra_.is_power_of_two(first) && all([&](ExpressionId v) { return algebra_.is_power_of_two(v); }))) {
          algebra_.set_power_of_two(which, false);
          changed_ = true;
        }
        const ExpressionId varying = algebra_.split_varying(first).first;
        if (!all([&](ExpressionId v) { return algebra_.split_varying(v).first == varying; })) return false;
        return all([&](ExpressionId v) { return v == back_.front(); }) || !any_branch_varies(loop.deciders);
      }
      case HeaderValue::Form::anything: return true;
    }
    return false;
  }

  void give_up_one(const Loop& loop, std::uint32_t slot, HeaderValue& header, ExpressionId first, ExpressionId value) {
    using Form = HeaderValue::Form;
    if (header.form == Form::uniform || hasty_) {
      header.form = Form::anything;
      return;
    }
    // Its value at the back edge may be known better once other registers are: few attempts to find the step.
    constexpr std::uint32_t most_attempts = 4;
    const bool one = std::all_of(back_.begin(), back_.end(), [&](ExpressionId v) { return v == back_.front(); });
    if (one && header.attempts++ < most_attempts) {
      const ExpressionId step = algebra_.subtract(back_.front(), value);
      if (step != no_expression && !changes_in(loop, step)) {
        header.form = Form::additive;
        header.step = step;
        return;
      }
    }
    header.form = Form::uniform;
    // Assumed to be a power of two until its value at the back edge is none.
    if (algebra_.is_power_of_two(first))
      algebra_.set_power_of_two(join_atom(loop.header, crossing_registers_[slot], 1), true);
  }

  // ---- leaving loops ----

  /// A value as it is behind the loops that the edge leaves.
  ExpressionId after_exits(ExpressionId value, std::uint32_t from, std::uint32_t to) {
    if (value == no_expression) return value;
    for (std::size_t i = flow_.loops.size(); i-- > 0;) {
      const Loop& loop = flow_.loops[i];
      if (!loop.blocks[from] || loop.blocks[to] || !changes_in(loop, value)) continue;
      const bool lanes_differ = exit_varies(loop);
      const auto last = [&](std::uint32_t which, const std::string& name) {
        const AtomId id =
            opaque(Origin::loop_end, program_block(loop.header), which, outside(loop), [&] { return name; });
        if (lanes_differ) algebra_.set_varying(id);
        return algebra_.of(id);
      };
      value = algebra_.replace(value, [&](AtomId id) {
        const ExpressionId itself = algebra_.of(id);
        if (!changes_in(loop, itself)) return itself;
        const Atom atom = algebra_.atom_at(id);
        // Where all lanes leave together, an opaque value stays what it is and a counter stands still.
        if (atom.kind == Atom::Kind::opaque && !lanes_differ) return itself;
        return last(id, atom.name + "_end");
      });
      if (value == no_expression) value = last(no_index, "?");
    }
    return value;
  }
  /// The block in whose loops a value that a loop leaves behind still changes.
  std::uint32_t outside(const Loop& loop) const { return loop.header == 0 ? 0 : flow_.dominator[loop.header]; }

  // ---- a block's instructions ----

  void walk(std::uint32_t block, std::vector<AccessAddress>* accesses) {
    for (const auto& [id, value] : local_) current_[id] = no_expression;
    local_.clear();
    const auto reader = [&](RegisterId id) { return read(id); };
    for_each_instruction(block, [&](std::uint32_t i) {
      const Instruction& instruction = function_.instructions[i];
      if (accesses != nullptr) add_access(i, reader, *accesses);
      bool varies = Transfer::differs_by_lane(instruction);
      if (!varies && !Transfer::same_in_all_lanes(instruction)) {
        for (const RegisterId id : uses_[i].sources) varies = varies || algebra_.is_varying(read(id));
      }
      const bool branches = instruction.row().traits.control == program::Control::branch;
      if (branches && branch_varies_[block] != varies) {
        branch_varies_[block] = varies;
        changed_ = true;
      }
      write(block, i, varies);
    });
  }

  void write(std::uint32_t block, std::uint32_t i, bool varies) {
    const Instruction& instruction = function_.instructions[i];
    const auto& destinations = uses_[i].destinations;
    const std::uint32_t place = program_.first_instruction[number_] + i;
    ExpressionId value = no_expression;
    if (destinations.size() == 1 && instruction.operands[0].kind == ptx::Operand::Kind::reg) {
      value = result(block, i, place);
    }
    for (std::uint32_t d = 0; d < destinations.size(); ++d) {
      const RegisterId id = destinations[d];
      ExpressionId one = value;
      if (one == no_expression) {
        const AtomId which = opaque(Origin::instruction, place, d * 2, block, [&] { return name_of(id); });
        if (varies) algebra_.set_varying(which);
        algebra_.set_range(which, Transfer::result_range(instruction));
        one = algebra_.of(which);
      }
      if (instruction.guard != no_index) {
        const ExpressionId before = read(id);
        const AtomId which = opaque(Origin::instruction, place, d * 2 + 1, block, [&] { return name_of(id); });
        one = one_of({before, one}, algebra_.is_varying(read(instruction.guard)), which);
      }
      if (current_[id] == no_expression && crossing_[id] == no_index) local_.emplace_back(id, one);
      current_[id] = one;
    }
  }

  ExpressionId result(std::uint32_t block, std::uint32_t i, std::uint32_t place) {
    const Instruction& instruction = function_.instructions[i];
    const auto reader = [&](RegisterId id) { return read(id); };
    if (instruction.opcode != ptx::Opcode::selp || instruction.operands.size() != 4)
      return transfer_.result(instruction, number_, reader);
    const ptx::Operand& chooser = instruction.operands[3];
    const ptx::Type type = ptx::type_named(instruction.modifiers.back());
    const ExpressionId x = transfer_.operand(instruction.operands[1], type, number_, reader);
    const ExpressionId y = transfer_.operand(instruction.operands[2], type, number_, reader);
    if (x == no_expression || y == no_expression || chooser.kind != ptx::Operand::Kind::reg) return no_expression;
    const AtomId which =
        opaque(Origin::instruction, place, 0, block, [&] { return name_of(instruction.operands[0].index); });
    return one_of({x, y}, algebra_.is_varying(read(chooser.index)), which);
  }

  void add_access(std::uint32_t i, const Transfer::ReadRegister& reader, std::vector<AccessAddress>& accesses) {
    const Instruction& instruction = function_.instructions[i];
    const ptx::NamedSpaces spaces(instruction);
    const bool shared = spaces.has(ptx::Space::shared), elsewhere = spaces.has_other_than(ptx::Space::shared);
    const ptx::OpcodeClass subject = instruction.row().subject;
    if (subject == ptx::OpcodeClass::address) return;
    const ExpressionId address = transfer_.address(instruction, number_, reader);
    // What may be written without a state space; wmma stands in programs whose text is to be changed.
    const bool plain = subject == ptx::OpcodeClass::load_store || subject == ptx::OpcodeClass::atomic ||
                       subject == ptx::OpcodeClass::mbarrier || instruction.opcode == ptx::Opcode::wmma ||
                       ptx::access_of(instruction) == program::AccessKind::mbarrier;
    if (instruction.address() == nullptr || (!shared && (elsewhere || !plain))) return;
    AccessAddress access{program_.first_instruction[number_] + i, !shared, false, false, address};
    if (address == no_expression) {
      const AtomId which = opaque(Origin::instruction, access.instruction, 1 << 20, 0, [] { return "?"; });
      algebra_.set_varying(which);
      access.address = algebra_.of(which);
    } else if (!shared) {
      const ExpressionId offset = algebra_.subtract(address, algebra_.of(transfer_.shared_window()));
      const auto in_window = [](const Atom& atom) { return atom.kind == Atom::Kind::shared_window; };
      access.proven_shared =
          offset != no_expression && algebra_.mentions(address, in_window) && !algebra_.mentions(offset, in_window);
      if (access.proven_shared) access.address = offset;
      access.proven_elsewhere = !access.proven_shared && transfer_.begins_elsewhere(address);
    }
    accesses.push_back(access);
  }

  void leave(std::uint32_t block) {
    Values values;
    values.reserve(crossing_registers_.size() + 1);
    for (const RegisterId id : crossing_registers_) values.push_back(current_[id]);
    values.push_back(0);  // So that no block that was seen has an empty list.
    if (values == out_[block]) return;
    out_[block] = std::move(values);
    changed_ = true;
  }

  const ptx::Program& program_;
  std::uint32_t number_;
  const ptx::Function& function_;
  const Transfer& transfer_;
  Algebra& algebra_;
  ControlFlow flow_;
  std::vector<ptx::RegisterUse> uses_;
  std::vector<std::uint32_t> crossing_;         ///< Per register: its slot, or no_index.
  std::vector<RegisterId> crossing_registers_;  ///< Per slot.
  std::vector<ExpressionId> current_;           ///< Per register, while a block is walked.
  std::vector<std::pair<RegisterId, ExpressionId>> local_;
  std::vector<Values> out_;  ///< Per block and slot.
  std::vector<bool> branch_varies_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, HeaderValue> headers_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> opaque_blocks_;
  std::vector<ExpressionId> entering_, back_;
  bool changed_ = false, hasty_ = false;
};

}  // namespace

AddressAnalysis::AddressAnalysis(const ptx::Program& program, const LaunchValues& values)
    : algebra_(std::make_unique<Algebra>(values.block)) {
  const Transfer transfer(program, values, *algebra_);
  for (std::uint32_t function = 0; function < program.functions.size(); ++function) {
    if (program.functions[function]->instructions.empty()) continue;
    FunctionAnalysis analysis(program, function, transfer, *algebra_);
    analysis.solve();
    analysis.collect(accesses_);
  }
}

AddressAnalysis::~AddressAnalysis() = default;
AddressAnalysis::AddressAnalysis(AddressAnalysis&&) noexcept = default;

}  // namespace lockstep::analysis
