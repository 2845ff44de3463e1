#include "sim/gpu/sm/rgpu/fabric_memory.hpp"

#include <bit>

namespace lockstep::gpu {

using dataflow::CacheOperator;
using dataflow::Opcode;
using dataflow::Space;
using rgpu::Answer;
using rgpu::Ask;

namespace {

/// The bit of an address's word within its block.
std::uint32_t word_bit(std::uint64_t address) {
  return 1u << address % noc::block_bytes / noc::word_bytes;
}

}  // namespace

FabricMemory::FabricMemory(const GpuSpec& spec, MemoryUnit::Parts memory, scratchpad::Scratchpad& scratchpad)
    : spec_(spec),
      memory_(memory),
      scratchpad_(scratchpad),
      whole_line_(~0u >> (32 - spec.sm.l1.cache.line_bytes / spec.sm.l1.cache.sector_bytes)),
      units_(spec.sm.rgpu.load_store_units),
      banks_(spec.sm.scratchpad.banks) {}

void FabricMemory::begin(const dataflow::Graph& graph, const rgpu::Mapping& mapping, bool communicates) {
  communicates_ = communicates;
  units_.assign(units_.size(), {});
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const dataflow::Node& node = graph.nodes[n];
    if (dataflow::facts(node.op).unit != dataflow::UnitClass::load_store) continue;
    Unit& unit = units_.at(mapping.place.at(n));
    unit.node = &node;
    unit.bytes = dataflow::bytes_of(node.element);
  }
}

Answer FabricMemory::serve(const Ask& ask, Cycle now) {
  Unit& unit = units_[ask.unit];
  if (ask.kind == Ask::Kind::prefetch) return prefetch(ask.address, now);
  if (ask.kind == Ask::Kind::flush) return flush(unit, now);
  if (unit.node->space == Space::scratchpad) return scratchpad_access(unit, ask.unit, ask.address, now);
  if (ask.kind == Ask::Kind::store)
    return unit.node->op == Opcode::reduce ? reduce(unit, ask.address, now) : store(unit, ask.address, now);
  const bool line = unit.node->cache_operator == CacheOperator::l1 && caches_loads();
  return line ? load_line(unit, ask.unit, ask.address, now) : load_sector(unit, ask.unit, ask.address, now);
}

void FabricMemory::complete(const Completion& completion) {
  const std::uint32_t number = completion.token & ~token_bit;
  if (number == no_unit) return;
  Unit& unit = units_[number];
  unit.under_way = false;
  unit.there = true;
  unit.words |= completion.words != 0 ? completion.words : unit.asked;
}

bool FabricMemory::caches_loads() const {
  return memory_.l1.exists() && spec_.sm.l1.global;
}

/// Whether a request can be handed to the port now (Answer::done), in a later cycle, or only after a reply.
Answer FabricMemory::port(Cycle now) {
  memory_.port.advance(now);
  const Cycle free = memory_.port.free_at();
  return free <= now ? Answer::done : free == never ? Answer::waits : Answer::refused;
}

/// A load that finds its word in the L1 cache is done, up to so many of all units per cycle.
Answer FabricMemory::load_line(Unit& unit, std::uint32_t number, std::uint64_t address, Cycle now) {
  if (unit.under_way) return Answer::waits;
  if (unit.there) {  // With the line; it need not have stayed in the cache.
    unit.there = false;
    return Answer::done;
  }
  if (lookups_at_ != now) {
    lookups_at_ = now;
    lookups_ = 0;
  }
  if (lookups_ == spec_.sm.rgpu.l1_lookups) {
    ++counters_.l1_refusals;
    return Answer::refused;
  }
  DataCache& l1 = memory_.l1;
  const std::uint64_t line = address / l1.line_bytes();
  const std::uint32_t sector = 1u << address % l1.line_bytes() / spec_.sm.l1.cache.sector_bytes;
  const std::uint32_t valid = l1.valid(line);
  if ((valid & sector) != 0) {
    l1.touch(line);
    ++lookups_;
    ++counters_.l1_loads;
    return Answer::done;
  }
  const bool on_its_way = (l1.pending(line) & sector) != 0;
  const Answer answer = request_line(line, whole_line_ & ~valid, token_bit | number, now);
  if (answer != Answer::done) return answer;
  ++lookups_;
  ++counters_.l1_loads;
  ++(on_its_way ? counters_.l1_late : counters_.l1_misses);
  unit.under_way = true;
  return Answer::waits;
}

/// Sectors of a line of the L1 cache, of which some may be on their way. Done: `token` will complete with the last.
Answer FabricMemory::request_line(std::uint64_t line, std::uint32_t missing, std::uint32_t token, Cycle now) {
  DataCache& l1 = memory_.l1;
  if (!l1.accepts_miss(line)) return Answer::waits;
  if ((missing & ~l1.pending(line)) != 0) {
    const Answer free = port(now);
    if (free != Answer::done) return free;
  }
  l1.wait_for(line, missing, memory_.accesses.begin(token), now);
  return Answer::done;
}

Answer FabricMemory::prefetch(std::uint64_t address, Cycle now) {
  if (!caches_loads()) return Answer::done;
  DataCache& l1 = memory_.l1;
  const std::uint64_t line = address / l1.line_bytes();
  const std::uint32_t missing = whole_line_ & ~l1.valid(line) & ~l1.pending(line);
  if (missing == 0) {
    ++counters_.prefetches_there;
    return Answer::done;
  }
  const Answer answer = request_line(line, missing, token_bit | no_unit, now);
  if (answer == Answer::done) ++counters_.prefetched_lines;
  return answer;
}

/// A load past the L1 cache: the unit keeps the last sector that it got; of one that waits for words, all words of the
/// block that it has got so far.
Answer FabricMemory::load_sector(Unit& unit, std::uint32_t number, std::uint64_t address, Cycle now) {
  if (unit.under_way) return Answer::waits;
  const bool waits = unit.node->cache_operator == CacheOperator::wait_for_hit;
  const std::uint64_t block = address / noc::block_bytes;
  if (unit.block == block && (unit.words & word_bit(address)) != 0) {
    ++(waits ? counters_.wait_loads : counters_.l2_loads);
    return Answer::done;
  }
  const Answer free = port(now);
  if (free != Answer::done) return free;
  noc::Request request;
  request.kind = waits ? noc::RequestKind::wait : noc::RequestKind::read;
  request.address = address / noc::sector_bytes * noc::sector_bytes;
  request.sectors = 1;
  request.bytes = noc::sector_bytes;
  if (waits) request.words = word_bit(address);
  PendingRequest pending;
  pending.purpose = waits ? PendingRequest::Purpose::wait : PendingRequest::Purpose::part;
  pending.open = memory_.accesses.begin(token_bit | number);
  memory_.port.send(request, pending, now);
  ++(waits ? counters_.wait_requests : counters_.l2_load_requests);
  if (unit.block != block || !waits) unit.words = 0;
  unit.block = block;
  unit.asked = ((1u << noc::words_per_sector) - 1)
               << address % noc::block_bytes / noc::sector_bytes * noc::words_per_sector;
  unit.under_way = true;
  return Answer::waits;
}

/// What is gathered leaves when it is whole, and before a store elsewhere.
Answer FabricMemory::store(Unit& unit, std::uint64_t address, Cycle now) {
  const bool by_sector = unit.node->cache_operator == CacheOperator::write_through;
  const std::uint32_t reach = by_sector ? noc::sector_bytes : coalescer::block_bytes;
  const std::uint64_t block = address / coalescer::block_bytes * coalescer::block_bytes;
  const auto at = static_cast<std::uint32_t>(address - block);
  const std::uint32_t part = std::uint32_t{1} << at / reach;
  const bool elsewhere = unit.written.any() && (unit.block != block || unit.written.parts(reach) != part);
  coalescer::ByteMask written = elsewhere ? coalescer::ByteMask{} : unit.written;
  written.add(at, unit.bytes);
  const bool whole = (written.whole_parts(reach) & part) != 0;
  if (elsewhere || whole) {
    const Answer free = port(now);
    if (free != Answer::done) return free;
  }
  if (elsewhere) send(unit, now);
  unit.block = block;
  unit.written = written;
  unit.written_words |= word_bit(address);
  ++counters_.stores;
  if (whole) send(unit, now);
  return Answer::done;
}

Answer FabricMemory::flush(Unit& unit, Cycle now) {
  if (!unit.written.any()) return Answer::done;
  const Answer free = port(now);
  if (free == Answer::done) send(unit, now);
  return free;
}

/// A request for all that the unit has gathered. The L1 cache does as with a store of a warp.
void FabricMemory::send(Unit& unit, Cycle now) {
  coalescer::Transaction t;
  t.block = unit.block;
  t.bytes = unit.written;
  t.sectors = t.bytes.parts(noc::sector_bytes);
  if (spec_.sm.l1.global_write == cache::WritePolicy::through ||
      spec_.sm.l1.global_write == cache::WritePolicy::allocate) {
    if (memory_.l1.exists()) memory_.l1.touch(t.block / memory_.l1.line_bytes());
  } else {
    memory_.l1.forget(t, now);
  }
  const std::uint32_t open = memory_.accesses.begin(token_bit | no_unit);
  memory_.uncached.send(t, noc::RequestKind::write, 0, open, now, false, communicates_ ? unit.written_words : 0);
  memory_.accesses.close(open);
  ++counters_.store_requests;
  counters_.stored_bytes += t.bytes.count();
  unit.written = {};
  unit.written_words = 0;
}

/// A read-modify-write of one word in the L2 cache.
Answer FabricMemory::reduce(const Unit& unit, std::uint64_t address, Cycle now) {
  const Answer ready = port(now);
  if (ready != Answer::done) return ready;
  coalescer::Transaction t;
  t.block = address / coalescer::block_bytes * coalescer::block_bytes;
  t.bytes.add(static_cast<std::uint32_t>(address - t.block), unit.bytes);
  t.sectors = t.bytes.parts(noc::sector_bytes);
  t.lanes = t.same_word = t.operations = 1;
  memory_.l1.forget(t, now);
  const std::uint32_t open = memory_.accesses.begin(token_bit | no_unit);
  memory_.uncached.send(t, noc::RequestKind::reduction, unit.bytes, open, now, false,
                        communicates_ ? word_bit(address) : 0);
  memory_.accesses.close(open);
  ++counters_.reductions;
  return Answer::done;
}

/// In a cycle a bank serves one word: to any number of loads, or to one store or read-modify-write.
bool FabricMemory::takes_bank(std::uint64_t address, bool load, Cycle now) {
  Bank& bank = banks_[scratchpad_.bank_of(address)];
  const std::uint64_t word = address / spec_.sm.scratchpad.bank_bytes;
  if (bank.cycle == now && (bank.word != word || !bank.load || !load)) {
    ++counters_.bank_refusals;
    return false;
  }
  bank = {now, word, load};
  return true;
}

Answer FabricMemory::scratchpad_access(const Unit& unit, std::uint32_t number, std::uint64_t address, Cycle now) {
  const dataflow::Node& node = *unit.node;
  const bool load = node.op == Opcode::load;
  if (!takes_bank(address, load, now)) return Answer::refused;
  if (load && node.locks && scratchpad_.acquire(&address, 1, number, now).acquired == 0) {
    ++counters_.lock_refusals;
    return Answer::waits;
  }
  if (!load && node.locks) {  // Free from the next cycle on.
    scratchpad_.release(&address, 1, now + 1);
    freed_lock_ = true;
  }
  ++(load                       ? counters_.scratchpad_loads
     : node.op == Opcode::store ? counters_.scratchpad_stores
                                : counters_.scratchpad_reductions);
  return Answer::done;
}

}  // namespace lockstep::gpu
