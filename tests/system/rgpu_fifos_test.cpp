// The benchmarks' graphs on fabrics with other FIFOs than the thesis's: they run, and leave what the CPU computes.
#include "tests/system/program.hpp"

using namespace lockstep::system_test;

namespace {

Outcome run_graph(const std::string& name, std::vector<std::string> settings, const std::string& fifo) {
  settings.push_back(fifo);
  std::vector<std::string> arguments{"rgpu", "run", name, "--quiet"};
  for (const std::string& setting : settings) arguments.insert(arguments.end(), {"-s", setting});
  return run(arguments);
}

}  // namespace

TEST_CASE("graphs of all benchmarks leave the expected output with FIFOs of other sizes") {
  const auto [graph, settings] = GENERATE(table<std::string, std::vector<std::string>>({
      {"convolution", {"args.width=200", "args.height=5"}},
      {"histogram", {"args.width=300", "args.height=200"}},
      {"integral-image", {"args.width=68", "args.pitch=96", "args.height=36"}},
      {"stencil", {"args.nx=40", "args.ny=12", "args.nz=5"}},
      {"mri-q", {"args.n=48", "args.samples=37"}},
      {"neural-network", {"args.images=2"}},
      {"needleman-wunsch", {"args.n=101"}},
      {"pathfinder", {"args.columns=992", "args.rows=19"}},
      {"streamcluster", {"args.n=4064"}},
  }));
  for (const char* fifo : {"sm.rgpu.data_fifo=4", "sm.rgpu.data_fifo=7", "sm.rgpu.data_fifo=32",
                           "sm.rgpu.address_fifo=64", "sm.rgpu.address_fifo=512"}) {
    const Outcome outcome = run_graph(graph, settings, fifo);
    INFO(graph << " " << fifo << ": " << outcome.out << outcome.err);
    if (graph == "neural-network" && fifo == std::string("sm.rgpu.data_fifo=4")) {
      CHECK(outcome.code == 2);
      CHECK(outcome.err.find("the weights of a tap for all six input maps lie in its FIFO") != std::string::npos);
    } else {
      CHECK(outcome.code == 0);
      CHECK(outcome.out.find("The output is as expected") != std::string::npos);
    }
  }
}

TEST_CASE("convolution and stencil bring lines ahead also where there are fewer rows than that") {
  const auto [graph, settings] = GENERATE(table<std::string, std::vector<std::string>>({
      {"convolution", {"args.width=40", "args.height=3"}},
      {"stencil", {"args.nx=32", "args.ny=3", "args.nz=4"}},
      {"stencil-tiles", {"args.nx=9", "args.ny=3", "args.nz=3"}},
      {"stencil-tiles", {"args.nx=33", "args.ny=7", "args.nz=5", "args.tile_width=16", "args.ahead=8"}},
  }));
  const Outcome outcome = run_graph(graph, settings, "sm.rgpu.address_fifo=64");
  INFO(graph << ": " << outcome.out << outcome.err);
  CHECK(outcome.code == 0);
}
