// Any bytes as what the warps of a kernel executed, replayed on small GPUs: the replay ends, or
// in an InputError (a damaged trace, or a deadlock with what each warp waits for).

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "isa/machine/lowering.hpp"
#include "isa/ptx/static_program.hpp"
#include "isa/trace/source.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"

namespace {

using namespace lockstep;

/// A bit of everything that a warp does.
constexpr const char* kernel = R"(.version 6.0
.target sm_60
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %a<4>;
  .shared .align 4 .b8 s[4096];
  ld.param.u64 %a1, [p];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, s;
loop:
  ld.global.u32 %r3, [%a1];
  st.shared.u32 [%r2], %r3;
  bar.sync 0;
  atom.shared.add.u32 %r4, [%r2], %r3;
  @%p1 red.global.add.u32 [%a1], %r4;
  setp.lt.u32 %p1, %r4, 7;
  @%p1 bra loop;
  ld.shared.u32 %r5, [%r2+4];
  @!%p1 bra end;
  sqrt.approx.f32 %r6, %r5;
  st.global.v4.u32 [%a1], {%r3, %r4, %r5, %r6};
  membar.gl;
  bar.sync 1, 64;
end:
  ret;
}
)";

class Warp final : public trace::WarpStream {
 public:
  explicit Warp(std::span<const std::byte> piece) : piece_(piece) {}
  std::span<const std::byte> next_piece() override { return std::exchange(piece_, {}); }

 private:
  std::span<const std::byte> piece_;
};

class Block final : public trace::ThreadBlockStreams {
 public:
  explicit Block(const std::vector<std::span<const std::byte>>& warps) {
    for (const auto& bytes : warps) warps_.emplace_back(bytes);
  }
  trace::WarpStream& warp(std::uint32_t index) override { return warps_.at(index); }

 private:
  std::vector<Warp> warps_;
};

/// Two thread blocks of two warps, each of which has its part of the bytes.
class Bytes final : public trace::Source {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}
  static const trace::Header& the_header() {
    static const trace::Header header = [] {
      trace::Header made;
      made.kernels = {ptx::to_static_program(ptx::link(ptx::parse(kernel, "k.ptx"), "k"))};
      made.launches = {{0, {2, 1, 1}, {64, 1, 1}, 0, 0}};
      return made;
    }();
    return header;
  }
  const trace::Header& header() const override { return the_header(); }
  std::unique_ptr<trace::ThreadBlockStreams> open(std::uint32_t, std::uint64_t number) override {
    std::vector<std::span<const std::byte>> warps;
    const std::size_t part = bytes_.size() / 4;
    for (std::size_t warp = 0; warp < 2; ++warp) warps.push_back(bytes_.subspan((2 * number + warp) * part, part));
    return std::make_unique<Block>(warps);
  }

 private:
  std::span<const std::byte> bytes_;
};

/// A GPU and the kernel as it executes it.
struct Target {
  gpu::GpuSpec spec;
  std::vector<machine::Program> programs;
};

/// Two SMs whose tables are short: they are made at every replay.
Target small(const char* generation, const char* banks) {
  std::vector<config::Override> overrides;
  for (const std::string setting :
       {"sms=2", "memory.l2.slices=2", "memory.dram.channels=2", "memory.l2.cache.bytes=65536",
        "memory.l2.cache.ways=4", "sm.scratchpad.lock_watchdog=20000", banks})
    overrides.push_back(config::parse_override(setting));
  const gpu::GpuSpec spec = config::load_gpu(generation, overrides);
  return {spec, {machine::lower(Bytes::the_header().kernels.front(), spec.target)}};
}

}  // namespace

/// The first byte chooses the GPU.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Target> gpus = {small("gtx580", "sm.scratchpad.banks=32"),
                                           small("p100", "sm.scratchpad.bank_hash=xor")};
  if (size == 0) return 0;
  try {
    Bytes source(std::as_bytes(std::span(data + 1, size - 1)));
    const Target& gpu = gpus[data[0] % gpus.size()];
    const gpu::Result result = gpu::simulate_lowered(gpu.spec, source, gpu.programs);
    if (result.cycles == 0) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
