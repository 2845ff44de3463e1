// Kernels on tensor cores, from execution to the search for layouts.

#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::matrix_test {

using namespace lockstep::system_test;
using Catch::Contains;

namespace {

/// The trace of a workload with these arguments, checked on the way.
void trace(const std::string& workload, const std::vector<std::string>& arguments, const std::string& file) {
  std::vector<std::string> words = {"trace", workload, "-o", file};
  for (const std::string& argument : arguments) words.insert(words.end(), {"-s", "args." + argument});
  const Outcome outcome = run(words);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
}

Json replay(const std::string& file, const std::string& gpu) {
  const Outcome outcome = run({"replay", file, "--gpu", gpu, "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return parse_json(outcome.out);
}

std::uint64_t conflicts_of(const Json& replayed) {
  return value<std::uint64_t>(at(replayed, "stats"), "sm.scratchpad.bank_conflicts");
}

}  // namespace

TEST_CASE(
    "every row of a tile 128 bytes wide lies in the same banks: an ldmatrix of four matrices has 4 * 7 conflicts") {
  const TemporaryFolder folder;
  const std::string file = folder / "gemm.trace";
  // Two tiles, four steps of 16 in each, four warps: two loads of A and two of B.
  trace("gemm-f16", {"m=64", "n=64", "k=128"}, file);
  const Json naive = replay(file, "h200");
  CHECK(conflicts_of(naive) == 2 * 4 * 4 * (2 + 2) * 4 * 7);
  trace("gemm-f16", {"m=64", "n=64", "k=128", "variant=swizzled"}, file);
  const Json swizzled = replay(file, "h200");
  CHECK(conflicts_of(swizzled) == 0);
  CHECK(value<int>(swizzled, "cycles") < value<int>(naive, "cycles"));
}

TEST_CASE(
    "wmma reads the rows that ldmatrix reads: as many conflicts, none with padding, and swizzle says why it must "
    "stay") {
  const TemporaryFolder folder;
  const std::string file = folder / "gemm.trace";
  trace("gemm-f16", {"m=64", "n=64", "k=128", "variant=wmma"}, file);
  const Json plain = replay(file, "h200");
  CHECK(conflicts_of(plain) == 2 * 4 * 4 * (2 + 2) * 4 * 7);
  trace("gemm-f16", {"m=64", "n=64", "k=128", "variant=wmma_padded"}, file);
  const Json padded = replay(file, "h200");
  CHECK(conflicts_of(padded) == 0);
  CHECK(value<int>(padded, "cycles") < value<int>(plain, "cycles"));
  const Outcome refused = run({"replay", file, "--gpu", "p100"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err,
             Contains("gemm.cuh:") && Contains("kernel gemm_f16_wmma_padded") && Contains("volta or hopper"));
  const Outcome explained = run({"explain", file, "--gpu", "h200"});
  CHECK(explained.code == 0);
  const Outcome swizzled = run({"swizzle", "gemm-f16", "--gpu", "h200", "-s", "args.m=64", "-s", "args.n=64", "-s",
                                "args.k=64", "-s", "args.variant=wmma"});
  CHECK_THAT(swizzled.out + swizzled.err, Contains("wmma finds the lines of a matrix by one stride"));
}

TEST_CASE("attention leaves what its definition gives, with conflicts in each ldmatrix or none") {
  const TemporaryFolder folder;
  const std::string file = folder / "attention.trace";
  // Four loads of Q; of each of two tiles 16 of K and 16 of V; each of four matrices. Two blocks of four warps.
  trace("attention-f16", {"n=128", "heads=1"}, file);
  CHECK(conflicts_of(replay(file, "h200")) == 2 * 4 * (4 + 2 * (16 + 16)) * 4 * 7);
  // The first block sees one tile only.
  trace("attention-f16", {"n=128", "heads=1", "causal=1"}, file);
  CHECK(conflicts_of(replay(file, "h200")) == 4 * (2 * 4 + (1 + 2) * (16 + 16)) * 4 * 7);
  trace("attention-f16", {"n=128", "heads=1", "variant=swizzled"}, file);
  CHECK(conflicts_of(replay(file, "h200")) == 0);
}

TEST_CASE("swizzle finds a layout of tiles without conflicts from the naive product of matrices") {
  const Outcome outcome = run({"swizzle", "gemm-f16", "--gpu", "h200", "--json", "-s", "args.m=64", "-s", "args.n=64",
                               "-s", "args.k=128", "--least-gain", "0.5"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json result = parse_json(outcome.out);
  CHECK(value<int>(result, "conflicts_before") == 2 * 4 * 4 * (2 + 2) * 4 * 7);
  CHECK(value<int>(result, "conflicts_after") == 0);
  CHECK(value<double>(result, "predicted_speedup") > 1);
  CHECK(value(result, "output_checked") == "true");
}

TEST_CASE(
    "hash search finds the 128-byte swizzle from the naive trace alone, and in software it takes all conflicts out") {
  const TemporaryFolder folder;
  const std::string file = folder / "gemm.trace";
  trace("gemm-f16", {"m=64", "n=64", "k=64"}, file);
  const Outcome searched = run({"hash", "search", file, "--gpu", "h200", "--family", "swizzle", "--json"});
  INFO(searched.err);
  REQUIRE(searched.code == 0);
  const Json result = parse_json(searched.out);
  // Three bits above the 32 banks into those above the 4 words of a row of a matrix: CuTe's Swizzle<3,4,3> of bytes.
  CHECK(value(result, "hash") == "swizzle:3,2,3");
  CHECK(value(result, "optimal") == "true");
  CHECK(value<int>(result, "conflicts_after") == 0);
  trace("gemm-f16", {"m=64", "n=64", "k=64", "software_hash=swizzle:3,2,3"}, file);
  CHECK(conflicts_of(replay(file, "h200")) == 0);
}

TEST_CASE("a product of matrices is refused on a GPU without tensor cores, with the line and the GPUs that have them") {
  const TemporaryFolder folder;
  const std::string file = folder / "gemm.trace";
  trace("gemm-f16", {"m=64", "n=64", "k=64"}, file);
  for (const char* gpu : {"gtx580", "p100"}) {
    const Outcome outcome = run({"replay", file, "--gpu", gpu});
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains("gemm.cuh:") && Contains("kernel gemm_f16_naive_64") &&
                                Contains("mma.sync.aligned.m16n8k16") && Contains("volta or hopper"));
  }
  // Volta's make products of half that depth: the replay says so.
  const Outcome volta = run({"replay", file, "--gpu", "v100"});
  CHECK(volta.code == 0);
  CHECK_THAT(volta.out + volta.err, Contains("mma.sync.aligned.m16n8k16") && Contains("volta"));
}

}  // namespace lockstep::matrix_test
