// What Accel-Sim's traces say becomes the same thread blocks, lanes and addresses.

#include <lzma.h>
#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "isa/trace/header_codec.hpp"
#include "tests/unit/isa/accelsim/import.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::vector<std::uint64_t> lanes(const trace::AccessEntry& access) {
  std::vector<std::uint64_t> all;
  for (int lane = 0; lane < 32; ++lane)
    if ((access.mask >> lane & 1) != 0) all.push_back(access.address[lane]);
  return all;
}

std::string compressed(const std::string& text) {
  std::string out(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  REQUIRE(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                                  text.size(), reinterpret_cast<std::uint8_t*>(out.data()), &size,
                                  out.size()) == LZMA_OK);
  return out.substr(0, size);
}

}  // namespace

TEST_CASE("The three ways to write addresses give the same addresses") {
  Imported one(
      one_warp({
                   "0000 0000000f 1 R2 LDG.E.SYS 1 R4 4 0 0x7f0000000100 0x7f0000000104 0x7f0000000108 0x7f000000010c",
                   "0010 0000000f 1 R2 LDG.E.SYS 1 R4 4 1 0x7f0000000100 4",
                   "0020 0000000f 1 R2 LDG.E.SYS 1 R4 4 2 0x7f0000000100 4 4 4 0",
                   "0030 00000104 1 R2 LDG.E.SYS 1 R4 4 2 0x7f0000000100 -16",
                   "0040 80000000 1 R2 LDG.E.SYS 1 R4 4 2 0x7f0000000100",
                   "0050 000000f0 1 R2 LDG.E.SYS 1 R4 4 1 0x7f0000000100 -8 0",
                   "0060 00000000 1 R2 LDG.E.SYS 1 R4 4 0",
               })
          .text());
  const auto all = executed(one.source, 0, 0, 0);
  REQUIRE(all.size() == 7);
  const std::uint64_t a = 0x7f0000000100;
  for (int n = 0; n < 3; ++n)
    CHECK(lanes(all[n].accesses.at(0)) == std::vector<std::uint64_t>{a, a + 4, a + 8, a + 12});
  CHECK(all[3].accesses[0].mask == 0x104);
  CHECK(lanes(all[3].accesses[0]) == std::vector<std::uint64_t>{a, a - 16});
  CHECK(lanes(all[4].accesses[0]) == std::vector<std::uint64_t>{a});
  CHECK(lanes(all[5].accesses[0]) == std::vector<std::uint64_t>{a, a - 8, a - 16, a - 24});
  CHECK(all[6].accesses[0].mask == 0);
}

TEST_CASE("Lines of every version of the tracer are read: thread block and warp in front, source lines, no immediate") {
  AccelsimText old;
  old.tracer_version = 1;
  old.thread_block(0);
  old.warp(0, {"0 0 0 0 0008 ffffffff 1 R1 MOV 0 0", "0 0 0 0 0010 ffffffff 0 EXIT 0 0"});
  Imported first(old.text());
  CHECK(executed(first.source, 0, 0, 0).size() == 2);
  AccelsimText lined = one_warp({"17 0000 ffffffff 1 R1 MOV 0 0 ", "18 0010 ffffffff 0 EXIT 0 0 0"});
  lined.tracer_version = 5;
  lined.source_lines = true;
  Imported one(lined.text());
  CHECK(one.kernel().instructions.at(0).source_line == 17);
  CHECK(one.kernel().instructions.at(1).source_line == 18);
}

TEST_CASE("Grid, block, registers and scratchpad memory come from the header") {
  AccelsimText text;
  text.name = "_Z5stencPf";
  text.grid = {2, 1, 2};
  text.block = {16, 3, 1};  // 48 threads: two warps.
  text.scratchpad_bytes = 2048;
  text.registers = 40;
  for (std::uint32_t z = 0; z < 2; ++z)
    for (std::uint32_t x = 0; x < 2; ++x) {
      text.thread_block(x, 0, z);
      text.warp(0, {"0000 ffffffff 0 EXIT 0 0 0"});
      text.warp(1, {"0000 0000ffff 0 EXIT 0 0 0"});
    }
  Imported one(text.text());
  const trace::Header& header = one.source.header();
  CHECK(trace::header_problem(header).empty());
  CHECK(header.kernels.at(0).name == "_Z5stencPf");
  CHECK(header.kernels[0].instruction_set == "sass");
  const trace::Launch& launch = header.launches.at(0);
  CHECK(launch.grid == program::Dim3{2, 1, 2});
  CHECK(launch.warps_per_block() == 2);
  CHECK(launch.dynamic_shared_bytes == 2048);
  CHECK(launch.registers_per_thread == 40);
  CHECK(executed(one.source, 0, 0, 1).at(0).block_mask == 0xffff);
}

TEST_CASE("Scratchpad addresses may lie in the header's window or begin at 0") {
  Imported one(one_warp({"0000 00000001 0 STS 2 R2 R3 4 1 0x7f5000000040 4", "0010 00000001 0 STS 2 R2 R3 4 1 0x40 4",
                         "0020 00000003 1 R2 LD 1 R4 4 0 0x7f5000000040 0x10000",
                         "0030 00000001 1 R2 LD 1 R4 4 0 0x7f5000000044"})
                   .text());
  const auto all = executed(one.source, 0, 0, 0);
  CHECK(all.at(0).accesses.at(0).address[0] == 0x40);
  CHECK(all.at(1).accesses.at(0).address[0] == 0x40);
  const program::AddressWindows windows;
  CHECK(one.kernel().instructions[2].space == program::MemorySpace::generic);
  CHECK(all.at(2).accesses.at(0).address[0] == windows.shared_base + 0x40);
  CHECK(all.at(2).accesses.at(0).address[1] == 0x10000);
  // A generic access that only ever meets the scratchpad is one to the scratchpad.
  CHECK(one.kernel().instructions[3].space == program::MemorySpace::shared);
  CHECK(all.at(3).accesses.at(0).address[0] == 0x44);
  CHECK(one.source.header().launches[0].dynamic_shared_bytes == 0x48);
}

TEST_CASE("The first 1,024 bytes of scratchpad memory are the system's from compute capability 9.0 on") {
  for (const std::uint32_t version : {86u, 90u}) {
    AccelsimText text = one_warp({"0000 00000001 0 STS 2 R2 R3 4 1 0x400 4"});
    text.binary_version = version;
    text.scratchpad_bytes = 512;
    Imported one(text.text());
    CHECK(executed(one.source, 0, 0, 0).at(0).accesses.at(0).address[0] == (version == 90 ? 0u : 0x400u));
    CHECK(one.source.header().launches[0].dynamic_shared_bytes == (version == 90 ? 512 : 0x404));
  }
}

TEST_CASE("A stack at the end of its window takes the local memory that is accessed") {
  Imported one(
      one_warp({"0000 00000001 0 STL.64 2 R1 R2 8 1 0xfffcb8 0", "0010 00000001 1 R2 LDL 1 R1 4 1 0xfffcc4 0"}).text());
  const auto all = executed(one.source, 0, 0, 0);
  CHECK(all.at(0).accesses.at(0).address[0] == 8);
  CHECK(all.at(1).accesses.at(0).address[0] == 20);
  CHECK(one.kernel().local_bytes == 24);
  CHECK(one.kernel().instructions[0].element_bytes == 8);
}

TEST_CASE("A copy to the scratchpad is one instruction, whichever of its lines comes first") {
  const std::string global = "0010 0000000f 0 LDGSTS.E.128 2 R2 R4 16 1 0x7f0000000000 16 0";
  const std::string shared = "0010 0000000f 0 LDGSTS.E.128 2 R2 R4 16 1 0x100 16 0";
  for (const bool turned : {false, true}) {
    Imported one(one_warp({"0000 0000000f 1 R2 MOV 0 0 0", turned ? global : shared, turned ? shared : global,
                           "0020 0000000f 0 LDGDEPBAR 0 0 0"})
                     .text());
    const auto all = executed(one.source, 0, 0, 0);
    REQUIRE(all.size() == 3);
    REQUIRE(all[1].accesses.size() == 2);
    CHECK(lanes(all[1].accesses[0])[1] == 0x7f0000000010);
    CHECK(lanes(all[1].accesses[1])[1] == 0x110);
    CHECK(one.source.summary().half_copies == 0);
  }
  Imported lone(one_warp({global}).text());
  CHECK(lone.kernel().instructions[0].access == program::AccessKind::load);
  CHECK(lone.source.summary().half_copies == 1);
}

TEST_CASE("Lines of a copy by different lanes are two copies, of each of which one address is known") {
  Imported one(one_warp({"0010 00000006 0 LDGSTS.E.128 2 R2 R4 16 1 0x100 16",
                         "0010 00000003 0 LDGSTS.E.128 2 R2 R4 16 1 0x7f0000000000 16"})
                   .text());
  CHECK(one.source.summary().half_copies == 2);
  const auto all = executed(one.source, 0, 0, 0);
  REQUIRE(all.size() == 2);
  CHECK(all[0].block_mask == 6);
  CHECK(all[1].block_mask == 3);
}

TEST_CASE("A matrix load takes its rows' addresses from 8, 16 or 32 lanes") {
  Imported one(
      one_warp({"0000 ffffffff 1 R4 LDSM.16.M88 1 R2 4 1 0x0 16", "0010 ffffffff 1 R4 LDSM.16.M88.2 1 R2 4 1 0x0 16",
                "0020 ffffffff 1 R4 LDSM.16.M88.4 1 R2 4 1 0x0 16"})
          .text());
  const auto all = executed(one.source, 0, 0, 0);
  CHECK(all.at(0).accesses.at(0).mask == 0xff);
  CHECK(all.at(1).accesses.at(0).mask == 0xffff);
  CHECK(all.at(2).accesses.at(0).mask == 0xffffffff);
  CHECK(one.kernel().instructions[2].element_bytes == 16);
  CHECK(one.kernel().instructions[2].destinations == std::vector<std::uint32_t>{4, 5, 6, 7});
}

TEST_CASE("Thread blocks may stand in any order, also in compressed files") {
  AccelsimText text;
  text.grid = {4, 1, 1};
  for (const std::uint32_t x : {2u, 3u, 0u, 1u}) {
    text.thread_block(x);
    text.warp(0, {fmt::format("0000 00000001 1 R2 LDG.E 1 R4 4 1 {:#x} 0", 0x1000 + x)});
  }
  for (const bool packed : {false, true}) {
    Imported one(packed ? compressed(text.text()) : text.text());
    for (std::uint32_t x = 0; x < 4; ++x)
      CHECK(executed(one.source, 0, x, 0).at(0).accesses.at(0).address[0] == 0x1000 + x);
  }
}

TEST_CASE("Lanes part and meet: basic blocks have the masks of the trace") {
  // 0: all; 1: the branch, by half of the lanes; 2, 3: the two sides; 4: all again. In the second turn nobody branches.
  std::vector<std::string> lines = {"0000 ffffffff 0 ISETP.GE.AND 1 R0 0 0",
                                    "0010 0000ffff 0 BRA 0 0 0",
                                    "0020 ffff0000 1 R2 FADD 1 R2 0 0",
                                    "0030 ffff0000 0 BRA 0 0 0",
                                    "0040 0000ffff 1 R2 FMUL 1 R2 0 0",
                                    "0050 ffffffff 1 R3 MOV 1 R2 0 0",
                                    "0060 ffffffff 0 BRA 0 0 0"};
  const std::vector<std::string> second = {
      lines[0], "0010 00000000 0 BRA 0 0 0", "0020 ffffffff 1 R2 FADD 1 R2 0 0", "0030 ffffffff 0 BRA 0 0 0",
      lines[5], "0060 00000000 0 BRA 0 0 0", "0070 ffffffff 0 EXIT 0 0 0"};
  lines.insert(lines.end(), second.begin(), second.end());
  Imported one(one_warp(lines).text());
  const auto all = executed(one.source, 0, 0, 0);
  REQUIRE(all.size() == lines.size());
  for (std::size_t n = 0; n < lines.size(); ++n) {
    CAPTURE(lines[n]);
    CHECK(all[n].block_mask == std::stoul(lines[n].substr(5, 8), nullptr, 16));
  }
  // The branch waits for what the comparison in front of it sets.
  const program::StaticInstruction &compare = one.kernel().instructions[0], &branch = one.kernel().instructions[1];
  REQUIRE(compare.destinations.size() == 1);
  CHECK(branch.guard == compare.destinations[0]);
  CHECK(one.kernel().register_bits[branch.guard] == 1);
  // One that always jumps waits for nothing.
  CHECK(one.kernel().instructions[3].guard == program::no_register);
}

TEST_CASE("Predicated accesses stay in their basic block and name fewer lanes") {
  Imported one(one_warp({"0000 ffffffff 0 ISETP.LT.AND 1 R0 0 0", "0010 00ffffff 1 R2 LDG.E 1 R4 4 1 0x1000 4",
                         "0020 ffffffff 1 R3 MOV 0 0 0"})
                   .text());
  CHECK(one.kernel().blocks.size() == 1);
  CHECK(one.kernel().instructions[1].guard != program::no_register);
  CHECK(executed(one.source, 0, 0, 0).at(1).accesses.at(0).mask == 0x00ffffff);
}

TEST_CASE("A function that is called may have the addresses of its caller") {
  const std::vector<std::string> call = {"0000 ffffffff 1 R1 MOV 0 0 0",         "0010 ffffffff 0 CALL.REL.NOINC 0 0 0",
                                         "0000 ffffffff 1 R2 MUFU.RCP 1 R2 0 0", "0010 ffffffff 0 RET.REL.NODEC 0 0 0",
                                         "0020 ffffffff 1 R3 FMUL 1 R2 0 0",     "0030 ffffffff 0 EXIT 0 0 0"};
  Imported one(one_warp(call).text());
  std::vector<std::string> order;
  for (const auto& s : one.kernel().instructions) order.push_back(one.kernel().strings[s.mnemonic]);
  CHECK(order == std::vector<std::string>{"MOV", "CALL.REL.NOINC", "FMUL", "EXIT", "MUFU.RCP", "RET.REL.NODEC"});
  const auto all = executed(one.source, 0, 0, 0);
  CHECK(all.at(2).mnemonic == "MUFU.RCP");
  CHECK(all.at(4).mnemonic == "FMUL");
}

TEST_CASE("Unknown opcodes are counted and become what the user chooses") {
  accelsim::ImportOptions options;
  options.unknown = "special_function";
  Imported one(one_warp({"0000 ffffffff 1 R1 FROB.X2 0 0 0", "0010 ffffffff 1 R2 FROB.X2 1 R1 4 1 0x1000 4",
                         "0000 ffffffff 1 R1 FROB.X2 0 0 0"})
                   .text(),
               options);
  CHECK(one.source.summary().unknown == std::map<std::string, std::uint64_t>{{"FROB.X2", 3}});
  CHECK(one.kernel().strings[one.kernel().instructions[0].mnemonic] == "special_function.FROB.X2");
  CHECK(executed(one.source, 0, 0, 0).size() == 3);
}

TEST_CASE("A list names kernels and copies; launches of one kernel share its code") {
  TemporaryFolder folder;
  AccelsimText text = one_warp({"0000 ffffffff 1 R1 MOV 0 0 0", "0010 ffffffff 0 EXIT 0 0 0"});
  folder.write("kernel-1.traceg", text.text());
  text = one_warp({"0000 ffffffff 1 R1 MOV 0 0 0", "0008 ffffffff 1 R1 IADD3 1 R1 0 0", "0010 ffffffff 0 EXIT 0 0 0"});
  folder.write("kernel-2.traceg.xz", compressed(text.text()));
  folder.write(
      "kernelslist.g",
      "MemcpyHtoD,0x00007f0000000000,4096\nkernel-1.traceg\nMemcpyHtoD,0x7f0000001000,100\n\nkernel-2.traceg.xz\n");
  accelsim::AccelsimSource source(folder.path(), {});
  CHECK(source.header().kernels.size() == 1);
  CHECK(source.header().launches.size() == 2);
  CHECK(source.summary().copies == 2);
  CHECK(source.summary().copied_bytes == 4196);
  CHECK(executed(source, 0, 0, 0).size() == 2);
  CHECK(executed(source, 1, 0, 0).size() == 3);
  // A kernel's own file is one, whatever its name.
  accelsim::AccelsimSource alone(folder.write("saved.txt", text.text()), {});
  CHECK(alone.header().launches.size() == 1);
  CHECK(executed(alone, 0, 0, 0).size() == 3);
}
