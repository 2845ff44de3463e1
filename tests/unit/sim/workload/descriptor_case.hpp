#pragma once
// A descriptor in a folder with kernels and data.

#include <memory>
#include <string>

#include "isa/error.hpp"
#include "sim/workload/workload.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

namespace lockstep::test {

inline const char* const kernels = R"(
.version 6.4
.target sm_35
.address_size 64
.visible .entry scale(.param .u64 data, .param .u32 count, .param .f32 factor, .param .f64 shift, .param .u16 half,
                      .param .u64 big) { ret; }
.visible .entry filter(.param .u64 data, .param .align 4 .b8 weights[12]) { ret; }
.visible .entry mixed(.param .align 8 .b8 structure[24]) { ret; }
.visible .entry nothing() { ret; }
)";
inline const char* const single_kernel =
    ".version 6.4\n.target sm_35\n.address_size 64\n.visible .entry only(.param .u64 p) { ret; }\n";

/// Loads and builds it.
class DescriptorCase {
 public:
  explicit DescriptorCase(const std::string& yaml) {
    folder_.write("kernels.ptx", kernels);
    folder_.write("single.ptx", single_kernel);
    folder_.write("inputs/first.pgm", std::string("P5 3 2 255\n\0\1\2\3\4\5", 17));
    folder_.write("inputs/second.pgm", std::string("P5 1 1 255\n\7", 12));
    path_ = folder_.write("case.yaml", yaml);
  }
  std::unique_ptr<exec::Task> build(const workload::ArgumentOverrides& overrides = {}) const {
    return workload::Workload::load(path_).build(overrides);
  }
  /// The message of the InputError that loading or building causes, the folder left out; "" when there is none.
  std::string mistake(const workload::ArgumentOverrides& overrides = {}) const {
    try {
      build(overrides);
    } catch (const InputError& error) {
      std::string message = error.what();
      const std::string folder = folder_ / "";
      for (std::size_t at = message.find(folder); at != std::string::npos; at = message.find(folder)) {
        message.erase(at, folder.size());
      }
      return message;
    }
    return "";
  }
  const TemporaryFolder& folder() const { return folder_; }
  const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

}  // namespace lockstep::test
