// The benchmarks of MRI-Q, a neural network, Needleman-Wunsch, PathFinder and Streamcluster in R-GPU mode and in the SM's
// standard mode: both leave what the CPU computes, also in sizes that fill nothing evenly, and graphs fit on their lanes.
#include "tests/system/rgpu_graph.hpp"

namespace lockstep::rgpu_kernels_test {

using namespace lockstep::system_test;

namespace {

Outcome run_kernel(const std::string& name, const std::vector<std::string>& settings, const TemporaryFolder& folder) {
  std::vector<std::string> arguments{"trace", name, "-o", folder / "out.trace", "--quiet"};
  for (const std::string& setting : settings) arguments.insert(arguments.end(), {"-s", setting});
  return run(arguments);
}

}  // namespace

TEST_CASE("graphs of five benchmarks leave the expected output in odd sizes") {
  const auto [graph, settings] = GENERATE(table<std::string, std::vector<std::string>>({
      {"mri-q", {"args.n=48", "args.samples=37"}},
      {"neural-network", {"args.images=3", "args.parts=1"}},
      {"neural-network", {"args.images=4", "args.parts=4"}},
      {"neural-network", {"args.images=12", "args.pairs=9"}},
      {"neural-network", {"args.images=7", "args.parts=5", "args.pairs=25"}},
      {"needleman-wunsch", {"args.n=101"}},
      {"needleman-wunsch", {"args.n=3"}},
      {"needleman-wunsch-4-rows", {"args.n=77", "args.lag=5"}},
      {"needleman-wunsch", {"args.n=64", "args.penalty=2", "args.seed=7"}},
      {"needleman-wunsch", {"args.n=143", "args.penalty=1000"}},  // As many columns as a stripe has; with the border,
      {"needleman-wunsch", {"args.n=144", "args.penalty=0"}},     // a column more;
      {"needleman-wunsch", {"args.n=287", "args.rows_ahead=1"}},  // as many as two have.
      {"pathfinder", {"args.columns=992", "args.rows=19"}},
      {"pathfinder", {"args.columns=96", "args.rows=10", "args.strips=3"}},
      {"pathfinder",
       {"args.columns=64", "args.rows=208", "args.passes=5"}},  // Four launches of five runs, one of three.
      {"pathfinder", {"args.columns=672", "args.rows=19", "args.strips=20"}},
      {"streamcluster", {"args.n=4064"}},
      {"streamcluster", {"args.n=32", "args.blocks=1"}},
  }));
  const Outcome outcome = run_graph(graph, settings);
  INFO(graph << ": " << outcome.out << outcome.err);
  CHECK(outcome.code == 0);
}

TEST_CASE("every variant of the same benchmarks for the standard mode leaves the expected output") {
  const TemporaryFolder folder;
  const auto [workload, variants,
              settings] = GENERATE(table<std::string, std::vector<std::string>, std::vector<std::string>>({
      {"rgpu-mri-q",
       {"constant_1x1", "constant_1x8", "constant_2x4", "constant_4x2", "scratchpad_1x8", "scratchpad_4x1"},
       {"args.n=512", "args.samples=256", "args.threads=64"}},
      {"rgpu-neural-network",
       {"block_per_map", "maps_1x1", "maps_2x1", "maps_5x1", "maps_5x2", "maps_10x1", "maps_10x2", "rows"},
       {"args.images=4"}},
      {"rgpu-needleman-wunsch",
       {"tile_8", "tile_16", "tile_32", "tile_64", "padded_16", "padded_32", "padded_64", "registers_1", "registers_2",
        "registers_4"},
       {"args.n=256"}},
      {"rgpu-pathfinder",
       {"tile_1", "tile_2", "tile_4", "tile_8", "ahead_1", "ahead_8", "registers_2", "registers_4"},
       {"args.columns=1984", "args.rows=43", "args.rows_per_launch=19"}},
      {"rgpu-streamcluster", {"words_1", "words_2", "words_8", "points_1", "points_4", "points_8"}, {"args.n=1999"}},
  }));
  for (const std::string& variant : variants) {
    std::vector<std::string> all = settings;
    all.push_back("args.variant=" + variant);
    const Outcome outcome = run_kernel(workload, all, folder);
    INFO(workload << " " << variant << ": " << outcome.err);
    CHECK(outcome.code == 0);
  }
}

TEST_CASE("graphs of seven benchmarks need no more data lanes than Table 7.1 has") {
  const auto [graph, lanes] = GENERATE(table<std::string, int>({{"convolution", 4},
                                                                {"mri-q", 4},
                                                                {"needleman-wunsch", 3},
                                                                {"needleman-wunsch-4-rows", 3},
                                                                {"pathfinder", 6},
                                                                {"stencil", 5},
                                                                {"streamcluster", 6}}));
  CHECK(run({"rgpu", "map", graph, "-s", "sm.rgpu.lanes=" + std::to_string(lanes), "--quiet"}).code == 0);
}

}  // namespace lockstep::rgpu_kernels_test
