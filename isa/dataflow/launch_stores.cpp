#include "isa/dataflow/launch_stores.hpp"

namespace lockstep::dataflow {

void LaunchStores::begin(std::uint64_t number) {
  if (number == running_) return;
  for (const Stream& stream : of_running_) {
    Buffer& buffer = buffers_.at(stream.buffer);
    if (!buffer.earlier) buffer.earlier = ByteSet(buffer.bytes);
    mark(stream, &Buffer::earlier);
  }
  of_running_.clear();
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

void LaunchStores::add(std::uint32_t number, std::uint64_t bytes, std::uint64_t device_base, std::uint32_t element,
                       const AddressStream& stream, std::uint64_t firings) {
  buffers_[number].bytes = bytes;
  of_running_.push_back({number, element, device_base, firings, stream});
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
