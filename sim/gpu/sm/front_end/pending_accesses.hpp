#pragma once
// The memory accesses of an SM's warps that are in flight: what becomes ready when one completes.

#include <cstdint>
#include <vector>

#include "isa/cycle.hpp"

namespace lockstep::gpu {

class PendingAccesses {
 public:
  struct Access {
    std::uint32_t warp = 0, instruction = 0;
    std::uint64_t generation = 0;  ///< Of the warp.
    Cycle operands = 0;            ///< What the register file was late.
    std::uint32_t copy = 0;        ///< Of an asynchronous copy: its number in the CopyUnit.
  };

  void begin_launch() {
    entries_.clear();
    free_ = none;
  }
  /// Returns the access's token.
  std::uint32_t add(const Access& access) {
    std::uint32_t token = free_;
    if (token == none) {
      token = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      free_ = entries_[token].next_free;
    }
    entries_[token] = {access, none};
    return token;
  }
  /// Whether the token is one of these.
  bool holds(std::uint32_t token) const { return token < entries_.size(); }
  const Access& at(std::uint32_t token) const { return entries_[token].access; }
  /// The access with this token has completed.
  Access take(std::uint32_t token) {
    entries_[token].next_free = free_;
    free_ = token;
    return entries_[token].access;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Entry {
    Access access;
    std::uint32_t next_free = none;
  };
  std::vector<Entry> entries_;
  std::uint32_t free_ = none;
};

}  // namespace lockstep::gpu
