#pragma once
// Imports a trace that a test has written, and reads back what became of it.

#include <string>
#include <vector>

#include "isa/accelsim/source.hpp"
#include "isa/trace/stream.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/unit/isa/accelsim/accelsim_text.hpp"

namespace lockstep::test {

/// One executed instruction of an imported warp.
struct Executed {
  std::string mnemonic;
  std::uint32_t block_mask = 0;
  std::vector<trace::AccessEntry> accesses;
};

inline std::vector<Executed> executed(trace::Source& source, std::uint32_t launch, std::uint64_t number,
                                      std::uint32_t warp) {
  const program::Kernel& kernel = source.header().kernels[source.header().launches[launch].kernel];
  const auto streams = source.open(launch, number);
  trace::StreamCursor cursor(streams->warp(warp), static_cast<std::uint32_t>(kernel.blocks.size()));
  std::vector<Executed> all;
  trace::BlockEntry entry;
  while (cursor.next_block(entry)) {
    const program::StaticBlock& block = kernel.blocks[entry.block];
    for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
      const program::StaticInstruction& s = kernel.instructions[n];
      Executed& one = all.emplace_back(Executed{kernel.strings[s.mnemonic], entry.mask, {}});
      for (std::uint32_t k = 0; k < program::access_entries(s); ++k) cursor.next_access(one.accesses.emplace_back());
    }
  }
  return all;
}

/// The file of one kernel as a source.
struct Imported {
  explicit Imported(const std::string& text, accelsim::ImportOptions options = {})
      : source(folder.write("kernel-1.traceg", text), std::move(options)) {}
  TemporaryFolder folder;
  accelsim::AccelsimSource source;
  const program::Kernel& kernel() const { return source.header().kernels[0]; }
};

/// A kernel of one warp.
inline AccelsimText one_warp(const std::vector<std::string>& lines) {
  AccelsimText text;
  text.thread_block(0);
  text.warp(0, lines);
  return text;
}

}  // namespace lockstep::test
