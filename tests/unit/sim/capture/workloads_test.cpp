// The workloads of the repository, instrumented and executed by the functional machine: the traces of their logs are the traces.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "isa/error.hpp"
#include "sim/workload/workload.hpp"
#include "tests/places.hpp"
#include "tests/system/small_sizes.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/unit/isa/capture/logged_execution.hpp"

using namespace lockstep;
using namespace lockstep::workload;

namespace {

/// Stands for the file of a picture of 128 x 16 pixels.
const std::string wide = "wide";

/// Smaller than by default where that executes millions of warp instructions.
const std::map<std::string, ArgumentOverrides> small = {
    {"FFT_1", {{"batch", "4"}}},
    {"FFT_2", {{"batch", "4"}}},
    {"FWT", {{"batch", "8"}}},
    {"LUD", {{"size", "64"}}},
    {"LUD_1", {{"tiles", "12"}}},
    {"LUD_2", {{"size", "128"}}},
    {"MRI-grid_1", {{"length", "8192"}}},
    {"MRI-grid_2", {{"length", "16384"}}},
    {"MRI-grid_3", {{"length", "16384"}}},
    {"MRI-grid_4", {{"blocks", "4"}}},
    {"NW_1", {{"tiles", "6"}}},
    {"NW_2", {{"tiles", "6"}}},
    {"back_propagation", {{"inputs", "256"}}},
    {"conv_1", {{"image", wide}}},
    {"conv_2", {{"image", "raccoon-small"}}},
    {"dct8x8_1", {{"image", "raccoon-small"}}},
    {"dct8x8_2", {{"width", "64"}, {"height", "64"}}},
    {"dwtHaar1D", {{"length", "8192"}}},
    {"hist256", {{"image", "raccoon-small"}, {"blocks", "3"}}},
    {"hist64", {{"image", "raccoon-small"}, {"blocks", "3"}}},
    {"hotspot", {{"size", "64"}}},
    {"hough", {{"image", "raccoon-small"}, {"width", "64"}, {"height", "48"}, {"angles", "12"}}},
    {"lavaMD", {{"boxes_x", "3"}, {"particles", "20"}}},
    {"matrix_multiply", {{"rows", "64"}, {"columns", "128"}, {"inner", "16"}}},
    {"matrix_scan", {{"rows", "16"}}},
    {"reduction", {{"length", "8192"}}},
    {"scalar_product", {{"vectors", "8"}, {"length", "512"}, {"blocks", "4"}}},
    {"srad", {{"size", "64"}}},
    {"convolution", {{"image", "raccoon-small"}}},
    {"accumulation-weighted", {{"pixels", "256"}, {"images", "8"}, {"accumulations", "4"}}},
    {"accumulation", {{"pixels", "256"}, {"images", "8"}}},
    {"convolution-separable", {{"width", "64"}, {"height", "48"}}},
    {"gicov", {{"columns", "2"}, {"rows", "8"}}},
    {"histogram", {{"image", "raccoon-small"}, {"blocks", "4"}}},
    {"histogram-colour", {{"image", "coffee-colour"}, {"width", "64"}, {"height", "48"}, {"sms", "2"}}},
    {"histogram-global", {{"image", "raccoon-small"}, {"sms", "2"}}},
    {"histogram-scratchpad", {{"image", "raccoon-small"}, {"sms", "2"}}},
    {"histogram-thread-private", {{"image", "raccoon-small"}, {"sms", "2"}}},
    {"histogram-warp-private", {{"image", "raccoon-small"}, {"sms", "2"}}},
    {"histogram-words", {{"image", "raccoon-small"}, {"sms", "2"}}},
    {"hough-cartesian", {{"image", "raccoon-small"}, {"width", "96"}, {"height", "64"}, {"angles", "20"}}},
    {"hough-global", {{"image", "raccoon-small"}, {"width", "96"}, {"height", "64"}, {"angles", "20"}}},
    {"hough-lines", {{"image", "raccoon-small"}, {"width", "96"}, {"height", "64"}, {"angles", "20"}}},
    {"hough-points", {{"image", "raccoon-small"}, {"width", "96"}, {"height", "64"}}},
    {"hough-two-step", {{"image", "raccoon-small"}, {"width", "96"}, {"height", "64"}, {"angles", "20"}}},
    {"integral-multi", {{"width", "64"}, {"height", "64"}, {"bins", "2"}}},
    {"integral-single", {{"width", "64"}, {"height", "64"}, {"bins", "2"}}},
    {"integral-tiled", {{"width", "64"}, {"height", "64"}, {"bins", "2"}}},
    {"integral-wavefront", {{"width", "64"}, {"height", "64"}, {"bins", "2"}}},
    {"prescan-rows", {{"rows", "32"}}},
    {"transpose-planes", {{"planes", "2"}, {"width", "64"}, {"height", "64"}}},
    {"micro-bandwidth", {{"footprint", "131072"}}},
    {"micro-scatter", {{"rounds", "4"}, {"footprint", "65536"}}},
    {"micro-store-bandwidth", {{"footprint", "65536"}}},
    {"micro-global-atomic-rate", {{"blocks", "4"}, {"length", "64"}}},
    {"micro-l1-rate", {{"length", "64"}}},
    {"micro-launch", {{"blocks", "8"}}},
    {"micro-records", {{"blocks", "8"}}},
    {"micro-scratchpad-atomic-rate", {{"length", "64"}}},
    {"micro-scratchpad-bandwidth", {{"length", "64"}}},
    {"breadth-first-search", {{"vertices", "512"}}},
    {"texture-convolution", {{"variant", "global"}, {"image", "raccoon-small"}}},
    {"convolution-square", {{"variant", "global-tiled"}, {"width", "64"}, {"height", "64"}}},
    {"rgpu-convolution", {{"width", "256"}, {"height", "32"}}},
    {"rgpu-histogram", {{"image", "raccoon-small"}, {"width", "96"}, {"height", "64"}, {"blocks", "3"}}},
    {"rgpu-integral-image", {{"width", "256"}, {"height", "48"}, {"pitch", "256"}}},
    {"rgpu-mri-q", {{"n", "256"}, {"samples", "256"}}},
    {"rgpu-needleman-wunsch", {{"n", "128"}}},
    {"rgpu-neural-network", {{"images", "2"}}},
    {"rgpu-pathfinder", {{"columns", "2048"}, {"rows", "20"}, {"rows_per_launch", "10"}}},
    {"rgpu-stencil", {{"nx", "128"}, {"ny", "16"}, {"nz", "8"}, {"depth", "6"}}},
    {"rgpu-streamcluster", {{"n", "4096"}}},
    {"transpose", {{"width", "96"}, {"height", "64"}}},
    {"vector-add", {{"length", "5000"}, {"blocks", "8"}}},
};

/// They fetch texels, whose addresses a kernel does not see, or wait at mbarriers. Others have variants without.
const std::set<std::string> not_logged = {"texture-gather", "micro-texture", "micro-texture-plane", "micro-mbarrier",
                                          "rotate-bilinear"};

/// Warps append to a list whose order decides what follows, or fill a table whose collisions depend on who comes first: logging them
/// gives them other turns, so that both traces are right.
const std::set<std::string> depending_on_order = {
    "breadth-first-search", "colour-count", "flow-accumulation", "group-by",   "hash-join",  "hash-table",
    "hough-lines",          "hough-points", "hough-two-step",    "kmer-count", "linear-bvh", "union-find"};

/// The arguments with which a workload is executed here; `picture` is the file that stands for `wide`.
ArgumentOverrides arguments_of(const std::string& name, const std::string& picture) {
  const auto found = small.find(name);
  ArgumentOverrides overrides = found == small.end() ? system_test::small_sizes(name) : found->second;
  for (auto& [argument, value] : overrides)
    if (value == wide) value = picture;
  return overrides;
}

}  // namespace

TEST_CASE("The log of a sum, a transposition, a histogram and a reduction has their trace") {
  for (const std::string file : {"vector-add", "transpose", "histograms/histogram-words", "bank_conflicts/reduction"}) {
    INFO(file);
    const std::filesystem::path path = source_dir() + "/traces/workloads/" + file + ".yaml";
    const Workload workload = Workload::load(path.string());
    CHECK(test::capture_difference([&] { return workload.build(arguments_of(path.stem().string(), "")); }) == "");
  }
}

TEST_CASE("The log of every workload has its trace, but for textures, mbarriers and what the order of warps decides",
          "[long]") {
  const test::TemporaryFolder folder;
  std::string pixels = "P5 128 16 255\n";
  for (unsigned i = 0; i < 128 * 16; ++i) pixels += static_cast<char>(i * 2654435761U >> 24);
  const std::string picture = folder.write("wide.pgm", pixels);
  std::size_t same = 0, refused = 0, ordered = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() + "/traces/workloads")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string name = entry.path().stem().string();
    const Workload workload = Workload::load(entry.path().string());
    if (workload.has_graph()) continue;  // It has no trace.
    const auto make = [&] { return workload.build(arguments_of(name, picture)); };
    INFO(name);
    std::string difference;
    try {
      difference = test::capture_difference(make);
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), Catch::Contains("cannot be logged"));
      CHECK(not_logged.contains(name));
      ++refused;
      continue;
    }
    if (depending_on_order.contains(name)) {
      ++ordered;
      continue;
    }
    CHECK(difference == "");
    ++same;
  }
  CHECK(same >= 80);
  CHECK(refused == not_logged.size());
  CHECK(ordered == depending_on_order.size());
}
