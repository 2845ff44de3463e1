#include "isa/machine/registers/parameter_loads.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "isa/machine/dominance.hpp"

namespace lockstep::machine {

namespace {

bool is_candidate(const Program& program, const Instruction& i) {
  return i.operation == Operation::integer && i.takes_access && i.space == program::MemorySpace::param &&
         !i.only_own_space && i.destination_count == 1 && i.source_count == 0 &&
         (program.register_bits[i.destinations[0]] == 64 || program.register_bits[i.destinations[0]] == 1);
}

/// A parameter in a register that nothing else writes.
struct Parameter {
  std::uint32_t instruction = Program::none;
  std::uint32_t block = 0;
  bool uniform = false;                          ///< In a uniform register, unless an instruction needs it elsewhere.
  std::map<std::uint32_t, std::uint16_t> names;  ///< By the block that loads it: the register there.
  /// Blocks that load it for an instruction with another operand that is not in the register file.
  std::set<std::uint32_t> beside_others;
};

class ParameterLoads {
 public:
  explicit ParameterLoads(Program& program) : program_(program), dominance_(program.kernel->blocks) {}

  void run() {
    find();
    if (parameters_.empty()) return;
    choose_places();
    std::vector<Instruction> all;
    all.reserve(program_.instructions.size() + 2 * parameters_.size());
    moved_.resize(program_.instructions.size());
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b) copy(b, all);
    program_.instructions = std::move(all);
  }

 private:
  void find() {
    std::map<std::uint16_t, unsigned> writers;
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b)
      for (std::uint32_t n = program_.blocks[b].first; n < program_.blocks[b].end; ++n) {
        const Instruction& i = program_.instructions[n];
        for (unsigned d = 0; d < i.destination_count; ++d) ++writers[i.destinations[d]];
        if (is_candidate(program_, i))
          parameters_[i.destinations[0]] = {n, b, program_.register_bits[i.destinations[0]] == 1, {}, {}};
      }
    std::erase_if(parameters_, [&](const auto& entry) { return writers[entry.first] != 1; });
  }

  /// By parameter, the blocks that load it: those that read it and those in front of loops that do, but for those behind another one.
  void choose_places() {
    std::map<std::uint16_t, std::vector<std::uint32_t>> places;
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b)
      for (std::uint32_t n = program_.blocks[b].first; n < program_.blocks[b].end; ++n) {
        const Instruction& i = program_.instructions[n];
        bool beside_another = false;
        for (unsigned s = 0; s < i.source_count; ++s) {
          const auto at = parameters_.find(i.sources[s]);
          const bool apart = program_.register_bits[i.sources[s]] == 1 && !is_predicate(i.sources[s]);
          if (at != parameters_.end()) {
            const bool beside = at->second.uniform && apart && beside_another && !is_uniform(i);
            const std::uint32_t place = place_for(b, at->second, at->second.uniform && !beside);
            places[at->first].push_back(place);
            if (beside) at->second.beside_others.insert(place);
          }
          beside_another = beside_another || apart;
        }
      }
    for (auto& [reg, all] : places) {
      Parameter& parameter = parameters_.at(reg);
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      for (const std::uint32_t b : all) {
        const auto loads_for_it = [&](std::uint32_t other) {
          return other != b && dominance_.passes(b, other) && !dominance_.loop_separates(b, {other});
        };
        if (std::any_of(all.begin(), all.end(), loads_for_it)) continue;
        if (b == parameter.block || program_.register_bits.size() >= most_scoreboard_entries) {
          parameter.names[parameter.block] = reg;
        } else {
          parameter.names[b] = static_cast<std::uint16_t>(program_.register_bits.size());
          program_.register_bits.push_back(parameter.beside_others.contains(b) ? program_.kernel->register_bits[reg]
                                                                               : program_.register_bits[reg]);
        }
      }
    }
  }

  /// The block that loads a parameter for block b, which reads it: in front of a loop without others that has b and not the parameter.
  /// One in a uniform register is loaded where the program does it, unless that is outside of a loop around other loops.
  std::uint32_t place_for(std::uint32_t b, const Parameter& parameter, bool uniform) const {
    if (!uniform && loads_itself(b, parameter)) return b;
    if (dominance_.loop_separates(b, {parameter.block})) b = dominance_.before_innermost_loop(b);
    if (uniform && !dominance_.loop_separates(b, {parameter.block})) return parameter.block;
    return dominance_.passes(b, parameter.block) ? b : parameter.block;
  }

  bool loads_itself(std::uint32_t b, const Parameter& parameter) const {
    return b != parameter.block && dominance_.loop_passes_by(b, parameter.block);
  }

  /// The register with the parameter in block b: of the last block on all ways to it that loads it.
  std::uint16_t name_in(std::uint32_t b, const Parameter& parameter) const {
    for (std::optional<std::uint32_t> from = b; from; from = dominance_.nearest(*from))
      if (const auto at = parameter.names.find(*from); at != parameter.names.end()) return at->second;
    return program_.instructions[parameter.instruction].destinations[0];
  }

  void copy(std::uint32_t b, std::vector<Instruction>& all) {
    Code& code = program_.blocks[b];
    const Code before = code;
    code.first = static_cast<std::uint32_t>(all.size());
    std::vector<std::uint16_t> left;  // Parameters that the block has still to load.
    for (const auto& [reg, parameter] : parameters_)
      if (b != parameter.block && parameter.names.contains(b)) left.push_back(reg);
    const auto load = [&](std::uint16_t reg, std::uint32_t static_index) {
      const auto at = std::find(left.begin(), left.end(), reg);
      if (at == left.end()) return;
      left.erase(at);
      const Parameter& parameter = parameters_.at(reg);
      Instruction i = program_.instructions[parameter.instruction];
      if (program_.register_bits[parameter.names.at(b)] != 1) i.operation = Operation::constant_load;
      i.takes_access = false;
      i.destinations[0] = parameter.names.at(b);
      i.static_index = static_index;
      all.push_back(i);
    };
    for (std::uint32_t n = before.first; n < before.end; ++n) {
      Instruction i = program_.instructions[n];
      for (unsigned s = 0; s < i.source_count; ++s) {
        const auto at = parameters_.find(i.sources[s]);
        if (at == parameters_.end() || i.guard == i.sources[s]) continue;
        load(at->first, i.static_index);
        i.sources[s] = name_in(b, at->second);
      }
      if (n + 1 == before.end && unit_of(i.operation) == Unit::control)
        while (!left.empty()) load(left.front(), i.static_index);
      if (const auto at = i.destination_count == 1 ? parameters_.find(i.destinations[0]) : parameters_.end();
          at != parameters_.end() && at->second.instruction == n) {
        if (at->second.names.contains(b)) {
          if (program_.register_bits[at->first] != 1) i.operation = Operation::constant_load;
        } else {  // It takes its access entry alone.
          i.only_own_space = true;
          i.destination_count = 0;
        }
      }
      moved_[n] = static_cast<std::uint32_t>(all.size());
      if (i.closes_lock_loop || i.cas_loop) i.loop_start = moved_[i.loop_start];
      all.push_back(i);
    }
    while (!left.empty()) load(left.front(), block_begin(b));
    code.end = static_cast<std::uint32_t>(all.size());
  }
  bool is_predicate(std::uint16_t reg) const {
    return reg < program_.kernel->register_bits.size() && program_.kernel->register_bits[reg] == 1;
  }
  /// Of the uniform datapath, all of whose operands lie there.
  bool is_uniform(const Instruction& i) const {
    return i.destination_count == 1 && program_.register_bits[i.destinations[0]] == 1 &&
           !is_predicate(i.destinations[0]);
  }
  std::uint32_t block_begin(std::uint32_t b) const { return program_.kernel->blocks[b].first; }

  Program& program_;
  Dominance dominance_;
  std::map<std::uint16_t, Parameter> parameters_;
  std::vector<std::uint32_t> moved_;
};

}  // namespace

void load_parameters(Program& program) {
  const auto& blocks = program.kernel->blocks;
  if (std::any_of(blocks.begin(), blocks.end(), [](const auto& block) { return !block.successors.empty(); }) ||
      blocks.size() == 1)
    ParameterLoads(program).run();
}

}  // namespace lockstep::machine
