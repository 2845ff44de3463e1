#pragma once
// Which textures may stand behind the handle that an instruction reads, found without executing it.

#include <set>
#include <string_view>
#include <vector>

#include "isa/exec/launch.hpp"
#include "isa/ptx/module.hpp"

namespace lockstep::exec {

/// For the launches of one kernel.
class TextureHandles {
 public:
  TextureHandles(const Task& task, const ptx::Module& module, std::string_view entry);

  /// Of an operand of `function`; every texture of the task when the way of the handle is not plain.
  std::set<const Texture*> textures(const ptx::Function& function, const ptx::Operand& operand);

 private:
  bool trace(const ptx::Function& function, const ptx::Operand& operand);
  bool trace_register(const ptx::Function& function, ptx::RegisterId id);
  bool add_argument(std::size_t parameter);

  const Task& task_;
  std::vector<const KernelLaunch*> launches_;
  std::set<const Texture*> found_;
  std::set<ptx::RegisterId> seen_;
};

}  // namespace lockstep::exec
