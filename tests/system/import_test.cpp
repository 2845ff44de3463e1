// lockstep import, and what the other commands do with an imported trace.

#include "tests/system/program.hpp"

namespace lockstep::import_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// Two warps of 64 threads that write the rows and read the columns of a tile of 32 words by 32, as Accel-Sim's tracer has it.
std::string tile() {
  std::string text =
      "-kernel name = tile\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (64,1,1)\n-shmem = 4096\n-nregs = 8\n"
      "-binary version = 70\n-shmem base_addr = 0x00007f5000000000\n-local mem base_addr = 0x00007f6000000000\n"
      "-accelsim tracer version = 4\n-enable lineinfo = 0\n\n#traces format = PC mask ...\n\n"
      "#BEGIN_TB\n\nthread block = 0,0,0\n\n";
  for (const std::string row : {"0", "80"})
    text += "warp = " + std::string(row == "0" ? "0" : "1") + "\ninsts = 4\n0000 ffffffff 0 STS 2 R2 R3 4 1 0x" + row +
            " 4 \n0010 ffffffff 0 BAR.SYNC 0 0 0 \n0020 ffffffff 1 R3 LDS 1 R2 4 1 0x" + (row == "0" ? "0" : "4") +
            " 128 \n0030 ffffffff 0 FROB.X 0 0 0 \n\n";
  return text + "#END_TB\n";
}

}  // namespace

TEST_CASE("An imported trace is described, replayed, counted and searched as others are") {
  const TemporaryFolder folder;
  folder.write("kernel-1.traceg", tile());
  folder.write("kernelslist.g", "MemcpyHtoD,0x00007f0000000000,4096\nkernel-1.traceg\n");
  const std::string trace = folder / "tile.trace";
  const Outcome imported = run({"import", "accelsim", folder.path(), "-o", trace, "--json"});
  REQUIRE(imported.code == 0);
  const Json json = parse_json(imported.out);
  CHECK(value(json, "schema") == "lockstep.import/1");
  CHECK(value<int>(json, "instruction_lines") == 8);
  CHECK(value<int>(json, "copies") == 1);
  CHECK(value(at(json, "unknown_opcodes").front().second, "opcode") == "FROB.X");
  CHECK(value<int>(at(json, "unknown_opcodes").front().second, "executions") == 2);
  CHECK_THAT(imported.err, Contains("FROB.X (2)") && Contains("have no effect"));

  CHECK_THAT(run({"info", trace}).out, Contains("sass") && Contains("8 warp instructions"));
  for (const std::string gpu : {"v100", "gtx580", "h200", "8800gt"}) {
    CAPTURE(gpu);
    const Outcome replayed = run({"replay", trace, "--gpu", gpu, "--json", "--per-instruction"});
    CHECK(replayed.code == 0);
    CHECK_THAT(replayed.err, Contains("no source lines of tile"));
    const Json point = parse_json(replayed.out);
    CHECK(value<int>(at(point, "stats"), "sm.warp_instructions") == 8);
    // Columns of 32 words lie in one bank of 32.
    if (gpu == "v100") CHECK(value<int>(at(point, "stats"), "sm.scratchpad.load_passes") == 64);
  }
  const Json counted = parse_json(run({"hash", "count", trace, "--hash", "xor", "--gpu", "v100", "--json"}).out);
  CHECK(!counted.empty());
  CHECK_THAT(run({"hash", "count", trace, "--hash", "xor", "--gpu", "v100"}).out,
             Contains("62"));  // 2 times 31 conflicts.
  CHECK(run({"hash", "search", trace, "--gpu", "v100"}).code == 0);
  CHECK(run({"hash", "patterns", trace, "--gpu", "v100"}).code == 0);
}

TEST_CASE("An import that fails says where, and leaves no file") {
  const TemporaryFolder folder;
  std::string text = tile();
  const std::string file = folder.write("kernel-1.traceg", text.replace(text.find("LDS 1 R2"), 8, "LDS x R2"));
  const Outcome damaged = run({"import", "accelsim", file, "-o", folder / "t.trace"});
  CHECK(damaged.code == 2);
  CHECK_THAT(damaged.err, Contains("kernel-1.traceg:23:") && Contains("expected the number of source registers"));
  CHECK_FALSE(std::filesystem::exists(folder / "t.trace"));
  folder.write("kernel-1.traceg", tile());
  const Outcome strict = run({"import", "accelsim", file, "-o", folder / "t.trace", "--unknown", "error"});
  CHECK(strict.code == 2);
  CHECK_THAT(strict.err, Contains("FROB.X (2)"));
  CHECK(run({"import", "accelsim", file, "-o", folder / "t.trace", "--unknown", "wormhole"}).code == 2);
  CHECK(run({"import", "accelsim", folder.path(), "-o", folder / "t.trace"}).code == 2);
  CHECK(run({"import", "accelsim", file, "-o", "/no/such/folder/t.trace"}).code == 3);
  CHECK(run({"import"}).code == 2);
  CHECK_FALSE(std::filesystem::exists(folder / "t.trace"));
}

}  // namespace lockstep::import_test
