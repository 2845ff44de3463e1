#pragma once
// Which thread blocks of a launch have written words of global memory for others to see.

#include <cstdint>
#include <memory>
#include <vector>

#include "isa/exec/memory/device_memory.hpp"

namespace lockstep::exec {

/// Per word of 4 bytes: nobody, one thread block, or several. Memory is taken for the allocations that are written, the
/// host's for the pages that are.
class WordWriters {
 public:
  void write(const Allocation& allocation, std::uint64_t address, std::uint32_t bytes, std::uint64_t block);
  /// Whether another thread block than `block` has written one of the words.
  bool written_by_other(const Allocation& allocation, std::uint64_t address, std::uint32_t bytes,
                        std::uint64_t block) const;

 private:
  struct Free {
    void operator()(std::uint32_t* words) const;
  };
  struct Written {
    const Allocation* allocation;
    std::unique_ptr<std::uint32_t[], Free> writers;  ///< See writer_of.
  };
  std::vector<Written> written_;  ///< Few.
};

}  // namespace lockstep::exec
