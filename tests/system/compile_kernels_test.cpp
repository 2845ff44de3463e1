// tools/compile-kernels, with the clang that tools/check installs.
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
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

/// All CUDA files of the repository, in an order of their own.
std::vector<fs::path> sources() {
  std::vector<fs::path> result;
  for (const auto& entry : fs::recursive_directory_iterator(source_dir() + "/traces"))
    if (entry.path().extension() == ".cu") result.push_back(entry.path());
  std::sort(result.begin(), result.end());
  REQUIRE(result.size() > 4);
  return result;
}

/// Other releases of clang 14 may arrange instructions in another way.
bool is_the_compiler_of_the_committed() {
  static const bool is = status_of("clang-14 --version | grep -q 14.0.6") == 0;
  return is;
}

void check_committed(const fs::path& source, const fs::path& made) {
  CAPTURE(source);
  const fs::path committed = fs::path(source).replace_extension(".ptx");
  CHECK(kernels_of(made) == kernels_of(committed));
  for (const std::string& file : ptx::parse_file(made.string()).source_files)
    CHECK(file.find('/') == std::string::npos);
  if (is_the_compiler_of_the_committed()) CHECK((test::contents(made) == test::contents(committed)));
}

}  // namespace

TEST_CASE("Every eighth committed PTX file is what its source compiles to, and names no folder of the machine") {
  const test::TemporaryFolder folder;
  const std::vector<fs::path> all = sources();
  std::string some;
  std::map<fs::path, fs::path> made;  // By name: sources of different folders may have the same.
  for (std::size_t n = 0; n < all.size(); n += 8) {
    if (!made.emplace(all[n].filename(), all[n]).second) continue;
    some += " " + all[n].string();
  }
  REQUIRE(compile("-o " + folder.path() + some) == 0);
  for (const auto& [name, source] : made) check_committed(source, folder / fs::path(name).replace_extension(".ptx"));
  CHECK(made.size() > all.size() / 10);
}

TEST_CASE("The committed PTX is what its sources compile to, and names no folder of the machine", "[nightly]") {
  const test::TemporaryFolder folder;
  REQUIRE(compile("-o " + folder.path()) == 0);
  for (const fs::path& source : sources())
    check_committed(source, folder / fs::relative(source, source_dir() + "/traces").replace_extension(".ptx"));
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
