// Calls of the CUDA device runtime: printf, assert, malloc, free; launches of kernels are errors.

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <string>

#include "isa/error.hpp"
#include "isa/exec/control/calls.hpp"
#include "isa/exec/control/passing.hpp"
#include "isa/exec/control/print_format.hpp"
#include "isa/exec/memory/heap.hpp"
#include "isa/exec/memory/readable.hpp"
#include "isa/exec/thread_block.hpp"

namespace lockstep::exec {

namespace {

constexpr std::size_t longest_string = 4096;

const CallSite& site_of(const Warp& warp, const Op& op) {
  return warp.owner->kernel().calls[op.arithmetic.control];
}

const Activation& current(const Warp& warp) {
  return warp.activations[warp.stack.back().activation];
}

/// The value of an argument, zero-extended; 0 when the call has fewer.
std::uint64_t argument(const Warp& warp, const Op& op, std::size_t number, unsigned lane) {
  const CallSite& site = site_of(warp, op);
  if (number >= site.arguments.size()) return 0;
  const CallSite::Copy& from = site.arguments[number];
  std::uint64_t value = 0;
  const std::byte* const at = from.from_plane != no_plane
                                  ? warp.frame + from.from_plane + std::size_t{lane} * from.bytes
                                  : ThreadBlock::local(warp, lane) + current(warp).local + from.from;
  std::memcpy(&value, at, from.bytes);
  return value;
}

std::string string_argument(const Warp& warp, const Op& op, std::size_t number, unsigned lane) {
  return readable_string(warp, lane, argument(warp, op, number, lane), longest_string);
}

/// Gives each lane the result that stands in the call's own plane.
void give_results(Warp& warp, const Op& op, LaneMask mask) {
  const Activation& own = current(warp);
  for (const CallSite::Copy& result : site_of(warp, op).results) copy(warp, result, own, own, mask);
}

/// int vprintf(const char* format, va_list arguments)
Outcome print(Warp& warp, const Op& op, LaneMask mask) {
  auto* const results = plane<std::uint32_t>(warp.frame, op.arithmetic.destination);
  for_each_lane(mask, [&](unsigned lane) {
    if (argument(warp, op, 0, lane) == 0) {
      results[lane] = ~std::uint32_t{0};
      return;
    }
    const std::span<const std::byte> values = readable(warp, lane, argument(warp, op, 1, lane));
    std::size_t at = 0;
    PrintArguments arguments;
    arguments.next = [&](unsigned bytes) -> std::optional<std::uint64_t> {
      at = (at + bytes - 1) / bytes * bytes;
      if (at + bytes > values.size()) return std::nullopt;
      std::uint64_t value = 0;
      std::memcpy(&value, values.data() + at, bytes);
      at += bytes;
      return value;
    };
    arguments.string_at = [&](std::uint64_t address) -> std::optional<std::string> {
      if (readable(warp, lane, address).empty()) return std::nullopt;
      return readable_string(warp, lane, address, longest_string);
    };
    const PrintedText printed = print_format(string_argument(warp, op, 0, lane), arguments);
    warp.owner->print(warp, lane, printed.text);
    results[lane] = printed.arguments;
  });
  give_results(warp, op, mask);
  return Outcome::next;
}

/// void __assertfail(const char* assertion, const char* file, unsigned line, const char* function, size_t char_size)
Outcome fail_assertion(Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0) return Outcome::next;
  const auto lane = static_cast<unsigned>(std::countr_zero(mask));
  std::string message = fmt::format("the assertion '{}' failed", string_argument(warp, op, 0, lane));
  if (const std::string function = string_argument(warp, op, 3, lane); !function.empty())
    message += fmt::format(" in '{}'", function);
  if (const std::string file = string_argument(warp, op, 1, lane); !file.empty())
    message += fmt::format(", {}:{}", file, static_cast<std::uint32_t>(argument(warp, op, 2, lane)));
  warp.owner->fail(warp, op, lane, message);
}

/// void* malloc(size_t bytes)
Outcome allocate(Warp& warp, const Op& op, LaneMask mask) {
  auto* const results = plane<std::uint64_t>(warp.frame, op.arithmetic.destination);
  HeapObserver* const observer = warp.owner->context().heap->observer();
  for_each_lane(mask, [&](unsigned lane) {
    const std::uint64_t bytes = argument(warp, op, 0, lane), address = warp.owner->allocate(bytes);
    if (observer != nullptr && address != 0) observer->allocated(warp, op, lane, address, bytes);
    results[lane] = address;
  });
  give_results(warp, op, mask);
  return Outcome::next;
}

/// void free(void* address)
Outcome release(Warp& warp, const Op& op, LaneMask mask) {
  Heap& heap = *warp.owner->context().heap;
  for_each_lane(mask, [&](unsigned lane) {
    const std::uint64_t address = argument(warp, op, 0, lane);
    if (address == 0) return;
    if (!heap.release(address))
      warp.owner->fail(warp, op, lane,
                       fmt::format("free of {:#x}, which malloc has not given or which is free already", address));
    if (heap.observer() != nullptr) heap.observer()->freed(warp, op, lane, address);
  });
  return Outcome::next;
}

Outcome launch_kernel(Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0) return Outcome::next;
  warp.owner->fail(warp, op, static_cast<unsigned>(std::countr_zero(mask)),
                   fmt::format("call of '{}': a kernel cannot launch kernels here",
                               warp.owner->kernel().program.instruction(op.instruction).call_target));
}

}  // namespace

void decode_runtime_call(Decoder& decoder, ptx::RuntimeFunction function) {
  const ptx::Instruction& instruction = decoder.instruction();
  CallSite& site = decoder.kernel.calls.emplace_back();
  decoder.op.arithmetic.control = static_cast<std::uint32_t>(decoder.kernel.calls.size() - 1);
  if (function == ptx::RuntimeFunction::launch) {
    decoder.op.step = launch_kernel;
    return;
  }
  const bool returns = function == ptx::RuntimeFunction::print || function == ptx::RuntimeFunction::allocation;
  for (const ptx::Operand& operand : instruction.call_arguments) {
    const Passed from = actual(decoder, operand, {no_plane, 0, 0, 8}, false);
    CallSite::Copy& value = site.arguments.emplace_back();
    value.from_plane = from.plane;
    value.from = from.offset;
    value.bytes = from.plane != no_plane ? from.width / 8 : static_cast<std::uint32_t>(from.bytes);
    if (value.bytes == 0 || value.bytes > 8) decoder.fail("an argument of the device runtime has 1 to 8 bytes");
  }
  switch (function) {
    case ptx::RuntimeFunction::print: decoder.op.step = print; break;
    case ptx::RuntimeFunction::assertion: decoder.op.step = fail_assertion; break;
    case ptx::RuntimeFunction::allocation:
      decoder.op.step = instruction.call_target == "free" ? release : allocate;
      break;
    default: throw Bug("a runtime function that nothing decodes");
  }
  if (!returns) return;
  const unsigned width = function == ptx::RuntimeFunction::print ? 32 : 64;
  decoder.op.arithmetic.destination = decoder.layout.temporary(width);
  for (const ptx::Operand& result : instruction.call_results) {
    if (result.kind == ptx::Operand::Kind::sink) continue;
    const Passed to = actual(decoder, result, {}, true);
    const unsigned found = to.plane != no_plane ? to.width : static_cast<unsigned>(to.bytes * 8);
    if (found != width)
      decoder.fail(fmt::format("'{}' returns {} bits, not {}", instruction.call_target, width, found));
    site.results.push_back(transfer(decoder, {decoder.op.arithmetic.destination, width, 0, 0}, to));
  }
}

}  // namespace lockstep::exec
