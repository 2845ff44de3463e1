#pragma once
// The list of what a traced program asked of the GPU: kernelslist.g.

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::accelsim {

/// What a list says, in its order.
struct KernelsList {
  std::string path;
  std::vector<std::string> kernels;            ///< Paths of the kernels' files.
  std::uint64_t copies = 0, copied_bytes = 0;  ///< To the device: MemcpyHtoD lines.
  std::vector<std::string> ignored;            ///< Other commands, each word once.
};

/// Reads a list, a folder that has one (kernelslist.g), or a kernel's own file as a list of one. InputError for all lines that
/// are wrong together.
KernelsList read_kernels_list(const std::string& path);

}  // namespace lockstep::accelsim
