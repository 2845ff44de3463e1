#pragma once
// A launch: one kernel's file read twice, first for what it holds, then for its streams.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "isa/accelsim/code.hpp"
#include "isa/accelsim/kernel.hpp"
#include "isa/accelsim/source.hpp"
#include "isa/accelsim/warp_lines.hpp"
#include "isa/trace/recorder.hpp"

namespace lockstep::accelsim {

/// The bytes of a thread block's scratchpad memory, or of a thread's local memory, that are accessed.
struct ByteRange {
  std::uint64_t first = ~std::uint64_t{0}, end = 0;
  void include(std::uint64_t byte, std::uint64_t bytes) {
    if (byte < first) first = byte;
    if (byte + bytes > end) end = byte + bytes;
  }
  bool empty() const { return end == 0; }
};

/// What the first reading finds.
struct LaunchContents {
  KernelHeader header;
  ByteRange shared, local;
  /// Thread blocks that stand in the file in order: number of the first -> how many, and where they begin.
  struct Run {
    std::uint64_t blocks = 0;
    TextFile::Position begin;
  };
  std::map<std::uint64_t, Run> runs;

  /// What is subtracted from scratchpad addresses: from compute capability 9.0 on the first 1,024 bytes are the system's.
  std::uint64_t shared_shift() const {
    constexpr std::uint64_t of_system = 1024;
    return header.binary_version >= 90 && !shared.empty() && shared.first >= of_system ? of_system : 0;
  }
  /// The same of local addresses: stacks begin at the end of their window.
  std::uint64_t local_shift() const { return local.empty() ? 0 : local.first / 16 * 16; }
  std::uint32_t scratchpad_bytes() const;
  std::uint32_t local_bytes() const {
    return local.empty() ? 0 : static_cast<std::uint32_t>(local.end - local_shift());
  }
};

/// Called with the bytes of a file read so far, at each thread block.
using FileProgress = std::function<void(std::uint64_t)>;

/// Reads a kernel's file into the code of its kernel, checks that each thread block of the grid is there once, and counts.
/// `code_of`: the Code for the kernel's name.
LaunchContents read_contents(const std::string& path, const std::function<Code&(const std::string&)>& code_of,
                             Summary& summary, const FileProgress& progress);

/// The second reading. Thread blocks are opened in increasing order.
class LaunchReader {
 public:
  LaunchReader(const std::string& path, const LaunchContents& contents, Code& code, const ImportedKernel& kernel);
  std::unique_ptr<trace::ThreadBlockStreams> open(std::uint64_t number);
  std::uint64_t bytes_read() { return file_.text().bytes_read(); }

 private:
  void record(const Step& step);
  void place(const CodeInstruction& i, LaneAddresses& access, program::MemorySpace space) const;
  void flush(std::uint32_t warp, trace::Recorder& recorder);

  KernelFile file_;
  const LaunchContents& contents_;
  AddressSpaces spaces_;
  Code& code_;
  const ImportedKernel& kernel_;
  std::uint64_t next_ = ~std::uint64_t{0};  ///< The thread block that the file has next, of its run.
  // The basic block that a warp is in.
  std::uint32_t block_ = program::no_block, last_place_ = 0;
  bool lanes_known_ = false;
  std::uint32_t lanes_ = 0, access_lanes_ = 0;
  std::vector<LaneAddresses> accesses_;
};

}  // namespace lockstep::accelsim
