#pragma once
// Compiles expressions of CUDA's device language with tools/compile-kernels, and evaluates them on the functional machine.

#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "isa/exec/machine.hpp"
#include "isa/ptx/module.hpp"
#include "tests/places.hpp"
#include "tests/temporary_folder.hpp"

namespace lockstep::device_language {

/// Exit status of compile-kernels, with what it says in the file "messages" of the folder.
inline int compile(const test::TemporaryFolder& folder, const std::string& arguments) {
  const std::string command =
      source_dir() + "/tools/compile-kernels " + arguments + " >" + (folder / "messages") + " 2>&1";
  return WEXITSTATUS(std::system(command.c_str()));
}

/// Threads of a block; operands come in whole blocks.
inline constexpr std::size_t block_threads = 128;

/// Fills up with the first value.
template <class T>
std::vector<T> in_whole_blocks(std::vector<T> values) {
  values.resize((values.size() + block_threads - 1) / block_threads * block_threads, values.at(0));
  return values;
}

/// For each expression the results over the operands: of a, b, c of type `operand` (equally many of each, in whole blocks),
/// as the type `result`, both CUDA's names of T and R.
template <class R, class T>
std::vector<std::vector<R>> evaluate(const std::vector<std::string>& expressions, const std::string& result,
                                     const std::string& operand, const std::vector<std::vector<T>>& operands) {
  const std::size_t count = operands.at(0).size();
  std::string source;
  for (std::size_t e = 0; e < expressions.size(); ++e) {
    source +=
        "extern \"C\" __global__ void k" + std::to_string(e) + "(" + result + "* out, const " + operand +
        "* operands) {\n  const unsigned int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;\n";
    for (std::size_t o = 0; o < operands.size(); ++o)
      source += "  const " + operand + " " + std::string(1, static_cast<char>('a' + o)) + " = operands[" +
                std::to_string(o) + " * n + i];\n";
    source += "  out[i] = " + expressions[e] + ";\n}\n";
  }
  const test::TemporaryFolder folder;
  const int status = compile(folder, "--arch sm_80 " + folder.write("functions.cu", source));
  INFO(test::contents(folder / "messages"));
  REQUIRE(status == 0);

  auto task = std::make_unique<exec::Task>();
  task->name = "functions";
  task->modules.push_back(std::make_unique<const ptx::Module>(ptx::parse_file(folder / "functions.ptx")));
  task->buffers.push_back({"out", std::vector<std::uint8_t>(expressions.size() * count * sizeof(R))});
  task->buffers.push_back({"operands", std::vector<std::uint8_t>(operands.size() * count * sizeof(T))});
  for (std::size_t o = 0; o < operands.size(); ++o)
    std::memcpy(task->buffers[1].bytes.data() + o * count * sizeof(T), operands[o].data(), count * sizeof(T));
  for (std::size_t e = 0; e < expressions.size(); ++e) {
    exec::KernelLaunch launch;
    launch.module = task->modules.back().get();
    launch.entry = "k" + std::to_string(e);
    launch.grid = {static_cast<std::uint32_t>(count / block_threads), 1, 1};
    launch.block = {static_cast<std::uint32_t>(block_threads), 1, 1};
    launch.arguments = {exec::BufferAddress{0, e * count * sizeof(R)}, exec::BufferAddress{1, 0}};
    task->launches.push_back(launch);
  }
  exec::Machine machine(std::move(task));
  machine.finish();
  std::vector<std::vector<R>> results(expressions.size(), std::vector<R>(count));
  for (std::size_t e = 0; e < expressions.size(); ++e)
    std::memcpy(results[e].data(), machine.buffer(0).data() + e * count * sizeof(R), count * sizeof(R));
  return results;
}

}  // namespace lockstep::device_language
