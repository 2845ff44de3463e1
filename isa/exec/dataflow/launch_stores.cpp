#include "isa/exec/dataflow/launch_stores.hpp"

#include <algorithm>

namespace lockstep::dataflow {

void LaunchStores::begin(std::uint64_t number) {
  if (number == running_) return;
  for (const Stream& stream : of_running_) {
    Buffer& buffer = buffers_.at(stream.buffer);
    mark_kind(stream);
    if (!buffer.earlier) buffer.earlier = ByteSet(buffer.bytes);
    mark(stream, &Buffer::earlier);
  }
  of_running_.clear();
  for (auto& [number_of_buffer, buffer] : buffers_) {
    if (buffer.loaded_from == buffer.loaded_to) continue;
    of_kind(buffer, Opcode::load).take(buffer.loaded, buffer.loaded_from, buffer.loaded_to);
    buffer.loaded_from = buffer.loaded_to = 0;
  }
  running_ = number;
}

LaunchStores::Buffer* LaunchStores::find(std::uint32_t buffer) {
  const auto found = buffers_.find(buffer);
  return found == buffers_.end() ? nullptr : &found->second;
}

LaunchStores::Buffer& LaunchStores::await(std::uint32_t number, std::uint64_t bytes) {
  Buffer& buffer = buffers_[number];
  buffer.bytes = bytes;
  if (!buffer.awaited) buffer.awaited = ByteSet(bytes);
  if (!buffer.stored) {
    buffer.stored = ByteSet(bytes);
    if (buffer.earlier) buffer.stored.add_all(buffer.earlier, bytes);
    for (const Stream& stream : of_running_) {
      if (stream.buffer == number) mark(stream, &Buffer::stored);
    }
  }
  return buffer;
}

void LaunchStores::add(Kind kind, std::uint32_t number, std::uint64_t bytes, std::uint64_t device_base,
                       std::uint32_t element, const AddressStream& stream, std::uint64_t firings) {
  buffers_[number].bytes = bytes;
  of_running_.push_back({kind, number, element, device_base, firings, stream});
}

const LaunchStores::Earlier* LaunchStores::unordered(const Buffer& buffer, Kind kind, bool changes, bool waits,
                                                     std::uint64_t at, std::uint32_t bytes) {
  for (const Earlier& earlier : buffer.earlier_kinds) {
    if (earlier.kind == Opcode::load ? waits : earlier.kind == kind && !changes) continue;
    if (earlier.bytes.has_any(at, bytes)) return &earlier;
  }
  return nullptr;
}

bool LaunchStores::store(Buffer& buffer, std::uint64_t at, std::uint32_t bytes) {
  if (buffer.stored.has_any(at, bytes)) {
    if (buffer.awaited.has_any(at, bytes)) return false;
    if (!buffer.rewritten) buffer.rewritten = ByteSet(buffer.bytes);
    buffer.rewritten.add(at, bytes);
  }
  buffer.stored.add(at, bytes);
  return true;
}

ByteSet& LaunchStores::of_kind(Buffer& buffer, Kind kind) {
  auto& kinds = buffer.earlier_kinds;
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const Earlier& earlier) { return earlier.kind == kind; });
  return (found == kinds.end() ? kinds.emplace_back(Earlier{kind, ByteSet(buffer.bytes)}) : *found).bytes;
}

void LaunchStores::add_loads(std::uint32_t number, std::uint64_t bytes, std::uint64_t device_base,
                             std::uint32_t element, const AddressStream& stream) {
  Buffer& buffer = buffers_[number];
  buffer.bytes = bytes;
  if (!buffer.loaded) buffer.loaded = ByteSet(bytes);
  if (buffer.loaded_from == buffer.loaded_to) buffer.loaded_from = bytes;
  for (const AddressRun& run : stream.runs()) {
    if (run.first == no_access) continue;
    const std::uint64_t first = run.first - device_base;
    const std::uint64_t last = first + static_cast<std::uint64_t>(run.step) * (run.count - 1);
    buffer.loaded_from = std::min({buffer.loaded_from, first, last});
    buffer.loaded_to = std::max({buffer.loaded_to, first + element, last + element});
    if (run.step == element) {
      buffer.loaded.add_all_of(first, last + element);
      continue;
    }
    for (std::uint32_t i = 0; i < run.count; ++i) {
      buffer.loaded.add(first + static_cast<std::uint64_t>(run.step) * i, element);
    }
  }
  if (buffer.loaded_to == 0) buffer.loaded_from = 0;
}

void LaunchStores::mark_kind(const Stream& stream) {
  Buffer& buffer = buffers_.at(stream.buffer);
  ByteSet& bytes = of_kind(buffer, stream.kind);
  AddressCursor cursor(stream.addresses);
  for (std::uint64_t firing = 0; firing < stream.firings; ++firing) {
    const std::uint64_t address = cursor.next();
    if (address != no_access) bytes.add(address - stream.device_base, stream.element);
  }
}

void LaunchStores::mark(const Stream& stream, ByteSet Buffer::*set) {
  Buffer& buffer = buffers_.at(stream.buffer);
  AddressCursor cursor(stream.addresses);
  for (std::uint64_t firing = 0; firing < stream.firings; ++firing) {
    const std::uint64_t address = cursor.next();
    if (address == no_access) continue;
    const std::uint64_t at = address - stream.device_base;
    if ((buffer.*set).has_any(at, stream.element)) {
      if (!buffer.rewritten) buffer.rewritten = ByteSet(buffer.bytes);
      buffer.rewritten.add(at, stream.element);
    }
    (buffer.*set).add(at, stream.element);
  }
}

}  // namespace lockstep::dataflow
