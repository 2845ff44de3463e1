#pragma once
// In which order the SMs are given the first thread blocks of a kernel.

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::gpu {

struct DispatchSpec {
  std::string gpcs;                 ///< SMs of each GPC (graphics processing cluster), as "8 16 18"; "": all in one.
  std::uint32_t first_gpc_turns{};  ///< Of the others between two of the first; 0: it has one like them.
};

/// The numbers in the text. InputError unless all are positive.
std::vector<std::uint32_t> parse_gpcs(const std::string& text);

/// GPCs have turns. In each of them every SM of the GPC is given a thread block, if it has room. The SMs are numbered GPC by
/// GPC; those behind the last GPC belong to it.
class DispatchOrder {
 public:
  /// `sms`: of those of the GPU, the first.
  DispatchOrder(const DispatchSpec& spec, std::uint32_t sms);
  /// The next SM; without end.
  std::uint32_t next();

 private:
  struct Gpc {
    std::uint32_t begin, end;  ///< SMs.
  };
  void end_turn();

  std::vector<Gpc> gpcs_;
  std::uint32_t turns_;             ///< Between two of the first GPC; 0: as the others.
  std::uint32_t left_;              ///< Until the next one.
  std::size_t gpc_ = 0, last_ = 0;  ///< Whose turn it is, and whose it was last of those but the first.
  std::uint32_t sm_ = 0;            ///< The next one.
};

}  // namespace lockstep::gpu
