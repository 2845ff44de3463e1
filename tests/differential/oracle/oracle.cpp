#include "tests/differential/oracle/oracle.hpp"

#include <cstring>
#include <map>
#include <set>
#include <unordered_map>

#include "tests/differential/oracle/exchange.hpp"
#include "tests/differential/oracle/images.hpp"
#include "tests/differential/oracle/integers.hpp"
#include "tests/differential/oracle/memory.hpp"
#include "tests/differential/oracle/semantics.hpp"

namespace lockstep::differential {

namespace {

/// Whether threads meet somewhere in the statement.
bool is_collective(const Statement& statement) {
  if (std::holds_alternative<Exchange>(statement.is) || std::holds_alternative<Barrier>(statement.is)) return true;
  for (const Block* block : blocks_of(statement)) {
    for (const Statement& inner : *block) {
      if (is_collective(inner)) return true;
    }
  }
  return false;
}

class Interpreter {
 public:
  explicit Interpreter(const Kernel& kernel) : kernel_(kernel) {
    memory_.contents = contents_of(kernel);
    memory_.threads = kernel.threads();
    memory_.threads_per_block = kernel.threads_per_block();
  }

  std::vector<std::uint8_t> run() {
    for (unsigned number = 0; number < kernel_.blocks(); ++number) run_block(number);
    std::vector<std::uint8_t> all = std::move(memory_.contents.data);
    all.insert(all.end(), memory_.contents.texels.begin(), memory_.contents.texels.end());
    return all;
  }

 private:
  void run_block(unsigned number) {
    const unsigned count = kernel_.threads_per_block();
    memory_.scratchpad.assign(std::size_t{count} * bytes_of(Area::scratchpad), 0);
    memory_.counters.assign(bytes_of(Area::shared_counters), 0);
    std::vector<Thread> threads(count);
    Threads all;
    for (unsigned t = 0; t < count; ++t) {
      Thread& thread = threads[t];
      thread.in_block = t;
      thread.in_grid = number * count + t;
      thread.index = {t % kernel_.block[0], t / kernel_.block[0] % kernel_.block[1],
                      t / kernel_.block[0] / kernel_.block[1]};
      thread.block = {number % kernel_.grid[0], number / kernel_.grid[0] % kernel_.grid[1],
                      number / kernel_.grid[0] / kernel_.grid[1]};
      initialise(thread);
      all.push_back(&thread);
    }
    execute(kernel_.body, all);
  }

  void initialise(Thread& thread) {
    for (const unsigned bits : {1u, 16u, 32u, 64u}) {
      for (unsigned n = 0; n < kernel_registers.of(bits); ++n) {
        const Register reg{bits, n};
        std::uint64_t value = thread.in_grid >> initial_bit(n) & 1;
        if (bits > 1) {
          value = 0;
          std::memcpy(&value, memory_.contents.input.data() + initial_element(thread.in_grid, reg) * bits / 8,
                      bits / 8);
        }
        thread.registers[reg] = value;
      }
    }
  }

  /// Each thread alone as far as it comes, then together.
  void execute(const Block& block, const Threads& threads) {
    for (std::size_t at = 0; at < block.size();) {
      std::size_t end = at;
      while (end < block.size() && !is_collective(block[end])) ++end;
      for (Thread* thread : threads) {
        for (std::size_t i = at; i < end && !thread->has_exited; ++i) alone(block[i], *thread);
      }
      at = end;
      if (at == block.size()) break;
      Threads left;
      for (Thread* thread : threads) {
        if (!thread->has_exited) left.push_back(thread);
      }
      std::visit([&](const auto& one) { together(one, left); }, block[at].is);
      ++at;
    }
  }

  // ---- one thread ----

  void alone(const Statement& statement, Thread& thread) {
    std::visit([&](const auto& one) { alone(one, thread, thread.registers); }, statement.is);
  }

  std::uint64_t value_of(const Operand& operand, Thread& thread, Registers& registers) {
    if (operand.kind == Operand::Kind::special) return special(operand.special, thread);
    if (operand.kind != Operand::Kind::reg) return operand.value;
    const std::uint64_t value = registers[operand.reg];
    return operand.negated ? value ^ 1 : value;
  }

  std::uint64_t special(std::string_view name, const Thread& thread) const {
    const auto axis = static_cast<std::size_t>(name.back() - 'x');
    if (name.starts_with("tid")) return thread.index[axis];
    if (name.starts_with("ntid")) return kernel_.block[axis];
    if (name.starts_with("ctaid")) return thread.block[axis];
    if (name.starts_with("nctaid")) return kernel_.grid[axis];
    const unsigned lane = thread.lane();
    if (name == "laneid") return lane;
    const std::uint64_t own = std::uint64_t{1} << lane, below = own - 1;
    if (name == "lanemask_eq") return own;
    if (name == "lanemask_lt") return below;
    if (name == "lanemask_le") return below | own;
    return low_bits(name == "lanemask_ge" ? ~below : ~(below | own), 32);
  }

  void alone(const Compute& one, Thread& thread, Registers& registers) {
    for (const Instruction& instruction : one.chain) {
      if (instruction.guard && value_of(*instruction.guard, thread, registers) == 0) continue;
      auto found = semantics_.find(&instruction);
      if (found == semantics_.end()) found = semantics_.emplace(&instruction, semantics_of(instruction)).first;
      std::uint64_t in[8], out[2] = {0, 0};
      for (std::size_t i = 0; i < instruction.reads.size(); ++i) {
        in[i] = value_of(instruction.reads[i], thread, registers);
        const unsigned bits = instruction.reads[i].reg.bits;
        in[i] = low_bits(in[i], bits);
      }
      found->second(in, out, registers.carry);
      for (std::size_t i = 0; i < instruction.writes.size(); ++i) registers[instruction.writes[i]] = out[i];
    }
  }
  void alone(const Access& one, Thread& thread, Registers& registers) {
    std::vector<std::uint64_t> values;
    for (const Operand& operand : one.instruction.reads) values.push_back(value_of(operand, thread, registers));
    access_memory(one, memory_.locate(one.place, thread, registers), values, registers);
  }
  void alone(const ImageAccess& one, Thread& thread, Registers& registers) {
    access_image(one, kernel_.images[one.image], memory_.contents.texels, thread, registers);
  }
  void alone(const Copy& one, Thread& thread, Registers& registers) {
    const std::uint8_t* from = memory_.locate(one.from, thread, registers);
    std::memcpy(memory_.locate(one.to, thread, registers), from, one.to.bytes);
  }
  void alone(const NoEffect&, Thread&, Registers&) {}
  void alone(const Exchange&, Thread&, Registers&) {}
  void alone(const Barrier&, Thread&, Registers&) {}
  void alone(const Branch& one, Thread& thread, Registers& registers) {
    run(value_of(one.condition, thread, registers) != 0 ? one.inside : one.otherwise, thread, registers);
  }
  void alone(const Loop& one, Thread& thread, Registers& registers) {
    const std::uint64_t trips = one.trips_of ? registers[*one.trips_of] & 3 : one.trips;
    for (std::uint64_t trip = 0; trip < trips; ++trip) run(one.body, thread, registers);
  }
  void alone(const Selection& one, Thread& thread, Registers& registers) {
    run(one.cases[(one.selector ? registers[*one.selector] : thread.block[0]) & 3], thread, registers);
  }
  void alone(const Group& one, Thread& thread, Registers& registers) { run(one.body, thread, registers); }
  void alone(const Exit& one, Thread& thread, Registers& registers) {
    thread.has_exited = value_of(one.condition, thread, registers) != 0;
  }
  void alone(const Call& one, Thread& thread, Registers& registers) {
    const bool takes_other = one.other && registers[one.condition] != 0;
    const unsigned function = takes_other ? *one.other : one.function;
    registers[one.result] = call(kernel_.functions[function], one.depth, registers[one.a], registers[one.b], thread);
  }
  void run(const Block& block, Thread& thread, Registers& registers) {
    for (const Statement& statement : block) {
      std::visit([&](const auto& one) { alone(one, thread, registers); }, statement.is);
    }
  }

  std::uint64_t call(const Function& function, unsigned depth, std::uint64_t a, std::uint64_t b, Thread& thread) {
    Registers registers(function_registers);
    for (unsigned n = 0; n < function_registers.words; ++n) registers[{32, n}] = low_bits(a + n * word_step, 32);
    for (unsigned n = 0; n < function_registers.wides; ++n) registers[{64, n}] = b ^ n * wide_step;
    for (unsigned n = 0; n < function_registers.halves; ++n) registers[{16, n}] = registers[{32, n}] & 0xffff;
    for (unsigned n = 0; n < function_registers.predicates; ++n) registers[{1, n}] = a >> n & 1;
    run(function.body, thread, registers);
    if (!function.recursive || depth == 0) return registers[{64, 0}];
    return call(function, depth - 1, registers[{32, 0}], registers[{64, 0}], thread);
  }

  // ---- threads that meet ----

  template <class One>
  void together(const One& one, const Threads& threads) {
    for (Thread* thread : threads) alone(one, *thread, thread->registers);
  }
  void together(const Group& one, const Threads& threads) { execute(one.body, threads); }
  void together(const Branch& one, const Threads& threads) {
    Threads inside, otherwise;
    for (Thread* thread : threads) {
      (value_of(one.condition, *thread, thread->registers) != 0 ? inside : otherwise).push_back(thread);
    }
    execute(one.inside, inside);
    execute(one.otherwise, otherwise);
  }
  /// Only loops of all threads hold steps that threads make together.
  void together(const Loop& one, const Threads& threads) {
    for (unsigned trip = 0; trip < one.trips; ++trip) execute(one.body, threads);
  }
  void together(const Exchange& one, const Threads& threads) {
    std::map<unsigned, Threads> warps;
    for (Thread* thread : threads) warps[thread->in_block / 32].push_back(thread);
    for (const auto& entry : warps) {
      std::vector<std::vector<std::uint64_t>> values;
      for (Thread* thread : entry.second) {
        values.emplace_back();
        for (const Operand& operand : one.instruction.reads) {
          values.back().push_back(value_of(operand, *thread, thread->registers));
        }
      }
      exchange_within_warp(one, entry.second, values);
    }
  }
  void together(const Barrier& one, const Threads& threads) {
    const Instruction& instruction = one.instruction;
    if (!instruction.has("red")) return;
    std::uint64_t count = 0;
    for (Thread* thread : threads) count += value_of(instruction.reads[0], *thread, thread->registers);
    std::uint64_t result = count;
    if (instruction.has("and")) result = count == threads.size() ? 1 : 0;
    if (instruction.has("or")) result = count != 0 ? 1 : 0;
    for (Thread* thread : threads) thread->registers[instruction.writes[0]] = result;
  }

  const Kernel& kernel_;
  Memory memory_;
  std::unordered_map<const Instruction*, Evaluate> semantics_;
};

}  // namespace

std::vector<std::uint8_t> interpret(const Kernel& kernel) {
  return Interpreter(kernel).run();
}

}  // namespace lockstep::differential
