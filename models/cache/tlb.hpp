#pragma once

#include <cstdint>

#include "models/cache/tag_array.hpp"

namespace lockstep::cache {

/// The pages whose translation is known. With 0 entries every one is.
class Tlb {
 public:
  explicit Tlb(const TlbSpec& spec)
      : page_bytes_(spec.page_bytes), pages_(spec.entries, spec.ways, "mod", spec.replacement) {}

  std::uint64_t page_of(std::uint64_t address) const { return address / page_bytes_; }
  /// Whether the page of an address is known; a use of its entry.
  bool lookup(std::uint64_t address) { return pages_.capacity() == 0 || pages_.lookup(page_of(address)) != 0; }
  /// The translation of an address has arrived.
  void fill(std::uint64_t address) {
    if (pages_.capacity() != 0) pages_.fill(page_of(address), 1);
  }

 private:
  std::uint64_t page_bytes_;
  TagArray pages_;
};

}  // namespace lockstep::cache
