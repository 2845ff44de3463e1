#include "isa/machine/registers/parameter_loads.hpp"

#include <algorithm>
#include <map>
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
  bool read_elsewhere = false;  ///< In a block that does not load it itself.
};

class ParameterLoads {
 public:
  explicit ParameterLoads(Program& program) : program_(program), dominance_(program.kernel->blocks) {}

  void run() {
    find();
    if (parameters_.empty()) return;
    std::vector<Instruction> all;
    all.reserve(program_.instructions.size() + parameters_.size());
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b) copy(b, all);
    for (const auto& [reg, parameter] : parameters_) {
      Instruction& load = all[moved_[parameter.instruction]];
      if (parameter.read_elsewhere) continue;
      load.operation = Operation::integer;  // It takes its access entry alone.
      load.only_own_space = true;
      load.destination_count = 0;
    }
    program_.instructions = std::move(all);
  }

 private:
  void find() {
    std::map<std::uint16_t, unsigned> writers;
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b)
      for (std::uint32_t n = program_.blocks[b].first; n < program_.blocks[b].end; ++n) {
        const Instruction& i = program_.instructions[n];
        for (unsigned d = 0; d < i.destination_count; ++d) ++writers[i.destinations[d]];
        if (is_candidate(program_, i)) parameters_[i.destinations[0]] = {n, b, false};
      }
    std::erase_if(parameters_, [&](const auto& entry) { return writers[entry.first] != 1; });
  }

  void copy(std::uint32_t b, std::vector<Instruction>& all) {
    Code& code = program_.blocks[b];
    std::map<std::uint16_t, std::uint16_t> own;  // What the block loads itself.
    const Code before = code;
    code.first = static_cast<std::uint32_t>(all.size());
    moved_.resize(program_.instructions.size());
    for (std::uint32_t n = before.first; n < before.end; ++n) {
      Instruction i = program_.instructions[n];
      for (unsigned s = 0; s < i.source_count; ++s) {
        const auto at = parameters_.find(i.sources[s]);
        if (at == parameters_.end() || i.guard == i.sources[s]) continue;
        if (!loads_itself(b, at->second)) {
          at->second.read_elsewhere = true;
          continue;
        }
        auto [name, added] = own.try_emplace(at->first, 0);
        if (added) {
          name->second = static_cast<std::uint16_t>(program_.register_bits.size());
          program_.register_bits.push_back(64);
          Instruction load = program_.instructions[at->second.instruction];
          load.operation = Operation::constant_load;
          load.takes_access = false;
          load.destinations[0] = name->second;
          load.static_index = i.static_index;
          all.push_back(load);
        }
        i.sources[s] = name->second;
      }
      if (const auto at = i.destination_count == 1 ? parameters_.find(i.destinations[0]) : parameters_.end();
          at != parameters_.end() && at->second.instruction == n)
        i.operation = Operation::constant_load;
      moved_[n] = static_cast<std::uint32_t>(all.size());
      if (i.closes_lock_loop || i.cas_loop) i.loop_start = moved_[i.loop_start];
      all.push_back(i);
    }
    code.end = static_cast<std::uint32_t>(all.size());
  }

  bool loads_itself(std::uint32_t b, const Parameter& parameter) const {
    return b != parameter.block && program_.register_bits.size() < most_scoreboard_entries &&
           dominance_.loop_passes_by(b, parameter.block);
  }

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
