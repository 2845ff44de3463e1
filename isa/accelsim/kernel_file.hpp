#pragma once
// A kernel's file: its header, and its lines thread block by thread block and warp by warp.

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/accelsim/text_file.hpp"
#include "isa/program/static_program.hpp"

namespace lockstep::accelsim {

/// What the lines "-key = value" say.
struct KernelHeader {
  std::string name;
  program::Dim3 grid{0, 0, 0}, block{0, 0, 0};
  std::uint32_t scratchpad_bytes = 0;  ///< Static and dynamic, per thread block.
  std::uint32_t registers = 0;         ///< Per thread.
  std::uint32_t binary_version = 0;    ///< 70 for compute capability 7.0.
  std::uint64_t stream = 0, shared_base = 0, local_base = 0;
  std::uint32_t tracer_version = 0;
  bool has_source_lines = false;
  bool lines_name_warps = false;  ///< Before tracer version 3: thread block and warp in front of each instruction.

  std::uint64_t thread_blocks() const { return program::volume(grid); }
  std::uint32_t warps() const { return static_cast<std::uint32_t>((program::volume(block) + 31) / 32); }
};

/// An instruction's line, as far as every line has it.
struct InstructionLine {
  std::uint32_t source_line = 0;  ///< 0 when the trace has none.
  std::uint32_t pc = 0, mask = 0;
  std::string_view rest;  ///< From the number of destination registers on.
};

/// Reads a file from its beginning. Every error names file, line and what was expected.
class KernelFile {
 public:
  explicit KernelFile(const std::string& path);

  const KernelHeader& header() const { return header_; }
  TextFile& text() { return text_; }

  /// The next thread block, by its number (x fastest); false at the end of the file.
  bool next_thread_block(std::uint64_t& number);
  /// Where the thread block begins that next_thread_block() returned last.
  TextFile::Position block_position() const { return block_position_; }
  void seek(const TextFile::Position& position) { text_.seek(position); }
  /// The next warp of the thread block and how many instruction lines follow; false at its end.
  bool next_warp(std::uint32_t& warp, std::uint64_t& instructions);
  /// One of those lines.
  void next_instruction(InstructionLine& line);

 private:
  void read_header();
  void read_value(std::string_view key, std::string_view value);
  /// The next line that is not empty; the end of the file is an error there.
  std::string_view expect_line(std::string_view what);

  TextFile text_;
  KernelHeader header_;
  TextFile::Position block_position_;
};

}  // namespace lockstep::accelsim
