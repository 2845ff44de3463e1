// The benchmarks' graphs on fabrics with other FIFOs than the thesis's: they run, and leave what the CPU computes.
#include "tests/system/rgpu_graph.hpp"

namespace lockstep::rgpu_fifos_test {

using namespace lockstep::system_test;

TEST_CASE("graphs of all benchmarks leave the expected output with FIFOs of other sizes") {
  const auto [graph, settings] = GENERATE(table<std::string, std::vector<std::string>>({
      {"convolution", {"args.width=200", "args.height=5"}},
      {"histogram", {"args.width=300", "args.height=200"}},
      {"integral-image", {"args.width=192", "args.pitch=224", "args.height=37"}},
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
      CHECK(outcome.err.find("the weights of a tap for two feature maps and three input maps lie in its FIFO") !=
            std::string::npos);
    } else {
      CHECK(outcome.code == 0);
      CHECK(outcome.out.find("The output is as expected") != std::string::npos);
    }
  }
}

TEST_CASE("the integral image has stripes of any columns from 27 to 128 that divide its width") {
  using Settings = std::vector<std::string>;
  const Settings sizes =
      GENERATE(values<Settings>({{"args.width=27", "args.pitch=27", "args.height=1"},
                                 {"args.width=81", "args.pitch=101", "args.height=50", "args.stripe=27"},
                                 {"args.width=244", "args.pitch=244", "args.height=65", "args.stripe=61"},
                                 {"args.width=2048", "args.pitch=2080", "args.height=33"}}));
  for (const char* fifo : {"sm.rgpu.data_fifo=5", "sm.rgpu.data_fifo=8"}) {
    const Outcome outcome = run_graph("integral-image", sizes, fifo);
    INFO(sizes.front() << " " << fifo << ": " << outcome.out << outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.out.find("The output is as expected") != std::string::npos);
  }
  const Outcome none = run_graph("integral-image", {"args.width=244", "args.pitch=244"}, "sm.rgpu.data_fifo=8");
  CHECK(none.code == 2);
  CHECK(none.err.find("a stripe has at least 27 columns") != std::string::npos);
  const Outcome other = run_graph("integral-image", {"args.stripe=100"}, "sm.rgpu.data_fifo=8");
  CHECK(other.code == 2);
  CHECK(other.err.find("the width must be a multiple of the columns of a stripe") != std::string::npos);
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

}  // namespace lockstep::rgpu_fifos_test
