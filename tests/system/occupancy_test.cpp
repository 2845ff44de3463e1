// lockstep occupancy

#include "tests/system/program.hpp"

namespace lockstep::occupancy_test {

using namespace lockstep::system_test;
using Catch::Contains;

TEST_CASE("occupancy names the limit that binds, and what would have to be less") {
  // An SM of a GTX 580 has 1,536 threads, 8 blocks, 32,768 registers and 48 KiB: 4 KiB plus nothing allow 12 blocks, 256
  // threads 6 (CUDA C programming guide, compute capability 2.0).
  const Json result = parse_json(run({"occupancy", "transpose", "--gpu", "gtx580", "--json", "--registers", "20"}).out);
  CHECK(value(result, "schema") == "lockstep.occupancy/1");
  const Json& kernel = at(result, "kernels").front().second;
  CHECK(value<int>(kernel, "blocks") == 6);
  CHECK(value(kernel, "limit") == "threads");
  CHECK(value<double>(kernel, "occupancy") == 1.0);
  for (const auto& [key, size] : at(kernel, "block_sizes"))
    if (value<int>(size, "threads_per_block") == 32) {
      CHECK(value<int>(size, "blocks") == 8);
      CHECK(value(size, "limit") == "blocks");
    }
}

TEST_CASE("occupancy of more registers and scratchpad per block shows the next step down") {
  // 63 registers: 8 warps of 2,048 (63 x 32 in units of 64) take 16,384 of 32,768. With 42 a warp takes 1,344, three blocks
  // 32,256; with 43 it would be 1,408 and 33,792.
  const Json more = parse_json(run({"occupancy", "transpose", "--gpu", "gtx580", "--json", "--registers", "63"}).out);
  const Json& registers = at(more, "kernels").front().second;
  CHECK(value<int>(registers, "blocks") == 2);
  CHECK(value(registers, "limit") == "registers");
  CHECK(value<int>(registers, "registers_for_more_blocks") == 42);
  // 17 KiB: 2 blocks in 48 KiB; at 16 KiB three.
  const Json large = parse_json(
      run({"occupancy", "transpose", "--gpu", "gtx580", "--json", "--registers", "20", "--scratchpad", "17408"}).out);
  const Json& scratchpad = at(large, "kernels").front().second;
  CHECK(value<int>(scratchpad, "blocks") == 2);
  CHECK(value(scratchpad, "limit") == "scratchpad");
  CHECK(value<int>(scratchpad, "scratchpad_bytes_for_more_blocks") == 16384);
}

TEST_CASE("occupancy refuses blocks that cannot be launched, and misspelt options") {
  const Outcome large = run({"occupancy", "transpose", "--gpu", "gtx580", "--block", "2048"});
  CHECK(large.code == 2);
  CHECK_THAT(large.err, Contains("2048 threads per block; this GPU allows 1024"));
  CHECK_THAT(run({"occupancy", "transpose", "--gpu", "gtx580", "--blok", "1"}).err, Contains("did you mean '--block'"));
  CHECK_THAT(run({"occupancy", "transpose"}).err, Contains("--gpu NAME says on which GPU"));
}

}  // namespace lockstep::occupancy_test
