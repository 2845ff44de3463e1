// The scratchpad memory that is reserved for system software, and what nvcc 13 keeps in it for tiles of several warps.
#include <catch2/catch.hpp>
#include <functional>

#include "isa/exec/checks/findings.hpp"
#include "tests/places.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::reserved_scratchpad_test {

using namespace lockstep::exec;
using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

constexpr int threads = 512;

/// What an entry of the tiles leaves in a thread block whose thread i has the number i. No check may find anything.
std::vector<int> run_tiles(const std::string& entry) {
  auto task = std::make_unique<Task>();
  task->name = "test";
  task->modules.push_back(std::make_unique<const ptx::Module>(
      ptx::parse_file(source_dir() + "/tests/unit/isa/ptx/inputs/nvcc_90_tiles.ptx")));
  std::vector<int> in(threads);
  for (int i = 0; i < threads; ++i) in[i] = i;
  task->buffers = {{"in", bytes_of(in)}, {"out", bytes_of(std::vector<int>(threads))}};
  KernelLaunch launch;
  launch.module = task->modules.back().get();
  launch.entry = entry;
  launch.block = {threads, 1, 1};
  if (entry.starts_with("turns")) launch.dynamic_shared_bytes = 4 * threads;
  launch.arguments = {BufferAddress{0, 0}, BufferAddress{1, 0}};
  task->launches.push_back(launch);
  task->checks = CheckSet().with(Check::init).with(Check::race).with(Check::bounds).with(Check::sync);
  Machine machine(std::move(task));
  machine.finish();
  std::string found;
  for (const Finding& finding : machine.findings()) found += describe(finding) + "\n";
  CHECK(found == "");
  return values_of<int>(machine.buffer(1));
}

std::vector<int> each(const std::function<int(int)>& value) {
  std::vector<int> all;
  for (int i = 0; i < threads; ++i) all.push_back(value(i));
  return all;
}

/// Stores what each of the registers holds, in this order.
const std::string read_all =
    "mov.u32 %r1, %reserved_smem_offset_begin; mov.u32 %r2, %reserved_smem_offset_end;\n"
    "mov.u32 %r3, %reserved_smem_offset_cap; mov.u32 %r4, %reserved_smem_offset_0;\n"
    "mov.u32 %r5, %reserved_smem_offset_1; mov.u32 %r6, %total_smem_size;\n"
    "st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4}; st.global.v2.u32 [%rd0+16], {%r5, %r6};\n";

/// One thread executes `body` with 4 static and 100 dynamic bytes of scratchpad memory, of which both are named.
Body with_104_bytes(const std::string& body) {
  Body one{"mov.u32 %r10, own; mov.u32 %r11, given;\n" + body,
           ".shared .align 4 .b8 own[4]; .extern .shared .align 4 .b8 given[];",
           1,
           100,
           {}};
  one.initial.resize(4);
  return one;
}

}  // namespace

TEST_CASE("tiles of several warps reduce, wait, vote and shuffle as CUDA says, and no check finds an error", "[exec]") {
  for (const int size : {64, 128, 256}) {
    CAPTURE(size);
    const std::string name = std::to_string(size);
    CHECK(run_tiles("sums" + name) == each([&](int i) {
            const int first = i / size * size;
            return size * first + size * (size - 1) / 2;
          }));
    // The opposite of the opposite is the thread itself.
    CHECK(run_tiles("turns" + name) ==
          each([&](int i) { return i / size * size + size - 1 - i % size + 3 + 1000 * (i % 5); }));
    CHECK(run_tiles("votes" + name) == each([&](int i) {
            const int first = i / size * size;
            return (first <= 70 && 70 < first + size ? 1 : 0) + (first + size <= 192 ? 2 : 0) + 4 * (first + 40);
          }));
  }
}

TEST_CASE("the reserved scratchpad memory stands behind the kernel's own, in the banks of its place on a GPU",
          "[exec]") {
  const auto words = values_of<std::uint32_t>(bytes_of(with_104_bytes(read_all).program().run<std::uint64_t>()));
  const std::uint32_t begin = words[0];
  CHECK(begin >= 104);
  CHECK(begin % 128 == 0);  // 32 banks of 4 bytes; on a GPU it begins at 0.
  // The differences are those on an H100: 0, 288, 1024, 0 and 0.
  CHECK(words[1] == begin + 288);
  CHECK(words[2] == 1024);
  CHECK(words[3] == begin);
  CHECK(words[4] == begin);
  // PTX ISA: %total_smem_size is without the reserved memory.
  CHECK(words[5] == 104);
}

TEST_CASE("a kernel that asks for the reserved memory takes no more of the scratchpad's static memory", "[exec]") {
  const auto machine = with_104_bytes(read_all).program().machine();
  machine->finish();
  CHECK(machine->header().kernels[0].static_shared_bytes == 4);
  CHECK(machine->header().launches[0].dynamic_shared_bytes == 100);
}

TEST_CASE("the reserved memory is accessible to its last byte, by either kind of address, and nothing around it",
          "[exec]") {
  const std::string ask = "mov.u32 %r1, %reserved_smem_offset_begin; mov.u32 %r2, 7;\n";
  const std::string generic = ask + "cvt.u64.u32 %rd2, %r1; cvta.shared.u64 %rd2, %rd2;\n";
  CHECK(with_104_bytes(ask + "st.shared.u32 [%r1], %r2; st.shared.u32 [%r1+1020], %r2;").program().error() == "");
  CHECK(with_104_bytes(generic + "st.u32 [%rd2], %r2; st.u32 [%rd2+1020], %r2;").program().error() == "");
  CHECK_THAT(with_104_bytes(ask + "st.shared.u32 [%r1+1024], %r2;").program().error(), Contains("out of bounds"));
  CHECK_THAT(with_104_bytes(generic + "st.u32 [%rd2+1024], %r2;").program().error(), Contains("out of bounds"));
  CHECK_THAT(with_104_bytes(ask + "st.shared.u32 [%r1+-4], %r2;").program().error(), Contains("out of bounds"));
  CHECK_THAT(with_104_bytes(ask + "st.shared.u32 [%r1+2], %r2;").program().error(), Contains("misaligned"));
  // Who does not ask for it has none, where it stands for others.
  CHECK_THAT(with_104_bytes("st.shared.u32 [128], %r2;").program().error(), Contains("out of bounds"));
}

TEST_CASE("the reserved memory of a thread block begins as zero, and keeps apart from what the kernel has", "[exec]") {
  Program two = with_104_bytes(
                    "mov.u32 %r1, %reserved_smem_offset_1; st.shared.u32 [%r11+96], 5;\n"
                    "atom.shared.add.u32 %r2, [%r1], 3; ld.shared.u32 %r3, [%r1]; ld.shared.u32 %r4, [%r11+96];\n"
                    "mov.u32 %r5, %ctaid.x; mul.wide.u32 %rd2, %r5, 16; add.s64 %rd2, %rd0, %rd2;\n"
                    "st.global.v4.u32 [%rd2], {%r2, %r3, %r4, 1};")
                    .program();
  two.grid = {2, 1, 1};
  CHECK(two.run() == std::vector<std::uint32_t>{0, 3, 5, 1, 0, 3, 5, 1});
}

TEST_CASE("a race in the reserved memory is found, and its place named", "[exec][checks]") {
  Program p;
  p.ptx = kernel("mov.u32 %r1, %reserved_smem_offset_1; st.shared.u32 [%r1+8], %r0;",
                 ".extern .shared .align 4 .b8 given[];");
  p.block = {64, 1, 1};
  p.buffers.push_back({"out", std::vector<std::uint8_t>(512)});
  p.checks = CheckSet().with(Check::race);
  const auto machine = p.machine();
  machine->finish();
  REQUIRE_FALSE(machine->findings().empty());
  CHECK(machine->findings()[0].place.target == "byte 8 of the reserved scratchpad memory");
}

}  // namespace lockstep::reserved_scratchpad_test
