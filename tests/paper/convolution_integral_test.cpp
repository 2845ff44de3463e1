// Convolution and accumulation of a paper on vector coherence mapping (about 2008), and integral histograms of Palaniappan
// (2014): the experiments that take seconds. The others of these folders run at night.

#include "tests/places.hpp"
#include "tests/system/program.hpp"

using namespace lockstep;
using namespace lockstep::system_test;

namespace {

void expect_holds(const std::string& experiment) {
  const TemporaryFolder folder;
  const Outcome outcome = run({"run", source_dir() + "/configs/experiments/" + experiment + ".yaml", "-o",
                               folder / "results", "-j", "2", "--quiet"});
  INFO(experiment << "\n" << outcome.out << outcome.err);
  CHECK(outcome.code == 0);
}

}  // namespace

TEST_CASE("Convolutions of 16x16 threads take what the VCM paper measured, as far as is known (Tables 2 and 3)") {
  expect_holds("convolutions/convolution-memories");
  expect_holds("convolutions/convolution-branches");
}

TEST_CASE("Accumulation is fastest with 64 threads per block (VCM paper, section 5.2)") {
  expect_holds("convolutions/accumulation-threads");
}

TEST_CASE(
    "Padding frees prescans and transposes of bank conflicts (Palaniappan, sections 3.5, 3.6), and so does a hash") {
  expect_holds("integral/integral-banks");
}
