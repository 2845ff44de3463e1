#include "isa/machine/schedule/load_counters.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace lockstep::machine {

namespace {

constexpr std::uint32_t nowhere = ~std::uint32_t{0};

bool counts(const Instruction& i) {
  const Operation o = i.operation;
  return i.destination_count != 0 &&
         (o == Operation::global_load || o == Operation::global_atomic || o == Operation::texture_load);
}

bool has_operand(const Instruction& i, std::uint16_t reg) {
  return std::find(i.sources, i.sources + i.source_count, reg) != i.sources + i.source_count ||
         std::find(i.destinations, i.destinations + i.destination_count, reg) != i.destinations + i.destination_count;
}

/// The results that a counter may count at a point of the program: nobody has waited for them yet.
struct Counted {
  std::vector<std::uint16_t> registers;
  std::uint32_t reader = nowhere;  ///< The first of them all, if they have one.

  bool any_of(const Instruction& i) const {
    return std::any_of(registers.begin(), registers.end(), [&](std::uint16_t reg) { return has_operand(i, reg); });
  }
  bool more_than(const Instruction& i) const {
    return std::any_of(registers.begin(), registers.end(), [&](std::uint16_t reg) { return !has_operand(i, reg); });
  }
  void add(const Instruction& load) {
    for (unsigned d = 0; d < load.destination_count; ++d)
      if (std::find(registers.begin(), registers.end(), load.destinations[d]) == registers.end())
        registers.push_back(load.destinations[d]);
  }
};

class Assignment {
 public:
  Assignment(Program& program, unsigned counters)
      : program_(program),
        last_(counters - 1),
        next_reader_(program.register_bits.size(), nowhere),
        at_begin_(program.blocks.size()) {}

  void run() {
    find_counted_at_begin();
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b) {
      assign(program_.blocks[b], b);
      if (!program_.predicated.empty()) assign(program_.predicated[b].code, b);
      if (program_.unrolled.empty()) continue;
      for (const Path& path : program_.unrolled[b]) assign(path.code, b);
    }
    drop_unawaited();
  }

 private:
  /// What the last counter may count where each basic block begins: what those before it leave.
  void find_counted_at_begin() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t b = 0; b < program_.blocks.size(); ++b) {
        const std::vector<std::uint16_t> left = assign(program_.blocks[b], b);
        for (const std::uint32_t next : program_.kernel->blocks[b].successors) {
          std::vector<std::uint16_t>& there = at_begin_[next];
          const std::size_t before = there.size();
          there.insert(there.end(), left.begin(), left.end());
          std::sort(there.begin(), there.end());
          there.erase(std::unique(there.begin(), there.end()), there.end());
          changed = changed || there.size() != before;
        }
      }
    }
  }

  /// Of each instruction of the code, the first one behind it that reads what it writes.
  void find_readers(const Code& code) {
    readers_.assign(code.end - code.first, nowhere);
    for (std::uint32_t n = code.end; n-- > code.first;) {
      const Instruction& i = program_.instructions[n];
      for (unsigned d = 0; d < i.destination_count; ++d) {
        readers_[n - code.first] = std::min(readers_[n - code.first], next_reader_[i.destinations[d]]);
        if (i.writes_all_lanes()) next_reader_[i.destinations[d]] = nowhere;
      }
      for (unsigned s = 0; s < i.source_count; ++s) next_reader_[i.sources[s]] = n;
    }
    for (std::uint32_t n = code.first; n < code.end; ++n)
      for (unsigned s = 0; s < program_.instructions[n].source_count; ++s)
        next_reader_[program_.instructions[n].sources[s]] = nowhere;
  }

  /// Assigns counters in a code that begins with this basic block. Returns what the last one may count behind it.
  std::vector<std::uint16_t> assign(const Code& code, std::uint32_t block) {
    if (code.executions == 0) return {};
    find_readers(code);
    std::array<Counted, Instruction::most_counters> counted;
    counted[last_].registers = at_begin_[block];
    bool counts_of_others = !at_begin_[block].empty();  // The last one, what other blocks left.
    for (std::uint32_t n = code.first; n < code.end; ++n) {
      Instruction& i = program_.instructions[n];
      i.awaits_counters = 0;
      for (unsigned c = 0; c <= last_; ++c) {
        if (!counted[c].any_of(i)) continue;
        if (counted[c].more_than(i)) i.awaits_counters |= static_cast<std::uint8_t>(1U << c);
        counted[c] = {};
        counts_of_others = counts_of_others && c != last_;
      }
      if (!counts(i)) continue;
      const std::uint32_t reader = readers_[n - code.first];
      const unsigned c = choose(counted, reader);
      if (c == last_ && counts_of_others && reads_others_before(code, n, reader, at_begin_[block])) {
        i.awaits_counters |= static_cast<std::uint8_t>(1U << c);
        counted[c] = {};
        counts_of_others = false;
      }
      i.counter = static_cast<std::uint8_t>(c + 1);
      counted[c].reader = counted[c].registers.empty() ? reader : std::min(reader, counted[c].reader);
      counted[c].add(i);
    }
    return counted[last_].registers;
  }

  /// Whether something behind a load and in front of its first reader reads what other blocks have loaded: the load waits for
  /// that, so that the reader need not wait for the load.
  bool reads_others_before(const Code& code, std::uint32_t load, std::uint32_t reader,
                           const std::vector<std::uint16_t>& others) const {
    for (std::uint32_t n = load + 1; n < std::min(reader, code.end); ++n) {
      const Instruction& i = program_.instructions[n];
      for (unsigned s = 0; s < i.source_count; ++s)
        if (std::binary_search(others.begin(), others.end(), i.sources[s])) return true;
    }
    return false;
  }

  unsigned choose(const std::array<Counted, Instruction::most_counters>& counted, std::uint32_t reader) const {
    if (reader == nowhere) return last_;
    for (unsigned c = 0; c <= last_; ++c)
      if (!counted[c].registers.empty() && counted[c].reader == reader) return c;
    for (unsigned c = 0; c < last_; ++c)
      if (counted[c].registers.empty()) return c;
    return last_;
  }

  /// A counter that nothing waits for need not be counted.
  void drop_unawaited() {
    std::uint8_t awaited = 0;
    for (const Instruction& i : program_.instructions) awaited |= i.awaits_counters;
    for (Instruction& i : program_.instructions)
      if (i.counter != 0 && (awaited >> (i.counter - 1) & 1) == 0) i.counter = 0;
  }

  Program& program_;
  unsigned last_;
  std::vector<std::uint32_t> next_reader_;  ///< By register, while the readers in a code are looked for.
  std::vector<std::uint32_t> readers_;
  std::vector<std::vector<std::uint16_t>> at_begin_;
};

}  // namespace

void assign_load_counters(Program& program, unsigned counters) {
  if (counters != 0) Assignment(program, counters).run();
}

}  // namespace lockstep::machine
