// libFuzzer entry: whatever a trace of Accel-Sim consists of, importing it ends in a valid trace whose thread blocks can be read
// and whose kernels can be lowered, or in an InputError.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "isa/accelsim/source.hpp"
#include "isa/error.hpp"
#include "isa/machine/lowering.hpp"
#include "isa/trace/header_codec.hpp"
#include "isa/trace/stream.hpp"
#include "tests/fuzz/input_as_file.hpp"

namespace {

using namespace lockstep;

void read_all(trace::Source& source) {
  const trace::Header& header = source.header();
  if (!trace::header_problem(header).empty()) std::abort();
  const program::Kernel& kernel = header.kernels[0];
  for (const std::string& set : machine::instruction_sets())
    machine::lower(kernel, {set, machine::ScratchpadAtomics::lock_loop});
  trace::BlockEntry entry;
  trace::AccessEntry access;
  for (std::uint64_t number = 0; number < header.launches[0].thread_blocks(); ++number) {
    const auto streams = source.open(0, number);
    for (std::uint32_t warp = 0; warp < header.launches[0].warps_per_block(); ++warp) {
      trace::StreamCursor cursor(streams->warp(warp), static_cast<std::uint32_t>(kernel.blocks.size()));
      while (cursor.next_block(entry)) {
        const program::StaticBlock& block = kernel.blocks[entry.block];
        for (std::uint32_t n = block.first; n < block.first + block.count; ++n)
          for (std::uint32_t k = program::access_entries(kernel.instructions[n]); k > 0; --k)
            cursor.next_access(access);
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    accelsim::AccelsimSource source(fuzz::as_file(data, size), {});
    read_all(source);
  } catch (const InputError&) {
  }
  return 0;
}
