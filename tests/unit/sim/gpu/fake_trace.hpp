#pragma once
// A trace made by hand, for tests that need to know every cycle.

#include "isa/trace/composed_trace.hpp"

namespace lockstep::test {

using Lanes = std::vector<std::uint64_t>;

/// A composed trace that remembers which thread blocks were asked for.
class FakeTrace final : public trace::ComposedTrace {
 public:
  FakeTrace() : ComposedTrace("fake") { kernel().live_registers = 16; }

  std::unique_ptr<trace::ThreadBlockStreams> open(std::uint32_t launch_number, std::uint64_t number) override {
    opened.push_back(number);
    return ComposedTrace::open(launch_number, number);
  }
  std::vector<std::uint64_t> opened;
};

/// Byte addresses of these words.
inline Lanes words(const std::vector<std::uint64_t>& numbers) {
  Lanes bytes;
  for (const std::uint64_t n : numbers) bytes.push_back(4 * n);
  return bytes;
}

/// Words first, first + stride, ... of `count` lanes, as byte addresses.
inline Lanes strided(std::uint64_t first, std::uint64_t stride, std::uint32_t count = 32) {
  Lanes bytes;
  for (std::uint32_t lane = 0; lane < count; ++lane) bytes.push_back(4 * (first + stride * lane));
  return bytes;
}

}  // namespace lockstep::test
