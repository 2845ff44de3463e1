#include "isa/machine/schedule/wide_accesses.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "isa/machine/mnemonic.hpp"
#include "isa/machine/schedule/ordering.hpp"

namespace lockstep::machine {

namespace {

constexpr std::int64_t widest = 16;

std::int64_t bytes_of(const Instruction& i) {
  return std::int64_t{i.element_bytes} * i.vector_elements;
}
bool is_load(const Instruction& i) {
  return i.operation == Operation::scratchpad_load;
}
bool is_store(const Instruction& i) {
  return i.operation == Operation::scratchpad_store;
}

/// Loads of 16 bits, by number in the kernel, of which every reader names the half of a register that it takes.
std::vector<bool> loads_of_halves(const program::Kernel& kernel, const program::DataFlow& flow) {
  std::vector<bool> all(kernel.instructions.size());
  const auto takes_half = [&](std::uint32_t reader) {
    const program::StaticInstruction& s = kernel.instructions[reader];
    const Mnemonic w(kernel.strings[s.mnemonic]);
    if (s.access != program::AccessKind::none || s.control != program::Control::none) return false;
    const bool packs = w.opcode == ptx::Opcode::mov && w.ends({"b32"}) && s.operands.size() == 2;
    return packs || w.ends({"f16", "bf16", "f16x2", "bf16x2"});
  };
  for (std::size_t n = 0; n < all.size(); ++n) {
    const program::StaticInstruction& s = kernel.instructions[n];
    if (s.access != program::AccessKind::load || s.element_bytes != 2) continue;
    all[n] = std::all_of(s.destinations.begin(), s.destinations.end(), [&](std::uint32_t d) {
      const auto& readers = flow.readers(d);
      return !readers.empty() && std::all_of(readers.begin(), readers.end(), takes_half);
    });
  }
  return all;
}

/// The code of one basic block, unrolled loop or predicated branch.
class Widening {
 public:
  Widening(const Program& program, const Addresses& addresses, const std::vector<bool>& halves,
           std::vector<Instruction> code)
      : program_(program), addresses_(addresses), halves_(halves), code_(std::move(code)), gone_(code_.size()) {}

  std::vector<Instruction> run() {
    for (std::uint32_t n = 0; n < code_.size(); ++n) {
      const Instruction& i = code_[n];
      if (is_wall(*program_.kernel, i) || is_barrier(*program_.kernel, i)) close_all();
      if (is_memory(i)) close_conflicting(i);
      if (can_widen(i)) {
        const Key key{i.operation, i.element_bytes, i.address_root, i.guard, base_of(i)};
        if (const auto at = open_.find(key);
            at != open_.end() && is_load(i) && !can_come_early(n, at->second.front())) {
          widen(key, at->second);
          open_.erase(at);
        }
        open_[key].push_back(n);
      }
      for (unsigned d = 0; d < i.destination_count; ++d) close_using(i.destinations[d], n);
    }
    close_all();
    std::vector<Instruction> left;
    std::vector<std::uint32_t> moved;  // Where each instruction is now, or what came behind it.
    for (std::uint32_t n = 0; n < code_.size(); ++n) {
      moved.push_back(static_cast<std::uint32_t>(left.size()));
      if (!gone_[n]) left.push_back(code_[n]);
    }
    for (Instruction& i : left)
      if (i.closes_lock_loop || i.cas_loop) i.loop_start = moved[i.loop_start];
    return left;
  }

 private:
  struct Key {
    Operation operation;
    std::uint8_t element_bytes;
    std::uint32_t root;
    std::uint16_t guard;
    std::uint16_t base;
    auto operator<=>(const Key&) const = default;
  };
  using Group = std::vector<std::uint32_t>;  ///< Instructions of the code, in order.

  /// What an access can be a part of at most, in bytes.
  std::int64_t widest_of(const Instruction& i) const { return i.element_bytes == 2 ? 8 : widest; }
  bool can_widen(const Instruction& i) const {
    const bool fits =
        i.element_bytes == 4 || i.element_bytes == 8 || (i.element_bytes == 2 && is_load(i) && halves_[i.static_index]);
    return (is_load(i) || is_store(i)) && i.address_root != 0 && i.takes_access && !i.cas_loop && !i.only_own_space &&
           i.cache_operator == CacheOperator::normal && fits && bytes_of(i) < widest_of(i);
  }

  /// The name of the register that the root is; none for a constant address.
  std::uint16_t base_of(const Instruction& i) const {
    // Sources of an access are its base, then what it stores, then its guard.
    if (addresses_.register_of(i.address_root) == program::no_register || i.source_count == 0)
      return Instruction::no_guard;
    return i.sources[0];
  }

  template <class Condition>
  void close_if(Condition&& condition) {
    for (auto at = open_.begin(); at != open_.end();) {
      if (condition(at->first, at->second)) {
        widen(at->first, at->second);
        at = open_.erase(at);
      } else {
        ++at;
      }
    }
  }
  void close_all() {
    close_if([](const Key&, const Group&) { return true; });
  }
  /// Of accesses that must stay on their side of `i`.
  void close_conflicting(const Instruction& i) {
    close_if([&](const Key& key, const Group& group) {
      const Instruction& one = code_[group.front()];
      if (can_widen(i) && key.operation == i.operation && key.root == i.address_root && key.base == base_of(i) &&
          key.guard == i.guard && key.element_bytes == i.element_bytes)
        return overlaps(group, i);
      return may_meet(one, i);
    });
  }
  bool overlaps(const Group& group, const Instruction& i) const {
    return is_store(i) && std::any_of(group.begin(), group.end(), [&](std::uint32_t n) {
             return code_[n].address_offset < i.address_offset + bytes_of(i) &&
                    i.address_offset < code_[n].address_offset + bytes_of(code_[n]);
           });
  }
  /// Of accesses that use a register which the instruction `n` writes: base, guard, stored values, results.
  void close_using(std::uint16_t reg, std::uint32_t n) {
    close_if([&](const Key&, const Group& group) {
      return std::any_of(group.begin(), group.end(), [&](std::uint32_t m) {
        const Instruction& i = code_[m];
        if (std::find(i.sources, i.sources + i.source_count, reg) != i.sources + i.source_count) return true;
        return m != n && std::find(i.destinations, i.destinations + i.destination_count, reg) !=
                             i.destinations + i.destination_count;
      });
    });
  }
  /// Nothing between the two uses what the load `n` writes.
  bool can_come_early(std::uint32_t n, std::uint32_t first) const {
    const Instruction& load = code_[n];
    for (std::uint32_t m = first; m < n; ++m) {
      const Instruction& i = code_[m];
      for (unsigned d = 0; d < load.destination_count; ++d) {
        const std::uint16_t reg = load.destinations[d];
        if (std::find(i.sources, i.sources + i.source_count, reg) != i.sources + i.source_count) return false;
        if (std::find(i.destinations, i.destinations + i.destination_count, reg) !=
            i.destinations + i.destination_count)
          return false;
      }
    }
    return true;
  }

  void widen(const Key& key, const Group& group) {
    const std::uint32_t alignment = addresses_.alignment(key.root);
    std::map<std::int64_t, std::uint32_t> by_offset;  // The first access at each place.
    for (const std::uint32_t n : group) {
      const auto [first, is_new] = by_offset.emplace(code_[n].address_offset, n);
      if (!is_new && is_load(code_[n]) && bytes_of(code_[n]) == bytes_of(code_[first->second]))
        repeat(first->second, n);
    }
    for (std::int64_t bytes = widest_of(code_[group.front()]); bytes >= 4; bytes /= 2) {
      if ((std::int64_t{1} << alignment) < bytes || bytes <= key.element_bytes) continue;
      std::map<std::int64_t, Group> pieces;
      for (const auto& [offset, n] : by_offset) pieces[offset & ~(bytes - 1)].push_back(n);
      for (const auto& [start, piece] : pieces) {
        std::int64_t covered = 0;
        unsigned destinations = 0;
        for (const std::uint32_t n : piece) {
          covered += bytes_of(code_[n]);
          destinations += code_[n].destination_count;
        }
        const bool enough = covered == bytes || (is_load(code_[piece.front()]) && bytes == widest && covered == 12);
        const bool inside = code_[piece.back()].address_offset + bytes_of(code_[piece.back()]) <= start + bytes;
        if (piece.size() < 2 || !enough || !inside || destinations > max_destinations) continue;
        join(piece, start, bytes);
        for (const std::uint32_t n : piece) by_offset.erase(code_[n].address_offset);
      }
    }
  }

  /// The first of two loads of the same words writes what the second would.
  void repeat(std::uint32_t first, std::uint32_t second) {
    Instruction& load = code_[first];
    if (load.destination_count + code_[second].destination_count > max_destinations) return;
    for (unsigned d = 0; d < code_[second].destination_count; ++d)
      add(load.destinations, load.destination_count, max_destinations, code_[second].destinations[d]);
    gone_[second] = true;
  }

  /// Loads go where the first is, stores where the last is.
  void join(const Group& piece, std::int64_t start, std::int64_t bytes) {
    const bool loads = is_load(code_[piece.front()]);
    const std::uint32_t at =
        loads ? *std::min_element(piece.begin(), piece.end()) : *std::max_element(piece.begin(), piece.end());
    Instruction wide = code_[piece.front()];
    wide.vector_elements = static_cast<std::uint8_t>(bytes / wide.element_bytes);
    wide.entry_shift = static_cast<std::int32_t>(start - wide.address_offset);
    wide.address_offset = static_cast<std::int32_t>(start);
    for (const std::uint32_t n : piece) {
      const Instruction& i = code_[n];
      for (unsigned d = 0; d < i.destination_count; ++d)
        add(wide.destinations, wide.destination_count, max_destinations, i.destinations[d]);
      for (unsigned s = 0; s < i.source_count; ++s) add(wide.sources, wide.source_count, max_sources, i.sources[s]);
      gone_[n] = true;
    }
    gone_[at] = false;
    code_[at] = wide;
  }
  static void add(std::uint16_t* list, std::uint8_t& count, std::uint32_t most, std::uint16_t reg) {
    if (count < most && std::find(list, list + count, reg) == list + count) list[count++] = reg;
  }

  const Program& program_;
  const Addresses& addresses_;
  const std::vector<bool>& halves_;
  std::vector<Instruction> code_;
  std::vector<bool> gone_;
  std::map<Key, Group> open_;
};

}  // namespace

void widen_accesses(Program& program, const Addresses& addresses, const program::DataFlow& flow) {
  const std::vector<bool> halves = loads_of_halves(*program.kernel, flow);
  std::vector<Code*> codes;
  for (Code& code : program.blocks) codes.push_back(&code);
  for (Path& one : program.predicated)
    if (one.code.executions != 0) codes.push_back(&one.code);
  for (std::vector<Path>& paths : program.unrolled)
    for (Path& path : paths) codes.push_back(&path.code);
  std::vector<Instruction> all;
  all.reserve(program.instructions.size());
  for (Code* const code : codes) {
    const auto first = program.instructions.begin() + code->first, end = program.instructions.begin() + code->end;
    std::vector<Instruction> written(first, end);
    const auto loops = [](const Instruction& i) { return i.closes_lock_loop || i.cas_loop; };
    for (Instruction& i : written)
      if (loops(i)) i.loop_start = i.loop_start >= code->first ? i.loop_start - code->first : 0;
    std::vector<Instruction> left = Widening(program, addresses, halves, std::move(written)).run();
    code->first = static_cast<std::uint32_t>(all.size());
    for (Instruction& i : left)
      if (loops(i)) i.loop_start += code->first;
    all.insert(all.end(), left.begin(), left.end());
    code->end = static_cast<std::uint32_t>(all.size());
  }
  program.instructions = std::move(all);
}

}  // namespace lockstep::machine
