// What a GPU's file says about where its values come from.
#include <catch2/catch.hpp>

#include "sim/config/provenance.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

namespace lockstep::provenance_test {

using namespace lockstep::config;
using Catch::Matchers::Contains;
using Kind = Provenance::Kind;

namespace {

/// Of one parameter.
Provenance of(const SourcedGpu& gpu, const std::string& path) {
  for (std::size_t i = 0; i < gpu.provenance.size(); ++i)
    if (gpu_parameters()[i].path == path) return gpu.provenance[i];
  FAIL("no parameter " << path);
  return {};
}

std::string mistake(const std::string& yaml) {
  try {
    read_gpu(parse_yaml(yaml, "gpu.yaml"), {}, "x");
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("A value says where it comes from beside itself, and a section once for all it does not say it of") {
  const test::TemporaryFolder folder;
  const SourcedGpu gpu = load_sourced_gpu(folder.write(
      "a.yaml",
      "sms: [3, published: data sheet]\nsm:\n  integer: {latency: [4, calibrated: \"[M]: a chain\"], interval: 2, "
      "unit: cores, assumed: as\n    others}\n  l1:\n    published: \"[C]\"\n    latency: 30\n    cache: {ways: 4}\n"));
  CHECK(gpu.spec.sms == 3);
  CHECK(gpu.spec.sm.operations[machine::Operation::integer].latency == 4);
  CHECK(gpu.spec.sm.l1.cache.ways == 4);
  CHECK(of(gpu, "sms").kind == Kind::published);
  CHECK(of(gpu, "sms").text == "data sheet");
  CHECK(to_string(of(gpu, "sms").where) == (folder / "a.yaml") + ":1:7");
  CHECK(of(gpu, "sm.integer.latency").kind == Kind::calibrated);
  CHECK(of(gpu, "sm.integer.latency").text == "[M]: a chain");
  CHECK(of(gpu, "sm.integer.interval").kind == Kind::assumed);
  CHECK(of(gpu, "sm.integer.interval").text == "as others");
  CHECK(of(gpu, "sm.l1.latency").text == "[C]");
  CHECK(of(gpu, "sm.l1.cache.ways").text == "[C]");
  CHECK(of(gpu, "sm.l1.cache.bytes").kind == Kind::default_value);
}

TEST_CASE("A file that extends another inherits the sources of the values that it leaves, and of no others") {
  const test::TemporaryFolder folder;
  folder.write("base.yaml",
               "sm:\n  integer: {latency: 4, interval: 2, published: \"[B]\"}\n  shift: {latency: 4, interval: 2, "
               "published: \"[B]\"}\n");
  const std::string own = folder.write(
      "own.yaml", "extends: base.yaml\nsm: {integer: {latency: 5}, shift: {latency: 6, assumed: a guess}}\n");
  const SourcedGpu gpu = load_sourced_gpu(own, {parse_override("sm.shift.interval=8")});
  CHECK(of(gpu, "sm.integer.latency").kind == Kind::unstated);
  CHECK(of(gpu, "sm.integer.latency").where.line == 2);
  CHECK(of(gpu, "sm.integer.interval").text == "[B]");
  CHECK(of(gpu, "sm.shift.latency").text == "a guess");
  CHECK(of(gpu, "sm.shift.interval").kind == Kind::overridden);
  CHECK(gpu.spec.sm.operations[machine::Operation::shift].interval == 8);
}

TEST_CASE("A value that differs from kernel to kernel may have a source as well") {
  const test::TemporaryFolder folder;
  const SourcedGpu gpu = load_sourced_gpu(
      folder.write("a.yaml", "sm: {scratchpad: {bank_hash: [{k: xor, otherwise: mod}, assumed: a try]}}\n"));
  CHECK(gpu.spec.sm.scratchpad.bank_hash == "k=xor mod");
  CHECK(of(gpu, "sm.scratchpad.bank_hash").text == "a try");
}

TEST_CASE("What is wrong with a source is named with its place") {
  CHECK(mistake("sms: [3, published: data sheet]") == "none");
  CHECK_THAT(mistake("sms: [3, calibratd: x]"),
             Contains("gpu.yaml:1:10: unknown provenance 'calibratd' (did you mean 'calibrated'?)"));
  CHECK_THAT(mistake("sm: {integer: {latency: 3, asumed: x}}"), Contains("gpu.yaml:1:28") && Contains("'assumed'"));
  CHECK_THAT(mistake("sms: [3, published: ]"), Contains("gpu.yaml:1:10: 'published' needs a text: the source"));
  CHECK_THAT(mistake("sms: [3, assumed: \" \"]"), Contains("'assumed' needs a text: the reason"));
  CHECK_THAT(mistake("sms: [3]"), Contains("gpu.yaml:1:6: a value with its provenance is [VALUE, WORD: TEXT]"));
  CHECK_THAT(mistake("sms: [3, published: x, assumed: y]"), Contains("gpu.yaml:1:6: "));
  CHECK_THAT(mistake("sms: [0, published: x]"), Contains("gpu.yaml:1:7: sms is 0"));
  CHECK_THAT(mistake("sm: {assumed: x, published: y, schedulers: 2}"),
             Contains("gpu.yaml:1:6: 'assumed'") && Contains("gpu.yaml:1:18: 'published'"));
  CHECK_THAT(mistake("sm: {assumed: x, schedulers: [2, published: y]}"), Contains("gpu.yaml:1:6: 'assumed' covers"));
}

TEST_CASE("The value of every parameter of every kind is read with a source as without") {
  for (const Parameter& parameter : gpu_parameters()) {
    INFO(parameter.path);
    Value value;
    value.kind = Value::Kind::scalar;
    value.text = to_text(parameter.default_value);
    const std::string text = parameter.type == Parameter::Type::text ? "\"" + value.text + "\"" : value.text;
    const Value both = *parse_yaml("x: [" + text + ", assumed: y]", "gpu.yaml").find("x");
    CHECK(to_text(parameter.read(split_provenance(both).first)) == value.text);
  }
}

}  // namespace lockstep::provenance_test
