// Textures in launch descriptors, and the texture kernels of both compilers against the references.
#include <catch2/catch.hpp>
#include <string>

#include "isa/error.hpp"
#include "isa/exec/machine.hpp"
#include "sim/workload/workload.hpp"
#include "tests/places.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

namespace lockstep::texture_test {

using namespace lockstep::workload;
using Catch::Matchers::Contains;

namespace {

const std::string home = source_dir();

void check_runs(const std::string& path, const ArgumentOverrides& overrides) {
  const Workload workload = Workload::load(path);
  exec::Machine machine(workload.build(overrides));
  machine.finish();
  const CheckResult result = workload.check(overrides, machine);
  CHECK(result.checked);
  CHECK(result.message == "");
  CHECK(result.passed);
}

/// A descriptor over the gather kernel with this `textures` section and first parameter.
std::string descriptor(const std::string& textures, const std::string& first) {
  return "buffers:\n  values: {iota: 8, type: f32}\n  indices: {iota: 8, type: s32}\n  out: {zero: 8, type: f32}\n" +
         textures + "kernel: " + home + "/traces/kernels/texture.ptx\nentry: gather_texture\ngrid: 1\nblock: 8\n" +
         "parameters: [" + first + ", indices, out, 8]\n";
}

std::string error_of(const std::string& textures, const std::string& first = "t") {
  const test::TemporaryFolder folder;
  try {
    Workload::load(folder.write("w.yaml", descriptor(textures, first))).build({});
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("the texture kernels are right under both compilers") {
  const test::TemporaryFolder folder;
  for (const std::string& kernels : {home + "/traces/kernels/", home + "/tests/unit/sim/workload/nvcc_inputs/"}) {
    CAPTURE(kernels);
    const std::string gather =
        folder.write("gather.yaml", "extends: " + home + "/traces/workloads/texture-gather.yaml\n" +
                                        "kernel: " + kernels + "texture.ptx\n");
    for (const char* order : {"random", "sequential", "same"}) {
      check_runs(gather, {{"length", "1000"}, {"table", "300"}, {"order", order}, {"threads", "96"}});
    }
    const std::string convolution =
        folder.write("convolution.yaml", "extends: " + home + "/traces/workloads/texture-convolution.yaml\n" +
                                             "kernel: " + kernels + "texture.ptx\nentry: convolution_texture\n");
    for (const char* layout : {"array", "pitch"}) {
      check_runs(convolution, {{"image", "raccoon-small"}, {"layout", layout}, {"corner", "-0.1"}, {"edge", "0.3"}});
    }
  }
  check_runs("texture-convolution", {{"image", "raccoon-small"}, {"variant", "global"}});
}

TEST_CASE("a texture that is wrong is reported where it stands") {
  CHECK(error_of("textures:\n  t: {buffer: values}\n") == "");
  CHECK_THAT(error_of("textures:\n  t: {buffer: values, filtr: point}\n"),
             Contains("w.yaml:6:") && Contains("filtr") && Contains("filter"));
  CHECK_THAT(error_of("textures:\n  t: {buffer: values, format: f3}\n"),
             Contains("w.yaml:6:") && Contains("did you mean 'f32'"));
  CHECK_THAT(error_of("textures:\n  t: {buffer: values, address: [clamp, clampp]}\n"),
             Contains("w.yaml:6:") && Contains("did you mean 'clamp'"));
  CHECK_THAT(error_of("textures:\n  t: {buffer: valuse}\n"), Contains("did you mean 'values'"));
  CHECK_THAT(error_of("textures:\n  t: {buffer: values, width: 9}\n"),
             Contains("texture t") && Contains("36 bytes") && Contains("32 bytes"));
  CHECK_THAT(error_of("textures:\n  t: {buffer: values, filter: linear}\n"), Contains("linear memory"));
  CHECK_THAT(error_of("textures:\n  t: {buffer: values, height: 2}\n"), Contains("no 'width'"));
  CHECK_THAT(error_of("textures:\n  t: {buffer: 8}\n"), Contains("is a number"));
}

TEST_CASE("a texture can be a parameter, but no part of an expression") {
  CHECK_THAT(error_of("textures:\n  t: {buffer: values}\n", "t + 4"), Contains("'t' is a texture"));
  CHECK_THAT(error_of("textures:\n  table: {buffer: values}\n", "tabel"), Contains("did you mean 'table'"));
  const test::TemporaryFolder folder;
  const std::string text = descriptor("textures:\n  t: {buffer: values}\n", "t");
  const std::string swapped = text.substr(0, text.find("parameters")) + "parameters: [t, indices, out, t]\n";
  CHECK_THAT(([&] {
               try {
                 Workload::load(folder.write("w.yaml", swapped)).build({});
               } catch (const InputError& e) {
                 return std::string(e.what());
               }
               return std::string();
             }()),
             Contains("holds no texture object"));
}

}  // namespace lockstep::texture_test
