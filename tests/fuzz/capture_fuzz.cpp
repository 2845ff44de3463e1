// libFuzzer entry: whatever a log of instrumented kernels consists of, importing it ends in a valid trace whose thread blocks can be
// read, or in an InputError. The input is a log without its last line, which has the checksum.

#include <algorithm>
#include <boost/crc.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "isa/capture/source.hpp"
#include "isa/error.hpp"
#include "isa/trace/header_codec.hpp"
#include "isa/trace/stream.hpp"
#include "tests/fuzz/input_as_file.hpp"

namespace {

using namespace lockstep;

constexpr std::uint64_t most_blocks = 64;

void read_all(trace::Source& source) {
  const trace::Header& header = source.header();
  if (!trace::header_problem(header).empty()) return;  // The trace's writer refuses it.
  trace::BlockEntry entry;
  trace::AccessEntry access;
  for (std::uint32_t n = 0; n < header.launches.size(); ++n) {
    const trace::Launch& launch = header.launches[n];
    const program::Kernel& kernel = header.kernels[launch.kernel];
    for (std::uint64_t number = 0; number < std::min(launch.thread_blocks(), most_blocks); ++number) {
      const auto streams = source.open(n, number);
      for (std::uint32_t warp = 0; warp < launch.warps_per_block(); ++warp) {
        trace::StreamCursor cursor(streams->warp(warp), static_cast<std::uint32_t>(kernel.blocks.size()));
        while (cursor.next_block(entry)) {
          const program::StaticBlock& block = kernel.blocks[entry.block];
          for (std::uint32_t i = block.first; i < block.first + block.count; ++i)
            for (std::uint32_t k = program::access_entries(kernel.instructions[i]); k > 0; --k)
              cursor.next_access(access);
        }
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  boost::crc_32_type crc;
  crc.process_bytes(data, size);
  const std::string log =
      std::string(reinterpret_cast<const char*>(data), size) + fmt::format("end {:08x}\n", crc.checksum());
  try {
    capture::CaptureSource source(fuzz::as_file(log.data(), log.size()));
    read_all(source);
  } catch (const InputError&) {
  }
  return 0;
}
