#pragma once
// What a GPU left of a reduced kernel, as a file that keeps it: silicon/README.md.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

struct Record {
  std::set<unsigned> agrees;      ///< Levels of optimization at which the GPU leaves what the functional machine does.
  std::uint32_t checksum = 0;     ///< checksum_of_inputs().
  std::size_t bytes = 0;          ///< Of the data.
  std::set<std::size_t> differs;  ///< Bytes of the data that the functional machine leaves otherwise.
  std::map<std::size_t, std::vector<std::uint8_t>> left;  ///< By the GPU, where it changed the data.
  Kernel kernel;
  std::string ptx;  ///< What ran.
};

/// Of input, the first `bytes` of the data, and texels, before the launch.
std::uint32_t checksum_of_inputs(const Kernel& kernel, std::size_t bytes);

/// The record of a kernel that ran as `ptx` and left `data`. InputError when `data` is not as long as that of the kernel.
Record record_of(const Kernel& kernel, const std::string& ptx, const std::vector<std::uint8_t>& data,
                 const std::set<unsigned>& agrees);

/// The data that the GPU left.
std::vector<std::uint8_t> left_by_gpu(const Record& record);

/// The file: lines `agrees`, `inputs`, `differs`, `left`, then the kernel (kernel_text.hpp) and the PTX.
std::string text_of(const Record& record);
/// InputError for what is no such text.
Record record_in(const std::string& text);

}  // namespace lockstep::differential
