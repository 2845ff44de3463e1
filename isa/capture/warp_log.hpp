#pragma once
// The logs of the threads of a warp, put together to what the warp executes.

#include <array>
#include <cstdint>
#include <vector>

#include "isa/capture/address_map.hpp"
#include "isa/capture/kernel_code.hpp"
#include "isa/capture/thread_log.hpp"
#include "isa/exec/control/reconvergence.hpp"
#include "isa/trace/recorder.hpp"

namespace lockstep::capture {

/// Accesses whose address in a trace is not known, so that the GPU's stays.
struct UnknownAddresses {
  std::uint64_t shared = 0, local = 0, constant = 0, param = 0;
};

/// Executes the control flow of a warp again, with every decision taken from the log: lanes that part meet at the immediate
/// post-dominator, as in every trace (isa/exec/README.md), whatever the GPU did.
class WarpLog {
 public:
  static constexpr unsigned lanes = 32;
  using LaneMask = std::uint32_t;

  /// The kernel and addresses of a launch; both outlive it.
  WarpLog(const KernelCode& code, const LaunchAddresses& addresses) : code_(code), addresses_(addresses) {}
  /// The log of a lane, to be begun before run().
  ThreadLog& lane(unsigned number) { return threads_[number]; }
  /// Records the warp's stream, and returns how many records that were. InputError where the logs are none of this kernel.
  std::uint64_t run(trace::Recorder& recorder, std::uint32_t warp, LaneMask live, UnknownAddresses& unknown);

 private:
  /// A call that has not returned.
  struct Activation {
    std::uint32_t function = 0;
    std::uint64_t local = 0, local_end = 0;  ///< Of its frame in local memory, if it is recursive.
    /// Per place of its function: the GPU's addresses.
    std::vector<std::array<std::uint64_t, lanes>> places;
  };

  bool enter_block();
  void check_lanes(const exec::Level& level) const;
  void record_accesses(trace::Recorder& recorder, std::uint32_t warp, UnknownAddresses& unknown);
  std::uint64_t in_trace(const CodeAccess& access, unsigned lane, std::uint64_t address,
                         UnknownAddresses& unknown) const;
  std::uint64_t window_address(ptx::Space space, unsigned lane, std::uint64_t address, std::uint64_t& unknown) const;
  void advance();
  void branch();
  void call();
  void leave(bool thread_ends);
  void enter_function(std::uint32_t function, LaneMask mask);
  LaneMask lanes_at(std::uint32_t block) const;

  const KernelCode& code_;
  const LaunchAddresses& addresses_;
  std::array<ThreadLog, lanes> threads_;
  exec::Levels stack_;
  std::vector<Activation> activations_;
  std::uint32_t block_ = 0, activation_ = 0;  ///< That the warp is in.
  LaneMask active_ = 0;
};

}  // namespace lockstep::capture
