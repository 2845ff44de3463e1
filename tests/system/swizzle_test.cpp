// lockstep swizzle

#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::swizzle_test {

using namespace lockstep::system_test;
using Catch::Contains;

namespace {

std::vector<std::string> words(const std::string& subject, const std::vector<std::string>& more) {
  std::vector<std::string> all = {"swizzle", subject, "--json"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
const std::vector<std::string> small = {"-s", "args.width=128", "-s", "args.height=128"};

std::vector<std::string> with(std::vector<std::string> all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

TEST_CASE("swizzle takes the conflicts out of a transpose, makes it faster, and writes PTX that has none") {
  const TemporaryFolder folder;
  const std::string ptx = folder / "tiled.ptx";
  const Json result = parse_json(run(words("transpose", with(small, {"-s", "args.variant=tiled", "-o", ptx}))).out);
  CHECK(value(result, "schema") == "lockstep.swizzle/1");
  // 16 thread blocks of 8 warps read 4 columns each: 31 further passes.
  CHECK(value<int>(result, "conflicts_before") == 16 * 8 * 4 * 31);
  CHECK(value<int>(result, "conflicts_after") == 0);
  CHECK(value<int>(result, "lower_bound") == 0);
  CHECK(value<double>(result, "predicted_speedup") > 1.05);
  CHECK(value<int>(result, "instructions_added") > 0);
  const Json& array = at(result, "arrays").begin()->second;
  CHECK(value(array, "array") == "tile");
  CHECK(value(array, "cuda_index").find("tile[y][") == 0);
  CHECK(value(at(array, "lines").begin()->second, "source").find("transpose.cu:31") != std::string::npos);

  // The rewritten kernel as a workload of its own: right, and nothing is left to do.
  std::ofstream(folder / "tiled.yaml") << "kernel: tiled.ptx\nentry: transpose_tiled\n"
                                          "buffers: {input: {iota: 128 * 128}, output: {zero: 128 * 128}}\n"
                                          "grid: [4, 4]\nblock: [32, 8]\nparameters: [input, output, 128, 128]\n"
                                          "expect: {output: {each: \"input[i % 128 * 128 + i / 128]\"}}\n";
  const Outcome again = run({"swizzle", ptx});
  CHECK(again.code == 0);
  CHECK_THAT(again.out, Contains("leave it: no array has conflicts that a layout could avoid"));
}

TEST_CASE("swizzle leaves arrays without conflicts as they are and writes nothing") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(words("transpose", with(small, {"-s", "args.variant=padded", "-o", folder / "none.ptx"})));
  CHECK(outcome.code == 0);
  const Json result = parse_json(outcome.out);
  CHECK(value(result, "changed") == "false");
  CHECK(value<double>(result, "predicted_speedup") == 1);
  CHECK_THAT(outcome.err, Contains("nothing is written"));
  CHECK_FALSE(std::filesystem::exists(folder / "none.ptx"));
}

TEST_CASE("swizzle for fewest passes takes them even where that does not pay") {
  const std::vector<std::string> passes = {"--objective", "passes", "--gpu", "gtx580"};
  const Json result = parse_json(run(words("LUD_1", passes)).out);
  CHECK(value(result, "changed") == "true");
  CHECK(value<int>(result, "conflicts_after") == value<int>(result, "lower_bound"));
}

TEST_CASE("swizzle says what it cannot work on") {
  const TemporaryFolder folder;
  std::ofstream(folder / "alone.ptx") << ".version 8.0\n.target sm_90\n.address_size 64\n";
  const Outcome alone = run({"swizzle", folder / "alone.ptx"});
  CHECK(alone.code == 2);
  CHECK_THAT(alone.err, Contains("alone.yaml"));
  CHECK_THAT(run(words("transpose", with(small, {"--kernel", "transpose_tile", "-s", "args.variant=tiled"}))).err,
             Contains("did you mean 'transpose_tiled'?"));
  CHECK_THAT(run({"swizzle", "stencil"}).err, Contains("has a graph"));
}

TEST_CASE(
    "a product whose tile is read by columns goes from CUDA through swizzle to a faster kernel without conflicts") {
  const TemporaryFolder folder;
  folder.write("gemm.cu", R"(
extern "C" __global__ void gemm(const float* a, const float* b, float* c, int n) {
  __shared__ float left[32][32], right[32][32];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y;
  float sum = 0;
  for (int k = 0; k < n; k += 32) {
    left[y][x] = a[row * n + k + x];
    right[y][x] = b[(blockIdx.x * 32 + y) * n + k + x];
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += left[y][i] * right[x][i];
    __syncthreads();
  }
  c[row * n + blockIdx.x * 32 + x] = sum;
}
)");
  const std::string compiler = source_dir() + "/tools/compile-kernels ";
  REQUIRE(std::system((compiler + (folder / "gemm.cu") + " >/dev/null 2>&1").c_str()) == 0);
  // With a the identity, c is b transposed.
  folder.write("gemm.yaml",
               "kernel: gemm.ptx\nbuffers:\n  a: {each: 4096, value: \"i % 65 == 0\", type: f32}\n"
               "  b: {iota: 4096, type: f32}\n  c: {zero: 4096, type: f32}\ngrid: [2, 2]\nblock: [32, 32]\n"
               "parameters: [a, b, c, 64]\nexpect: {c: {each: \"i % 64 * 64 + i / 64\"}}\n");
  const Outcome outcome = run({"swizzle", folder / "gemm.ptx", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json result = parse_json(outcome.out);
  // 4 thread blocks of 32 warps; the compiler joins two columns of 64, of which half a warp is served at once: 15 further passes.
  CHECK(value<int>(result, "conflicts_before") == 4 * 32 * 32 * 2 * 15);
  CHECK(value<int>(result, "conflicts_after") == 0);
  CHECK(value<double>(result, "predicted_speedup") > 1.5);
  CHECK(value(result, "output_checked") == "true");
  CHECK(value(at(result, "arrays").begin()->second, "layout") == "-");
}

}  // namespace lockstep::swizzle_test
