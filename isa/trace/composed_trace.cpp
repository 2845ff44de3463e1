#include "isa/trace/composed_trace.hpp"

#include <algorithm>

#include "isa/error.hpp"

namespace lockstep::trace {

namespace {

struct Stream final : WarpStream {
  StreamEncoder encoder;
  bool read = false;
  std::span<const std::byte> next_piece() override {
    if (read) return {};
    read = true;
    return encoder.bytes();
  }
};

struct Streams final : ThreadBlockStreams {
  std::vector<Stream> warps;
  WarpStream& warp(std::uint32_t index) override { return warps[index]; }
};

}  // namespace

ComposedTrace::ComposedTrace(const std::string& name) {
  header_.workload = name;
  header_.kernels.emplace_back();
  kernel().name = name;
  kernel().strings = {""};
  header_.launches.emplace_back();
  launch().block = {32, 1, 1};
}

std::uint32_t ComposedTrace::reg(std::uint8_t bits) {
  kernel().register_bits.push_back(bits);
  return static_cast<std::uint32_t>(kernel().register_bits.size() - 1);
}

ComposedTrace& ComposedTrace::block() {
  kernel().blocks.push_back({static_cast<std::uint32_t>(kernel().instructions.size()), 0});
  return *this;
}

program::StaticInstruction& ComposedTrace::add(const std::string& mnemonic, std::vector<std::uint32_t> destinations,
                                               std::vector<std::uint32_t> sources) {
  if (kernel().blocks.empty()) block();
  ++kernel().blocks.back().count;
  program::StaticInstruction s;
  s.mnemonic = static_cast<std::uint32_t>(kernel().strings.size());
  kernel().strings.push_back(mnemonic);
  s.destinations = std::move(destinations);
  s.sources = std::move(sources);
  s.source_line = static_cast<std::uint32_t>(kernel().instructions.size() + 1);
  kernel().instructions.push_back(std::move(s));
  return kernel().instructions.back();
}

void ComposedTrace::control(const std::string& mnemonic, program::Control control, std::vector<std::uint32_t> sources) {
  add(mnemonic, {}, std::move(sources)).control = control;
}

void ComposedTrace::access(const std::string& mnemonic, program::AccessKind kind, program::MemorySpace space,
                           std::vector<std::uint32_t> destinations, std::vector<std::uint32_t> sources,
                           std::uint8_t bytes) {
  program::StaticInstruction& s = add(mnemonic, std::move(destinations), std::move(sources));
  s.access = kind;
  s.space = space;
  s.element_bytes = bytes;
}

ComposedTrace::Script& ComposedTrace::Script::enter(std::uint32_t block, std::uint32_t mask) {
  mask_ = mask;
  encoder_.block(block, mask);
  return *this;
}

ComposedTrace::Script& ComposedTrace::Script::touch(const std::vector<std::uint64_t>& addresses) {
  if (addresses.size() > 32) throw Bug("an access of more than 32 lanes");
  std::uint64_t all[32] = {};
  std::copy(addresses.begin(), addresses.end(), all);
  return touch(addresses.size() == 32 ? ~0u : (1u << addresses.size()) - 1, all);
}

ComposedTrace::Script& ComposedTrace::Script::touch(std::uint32_t mask, const std::uint64_t* addresses) {
  encoder_.access(mask & mask_, addresses);
  return *this;
}

std::unique_ptr<ThreadBlockStreams> ComposedTrace::open(std::uint32_t, std::uint64_t number) {
  auto streams = std::make_unique<Streams>();
  streams->warps.resize(launch().warps_per_block());
  for (std::uint32_t w = 0; w < streams->warps.size(); ++w) execute(number, w, Script(streams->warps[w].encoder));
  return streams;
}

}  // namespace lockstep::trace
