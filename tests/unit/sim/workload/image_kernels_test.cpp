// Convolutions, accumulation and integral histograms: every form, at sizes that leave blocks and tiles partly empty.
#include <catch2/catch.hpp>
#include <string>

#include "isa/exec/machine.hpp"
#include "sim/workload/workload.hpp"

#include "tests/places.hpp"

namespace lockstep::image_kernels_test {

using namespace lockstep::workload;

namespace {

/// Executes a committed workload and checks its results.
void expect_right(const std::string& path, const ArgumentOverrides& overrides) {
  std::string shown = path;
  for (const auto& [name, value] : overrides) shown += " " + name + "=" + value;
  CAPTURE(shown);
  const Workload workload = Workload::load(source_dir() + "/traces/workloads/" + path + ".yaml");
  exec::Machine machine(workload.build(overrides));
  machine.finish();
  const CheckResult result = workload.check(overrides, machine);
  CHECK(result.checked);
  CHECK(result.message == "");
}

}  // namespace

TEST_CASE("every form of the square convolution is right") {
  for (const char* source : {"texture", "global"}) {
    for (const char* form : {"", "-loops", "-weights", "-weights-loops", "-tiled", "-tiled-loops", "-tiled-weights",
                             "-tiled-weights-loops", "-looped", "-several"}) {
      for (const char* size : {"3", "5"}) {
        expect_right("convolutions/convolution-square", {{"variant", std::string(source) + form},
                                                         {"size", size},
                                                         {"width", "37"},
                                                         {"height", "29"},
                                                         {"threads", "96"},
                                                         {"side", "8"},
                                                         {"side_of", "rows"},
                                                         {"pixels", "3"}});
      }
    }
  }
  for (const char* layout : {"array", "pitch"})
    for (const char* side_of : {"columns", "rows"})
      expect_right("convolutions/convolution-square",
                   {{"layout", layout}, {"side_of", side_of}, {"width", "1"}, {"height", "1"}, {"threads", "32"}});
}

TEST_CASE("every form of the separable convolution is right") {
  for (const char* form : {"direct", "tiled"})
    for (const char* size : {"3", "5"})
      for (const auto& [width, height] : {std::pair{"1", "1"}, std::pair{"33", "9"}, std::pair{"64", "16"}})
        expect_right("convolutions/convolution-separable",
                     {{"form", form}, {"size", size}, {"width", width}, {"height", height}});
}

TEST_CASE("images are summed right with and without a loop over pixels") {
  for (const char* variant : {"single", "looped"}) {
    for (const char* pixels : {"1", "100", "257"}) {
      const ArgumentOverrides common = {{"variant", variant}, {"pixels", pixels}, {"images", "5"}, {"per_thread", "3"}};
      expect_right("convolutions/accumulation", common);
      ArgumentOverrides weighted = common;
      weighted.emplace_back("accumulations", "3");
      expect_right("convolutions/accumulation-weighted", weighted);
    }
  }
}

TEST_CASE("integral histograms and integral images are right in every form") {
  for (const char* form : {"single", "multi", "tiled", "wavefront"}) {
    for (const char* bins : {"0", "3"}) {
      for (const char* padding : {"0", "1"}) {
        for (const auto& [width, height] :
             {std::pair{"2", "2"}, std::pair{"2", "70"}, std::pair{"64", "32"}, std::pair{"45", "33"}}) {
          expect_right("integral/integral-" + std::string(form),
                       {{"bins", bins}, {"padding", padding}, {"width", width}, {"height", height}});
        }
      }
    }
  }
}

TEST_CASE("a prescan and a transpose are right in one launch and in many") {
  for (const char* launches : {"one", "each"}) {
    for (const char* padding : {"0", "1"}) {
      for (const char* length : {"2", "3", "33", "64", "200"})
        expect_right("integral/prescan-rows",
                     {{"launches", launches}, {"padding", padding}, {"rows", "5"}, {"length", length}});
      for (const auto& [width, height] : {std::pair{"1", "1"}, std::pair{"33", "64"}, std::pair{"70", "31"}})
        expect_right("integral/transpose-planes", {{"launches", launches},
                                                   {"padding", padding},
                                                   {"planes", "3"},
                                                   {"width", width},
                                                   {"height", height},
                                                   {"block_rows", "5"}});
    }
  }
}

TEST_CASE("the integral image of a photograph is right") {
  for (const char* form : {"single", "tiled", "wavefront"})
    expect_right("integral/integral-" + std::string(form),
                 {{"bins", "0"}, {"input", "photograph"}, {"image", "raccoon-small"}});
}

}  // namespace lockstep::image_kernels_test
