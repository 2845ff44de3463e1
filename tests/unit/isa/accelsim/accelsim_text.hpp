#pragma once
// Writes traces as Accel-Sim's tracer does, from programs that a test knows by hand.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "isa/program/static_program.hpp"

namespace lockstep::test {

/// Addresses in mode 0: of each active lane.
inline std::string each(std::uint32_t mask, const std::uint64_t* address) {
  std::string text = "0";
  for (int lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) != 0) text += fmt::format(" {:#x}", address[lane]);
  return text;
}
/// In mode 1: of lanes side by side.
inline std::string strided(std::uint64_t base, std::int64_t stride) {
  return fmt::format("1 {:#x} {}", base, stride);
}

/// A kernel's file, written thread block by thread block.
class AccelsimText {
 public:
  std::string name = "kernel";
  program::Dim3 grid{1, 1, 1}, block{32, 1, 1};
  std::uint32_t scratchpad_bytes = 0, registers = 16, binary_version = 70, tracer_version = 4;
  std::string shared_base = "0x00007f5000000000", local_base = "0x00007f6000000000";
  bool source_lines = false;

  /// Begins a thread block.
  void thread_block(std::uint32_t x, std::uint32_t y = 0, std::uint32_t z = 0) {
    if (open_) body_ += "#END_TB\n\n";
    body_ += fmt::format("#BEGIN_TB\n\nthread block = {},{},{}\n\n", x, y, z);
    open_ = true;
  }
  void warp(std::uint32_t number, const std::vector<std::string>& lines) {
    body_ += fmt::format("warp = {}\ninsts = {}\n", number, lines.size());
    for (const std::string& line : lines) body_ += line + "\n";
    body_ += "\n";
  }
  /// The file; without `#END_TB` of the last thread block when that is not to be closed.
  std::string text() const {
    std::string header = fmt::format(
        "-kernel name = {}\n-kernel id = 1\n-grid dim = ({},{},{})\n-block dim = ({},{},{})\n-shmem = {}\n-nregs = {}\n"
        "-binary version = {}\n-cuda stream id = 0\n-shmem base_addr = {}\n-local mem base_addr = {}\n-nvbit version = "
        "1.5\n",
        name, grid[0], grid[1], grid[2], block[0], block[1], block[2], scratchpad_bytes, registers, binary_version,
        shared_base, local_base);
    const bool old = tracer_version < 3;
    if (!old)
      header +=
          fmt::format("-accelsim tracer version = {}\n-enable lineinfo = {}\n", tracer_version, int{source_lines});
    header += fmt::format(
        "\n#traces format = {}PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
        "[adrrescompress?] [mem_addresses]\n\n",
        old ? "threadblock_x threadblock_y threadblock_z warpid_tb " : "");
    return header + body_ + (open_ ? "#END_TB\n" : "");
  }

 private:
  std::string body_;
  bool open_ = false;
};

}  // namespace lockstep::test
