#pragma once
// sync: the lanes that an instruction needs execute it.

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "isa/exec/checks/checked_kernel.hpp"
#include "isa/exec/checks/context.hpp"

namespace lockstep::exec {

/// The lanes at the barriers and exchanges of one thread block.
class Participation {
 public:
  Participation(const CheckContext& context, ThreadBlock& block) : context_(context), block_(block) {}

  void begin();
  /// bar and barrier.
  void barrier(const Warp& warp, const Op& op, LaneMask mask);
  /// bar.warp.sync. True while lanes that it names are still elsewhere.
  bool warp_barrier(const Warp& warp, const Op& op, LaneMask mask);
  /// shfl, vote, match, redux, elect.
  void exchange(const Warp& warp, const Op& op, LaneMask mask) const;
  /// All warps have ended.
  void end();

 private:
  /// A bar.warp.sync that some lanes have executed.
  struct Gathering {
    LaneMask arrived = 0, needed = 0;
    ThreadAt first;
  };
  enum Kind : std::uint8_t { diverged, not_uniform, left_over, not_member, absent_member, absent_source };

  void check_members(const Warp& warp, const Op& op, LaneMask mask) const;
  void check_sources(const Warp& warp, const Op& op, LaneMask mask) const;
  void report(Kind kind, const ThreadAt& at, const std::string& what, const char* remedy) const;
  void report_not_member(const ThreadAt& at, LaneMask members, unsigned lane) const;
  void report_absent(const ThreadAt& at, LaneMask absent) const;
  LaneMask threads(const Warp& warp) const;
  bool ends(const Activation& activation, std::uint32_t block) const;
  /// The lanes that have something left to execute besides the end of their thread. The others have exited on a GPU: its
  /// compilers end a thread at the branch to the end, which the functional machine executes when all lanes meet there.
  LaneMask running(const Warp& warp) const;

  const CheckContext& context_;
  ThreadBlock& block_;
  std::vector<std::map<LaneMask, Gathering>> gatherings_;      ///< Per warp, by the mask.
  std::array<std::optional<ThreadAt>, barrier_count> last_{};  ///< Who arrived at a barrier last.
};

}  // namespace lockstep::exec
