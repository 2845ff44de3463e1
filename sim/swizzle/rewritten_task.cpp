#include "sim/swizzle/rewritten_task.hpp"

#include <algorithm>

#include "isa/input_file.hpp"
#include "isa/ptx/program.hpp"
#include "isa/ptx/shared_layout.hpp"

namespace lockstep::swizzle {

KernelId kernel_of(const exec::Task& task, const exec::KernelLaunch& launch) {
  const auto module = std::find_if(task.modules.begin(), task.modules.end(),
                                   [&](const auto& one) { return one.get() == launch.module; });
  return {static_cast<std::size_t>(module - task.modules.begin()), launch.entry};
}

std::string text_of(const exec::Task& task, std::size_t module) {
  const ptx::Module* const own = task.modules.at(module).get();
  if (const auto known = task.module_texts.find(own); known != task.module_texts.end()) return known->second;
  return read_whole_file(own->file, most_kernel_bytes);
}

std::map<KernelId, KernelRewritten> rewrite_task(exec::Task& task, const Changes& changes) {
  std::map<KernelId, KernelRewritten> done;
  for (std::size_t m = 0; m < task.modules.size(); ++m) {
    const std::shared_ptr<const ptx::Module> before = task.modules[m];
    std::shared_ptr<const ptx::Module> now = before;
    std::string text;
    for (const auto& [id, change] : changes) {
      if (id.first != m) continue;
      if (text.empty()) text = text_of(task, m);
      rewrite::RewrittenArrays rewritten = rewrite::rewrite_arrays(text, *now, change.request, rewrite::Lines::added);
      done[id] = {rewritten.accesses, rewritten.added_instructions, rewritten.requires_block};
      text = std::move(rewritten.text);
      now = std::make_shared<const ptx::Module>(ptx::parse(text, before->file));
    }
    if (now == before) continue;
    for (exec::KernelLaunch& launch : task.launches) {
      if (launch.module != before.get()) continue;
      if (const auto change = changes.find({m, launch.entry}); change != changes.end())
        launch.dynamic_shared_bytes =
            static_cast<std::uint32_t>(change->second.dynamic.bytes_needed(launch.dynamic_shared_bytes));
      launch.module = now.get();
    }
    for (exec::VariableContents& variable : task.variables)
      if (variable.module == before.get()) variable.module = now.get();
    task.module_texts.erase(before.get());
    task.module_texts[now.get()] = std::move(text);
    task.modules[m] = std::move(now);
  }
  return done;
}

}  // namespace lockstep::swizzle
