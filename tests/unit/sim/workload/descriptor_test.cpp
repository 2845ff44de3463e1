#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "sim/workload/workload.hpp"
#include "tests/places.hpp"
#include "tests/unit/sim/workload/descriptor_case.hpp"

namespace lockstep::descriptor_test {

using namespace lockstep::workload;
using Case = test::DescriptorCase;
using Catch::Matchers::Contains;

namespace {

std::uint64_t size(const exec::Buffer& buffer) {
  return buffer.bytes.size() + buffer.zeros;
}

template <typename T>
std::vector<T> contents(const exec::Task& task, std::size_t buffer) {
  std::vector<T> result(size(task.buffers.at(buffer)) / sizeof(T));
  std::memcpy(result.data(), task.buffers[buffer].bytes.data(), task.buffers[buffer].bytes.size());
  return result;
}

template <typename T>
T scalar(const exec::Argument& argument) {
  const auto& bytes = std::get<std::vector<std::uint8_t>>(argument);
  REQUIRE(bytes.size() == sizeof(T));
  T result;
  std::memcpy(&result, bytes.data(), sizeof(T));
  return result;
}

exec::BufferAddress address(const exec::Argument& argument) {
  return std::get<exec::BufferAddress>(argument);
}

}  // namespace

TEST_CASE("the shortest descriptor is a kernel, its sizes and its parameters") {
  const Case minimal(
      "kernel: single.ptx\n"
      "grid: 4\n"
      "block: 64\n"
      "buffers: {data: {zero: 256}}\n"
      "parameters: [data]\n");
  const auto task = minimal.build();
  CHECK(task->name == "case");
  REQUIRE(task->launches.size() == 1);
  const exec::KernelLaunch& launch = task->launches[0];
  CHECK(launch.entry == "only");
  CHECK(launch.module == task->modules.at(0).get());
  CHECK(launch.grid == program::Dim3{4, 1, 1});
  CHECK(launch.block == program::Dim3{64, 1, 1});
  CHECK(launch.dynamic_shared_bytes == 0);
  CHECK(launch.registers_per_thread == 0);
  REQUIRE(launch.arguments.size() == 1);
  CHECK(address(launch.arguments[0]).buffer == 0);
  CHECK(address(launch.arguments[0]).offset == 0);
  CHECK(task->buffers.at(0).name == "data");
  CHECK(size(task->buffers[0]) == 1024);
}

TEST_CASE("kernel arguments take the types of the PTX parameters") {
  const Case typed(
      "kernel: kernels.ptx\n"
      "entry: scale\n"
      "grid: [2, 3]\n"
      "block: [8, 4, 2]\n"
      "shared: 4 KiB\n"
      "registers: 21\n"
      "buffers: {a: {zero: 4}, data: {zero: 16, type: u8}}\n"
      "parameters: [data + 8, -1, 3, 1 / 4.0, 0xffff, -2]\n");
  const auto task = typed.build();
  const exec::KernelLaunch& launch = task->launches.at(0);
  CHECK(launch.grid == program::Dim3{2, 3, 1});
  CHECK(launch.block == program::Dim3{8, 4, 2});
  CHECK(launch.dynamic_shared_bytes == 4096);
  CHECK(launch.registers_per_thread == 21);
  CHECK(address(launch.arguments.at(0)).buffer == 1);
  CHECK(address(launch.arguments[0]).offset == 8);
  CHECK(scalar<std::uint32_t>(launch.arguments[1]) == 0xffffffff);
  CHECK(scalar<float>(launch.arguments[2]) == 3.0f);
  CHECK(scalar<double>(launch.arguments[3]) == 0.25);
  CHECK(scalar<std::uint16_t>(launch.arguments[4]) == 0xffff);
  CHECK(scalar<std::int64_t>(launch.arguments[5]) == -2);
}

TEST_CASE("structures by value are laid out as C lays them out") {
  const Case structures(
      "kernel: kernels.ptx\n"
      "grid: 1\n"
      "block: 1\n"
      "buffers: {data: {zero: 4}}\n"
      "launches:\n"
      "  - {entry: filter, parameters: [data, {f32: [1, 0.5, -2]}]}\n"
      "  - {entry: mixed, parameters: [[{u8: 7}, {s32: -1}, {f64: 2}, {u16: [3, 4]}]]}\n");
  const auto task = structures.build();
  struct Weights {
    float w[3];
  };
  const auto weights = scalar<Weights>(task->launches.at(0).arguments.at(1));
  CHECK(weights.w[0] == 1.0f);
  CHECK(weights.w[1] == 0.5f);
  CHECK(weights.w[2] == -2.0f);
  struct Mixed {
    std::uint8_t a;
    std::int32_t b;
    double c;
    std::uint16_t d[2];
  };
  const auto mixed = scalar<Mixed>(task->launches.at(1).arguments.at(0));
  CHECK(mixed.a == 7);
  CHECK(mixed.b == -1);
  CHECK(mixed.c == 2.0);
  CHECK(mixed.d[0] == 3);
  CHECK(mixed.d[1] == 4);
  CHECK(task->modules.size() == 1);
}

TEST_CASE("values may stand in any order and need buffers and each other") {
  const Case ordered(
      "kernel: single.ptx\n"
      "let:\n"
      "  blocks: ceil_div(threads, 32)\n"
      "  threads: out.count + extra\n"
      "  extra: picture[5]\n"
      "arguments: {factor: 3}\n"
      "buffers:\n"
      "  out: {zero: factor * picture.width * picture.height}\n"
      "  picture: {image: inputs/first.pgm}\n"
      "grid: blocks\n"
      "block: threads\n"
      "parameters: [out]\n");
  const auto task = ordered.build();
  CHECK(task->launches.at(0).block[0] == 23);                             // 3 * 3 * 2 + 5
  CHECK(ordered.build({{"factor", "10"}})->launches.at(0).grid[0] == 3);  // 65 threads
}

TEST_CASE("every kind of buffer is filled as described") {
  const Case kinds(
      "kernel: kernels.ptx\n"
      "entry: nothing\n"
      "grid: 1\n"
      "block: 1\n"
      "buffers:\n"
      "  zero: {zero: 2}\n"
      "  constant: {constant: 3, value: -1, type: s32}\n"
      "  iota: {iota: 3, start: 10, step: 5, type: u16}\n"
      "  random: {random: 50, min: 3, max: 5, seed: 4, type: u8}\n"
      "  degenerate: {degenerate: 5, min: 100, max: 200, type: u8}\n"
      "  runs: {equal_neighbours: 6, run: 3, type: u32}\n"
      "  values: {values: [1, 2.5, -3], type: f32}\n"
      "  image: {image: inputs/first.pgm, width: 3, height: 2}\n"
      "  scaled: {image: inputs/first.pgm, bits: 16, type: u32}\n"
      "  raw: {raw: inputs/first.pgm, skip: 12, length: 2, type: u8}\n"
      "  each: {each: 4, value: \"i < 2 ? 10 * i : iota[i - 2] + nested[i - 2]\"}\n"
      "  nested: {each: 2, value: 100 * i}\n");
  const auto task = kinds.build();
  CHECK(contents<std::uint32_t>(*task, 0) == std::vector<std::uint32_t>{0, 0});
  CHECK(contents<std::int32_t>(*task, 1) == std::vector<std::int32_t>{-1, -1, -1});
  CHECK(contents<std::uint16_t>(*task, 2) == std::vector<std::uint16_t>{10, 15, 20});
  for (const std::uint8_t value : contents<std::uint8_t>(*task, 3)) CHECK((value >= 3 && value <= 5));
  const auto same = contents<std::uint8_t>(*task, 4);
  CHECK(same == std::vector<std::uint8_t>(5, same[0]));
  const auto runs = contents<std::uint32_t>(*task, 5);
  CHECK((runs[0] == runs[1] && runs[1] == runs[2] && runs[3] == runs[4] && runs[4] == runs[5]));
  CHECK(contents<float>(*task, 6) == std::vector<float>{1, 2.5, -3});
  CHECK(contents<std::uint16_t>(*task, 7) == std::vector<std::uint16_t>{0, 1, 2, 3, 4, 5});
  CHECK(contents<std::uint32_t>(*task, 8) == std::vector<std::uint32_t>{0, 257, 514, 771, 1028, 1285});
  CHECK(contents<std::uint8_t>(*task, 9) == std::vector<std::uint8_t>{1, 2});
  CHECK(contents<std::uint32_t>(*task, 10) == std::vector<std::uint32_t>{0, 10, 10 + 0, 15 + 100});
}

TEST_CASE("choose takes the value of the choice that an argument was given") {
  const Case variants(
      "arguments:\n"
      "  shape: {default: flat, choices: [flat, tall, deep], text: which way}\n"
      "  weight: {default: heavy, choices: {light: 10, heavy: 20}}\n"
      "kernel: {choose: shape, flat: single.ptx, otherwise: kernels.ptx}\n"
      "entry: {choose: shape, flat: only, otherwise: nothing}\n"
      "grid: {choose: shape, flat: [weight, 1], tall: [1, weight], deep: [1, 1, weight]}\n"
      "block: 32\n"
      "buffers: {data: {choose: weight, light: {zero: 1}, heavy: {iota: 2}}}\n"
      "parameters: {choose: shape, flat: [data], otherwise: []}\n");
  CHECK(variants.build()->launches[0].grid == program::Dim3{20, 1, 1});
  CHECK(size(variants.build()->buffers[0]) == 8);
  const auto tall = variants.build({{"shape", "tall"}, {"weight", "light"}});
  CHECK(tall->launches[0].grid == program::Dim3{1, 10, 1});
  CHECK(tall->launches[0].entry == "nothing");
  CHECK(tall->launches[0].arguments.empty());
  CHECK(size(tall->buffers[0]) == 4);
  CHECK(variants.build({{"shape", "deep"}})->launches[0].grid == program::Dim3{1, 1, 20});

  const std::vector<ArgumentInfo> arguments = Workload::load(variants.path()).arguments();
  REQUIRE(arguments.size() == 4);  // Two of them are those that every workload has.
  CHECK(std::count_if(arguments.begin(), arguments.end(), [](const ArgumentInfo& a) { return a.built_in; }) == 2);
  CHECK(arguments[0].name == "shape");
  CHECK(arguments[0].default_text == "flat");
  CHECK(arguments[0].text == "which way");
  CHECK(arguments[0].choices == std::vector<std::string>{"flat", "tall", "deep"});
  CHECK(arguments[1].choices == std::vector<std::string>{"light", "heavy"});
}

TEST_CASE("launches repeat, alternate and nest") {
  const Case sequence(
      "kernel: single.ptx\n"
      "block: 32\n"
      "buffers: {a: {zero: 64}, b: {zero: 64}}\n"
      "launches:\n"
      "  - {grid: 9, parameters: [a]}\n"
      "  - repeat: 2\n"
      "    launches:\n"
      "      - {grid: iteration + 1, parameters: [\"iteration % 2 == 0 ? a : b\"]}\n"
      "      - {grid: 5, repeat: 2, parameters: [b + 4 * iteration]}\n"
      "  - {grid: 7, repeat: 0, parameters: [a]}\n");
  const auto task = sequence.build();
  std::vector<std::array<std::uint64_t, 3>> seen;
  for (const exec::KernelLaunch& launch : task->launches) {
    seen.push_back({launch.grid[0], address(launch.arguments.at(0)).buffer, address(launch.arguments[0]).offset});
  }
  CHECK(seen == std::vector<std::array<std::uint64_t, 3>>{
                    {9, 0, 0}, {1, 0, 0}, {5, 1, 0}, {5, 1, 4}, {2, 1, 0}, {5, 1, 0}, {5, 1, 4}});
}

TEST_CASE("a file argument is a path, or a name in its folder") {
  const Case files(
      "arguments: {picture: {default: first, folder: inputs}}\n"
      "kernel: single.ptx\n"
      "grid: picture_.count\n"
      "block: 1\n"
      "buffers: {picture_: {image: picture}}\n"
      "parameters: [picture_]\n");
  CHECK(files.build()->launches[0].grid[0] == 6);
  CHECK(files.build({{"picture", "second"}})->launches[0].grid[0] == 1);
  CHECK(files.build({{"picture", "second.pgm"}})->launches[0].grid[0] == 1);
  const std::string elsewhere = files.folder().write("elsewhere.pgm", std::string("P5 2 1 255\n\1\2", 13));
  CHECK(files.build({{"picture", elsewhere}})->launches[0].grid[0] == 2);
  CHECK_THAT(files.mistake({{"picture", "secnd"}}),
             Contains("argument picture") && Contains("did you mean 'second'?") && Contains("first, second"));
  const auto task = files.build({{"picture", "second"}});
  CHECK(task->arguments == std::vector<std::pair<std::string, std::string>>{{"picture", "second"}});
}

TEST_CASE("overrides are constant expressions within the limits of their argument") {
  const Case limited(
      "arguments: {n: {default: 64, min: 2, max: 4 KiB}, f: 0.5}\n"
      "kernel: single.ptx\n"
      "grid: n\n"
      "block: \"f < 1 ? 1 : 2\"\n"
      "buffers: {a: {zero: 1}}\n"
      "parameters: [a]\n");
  CHECK(limited.build({{"n", "1 << 12"}})->launches[0].grid[0] == 4096);
  CHECK(limited.build({{"n", "3"}, {"n", "5"}})->launches[0].grid[0] == 5);
  CHECK(limited.build({{"f", "2"}})->launches[0].block[0] == 2);
  CHECK_THAT(limited.mistake({{"n", "4097"}}), Contains("argument n: 4097 is above the largest value 4096"));
  CHECK_THAT(limited.mistake({{"n", "1"}}), Contains("below the smallest value 2"));
  CHECK_THAT(limited.mistake({{"n", "2.5"}}), Contains("whole number"));
  CHECK_THAT(limited.mistake({{"n", "many"}}), Contains("'many' is not a number"));
  CHECK_THAT(limited.mistake({{"m", "1"}, {"f", "x"}}), Contains("no argument 'm'") && Contains("argument f"));
  CHECK(limited.build({{"n", "7"}})->arguments ==
        std::vector<std::pair<std::string, std::string>>{{"n", "7"}, {"f", "0.5"}});
}

TEST_CASE("the instruction limit is an expression at the top level") {
  const std::string rest = "kernel: single.ptx\ngrid: 4\nblock: 64\nbuffers: {data: {zero: 256}}\nparameters: [data]\n";
  CHECK(Case(rest).build()->instruction_limit == 0);
  CHECK(Case(rest + "arguments: {turns: 1000}\ninstruction_limit: turns * 5000000\n").build()->instruction_limit ==
        5'000'000'000);
  CHECK_THAT(Case(rest + "instruction_limit: 0\n").mistake(), Contains(":6:20") && Contains("limit of warp"));
  CHECK_THAT(Case(rest + "launches: [{instruction_limit: 7}]\n").mistake(), Contains("instruction_limit"));
}

TEST_CASE("the number of resident thread blocks is an expression at the top level") {
  const std::string rest = "kernel: single.ptx\ngrid: 4\nblock: 64\nbuffers: {data: {zero: 256}}\nparameters: [data]\n";
  CHECK(Case(rest).build()->resident_blocks == 0);
  CHECK(Case(rest + "arguments: {sms: 80}\nresident_blocks: sms * 2\n").build()->resident_blocks == 160);
  CHECK_THAT(Case(rest + "resident_blocks: 0\n").mistake(), Contains(":6:18") && Contains("resident thread blocks"));
}

TEST_CASE("each number of a grid or thread block may be chosen on its own") {
  const Case chosen(
      "arguments: {layout: {default: rows, choices: [rows, columns]}}\n"
      "kernel: single.ptx\n"
      "grid: [{choose: layout, rows: 5, columns: 2 + 1}, 2]\n"
      "block: [32, {choose: layout, rows: 2, otherwise: 4}]\n"
      "buffers: {data: {zero: 2048}}\n"
      "parameters: [data]\n");
  const auto rows = chosen.build();
  CHECK(rows->launches.front().grid == program::Dim3{5, 2, 1});
  CHECK(rows->launches.front().block == program::Dim3{32, 2, 1});
  const auto columns = chosen.build({{"layout", "columns"}});
  CHECK(columns->launches.front().grid == program::Dim3{3, 2, 1});
  CHECK(columns->launches.front().block == program::Dim3{32, 4, 1});
}

TEST_CASE("recursion's depth is a number at the top level") {
  const std::string rest = "kernel: single.ptx\ngrid: 4\nblock: 64\nbuffers: {data: {zero: 256}}\nparameters: [data]\n";
  CHECK(Case(rest).build()->call_depth == 0);
  CHECK(Case(rest + "call_depth: 4 * 1024\n").build()->call_depth == 4096);
  CHECK_THAT(Case(rest + "call_depth: 0\n").mistake(), Contains(":6:13") && Contains("depth of recursive calls"));
}

TEST_CASE("a launch is cooperative where its descriptor says so") {
  const std::string rest = "kernel: single.ptx\ngrid: 4\nblock: 64\nbuffers: {data: {zero: 256}}\nparameters: [data]\n";
  CHECK_FALSE(Case(rest).build()->launches.front().cooperative);
  CHECK(Case(rest + "cooperative: true\n").build()->launches.front().cooperative);
  const auto second = Case(rest + "launches: [{cooperative: false}, {cooperative: true}]\n").build();
  CHECK_FALSE(second->launches[0].cooperative);
  CHECK(second->launches[1].cooperative);
  CHECK_THAT(Case(rest + "cooperative: 2\n").mistake(), Contains(":6:14") && Contains("true or false"));
}

TEST_CASE("every committed descriptor builds with its defaults and with every choice of every argument") {
  for (const char* name : {"histogram", "vector-add", "convolution", "transpose"}) {
    CAPTURE(name);
    const Workload loaded = Workload::load(source_dir() + "/traces/workloads/" + name + ".yaml");
    CHECK(loaded.name() == name);
    CHECK_FALSE(loaded.description().empty());
    CHECK(loaded.build({})->launches.size() == 1);
    for (const ArgumentInfo& argument : loaded.arguments()) {
      CAPTURE(argument.name);
      CHECK_FALSE(argument.text.empty());
      for (const std::string& choice : argument.choices) {
        CHECK(loaded.build({{argument.name, choice}})->launches.size() == 1);
      }
    }
  }
}

TEST_CASE("the histogram's strides are those of the three memory layouts") {
  const Workload histogram = Workload::load(source_dir() + "/traces/workloads/histogram.yaml");
  const auto strides = [&](const std::string& layout) {
    const auto task =
        histogram.build({{"layout", layout}, {"bins", "64"}, {"replication", "8"}, {"image", "raccoon-small"}});
    const exec::KernelLaunch& launch = task->launches.at(0);
    return std::array<std::uint32_t, 3>{scalar<std::uint32_t>(launch.arguments.at(5)),
                                        scalar<std::uint32_t>(launch.arguments.at(6)), launch.dynamic_shared_bytes};
  };
  // BIN_INDEX(bin, subhist): bin + 64 subhist; bin + 65 subhist; 8 bin + subhist. Words: 64 * 8, and 7 of padding.
  CHECK(strides("hist-major") == std::array<std::uint32_t, 3>{1, 64, 2048});
  CHECK(strides("hist-major-padded") == std::array<std::uint32_t, 3>{1, 65, 2076});
  CHECK(strides("bin-major") == std::array<std::uint32_t, 3>{8, 1, 2048});
}

}  // namespace lockstep::descriptor_test
