// Kernels that use textures and surfaces, from CUDA source to a replay.
#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::texture_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// Halves an image with a bilinear filter, writes it through a surface, and reads a byte beside the surface.
const char* const source = R"(
extern "C" __global__ void halve(cudaTextureObject_t image, cudaSurfaceObject_t small, int* bytes, int width) {
  const int x = threadIdx.x, y = blockIdx.x;
  const float mean = tex2D<float>(image, 2 * x + 1, 2 * y + 1);
  surf2Dwrite(mean, small, 4 * x, y, cudaBoundaryModeTrap);
  unsigned char outside;
  surf2Dread(&outside, small, width * 4 + x, y, cudaBoundaryModeZero);
  bytes[y * width + x] = outside;
}
)";

}  // namespace

TEST_CASE("A texture kernel is traced, checked and replayed on a GTX 580") {
  const TemporaryFolder folder;
  for (const char* workload : {"texture-convolution", "texture-gather"}) {
    CAPTURE(workload);
    const std::string file = folder / (std::string(workload) + ".trace");
    std::vector<std::string> words{"trace", workload, "--json", "-o", file, "-s"};
    words.emplace_back(std::string(workload) == "texture-gather" ? "args.length=5000" : "args.image=raccoon-small");
    const Outcome traced = run(words);
    INFO(traced.err);
    REQUIRE(traced.code == 0);
    CHECK(value(parse_json(traced.out), "output_matches") == "true");
    const Outcome replayed = run({"replay", file, "--gpu", "gtx580", "--json"});
    INFO(replayed.err);
    REQUIRE(replayed.code == 0);
    const Json replay = parse_json(replayed.out);
    CHECK(value<std::uint64_t>(replay, "cycles") > 0);
    CHECK(value<std::uint64_t>(replay, "warp_instructions") ==
          value<std::uint64_t>(parse_json(traced.out), "warp_instructions"));
  }
}

TEST_CASE("A kernel with textures and surfaces compiles without a toolkit and runs") {
  const TemporaryFolder folder;
  folder.write("halve.cu", source);
  const std::string compile = source_dir() + "/tools/compile-kernels " + (folder / "halve.cu") + " >/dev/null 2>&1";
  REQUIRE(WEXITSTATUS(std::system(compile.c_str())) == 0);
  const std::string descriptor = folder.write("halve.yaml", R"(
buffers:
  pixels: {iota: 64, type: f32}  # 8 x 8
  halved: {zero: 16, type: f32}
  bytes: {constant: 16, type: s32, value: 7}
textures:
  image: {buffer: pixels, width: 8, height: 8, filter: linear}
  small: {buffer: halved, width: 4, height: 4}
kernel: halve.ptx
grid: 4
block: 4
parameters: [image, small, bytes, 4]
expect:
  # The mean of pixels n, n + 1, n + 8 and n + 9.
  halved: {each: "i / 4 * 16 + i % 4 * 2 + 4.5"}
  bytes: {constant: 0}
)");
  const Outcome traced = run({"trace", descriptor, "--json", "-o", folder / "halve.trace"});
  INFO(traced.err);
  REQUIRE(traced.code == 0);
  CHECK(value(parse_json(traced.out), "output_matches") == "true");
  const Outcome replayed = run({"replay", folder / "halve.trace", "--gpu", "gtx580", "--json"});
  INFO(replayed.err);
  CHECK(replayed.code == 0);
}

TEST_CASE("A surface access outside traps with the line of the kernel and the thread") {
  const TemporaryFolder folder;
  folder.write("outside.cu",
               "extern \"C\" __global__ void outside(cudaSurfaceObject_t small) {\n"
               "  surf2Dwrite(1.0f, small, 4 * threadIdx.x, 0, cudaBoundaryModeTrap);\n}\n");
  const std::string compile = source_dir() + "/tools/compile-kernels " + (folder / "outside.cu") + " >/dev/null 2>&1";
  REQUIRE(WEXITSTATUS(std::system(compile.c_str())) == 0);
  const std::string descriptor = folder.write("outside.yaml", R"(
buffers:
  words: {zero: 16, type: f32}
textures:
  small: {buffer: words, width: 4, height: 4}
kernel: outside.ptx
grid: 1
block: 5
parameters: [small]
)");
  const Outcome traced = run({"trace", descriptor, "-o", folder / "outside.trace"});
  CHECK(traced.code == 2);
  CHECK_THAT(traced.err, Contains("outside.cu:2") && Contains("thread (4,0,0)") && Contains("surface 'small'"));
}

}  // namespace lockstep::texture_test
