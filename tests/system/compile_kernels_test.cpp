// tools/compile-kernels, with the clang that tools/check installs.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "isa/ptx/module.hpp"
#include "tests/places.hpp"
#include "tests/temporary_folder.hpp"

namespace lockstep::compile_kernels_test {

namespace fs = std::filesystem;

namespace {

/// Exit status of a shell command.
int status_of(const std::string& command) {
  return WEXITSTATUS(std::system(command.c_str()));
}

int compile(const std::string& arguments) {
  return status_of(source_dir() + "/tools/compile-kernels " + arguments + " >/dev/null 2>&1");
}

/// "name(type bytes, ..." of every kernel.
std::vector<std::string> kernels_of(const fs::path& file) {
  std::vector<std::string> result;
  for (const ptx::Function& function : ptx::parse_file(file.string()).functions) {
    std::string text = function.name + "(";
    for (const ptx::Variable& parameter : function.parameters) {
      text += std::string(ptx::name_of(parameter.type)) + " " + std::to_string(parameter.bytes) + ", ";
    }
    result.push_back(text);
  }
  return result;
}

}  // namespace

TEST_CASE("the committed PTX is what its sources compile to, and names no folder of the machine") {
  const test::TemporaryFolder folder;
  REQUIRE(compile("-o " + folder.path()) == 0);
  REQUIRE(status_of("clang-14 --version >" + (folder / "version")) == 0);
  // Other releases of clang 14 may arrange instructions in another way.
  const bool same_compiler = test::contents(folder / "version").find("14.0.6") != std::string::npos;
  std::size_t compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source_dir() + "/traces")) {
    if (entry.path().extension() != ".cu") continue;
    CAPTURE(entry.path());
    fs::path committed = entry.path();
    committed.replace_extension(".ptx");
    const fs::path made = folder / fs::relative(committed, source_dir() + "/traces");
    CHECK(kernels_of(made) == kernels_of(committed));
    for (const std::string& source : ptx::parse_file(made.string()).source_files)
      CHECK(source.find('/') == std::string::npos);
    if (same_compiler) CHECK((test::contents(made) == test::contents(committed)));
    ++compared;
  }
  CHECK(compared >= 4);
}

TEST_CASE("a kernel that includes nothing compiles, and one with an error fails") {
  const test::TemporaryFolder folder;
  const std::string right =
      folder.write("own.cu", "extern \"C\" __global__ void own(int* p) { atomicAdd(p, threadIdx.x); }\n");
  const std::string wrong = folder.write("wrong.cu", "extern \"C\" __global__ void wrong(int* p) { p = ; }\n");
  CHECK(compile(right) == 0);
  CHECK(test::contents(folder / "own.ptx").find("atom.global.add.u32") != std::string::npos);
  CHECK(compile(wrong) == 1);
  CHECK_FALSE(fs::exists(folder / "wrong.ptx"));
  CHECK(compile("--unknown") == 2);
}

}  // namespace lockstep::compile_kernels_test
