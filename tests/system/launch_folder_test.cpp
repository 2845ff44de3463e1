#include <cstring>
#include <filesystem>

#include "tests/system/program.hpp"

namespace lockstep::launch_folder_test {

using namespace lockstep::system_test;

namespace {

std::vector<float> floats(const std::string& path) {
  const std::string bytes = contents(path);
  std::vector<float> result(bytes.size() / sizeof(float));
  std::memcpy(result.data(), bytes.data(), result.size() * sizeof(float));
  return result;
}

}  // namespace

TEST_CASE("A folder for a real GPU holds the launches and memory before and after") {
  const TemporaryFolder folder;
  const std::string launches = folder / "launches";
  const Outcome traced = run({"trace", "vector-add", "-s", "args.length=1000", "-s", "args.blocks=4", "-s",
                              "args.threads=64", "-o", folder / "v.trace", "--launches", launches});
  INFO(traced.err);
  REQUIRE(traced.code == 0);

  std::istringstream manifest(contents(launches + "/launches.txt"));
  std::string line, launch_line, parameters;
  std::vector<std::string> names, before, after;
  std::vector<std::uint64_t> addresses;
  while (std::getline(manifest, line)) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "buffer") {
      std::uint64_t bytes = 0;
      in >> names.emplace_back() >> addresses.emplace_back() >> bytes >> before.emplace_back() >> after.emplace_back();
      CHECK(bytes == 4000);
    } else if (word == "launch") {
      launch_line = line;
      parameters = line.substr(line.rfind(' ') + 1);
    }
  }
  REQUIRE(names == std::vector<std::string>{"a", "b", "c"});
  CHECK(launch_line == "launch 0 vector_add 4 1 1 64 1 1 0 " + parameters);
  CHECK(contents(launches + "/module-0.ptx").find(".entry vector_add") != std::string::npos);

  // The parameter block: three pointers to where the buffers lie, then the length.
  const std::string block = contents(launches + "/" + parameters);
  REQUIRE(block.size() == 28);
  std::uint64_t pointers[3];
  std::uint32_t length = 0;
  std::memcpy(pointers, block.data(), sizeof pointers);
  std::memcpy(&length, block.data() + sizeof pointers, sizeof length);
  CHECK(std::vector<std::uint64_t>(pointers, pointers + 3) == addresses);
  CHECK(length == 1000);

  const auto a = floats(launches + "/" + before[0]), b = floats(launches + "/" + before[1]);
  const auto empty = floats(launches + "/" + before[2]), c = floats(launches + "/" + after[2]);
  REQUIRE(c.size() == 1000);
  bool sums = true, zeros = true;
  for (std::size_t i = 0; i < c.size(); ++i) {
    sums = sums && c[i] == a[i] + b[i];
    zeros = zeros && empty[i] == 0;
  }
  CHECK(sums);
  CHECK(zeros);
}

namespace {

/// A kernel of a warp with a texture object, and the texture as a workload says it.
Outcome trace_with_texture(const TemporaryFolder& folder, const std::string& before, const std::string& body,
                           const std::string& texture) {
  folder.write("k.ptx", ".version 6.4\n.target sm_35\n.address_size 64\n" + before +
                            ".visible .entry k(.param .u32 n, .param .u64 t) {\n"
                            ".reg .b32 %r<8>; .reg .b64 %rd<2>;\nmov.u32 %r0, 0; ld.param.u64 %rd0, [t];\n" +
                            body + "\nret; }\n");
  const std::string workload =
      folder.write("w.yaml", "buffers: {texels: {each: 64, value: i, type: u8}}\ntextures: {image: {buffer: texels, " +
                                 texture + "}}\nkernel: k.ptx\ngrid: 1\nblock: 1\nparameters: [7, image]\n");
  return run({"trace", workload, "-o", folder / "w.trace", "--launches", folder / "launches"});
}

}  // namespace

TEST_CASE("Textures are written as a workload says them, with the places of their objects") {
  const TemporaryFolder folder;
  const std::string fetch = "tex.2d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd0, {%r0, %r0}];";
  const Outcome traced = trace_with_texture(folder, "", fetch,
                                            "format: u8x2, width: 8, height: 3, layout: pitch, pitch: 20, "
                                            "address: [mirror, border], normalized: true");
  INFO(traced.err);
  REQUIRE(traced.code == 0);
  const std::string manifest = contents(folder / "launches/launches.txt");
  INFO(manifest);
  CHECK(
      manifest.find("texture image 0 0 u8x2 pitch 8 3 0 0 20 mirror border clamp point normalized element texture\n") !=
      std::string::npos);
  CHECK(manifest.find("object launch-0.parameters 8 0\n") != std::string::npos);  // Behind 4 bytes and a gap.
}

TEST_CASE("An object that a kernel accesses as a surface is written as one") {
  const TemporaryFolder folder;
  const Outcome traced = trace_with_texture(folder, "", "sust.b.1d.b32.trap [%rd0, {%r0}], {%r0};",
                                            "format: u32, width: 16, layout: array");
  INFO(traced.err);
  REQUIRE(traced.code == 0);
  CHECK(contents(folder / "launches/launches.txt").find(" element surface\n") != std::string::npos);
}

TEST_CASE("What a real GPU cannot be given as an object is refused") {
  const TemporaryFolder folder;
  const std::string fetch = "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd0, {%r0}];",
                    store = "sust.b.1d.b32.trap [%rd0, {%r0}], {%r0};";
  const auto refusal = [&](const std::string& before, const std::string& body, const std::string& texture) {
    const Outcome outcome = trace_with_texture(folder, before, body, "format: u32, width: 16, " + texture);
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK(refusal("", fetch + store, "layout: array").find("needs an object for each") != std::string::npos);
  CHECK(refusal("", store, "layout: linear").find("surfaces of a real GPU have layout 'array'") != std::string::npos);
  CHECK(refusal(".global .texref image;\n", fetch, "layout: array").find(".texref variable 'image'") !=
        std::string::npos);
}

TEST_CASE("Variables are written with their contents, and every place of their addresses, which a GPU chooses itself") {
  const TemporaryFolder folder;
  folder.write("k.ptx",
               ".version 6.4\n.target sm_35\n.address_size 64\n.const .align 8 .b8 pointers[65536];\n"
               ".visible .entry k(.param .u64 p) { ret; }\n");
  const std::string ring = folder.write(
      "ring.yaml",
      "buffers: {unused: {zero: 1}}\n"
      "variables: {pointers: {each: 32, value: \"i % 8 == 0 ? pointers + (i / 8 + 1) % 4 * 64 : 0\", type: u64}}\n"
      "kernel: k.ptx\ngrid: 1\nblock: 1\nparameters: [unused]\n");
  const std::string launches = folder / "launches";
  const Outcome traced = run({"trace", ring, "-o", folder / "c.trace", "--launches", launches});
  INFO(traced.err);
  REQUIRE(traced.code == 0);
  const std::string manifest = contents(launches + "/launches.txt");
  // 64 KiB of constant memory, of which the workload sets 256 bytes: a pointer every 64 bytes, the last one to the first.
  CHECK(manifest.find("variable pointers 0 65536 variable-0.before variable-0.after\n") != std::string::npos);
  for (const char* line : {"address variable-0.before 0 0 64\n", "address variable-0.before 64 0 128\n",
                           "address variable-0.before 128 0 192\n", "address variable-0.before 192 0 0\n"})
    CHECK(manifest.find(line) != std::string::npos);
  const std::string before = contents(launches + "/variable-0.before");
  REQUIRE(before.size() == 65536);
  CHECK(before == contents(launches + "/variable-0.after"));
  std::uint64_t first = 0, last = 0;
  std::memcpy(&first, before.data(), sizeof first);
  std::memcpy(&last, before.data() + 192, sizeof last);
  CHECK(first == last + 64);
}

TEST_CASE("Pointers in buffers to buffers are written as they stand") {
  const TemporaryFolder folder;
  folder.write("k.ptx", ".version 6.4\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n");
  const std::string ring = folder.write("ring.yaml",
                                        "buffers: {ring: {each: 4, value: ring + 8 * i, type: u64}}\n"
                                        "kernel: k.ptx\ngrid: 1\nblock: 1\nparameters: [ring]\n");
  const Outcome traced = run({"trace", ring, "-o", folder / "r.trace", "--launches", folder / "ring.launches"});
  INFO(traced.err);
  REQUIRE(traced.code == 0);
  std::istringstream manifest(contents(folder / "ring.launches/launches.txt"));
  std::string word, before;
  std::uint64_t address = 0, bytes = 0;
  while (manifest >> word && word != "buffer") {
  }
  manifest >> word >> address >> bytes >> before;
  const std::string held = contents(folder / "ring.launches/" + before);
  REQUIRE(held.size() == 32);
  std::uint64_t pointers[4];
  std::memcpy(pointers, held.data(), sizeof pointers);
  for (std::uint64_t i = 0; i < 4; ++i) CHECK(pointers[i] == address + 8 * i);
}

TEST_CASE("A folder that cannot be written is a failed resource") {
  const TemporaryFolder folder;
  const std::string file = folder.write("occupied", "");
  const Outcome traced =
      run({"trace", "vector-add", "-s", "args.length=100", "-o", folder / "v.trace", "--launches", file + "/launches"});
  CHECK(traced.code == 3);
  CHECK(traced.err.find("occupied/launches") != std::string::npos);
}

TEST_CASE(
    "The files of a launch folder are written as all are: a device is not replaced, and nothing unfinished stays") {
  const TemporaryFolder folder;
  const std::string launches = folder / "launches";
  REQUIRE(std::filesystem::create_directory(launches));
  std::filesystem::create_symlink("/dev/full", launches + "/launches.txt");
  const Outcome traced =
      run({"trace", "vector-add", "-s", "args.length=100", "-o", folder / "v.trace", "--launches", launches});
  CHECK(traced.code == 3);
  CHECK(traced.err.find("/dev/full: cannot write") != std::string::npos);
  CHECK(std::filesystem::is_symlink(launches + "/launches.txt"));
  for (const auto& entry : std::filesystem::directory_iterator(launches))
    CHECK(entry.path().string().find(".partial") == std::string::npos);
}

}  // namespace lockstep::launch_folder_test
