#include "tests/system/program.hpp"

using namespace lockstep::system_test;

TEST_CASE("A workload replayed live and from its trace file gives the same cycles and statistics") {
  const char* const workloads[] = {"histogram", "vector-add", "transpose", "convolution"};
  for (const char* workload : workloads) {
    const Folder folder;
    std::vector<std::string> settings = {"-s", "sm.occupancy.blocks=3"};
    std::string set = "  sm.occupancy.blocks: 3\n";
    if (std::string(workload) == "histogram" || std::string(workload) == "convolution") {
      set += "  args.image: raccoon-small\n";
    }
    if (std::string(workload) == "transpose") set += "  args.width: 200\n  args.height: 77\n";
    if (std::string(workload) == "vector-add") set += "  args.length: 30001\n";
    const std::string experiment =
        folder.write("live.yaml", "name: live\ntitle: live\ngpu: gtx580\nworkload: " + std::string(workload) +
                                      "\nset:\n" + set + "table: [cycles]\n");
    const Outcome live = run({"run", experiment, "-o", folder / "results", "--json"});
    CAPTURE(workload, live.err);
    REQUIRE(live.code == 0);
    const Json point = at(parse_json(live.out), "points").front().second;

    std::vector<std::string> trace = {"trace", workload, "-o", folder / "one.trace"};
    if (set.find("image") != std::string::npos) trace.insert(trace.end(), {"-s", "args.image=raccoon-small"});
    if (set.find("width") != std::string::npos) {
      trace.insert(trace.end(), {"-s", "args.width=200", "-s", "args.height=77"});
    }
    if (set.find("length") != std::string::npos) trace.insert(trace.end(), {"-s", "args.length=30001"});
    REQUIRE(run(trace).code == 0);
    std::vector<std::string> replay = {"replay", folder / "one.trace", "--gpu", "gtx580", "--json"};
    replay.insert(replay.end(), settings.begin(), settings.end());
    const Json from_file = parse_json(run(replay).out);
    CHECK(value(from_file, "cycles") == value(point, "cycles"));
    CHECK(at(from_file, "stats") == at(point, "stats"));
  }
}

TEST_CASE("A kernel of one's own needs only its PTX and a descriptor") {
  const Folder folder;
  folder.write("scale.ptx", R"(.version 7.0
.target sm_50
.address_size 64
.visible .entry scale(.param .u64 data, .param .f32 factor, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<5>; .reg .f32 %f<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data]; ld.param.f32 %f1, [factor]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r2, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f2, [%rd3]; mul.f32 %f3, %f2, %f1; st.global.f32 [%rd3], %f3;
DONE:
  ret;
}
)");
  const std::string yaml = folder.write("scale.yaml",
                                        "kernel: scale.ptx\narguments: {n: 1000}\n"
                                        "buffers:\n  x: {iota: n, type: f32}\n"
                                        "grid: ceil_div(n, 128)\nblock: 128\nparameters: [x, 0.5, n]\n"
                                        "expect:\n  x: {each: 0.5 * i}\n");
  const Outcome traced = run({"trace", yaml, "-s", "args.n=777", "-o", folder / "s.trace"});
  INFO(traced.err);
  REQUIRE(traced.code == 0);
  const Json replay = parse_json(run({"replay", folder / "s.trace", "--gpu", "gtx580", "--json"}).out);
  CHECK(value<int>(at(replay, "stats"), "sm.thread_blocks") == 7);

  // Too short a buffer is found where it happens.
  const std::string wrong = folder.write("wrong.yaml",
                                         "kernel: scale.ptx\nbuffers:\n  x: {iota: 100, type: f32}\n"
                                         "grid: 1\nblock: 128\nparameters: [x, 0.5, 128]\n");
  const Outcome refused = run({"trace", wrong, "-o", folder / "w.trace"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err,
             Catch::Contains("scale.ptx:13") && Catch::Contains("thread (100,0,0)") && Catch::Contains("'x'"));
}
