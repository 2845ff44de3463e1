#include "isa/machine/registers/parameter_loads.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "isa/machine/dominance.hpp"

namespace lockstep::machine {

namespace {

bool is_candidate(const Program& program, const Instruction& i) {
  return i.operation == Operation::integer && i.takes_access && i.space == program::MemorySpace::param &&
         !i.only_own_space && i.destination_count == 1 && i.source_count == 0 &&
         program.register_bits[i.destinations[0]] == 64;
}

/// A parameter in a register that nothing else writes.
struct Parameter {
  std::uint32_t instruction = Program::none;
  std::uint32_t block = 0;
  std::map<std::uint32_t, std::uint16_t> names;  ///< By the block that loads it: the register there.
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
        if (is_candidate(program_, i)) parameters_[i.destinations[0]] = {n, b, {}};
      }
    std::erase_if(parameters_, [&](const auto& entry) { return writers[entry.first] != 1; });
  }

  /// By parameter, the blocks that load it: those that read it and those in front of loops that do, but for those behind another one.
  void choose_places() {
    std::map<std::uint16_t, std::vector<std::uint32_t>> places;
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b)
      for (std::uint32_t n = program_.blocks[b].first; n < program_.blocks[b].end; ++n)
        for (unsigned s = 0; s < program_.instructions[n].source_count; ++s)
          if (const auto at = parameters_.find(program_.instructions[n].sources[s]); at != parameters_.end())
            places[at->first].push_back(place_for(b, at->second));
    for (auto& [reg, all] : places) {
      Parameter& parameter = parameters_.at(reg);
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      for (const std::uint32_t b : all) {
        const auto is_in_front = [&](std::uint32_t other) { return other != b && dominance_.passes(b, other); };
        if (!loads_itself(b, parameter) && std::any_of(all.begin(), all.end(), is_in_front)) continue;
        if (b == parameter.block || program_.register_bits.size() >= most_scoreboard_entries) {
          parameter.names[parameter.block] = reg;
        } else {
          parameter.names[b] = static_cast<std::uint16_t>(program_.register_bits.size());
          program_.register_bits.push_back(64);
        }
      }
    }
  }

  /// The block that loads a parameter for block b, which reads it: in front of the loops that have b and not the parameter.
  std::uint32_t place_for(std::uint32_t b, const Parameter& parameter) const {
    if (loads_itself(b, parameter)) return b;
    while (b != parameter.block && dominance_.loop_separates(b, {parameter.block})) {
      const std::optional<std::uint32_t> above = dominance_.nearest(b);
      if (!above) return parameter.block;
      b = *above;
    }
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
      i.operation = Operation::constant_load;
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
          i.operation = Operation::constant_load;
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
