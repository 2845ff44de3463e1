#include "models/hash_search/collect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>

#include "isa/error.hpp"
#include "isa/trace/stream.hpp"

namespace lockstep::hash {

namespace {

using machine::Operation;
using program::MemorySpace;

/// What an access entry is to the scratchpad.
enum class Use : std::uint8_t { none, load, store, lock_loop, swap_loop };

struct EntryUse {
  Use use = Use::none;
  bool generic = false;  ///< Only the lanes whose address lies in the scratchpad's window.
  std::uint8_t bytes_per_lane = 0;
  std::int32_t shift = 0;  ///< Of the addresses: where one access does what several did.
};

/// How a machine instruction that takes an access entry, or uses that of the one before it, serves its scratchpad lanes.
Use use_of(const machine::Instruction& i) {
  if (i.cas_loop) return Use::swap_loop;
  switch (i.operation) {
    case Operation::load_lock:
    case Operation::store_unlock: return Use::lock_loop;
    case Operation::scratchpad_store: return Use::store;
    case Operation::scratchpad_atomic:
    case Operation::scratchpad_reduction: return Use::store;  // Broadcast serves every word, as of a store.
    case Operation::scratchpad_load: return i.destination_count == 0 || i.matrix_rows ? Use::store : Use::load;
    // A generic access is lowered to the operation of memory, and serves its scratchpad lanes beside.
    case Operation::global_load: return i.destination_count == 0 ? Use::store : Use::load;
    case Operation::global_store: return Use::store;
    default: return Use::none;
  }
}

/// What every access entry of every static block is, block by block.
struct KernelUses {
  std::vector<EntryUse> uses;
  std::vector<std::uint32_t> first;  ///< Of block b: uses [first[b], first[b + 1]).
};

KernelUses uses_of(const machine::Program& program) {
  KernelUses all;
  for (const machine::Code& block : program.blocks) {
    all.first.push_back(static_cast<std::uint32_t>(all.uses.size()));
    all.uses.resize(all.uses.size() + block.access_entries);
    // Operations of one instruction of the kernel use the entry that the latest of them took.
    std::map<std::uint32_t, std::uint32_t> entry_of;
    for (std::uint32_t n = block.first; n < block.end; ++n) {
      const machine::Instruction& i = program.instructions[n];
      if (i.takes_access) entry_of[i.static_index] = i.access_entry;
      if (i.operation == Operation::async_copy) {  // Its second entry is a store.
        EntryUse& stored = all.uses[all.first.back() + i.access_entry + 1];
        stored.use = Use::store;
        stored.bytes_per_lane = i.element_bytes;
        continue;
      }
      const auto entry = entry_of.find(i.static_index);
      if (machine::unit_of(i.operation) != machine::Unit::load_store || entry == entry_of.end()) continue;
      EntryUse& own = all.uses[all.first.back() + entry->second];
      if (own.use != Use::none || (i.space != MemorySpace::shared && i.space != MemorySpace::generic)) continue;
      own.use = use_of(i);
      own.generic = i.space == MemorySpace::generic;
      own.bytes_per_lane = static_cast<std::uint8_t>(i.element_bytes * i.vector_elements);
      own.shift = i.entry_shift;
    }
  }
  all.first.push_back(static_cast<std::uint32_t>(all.uses.size()));
  return all;
}

machine::Target in_program_order(machine::Target target) {
  target.schedule = machine::Schedule::program_order;
  return target;
}

/// The accesses of one kernel. Whole accesses are counted first, cheaply; their requests are made once for all equal
/// ones.
class Collector {
 public:
  Collector(const program::Kernel& kernel, const machine::Target& target, const ServiceRules& rules,
            const program::AddressWindows& windows)
      : kernel_(kernel), uses_(uses_of(machine::lower(kernel, target))), windows_(windows), set_(rules) {}

  void read(trace::WarpStream& stream) {
    trace::StreamCursor cursor(stream, static_cast<std::uint32_t>(kernel_.blocks.size()));
    trace::BlockEntry block;
    while (cursor.next_block(block))
      for (std::uint32_t n = uses_.first[block.block]; n < uses_.first[block.block + 1]; ++n) {
        cursor.next_access(access_);
        if (uses_.uses[n].use != Use::none) take(uses_.uses[n]);
      }
  }

  AccessSet finish() {
    make_requests();
    return std::move(set_);
  }

 private:
  static constexpr std::size_t kept_values = std::size_t{1} << 22;

  void take(const EntryUse& use) {
    std::uint32_t lanes = access_.mask, words[32], count = 0;
    for (std::uint32_t rest = access_.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      std::uint64_t address = access_.address[lane] + static_cast<std::uint64_t>(std::int64_t{use.shift});
      if (use.generic) {
        address -= windows_.shared_base;
        if (address >= windows_.shared_size) {
          lanes &= ~(1u << lane);
          continue;
        }
      }
      words[count++] = static_cast<std::uint32_t>(std::min<std::uint64_t>(address / 4, ~std::uint32_t{0}));
    }
    if (lanes == 0) return;
    accesses_.add(std::uint64_t{lanes} << 32 | std::uint64_t{use.bytes_per_lane} << 8 | static_cast<unsigned>(use.use),
                  {words, count}, 1);
    if (accesses_.stored_values() > kept_values) make_requests();
  }

  void make_requests() {
    std::uint64_t address[32] = {};
    for (const WeightedSequences::Entry& entry : accesses_.entries()) {
      const auto mask = static_cast<std::uint32_t>(entry.tag >> 32);
      const std::span<const std::uint32_t> words = accesses_.values(entry);
      std::size_t next = 0;
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
        address[std::countr_zero(rest)] = std::uint64_t{words[next++]} * 4;
      const auto bytes = static_cast<std::uint32_t>(entry.tag >> 8 & 0xff);
      switch (static_cast<Use>(entry.tag & 0xff)) {
        case Use::load: set_.add_access(address, mask, bytes, true, entry.weight); break;
        case Use::store: set_.add_access(address, mask, bytes, false, entry.weight); break;
        case Use::lock_loop: set_.add_lock_loop(address, mask, bytes, entry.weight); break;
        case Use::swap_loop: set_.add_swap_loop(address, mask, bytes, entry.weight); break;
        case Use::none: break;
      }
    }
    accesses_.clear();
  }

  const program::Kernel& kernel_;
  KernelUses uses_;
  program::AddressWindows windows_;
  trace::AccessEntry access_;
  WeightedSequences accesses_;  ///< Tag: lanes << 32 | bytes per lane << 8 | use. Values: 4-byte words.
  AccessSet set_;
};

}  // namespace

std::vector<KernelAccesses> collect_accesses(trace::Source& source, const ServiceRules& rules,
                                             const machine::Target& target, const CollectOptions& options) {
  const trace::Header& header = source.header();
  if (!options.kernel.empty()) {
    std::vector<std::string> names;
    for (const program::Kernel& kernel : header.kernels) names.push_back(kernel.name);
    if (std::find(names.begin(), names.end(), options.kernel) == names.end())
      throw InputError(fmt::format("no kernel \"{}\" in the trace of {}; it has: {}", options.kernel, header.workload,
                                   fmt::join(names, ", ")));
  }
  std::uint64_t all = 0, done = 0;
  for (const trace::Launch& launch : header.launches) all += launch.thread_blocks();
  // One collector for each kernel that is launched, in order of first launch.
  std::vector<std::unique_ptr<Collector>> collectors(header.kernels.size());
  std::vector<std::uint32_t> order;
  for (std::uint32_t l = 0; l < header.launches.size(); ++l) {
    const trace::Launch& launch = header.launches[l];
    const program::Kernel& kernel = header.kernels[launch.kernel];
    const bool wanted = options.kernel.empty() || kernel.name == options.kernel;
    if (wanted && !collectors[launch.kernel]) {
      collectors[launch.kernel] = std::make_unique<Collector>(
          kernel, options.as_issued ? target : in_program_order(target), rules, header.windows);
      order.push_back(launch.kernel);
    }
    for (std::uint64_t number = 0; number < launch.thread_blocks(); ++number) {
      // A live source executes the blocks as they are asked for, so those before the wanted ones cannot be left out.
      const auto streams = source.open(l, number);
      if (wanted)
        for (std::uint32_t warp = 0; warp < launch.warps_per_block(); ++warp)
          collectors[launch.kernel]->read(streams->warp(warp));
      if (options.progress) options.progress(++done, all);
    }
  }
  std::vector<KernelAccesses> found;
  for (const std::uint32_t number : order) {
    KernelAccesses one{header.kernels[number].name, collectors[number]->finish()};
    if (!one.set.empty()) found.push_back(std::move(one));
  }
  return found;
}

}  // namespace lockstep::hash
