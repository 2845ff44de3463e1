// Loads, stores and reductions of a running graph.

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "isa/exec/dataflow/network_accesses.hpp"
#include "isa/exec/memory/atomic_operations.hpp"

namespace lockstep::dataflow {

namespace {

template <class Operation>
void combine(std::byte* host, std::uint32_t data, Operation operation) {
  using T = std::remove_cvref_t<decltype(operation(0, 0, 0))>;
  T old;
  std::memcpy(&old, host, sizeof old);
  old = operation(old, static_cast<T>(data), T{});
  std::memcpy(host, &old, sizeof old);
}
template <class Operation, class T>
struct Typed {
  T operator()(T old, T b, T c) const { return Operation{}(old, b, c); }
};

/// What atom and red do (isa/exec/memory/atomic_operations.hpp).
void reduce_word(std::byte* host, std::uint32_t data, Opcode reduction, Space space) {
  namespace atomics = exec::atomics;
  switch (reduction) {
    case Opcode::add: return combine(host, data, Typed<atomics::Add, std::uint32_t>{});
    case Opcode::min_s32: return combine(host, data, Typed<atomics::Min, std::int32_t>{});
    case Opcode::min_u32: return combine(host, data, Typed<atomics::Min, std::uint32_t>{});
    case Opcode::max_s32: return combine(host, data, Typed<atomics::Max, std::int32_t>{});
    case Opcode::max_u32: return combine(host, data, Typed<atomics::Max, std::uint32_t>{});
    case Opcode::bit_and: return combine(host, data, Typed<atomics::And, std::uint32_t>{});
    case Opcode::bit_or: return combine(host, data, Typed<atomics::Or, std::uint32_t>{});
    case Opcode::bit_xor: return combine(host, data, Typed<atomics::Xor, std::uint32_t>{});
    case Opcode::add_f32:
      return space == Space::global ? combine(host, data, atomics::AddF32<true>{})
                                    : combine(host, data, atomics::AddF32<false>{});
    default: throw Bug(std::string("dataflow: memory cannot reduce by ") + facts(reduction).name);
  }
}

const char* kind_of(Opcode op) {
  return op == Opcode::load ? "load" : op == Opcode::store ? "store" : "reduction";
}

}  // namespace

void Network::build_port(Process& process) {
  const Node& node = *process.node;
  const MemoryAddress& base = instance_.nodes[process.number].base;
  process.port = std::make_unique<MemoryPort>();
  MemoryPort& port = *process.port;
  port.bytes = bytes_of(node.element);
  port.start = base.offset + node.offset;
  port.addresses = &run_.accesses[process.number];
  if (base.buffer == MemoryAddress::scratchpad) {
    port.host = memory_.scratchpad.data();
    port.size = memory_.scratchpad.size();
    port.checks = node.locks;
    return;
  }
  if (base.buffer >= memory_.buffers.size()) {
    throw InputError(node.where, fmt::format("{}, node '{}': there is no buffer {}; the task has {}", graph_name(),
                                             node.name, base.buffer, memory_.buffers.size()));
  }
  const exec::Allocation& buffer = *memory_.buffers[base.buffer];
  port.host = buffer.host;
  port.device_base = buffer.base;
  port.size = buffer.size;
  waits_ = waits_ || (node.cache_operator == CacheOperator::wait_for_hit && process.iterations != 0);
  if (node.cache_operator == CacheOperator::wait_for_hit) stores_.await(base.buffer, buffer.size);
}

void Network::build_orders() {
  struct Users {
    std::vector<std::uint32_t> loads, stores;
    bool unordered_load = false, unordered_store = false;
  };
  std::map<std::uint32_t, Users> users;
  for (const Process& process : processes_) {
    if (process.port == nullptr || process.node->cache_operator == CacheOperator::wait_for_hit) continue;
    Users& of_buffer = users[instance_.nodes[process.number].base.buffer];
    const bool load = process.node->op == Opcode::load;
    (load ? of_buffer.loads : of_buffer.stores).push_back(process.number);
    (load ? of_buffer.unordered_load : of_buffer.unordered_store) |= !process.node->locks;
  }
  for (auto& [buffer, of_buffer] : users) {
    const bool meet = of_buffer.stores.size() > 1 || (!of_buffer.loads.empty() && !of_buffer.stores.empty());
    if (!meet || (!of_buffer.unordered_load && !of_buffer.unordered_store)) continue;
    const std::uint64_t size = processes_[of_buffer.stores[0]].port->size;
    AccessOrder& order =
        orders_.try_emplace(buffer, graph_, instance_, size, of_buffer.loads, of_buffer.stores).first->second;
    for (const auto* nodes : {&of_buffer.loads, &of_buffer.stores}) {
      for (const std::uint32_t node : *nodes) processes_[node].port->order = &order;
    }
  }
  for (Process& process : processes_) {
    if (process.port == nullptr) continue;
    MemoryPort& port = *process.port;
    LaunchStores::Buffer* buffer =
        port.device_base == 0 ? nullptr : stores_.find(instance_.nodes[process.number].base.buffer);
    if (buffer != nullptr) {
      const bool load = process.node->op == Opcode::load;
      const bool waits = process.node->cache_operator == CacheOperator::wait_for_hit;
      if (load ? !waits && buffer->earlier : !buffer->earlier_kinds.empty()) port.earlier = buffer;
      if ((!load || waits) && buffer->stored) port.awaited = buffer;
    }
    port.checks = port.checks || port.order != nullptr || port.earlier != nullptr || port.awaited != nullptr;
  }
}

std::string Network::access_text(const Process& process, std::uint64_t at) const {
  const MemoryPort& port = *process.port;
  return fmt::format("{} of {} byte{} at {} address {:#x}", kind_of(process.node->op), port.bytes,
                     port.bytes == 1 ? "" : "s", port.device_base == 0 ? "scratchpad" : "global",
                     port.device_base + at);
}

std::uint64_t Network::place(const Process& process, std::uint64_t firing, std::uint32_t address) const {
  const MemoryPort& port = *process.port;
  const std::int64_t at = port.start + static_cast<std::int32_t>(address);
  const std::int64_t last = static_cast<std::int64_t>(port.size) - port.bytes;
  const auto byte = static_cast<std::uint64_t>(at);
  if (at < 0 || at > last) [[unlikely]] {
    const std::string text = access_text(process, byte);
    if (port.device_base == 0) {
      fail(process, firing,
           fmt::format(
               "{} is out of bounds: the thread block's scratchpad memory has {} bytes",
               at < 0 ? fmt::format("{} of {} bytes at scratchpad offset {}", kind_of(process.node->op), port.bytes, at)
                      : text,
               port.size));
    }
    const exec::Allocation& buffer = *memory_.buffers[instance_.nodes[process.number].base.buffer];
    fail(process, firing,
         fmt::format("{} is out of bounds of buffer '{}' [{:#x}, {:#x}), which its base names: {}", text, buffer.name,
                     buffer.base, buffer.base + buffer.size,
                     memory_.device == nullptr ? fmt::format("byte {}", at)
                                               : memory_.device->describe(port.device_base + byte)));
  }
  if ((byte & (port.bytes - 1)) != 0) [[unlikely]] {
    fail(
        process, firing,
        fmt::format("misaligned {}: it must be a multiple of {}; {}", access_text(process, byte), port.bytes,
                    port.device_base == 0 || memory_.device == nullptr
                        ? fmt::format("byte {} of the {}", byte, port.device_base == 0 ? "scratchpad memory" : "buffer")
                        : memory_.device->describe(port.device_base + byte)));
  }
  return byte;
}

bool Network::may_load(Process& process, std::uint64_t firing, std::uint64_t at) {
  MemoryPort& port = *process.port;
  if (process.node->locks) {
    std::uint32_t& lock = locks_[at / 4];
    if (lock != 0) {
      process.wait = Process::Wait::lock;
      process.waits_at = at;
      return false;
    }
    lock = process.number + 1;
  }
  if (port.awaited != nullptr) {
    LaunchStores::Buffer& buffer = *port.awaited;
    if (!buffer.stored.has_all(at, port.bytes)) {
      process.wait = Process::Wait::unwritten;
      process.waits_at = at;
      return false;
    }
    if (buffer.rewritten && buffer.rewritten.has_any(at, port.bytes)) {
      fail(process, firing,
           fmt::format("{} waits for a hit in a word that the launch stores more than once, so that its value would "
                       "depend on time; a word that is waited for must be stored once",
                       access_text(process, at)));
    }
    buffer.awaited.add(at, port.bytes);
  }
  if (port.earlier != nullptr && port.earlier->earlier.has_any(at, port.bytes)) {
    fail(process, firing,
         fmt::format("{} reads what an earlier thread block of the launch has stored, and nothing orders the two; the "
                     "cache operator wait_for_hit would",
                     access_text(process, at)));
  }
  if (port.order != nullptr) {
    const AccessOrder::Conflict conflict = port.order->load(process.number, firing, at, port.bytes);
    if (conflict.found()) {
      fail(process, firing,
           fmt::format("{} reads what node '{}' stores in the same run, and nothing orders the two; allowed are: "
                       "words that are only loaded or only stored, a lock at both (scratchpad), or the cache operator "
                       "wait_for_hit (global memory)",
                       access_text(process, at), graph_.nodes[conflict.other].name));
    }
  }
  return true;
}

std::string Network::unordered_store(const LaunchStores::Buffer& buffer, LaunchStores::Kind kind, bool changes,
                                     std::uint64_t at, std::uint32_t bytes) const {
  const LaunchStores::Earlier* earlier = LaunchStores::unordered(buffer, kind, changes, waits_, at, bytes);
  if (earlier == nullptr) return {};
  const bool loaded = earlier->kind == Opcode::load;
  return fmt::format(
      " changes what an earlier thread block of the launch has {}, and nothing orders the two, so that {} "
      "would depend on timing; allowed are: {}",
      loaded                           ? "loaded"
      : earlier->kind == Opcode::store ? "stored"
                                       : fmt::format("reduced by {}", facts(earlier->kind).name),
      loaded ? "its value" : "the result",
      loaded ? "another buffer, another launch, or a load that waits for a hit in what that thread block "
               "stores after its load"
             : "words of its own for each thread block, the same value, or reductions by the same "
               "operation");
}

void Network::note_store(Process& process, std::uint64_t firing, std::uint64_t at, bool changes) {
  MemoryPort& port = *process.port;
  if (port.order != nullptr) {
    const AccessOrder::Conflict conflict = port.order->store(process.number, firing, at, port.bytes, changes);
    if (conflict.found() && !conflict.loads) {
      fail(process, firing,
           fmt::format("{} changes what node '{}' has stored in the same run, and nothing orders the two, so that the "
                       "result would depend on timing; allowed are: one node that stores to the word, the same value, "
                       "or reductions by the same operation",
                       access_text(process, at), graph_.nodes[conflict.other].name));
    }
    if (conflict.found()) {
      fail(process, firing,
           fmt::format("{} writes what node '{}' has loaded in its firing {}, and this firing does not depend on that "
                       "load, so that nothing orders the two; allowed are: an edge path from the load to this "
                       "store, words that are only loaded or only stored, or a lock at both (scratchpad)",
                       access_text(process, at), graph_.nodes[conflict.other].name, conflict.firing));
    }
  }
  if (port.awaited != nullptr && !LaunchStores::store(*port.awaited, at, port.bytes)) {
    fail(process, firing,
         fmt::format("{} writes a word again that a load of the launch has waited for, so that the load's value would "
                     "depend on time; a word that is waited for must be stored once",
                     access_text(process, at)));
  }
  if (port.earlier != nullptr) {
    const std::string conflict = unordered_store(*port.earlier, kind_of_store(*process.node), changes, at, port.bytes);
    if (!conflict.empty()) fail(process, firing, access_text(process, at) + conflict);
  }
  if (process.node->locks) locks_[at / 4] = 0;
}

template <class T, bool checks>
std::uint32_t Network::load(Process& process, const Accesses& accesses, std::uint32_t count) {
  MemoryPort& port = *process.port;
  const bool always = accesses.voids == nullptr && accesses.predicate == nullptr;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!always && !accesses.executes(i)) {
      accesses.results[i] = 0;
      port.addresses->append(no_access);
      continue;
    }
    const std::uint64_t at = place(process, process.fired + i, accesses.address[i]);
    if constexpr (checks) {
      if (!may_load(process, process.fired + i, at)) return i;
    }
    T value;
    std::memcpy(&value, port.host + at, sizeof value);
    accesses.results[i] = static_cast<std::uint32_t>(value);
    port.addresses->append(port.device_base + at);
  }
  return count;
}

template <class T, bool checks>
std::uint32_t Network::store(Process& process, const Accesses& accesses, std::uint32_t count) {
  MemoryPort& port = *process.port;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!accesses.executes(i)) {
      port.addresses->append(no_access);
      continue;
    }
    const std::uint64_t at = place(process, process.fired + i, accesses.address[i]);
    const auto value = static_cast<T>(accesses.data[i]);
    if constexpr (checks) {
      note_store(process, process.fired + i, at, std::memcmp(port.host + at, &value, sizeof value) != 0);
    }
    std::memcpy(port.host + at, &value, sizeof value);
    port.addresses->append(port.device_base + at);
  }
  return count;
}

template <bool checks>
std::uint32_t Network::reduce(Process& process, const Accesses& accesses, std::uint32_t count) {
  MemoryPort& port = *process.port;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!accesses.executes(i)) {
      port.addresses->append(no_access);
      continue;
    }
    const std::uint64_t at = place(process, process.fired + i, accesses.address[i]);
    if constexpr (checks) note_store(process, process.fired + i, at, false);
    reduce_word(port.host + at, accesses.data[i], process.node->reduction, process.node->space);
    port.addresses->append(port.device_base + at);
  }
  return count;
}

std::uint32_t Network::access(Process& process, const Accesses& accesses, std::uint32_t count) {
  const auto of_element = [&](auto&& typed) -> std::uint32_t {
    switch (process.node->element) {
      case Element::u8: return typed(std::uint8_t{});
      case Element::s8: return typed(std::int8_t{});
      case Element::u16: return typed(std::uint16_t{});
      case Element::s16: return typed(std::int16_t{});
      case Element::b32: break;
    }
    return typed(std::uint32_t{});
  };
  const bool checks = process.port->checks;
  switch (process.node->op) {
    case Opcode::load:
      return of_element([&](auto t) {
        return checks ? load<decltype(t), true>(process, accesses, count)
                      : load<decltype(t), false>(process, accesses, count);
      });
    case Opcode::store:
      return of_element([&](auto t) {
        return checks ? store<decltype(t), true>(process, accesses, count)
                      : store<decltype(t), false>(process, accesses, count);
      });
    default: return checks ? reduce<true>(process, accesses, count) : reduce<false>(process, accesses, count);
  }
}

std::byte* Network::resolve(const MemoryAddress& from, std::int64_t further, const std::uint32_t* value,
                            std::uint64_t& device_address, const std::string& what, const SourceLocation& where) {
  const std::int64_t at = from.offset + further;
  constexpr std::int64_t bytes = 4;
  const bool scratchpad = from.buffer == MemoryAddress::scratchpad;
  if (!scratchpad && from.buffer >= memory_.buffers.size()) {
    throw InputError(
        where, fmt::format("{}: there is no buffer {}; the task has {}", what, from.buffer, memory_.buffers.size()));
  }
  const std::uint64_t size = scratchpad ? memory_.scratchpad.size() : memory_.buffers[from.buffer]->size;
  const std::string memory = scratchpad ? "the thread block's scratchpad memory"
                                        : fmt::format("buffer '{}'", memory_.buffers[from.buffer]->name);
  if (at < 0 || at > static_cast<std::int64_t>(size) - bytes) {
    throw InputError(where, fmt::format("{}: byte {} is out of bounds: {} has {} bytes", what, at, memory, size));
  }
  if (at % bytes != 0) {
    throw InputError(
        where, fmt::format("{}: byte {} of {} is misaligned: it must be a multiple of {}", what, at, memory, bytes));
  }
  if (scratchpad) return memory_.scratchpad.data() + at;
  device_address = memory_.buffers[from.buffer]->base + static_cast<std::uint64_t>(at);
  std::byte* const host = memory_.buffers[from.buffer]->host + at;
  const LaunchStores::Buffer* known = stores_.find(from.buffer);
  if (known == nullptr) return host;
  const auto byte = static_cast<std::uint64_t>(at);
  std::string conflict;
  if (value != nullptr) {
    conflict = unordered_store(*known, Opcode::store, std::memcmp(host, value, bytes) != 0, byte, bytes);
  } else if (known->earlier && known->earlier.has_any(byte, bytes)) {
    conflict = " reads what an earlier thread block of the launch has stored, and nothing orders the two";
  }
  if (!conflict.empty()) {
    throw InputError(where, fmt::format("{} at global address {:#x}{}", what, device_address, conflict));
  }
  return host;
}

}  // namespace lockstep::dataflow
