// Hash functions in the replay: by kernel, by thread block, and what they cost.

#include <catch2/catch.hpp>

#include "sim/gpu/simulation.hpp"
#include "sim/probe/lane_pattern.hpp"
#include "sim/probe/probe.hpp"
#include "tests/unit/sim/gpu/fake_trace.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"

using namespace lockstep;
using namespace lockstep::test;
using Catch::Contains;
using gpu::GpuSpec;
using program::AccessKind;
using program::MemorySpace;

namespace {

/// A kernel of this name that loads these addresses once in every thread block; `blocks` blocks of `bytes` scratchpad.
class OneLoad : public trace::ComposedTrace {
 public:
  OneLoad(const std::string& name, const Lanes& addresses, std::uint32_t blocks = 1, std::uint32_t bytes = 16384)
      : ComposedTrace(name) {
    const std::uint32_t a = reg(), v = reg();
    access("ld.shared", AccessKind::load, MemorySpace::shared, {v}, {a});
    control("exit", program::Control::exit, {v});
    kernel().live_registers = 16;
    launch().grid = {blocks, 1, 1};
    launch().dynamic_shared_bytes = bytes;
    execute = [addresses](std::uint64_t, std::uint32_t, Script script) { script.enter(0).touch(addresses); };
  }
};

/// Launches of one trace after the other, as of one program.
class Program final : public trace::Source {
 public:
  explicit Program(std::vector<trace::ComposedTrace*> parts) : parts_(std::move(parts)) {
    header_ = parts_[0]->header();
    header_.kernels.clear();
    header_.launches.clear();
    for (trace::ComposedTrace* part : parts_) {
      header_.launches.push_back(part->launch());
      header_.launches.back().kernel = static_cast<std::uint32_t>(header_.kernels.size());
      header_.kernels.push_back(part->kernel());
    }
  }
  const trace::Header& header() const override { return header_; }
  std::unique_ptr<trace::ThreadBlockStreams> open(std::uint32_t launch, std::uint64_t number) override {
    return parts_[launch]->open(0, number);
  }

 private:
  std::vector<trace::ComposedTrace*> parts_;
  trace::Header header_;
};

GpuSpec with(const std::vector<std::string>& settings) {
  std::vector<config::Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(config::parse_override(setting));
  return config::load_gpu("gtx580", overrides);
}

std::uint64_t passes(const GpuSpec& spec, trace::Source& source) {
  return gpu::simulate(spec, source).counters.sm.scratchpad_load_passes;
}

}  // namespace

TEST_CASE("hash replay: every kernel runs with its own hash, whatever ran before it") {
  // Stride 32 and stride 33: each is free of conflicts under one hash and has 32 under the other.
  OneLoad columns("columns", strided(0, 32)), padded("padded", strided(0, 33));
  Program program({&columns, &padded, &columns, &padded});
  CHECK(passes(with({}), program) == 2 * (32 + 1));
  CHECK(passes(with({"sm.scratchpad.bank_hash=xor"}), program) == 2 * (1 + 32));
  CHECK(passes(with({"sm.scratchpad.bank_hash=columns=xor mod"}), program) == 4);
  CHECK(passes(with({"sm.scratchpad.bank_hash=columns=xor"}), program) == 4);
  CHECK(passes(with({"sm.scratchpad.bank_hash=padded=mod xor"}), program) == 4);
  CHECK(passes(with({"sm.scratchpad.bank_hash=padded=xor"}), program) == 4 * 32);
}

TEST_CASE("hash replay: a kernel that a hash names and the trace lacks is told") {
  OneLoad columns("columns", strided(0, 32));
  const gpu::Result result = gpu::simulate(with({"sm.scratchpad.bank_hash=colums=xor mod"}), columns);
  REQUIRE(result.notes.size() == 1);
  CHECK_THAT(result.notes[0], Contains("sm.scratchpad.bank_hash") && Contains("colums") && Contains("'columns'"));
  CHECK(gpu::simulate(with({"sm.scratchpad.lock_hash=columns=xor mod"}), columns).notes.empty());
}

TEST_CASE("hash replay: passes are a property of the kernel, wherever its thread block lies in the memory") {
  const std::string exclusive_or = "sm.scratchpad.bank_hash=xor", memory = "sm.scratchpad.bank_hash_origin=memory";
  // Words 0 and 33 lie in rows 0 and 1 of their block and share bank 0 under XOR. The second block lies three rows behind
  // the first: counted from the beginning of the memory, its words lie in rows 3 and 4 and in banks 3 and 5.
  OneLoad rows("k", words({0, 33}), 2, 384);
  CHECK(passes(with({"sms=1", exclusive_or}), rows) == 2 + 2);
  CHECK(passes(with({"sms=1", exclusive_or, memory}), rows) == 2 + 1);
  // Of the baseline it makes no difference.
  OneLoad columns("k", strided(0, 32), 3, 4096 + 128);
  CHECK(passes(with({"sms=1"}), columns) == 3 * 32);
  CHECK(passes(with({"sms=1", memory}), columns) == 3 * 32);
}

TEST_CASE("hash replay: locks are those of the SM's memory, whatever the bank hash counts from") {
  // One lane of each of two thread blocks updates word 0 of its block.
  const auto refused = [](std::uint32_t bytes, const std::string& origin) {
    FakeTrace fake;
    const std::uint32_t a = fake.reg(), v = fake.reg();
    fake.access("atom.shared.add.u32", AccessKind::atomic, MemorySpace::shared, {v}, {a});
    fake.control("exit", program::Control::exit, {v});
    fake.launch().grid = {2, 1, 1};
    fake.launch().dynamic_shared_bytes = bytes;
    fake.execute = [](std::uint64_t, std::uint32_t, FakeTrace::Script script) { script.enter(0).touch({0}); };
    const gpu::Result result = gpu::simulate(with({"sms=1", "sm.scratchpad.bank_hash_origin=" + origin}), fake);
    CHECK(result.counters.sm.scratchpad_atomics == 2);
    return result.counters.sm.lock_failed_warp;
  };
  for (const char* origin : {"block", "memory"}) {
    CHECK(refused(384, origin) == 0);  // Words 0 and 96 of the memory.
    CHECK(refused(4096, origin) > 0);  // Words 0 and 1024: one lock.
  }
}

TEST_CASE("hash replay: a configurable hash makes every load, store and atomic longer by its latency") {
  const auto cycles = [](probe::AccessOperation operation, const std::string& latency) {
    const GpuSpec spec = with({"sm.scratchpad.hash_latency=" + latency});
    return probe::measure(spec, operation, probe::parse_lane_pattern("0-31", probe::scratchpad_words(spec))).cycles;
  };
  using probe::AccessOperation;
  // A slot of a scheduler comes every other cycle. Gomez-Luna (2012), section 4.3: 44 load, 36 store, 98 with an addition between, 108 the atomic addition.
  CHECK(cycles(AccessOperation::load, "0") == 44);
  CHECK(cycles(AccessOperation::load, "2") == 44 + 2);
  CHECK(cycles(AccessOperation::store, "0") == 36);
  CHECK(cycles(AccessOperation::store, "2") == 36 + 2);
  CHECK(cycles(AccessOperation::read_modify_write, "2") == 98 + 2 * 2);
  CHECK(cycles(AccessOperation::atomic, "0") == 108);
  CHECK(cycles(AccessOperation::atomic, "2") == 108 + 2 * 2);
}

TEST_CASE("hash replay: so does it a native atomic") {
  const auto cycles = [](const char* gpu, const std::string& latency) {
    const GpuSpec spec = config::load_gpu(gpu, {config::parse_override("sm.scratchpad.hash_latency=" + latency)});
    const auto access = probe::parse_lane_pattern("0-31", probe::scratchpad_words(spec));
    return probe::measure(spec, probe::AccessOperation::atomic, access).cycles;
  };
  for (const char* gpu : {"m60", "v100"}) CHECK(cycles(gpu, "8") == cycles(gpu, "0") + 8);
}
