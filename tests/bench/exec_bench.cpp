// Functional execution: items are warp instructions. Decoding: items are instructions of the text.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "isa/exec/machine.hpp"
#include "isa/exec/subjects.hpp"
#include "isa/ptx/module.hpp"
#include "isa/ptx/program.hpp"

namespace {

using namespace lockstep;

constexpr const char* head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n";

/// An xorshift and a linear congruential generator in a loop: integer arithmetic alone.
const std::string integer_kernel = std::string(head) + R"(
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd1, %rd0, %rd1;
  add.u32 %r1, %r0, 1;
  mov.u32 %r2, 0;
LOOP:
  shl.b32 %r3, %r1, 13;
  xor.b32 %r1, %r1, %r3;
  shr.u32 %r3, %r1, 17;
  xor.b32 %r1, %r1, %r3;
  shl.b32 %r3, %r1, 5;
  xor.b32 %r1, %r1, %r3;
  mad.lo.u32 %r1, %r1, 1664525, %r0;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 4000;
  @%p1 bra LOOP;
  st.global.u32 [%rd1], %r1;
  ret;
})";

/// Every lane's trip count is different, and each turn has an if: divergent control flow.
const std::string divergent_kernel = std::string(head) + R"(
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd1, %rd0, %rd1;
  and.b32 %r4, %r0, 31;
  mad.lo.u32 %r4, %r4, 50, 1000;
  mov.u32 %r1, %r0;
  mov.u32 %r2, 0;
LOOP:
  and.b32 %r3, %r1, 1;
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra EVEN;
  mad.lo.u32 %r1, %r1, 3, 1;
  bra.uni NEXT;
EVEN:
  shr.u32 %r1, %r1, 1;
NEXT:
  add.u32 %r1, %r1, %r2;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p2, %r2, %r4;
  @%p2 bra LOOP;
  st.global.u32 [%rd1], %r1;
  ret;
})";

/// Histogram-like: a global load, arithmetic and a scratchpad atomic per turn.
const std::string memory_kernel = std::string(head) + R"(
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
  .shared .align 4 .b8 bins[1024];
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd1, %rd0, %rd1;
  mov.u32 %r5, bins;
  mov.u32 %r2, 0;
LOOP:
  ld.global.u32 %r1, [%rd1];
  add.u32 %r1, %r1, %r2;
  mul.lo.u32 %r3, %r1, 747796405;
  shr.u32 %r3, %r3, 24;
  shl.b32 %r3, %r3, 2;
  add.u32 %r4, %r5, %r3;
  red.shared.add.u32 [%r4], 1;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 4000;
  @%p1 bra LOOP;
  bar.sync 0;
  ld.shared.u32 %r6, [%r5];
  st.global.u32 [%rd1], %r6;
  ret;
})";

std::unique_ptr<exec::Machine> machine(const std::string& ptx, std::uint32_t threads, std::uint32_t blocks,
                                       exec::CheckSet checks = {}) {
  auto task = std::make_unique<exec::Task>();
  task->name = "bench";
  task->checks = checks;
  task->modules.push_back(std::make_unique<const ptx::Module>(ptx::parse(ptx, "bench.ptx")));
  task->buffers.push_back({"out", std::vector<std::uint8_t>(threads * 4)});
  exec::KernelLaunch launch;
  launch.module = task->modules[0].get();
  launch.entry = "k";
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  launch.arguments.push_back(exec::BufferAddress{0, 0});
  task->launches.push_back(launch);
  return std::make_unique<exec::Machine>(std::move(task));
}

void run(benchmark::State& state, const std::string& ptx, bool records) {
  constexpr std::uint32_t blocks = 4;
  std::uint64_t executed = 0;
  for (auto _ : state) {
    const auto m = machine(ptx, 256, blocks);
    if (records) {
      for (std::uint64_t block = 0; block < blocks; ++block) benchmark::DoNotOptimize(m->open(0, block));
    } else {
      m->finish();
    }
    executed += m->warp_instructions();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(executed));
}

/// The processor time with checks over that without, each run next to one of the other: counter "ratio".
void run_checked(benchmark::State& state, const std::string& ptx, exec::CheckSet checks) {
  std::clock_t plain = 0, checked = 0;
  for (auto _ : state) {
    for (const exec::CheckSet with : {exec::CheckSet(), checks}) {
      const auto m = machine(ptx, 256, 4, with);
      const std::clock_t start = std::clock();
      m->finish();
      (with.empty() ? plain : checked) += std::clock() - start;
    }
  }
  state.counters["ratio"] = static_cast<double>(checked) / static_cast<double>(plain);
}

/// A long kernel as compilers write it, without loops: what a large PTX file costs before anything runs.
std::string long_kernel() {
  std::string text = std::string(head) + R"(
  .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<4>;
)";
  for (unsigned i = 0; i < 1000; ++i) {
    text += R"(
  ld.global.nc.v4.f32 {%f0, %f1, %f2, %f3}, [%rd0+16];
  cvt.rn.f32.u32 %f4, %r0;
  fma.rn.ftz.f32 %f5, %f0, %f1, %f4;
  mul.wide.s32 %rd1, %r1, 4;
  add.s64 %rd2, %rd0, %rd1;
  setp.lt.and.u32 %p1, %r0, %r1, %p2;
  @%p1 st.shared.f32 [%r2], %f5;
  atom.shared.add.u32 %r3, [%r2], 1;
  mad.lo.s32 %r4, %r0, %r1, %r3;
  cvt.u16.u32 %h0, %r4;
)";
  }
  return text + "ret;\n}\n";
}

void decode(benchmark::State& state) {
  const ptx::Module module = ptx::parse(long_kernel(), "bench.ptx");
  std::size_t decoded = 0;
  for (auto _ : state) {
    state.PauseTiming();
    exec::Kernel kernel;
    kernel.module = &module;
    kernel.program = ptx::link(module, "k");
    exec::VariablePlaces places;
    places.of_function.resize(kernel.program.functions.size());
    const std::vector<bool> records(module.functions[0].instructions.size());
    state.ResumeTiming();
    exec::decode_kernel(kernel, places, records);
    decoded += kernel.ops.size();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(decoded));
}
BENCHMARK(decode)->Name("exec_decode");

BENCHMARK_CAPTURE(run, exec_integer, integer_kernel, false);
BENCHMARK_CAPTURE(run, exec_integer_recorded, integer_kernel, true);
BENCHMARK_CAPTURE(run, exec_divergent, divergent_kernel, false);
BENCHMARK_CAPTURE(run, exec_divergent_recorded, divergent_kernel, true);
BENCHMARK_CAPTURE(run, exec_memory, memory_kernel, false);
BENCHMARK_CAPTURE(run, exec_memory_recorded, memory_kernel, true);
BENCHMARK_CAPTURE(run_checked, exec_memory_init, memory_kernel, exec::CheckSet().with(exec::Check::init));
BENCHMARK_CAPTURE(run_checked, exec_memory_race, memory_kernel, exec::CheckSet().with(exec::Check::race));
BENCHMARK_CAPTURE(run_checked, exec_memory_bounds, memory_kernel, exec::CheckSet().with(exec::Check::bounds));
BENCHMARK_CAPTURE(run_checked, exec_memory_sync, memory_kernel, exec::CheckSet().with(exec::Check::sync));
BENCHMARK_CAPTURE(run_checked, exec_integer_race, integer_kernel, exec::CheckSet().with(exec::Check::race));

}  // namespace
