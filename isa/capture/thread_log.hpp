#pragma once
// The records of one thread, one after the other.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/capture/kernel_code.hpp"
#include "isa/capture/log_file.hpp"

namespace lockstep::capture {

/// Which thread it is, for messages.
struct ThreadPlace {
  std::uint32_t launch = 0;
  std::uint64_t thread_block = 0;
  std::uint32_t thread = 0;  ///< Of its thread block.
};

class ThreadLog {
 public:
  /// Records of `words` words from byte `offset` on.
  void begin(const LogFile& file, const KernelCode& code, std::uint64_t offset, std::uint64_t words, ThreadPlace place);

  /// Goes to the next record. Its block is then a block of the program, its words are as many as the block has.
  void next();
  bool ended() const { return ended_; }
  std::uint32_t block() const { return block_; }  ///< Of the program; ptx::no_index at the end.
  /// All words of the record, valid until the next.
  std::span<const std::uint64_t> words() const { return {buffer_.data() + at_, count_}; }
  /// InputError at the record.
  [[noreturn]] void fail(std::string_view message) const;

 private:
  void fill(std::size_t words);

  const LogFile* file_ = nullptr;
  const KernelCode* code_ = nullptr;
  ThreadPlace place_;
  std::uint64_t offset_ = 0, left_ = 0;  ///< In the file, of what is not yet in the buffer.
  std::vector<std::uint64_t> buffer_;
  std::size_t at_ = 0, count_ = 0;
  std::uint32_t block_ = ptx::no_index;
  bool ended_ = true;
};

}  // namespace lockstep::capture
