#include "isa/exec/checks/initialized.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/exec/checks/checked_kernel.hpp"

namespace lockstep::exec {

namespace {

/// Behind the last byte, so that the widest access can be looked at from any of them.
constexpr std::size_t slack = 32;

/// Zero when all bytes are written.
std::uint64_t unwritten(const std::uint8_t* written, std::uint32_t bytes) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  std::uint64_t found = 0, missing = 0;
  for (; bytes > 8; bytes -= 8, written += 8) {
    std::memcpy(&found, written, 8);
    missing |= ones & ~found;
  }
  std::memcpy(&found, written, 8);
  return missing | (ones >> (64 - 8 * bytes) & ~found);
}

}  // namespace

InitializedBytes::InitializedBytes(const CheckContext& context, ThreadBlock& block)
    : context_(context),
      local_bytes_(context.kernel.checked->local_array_bytes),
      shared_(block.shared_bytes() + slack),
      local_(local_bytes_ * lanes * block.warp_count() + slack) {}

void InitializedBytes::begin() {
  std::fill(shared_.begin(), shared_.end(), std::uint8_t{0});
  std::fill(local_.begin(), local_.end(), std::uint8_t{0});
}

void InitializedBytes::access(const Warp& warp, const Op& op, const MemoryAccess& access, bool reads, LaneMask mask) {
  if (access.space == ptx::Space::shared) {
    const std::uint64_t size = shared_.size() - slack;
    std::uint64_t missing = 0;
    // What lies outside is an error of the access itself.
    for_each_lane(mask, [&](unsigned lane) {
      missing |= unwritten(shared_.data() + std::min(warp.address[lane], size), access.bytes);
    });
    if (missing == 0) return;
  }
  for_each_lane(mask, [&](unsigned lane) { lane_access(warp, op, access, reads, lane); });
}

void InitializedBytes::write_shared(std::uint64_t offset, std::uint32_t bytes) {
  // The reserved memory, behind the kernel's, counts as written.
  if (offset < shared_.size() - slack) std::fill_n(&shared_[offset], bytes, std::uint8_t{1});
}

void InitializedBytes::lane_access(const Warp& warp, const Op& op, const MemoryAccess& access, bool reads,
                                   unsigned lane) {
  const Located at = locate(access, warp.address[lane]);
  const bool is_shared = at.space == ptx::Space::shared;
  if (!is_shared && at.space != ptx::Space::local) return;
  const std::uint64_t size = is_shared ? shared_.size() - slack : local_bytes_;
  if (size < access.bytes || at.address > size - access.bytes) return;  // An error of the access, or a param variable.
  std::uint8_t* const written =
      is_shared ? &shared_[at.address] : &local_[(std::uint64_t{warp.index} * lanes + lane) * size + at.address];
  if (reads && unwritten(written, access.bytes) != 0) {
    context_.report(Check::init, 0, context_.thread(warp, op, lane), nullptr, [&](Finding& finding) {
      const auto first = static_cast<std::uint64_t>(std::find(written, written + access.bytes, 0) - written);
      finding.what = fmt::format("{} of {} byte{} reads memory that nothing has written", access.kind, access.bytes,
                                 access.bytes == 1 ? "" : "s");
      finding.place.target = context_.name({at.space, at.address + first});
      finding.remedy = is_shared ? "write it first, in every thread block: scratchpad memory begins with any contents"
                                 : "write it first, in every thread: local memory begins with any contents";
    });
  }
  if (access.writes) std::fill_n(written, access.bytes, std::uint8_t{1});
}

}  // namespace lockstep::exec
