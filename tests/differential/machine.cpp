#include "tests/differential/machine.hpp"

#include <fmt/format.h>

#include "isa/exec/machine.hpp"
#include "tests/differential/print.hpp"
#include "tests/differential/values.hpp"

namespace lockstep::differential {

namespace {

std::unique_ptr<exec::Task> task_of(const std::vector<Kernel>& kernels, std::string text) {
  auto task = std::make_unique<exec::Task>();
  task->name = fmt::format("seed-{}", kernels.front().seed);
  task->modules.push_back(std::make_unique<const ptx::Module>(ptx::parse(text, task->name + ".ptx")));
  const ptx::Module* module = task->modules.back().get();
  task->module_texts[module] = std::move(text);
  for (const Kernel& kernel : kernels) {
    Contents contents = contents_of(kernel);
    const auto first = static_cast<std::uint32_t>(task->buffers.size());
    task->buffers.push_back({fmt::format("input-{}", kernel.seed), std::move(contents.input)});
    task->buffers.push_back({fmt::format("data-{}", kernel.seed), std::move(contents.data)});
    if (!kernel.images.empty())
      task->buffers.push_back({fmt::format("texels-{}", kernel.seed), std::move(contents.texels)});
    exec::KernelLaunch launch;
    launch.module = module;
    launch.entry = entry_of(kernel);
    launch.grid = {kernel.grid[0], kernel.grid[1], kernel.grid[2]};
    launch.block = {kernel.block[0], kernel.block[1], kernel.block[2]};
    launch.arguments = {exec::BufferAddress{first, 0}, exec::BufferAddress{first + 1, 0},
                        std::move(contents.parameters)};
    for (const Image& image : kernel.images) {
      launch.arguments.push_back(exec::TextureHandle{static_cast<std::uint32_t>(task->textures.size())});
      exec::Texture texture = image.texture;
      texture.name = fmt::format("image-{}-{}", kernel.seed, launch.arguments.size() - 4);
      texture.buffer = first + 2;
      task->textures.push_back(std::move(texture));
    }
    task->launches.push_back(std::move(launch));
  }
  return task;
}

}  // namespace

std::unique_ptr<exec::Task> task_of(const std::vector<Kernel>& kernels) {
  std::string text = module_head();
  for (const Kernel& kernel : kernels) text += printed(kernel);
  return task_of(kernels, std::move(text));
}

std::vector<std::uint8_t> execute(const Kernel& kernel) {
  return execute_ptx(kernel, module_head() + printed(kernel));
}

std::vector<std::uint8_t> execute_ptx(const Kernel& kernel, const std::string& ptx) {
  exec::MachineLimits limits;
  limits.warp_instructions_per_block = 10'000'000;
  exec::Machine machine(task_of({kernel}, ptx), limits);
  machine.finish();
  const auto data = machine.buffer(1);
  std::vector<std::uint8_t> all(data.begin(), data.end());
  if (!kernel.images.empty()) {
    const auto texels = machine.buffer(2);
    all.insert(all.end(), texels.begin(), texels.end());
  }
  return all;
}

}  // namespace lockstep::differential
