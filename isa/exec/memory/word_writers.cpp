#include "isa/exec/memory/word_writers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "isa/error.hpp"

namespace lockstep::exec {

namespace {

constexpr std::uint64_t word_bytes = 4;
constexpr std::uint32_t nobody = 0, several = ~std::uint32_t{0};

/// A thread block as a number that is neither nobody nor several. Blocks 2^32 - 2 apart are one; no grid that can be
/// executed has as many.
std::uint32_t writer_of(std::uint64_t block) {
  return static_cast<std::uint32_t>(block % (several - 1)) + 1;
}

}  // namespace

void WordWriters::Free::operator()(std::uint32_t* words) const {
  std::free(words);
}

void WordWriters::write(const Allocation& allocation, std::uint64_t address, std::uint32_t bytes, std::uint64_t block) {
  auto found = std::find_if(written_.begin(), written_.end(),
                            [&](const Written& written) { return written.allocation == &allocation; });
  if (found == written_.end()) {
    // calloc leaves untouched pages unmapped.
    auto* words = static_cast<std::uint32_t*>(std::calloc(allocation.size / word_bytes + 1, sizeof(std::uint32_t)));
    if (words == nullptr) throw ResourceError(fmt::format("no memory for the writers of '{}'", allocation.name));
    written_.push_back({&allocation, std::unique_ptr<std::uint32_t[], Free>(words)});
    found = written_.end() - 1;
  }
  const std::uint64_t first = (address - allocation.base) / word_bytes;
  const std::uint64_t last = (address - allocation.base + bytes - 1) / word_bytes;
  for (std::uint64_t word = first; word <= last; ++word) {
    std::uint32_t& writer = found->writers[word];
    writer = writer == nobody || writer == writer_of(block) ? writer_of(block) : several;
  }
}

bool WordWriters::written_by_other(const Allocation& allocation, std::uint64_t address, std::uint32_t bytes,
                                   std::uint64_t block) const {
  for (const Written& written : written_) {
    if (written.allocation != &allocation) continue;
    const std::uint64_t first = (address - allocation.base) / word_bytes;
    const std::uint64_t last = (address - allocation.base + bytes - 1) / word_bytes;
    return std::any_of(&written.writers[first], &written.writers[last] + 1,
                       [&](std::uint32_t writer) { return writer != nobody && writer != writer_of(block); });
  }
  return false;
}

}  // namespace lockstep::exec
