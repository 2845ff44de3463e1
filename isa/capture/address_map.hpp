#pragma once
// From the addresses of a GPU to those of a trace.

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/capture/kernel_code.hpp"
#include "isa/capture/log_file.hpp"

namespace lockstep::capture {

/// Ranges of addresses that lie elsewhere in a trace.
class AddressRanges {
 public:
  /// `bytes`: 0 for all that follows.
  void add(std::uint64_t from, std::uint64_t bytes, std::uint64_t to);
  /// Call once behind the last add().
  void sort();
  bool empty() const { return ranges_.empty(); }
  std::optional<std::uint64_t> find(std::uint64_t address) const;

 private:
  struct Range {
    std::uint64_t from, bytes, to;
  };
  std::vector<Range> ranges_;
};

/// Where the variables of the module lay in one launch.
class LaunchAddresses {
 public:
  LaunchAddresses() = default;
  LaunchAddresses(const KernelCode& code, const LogLaunch& launch);

  /// The shared, global or constant address in the trace; none when no variable of the module lies there.
  std::optional<std::uint64_t> find(ptx::Space space, std::uint64_t address) const;
  /// Bases of the windows through which generic addresses reach scratchpad and local memory.
  std::uint64_t shared_window() const { return shared_window_; }
  std::uint64_t local_window() const { return local_window_; }

 private:
  AddressRanges shared_, global_, constant_;
  std::uint64_t shared_window_ = 0, local_window_ = 0;
};

}  // namespace lockstep::capture
