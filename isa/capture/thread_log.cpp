#include "isa/capture/thread_log.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::capture {

namespace {

constexpr std::size_t buffer_words = 1024;

}  // namespace

void ThreadLog::begin(const LogFile& file, const KernelCode& code, std::uint64_t offset, std::uint64_t words,
                      ThreadPlace place) {
  file_ = &file;
  code_ = &code;
  place_ = place;
  offset_ = offset;
  left_ = words;
  buffer_.clear();
  at_ = count_ = 0;
  ended_ = false;
  next();
}

void ThreadLog::fail(std::string_view message) const {
  file_->fail(offset_ - 8 * (buffer_.size() - at_),
              fmt::format("launch {}, thread block {}, thread {}: {}", place_.launch, place_.thread_block,
                          place_.thread, message));
}

/// At least so many words from `at_` on in the buffer.
void ThreadLog::fill(std::size_t words) {
  if (buffer_.size() - at_ >= words) return;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
  at_ = 0;
  if (words - buffer_.size() > left_) fail("a record ends behind the thread's records");
  const std::size_t held = buffer_.size();
  const std::size_t more =
      static_cast<std::size_t>(std::min<std::uint64_t>(left_, std::max(buffer_words, words) - held));
  buffer_.resize(held + more);
  file_->read(offset_, std::as_writable_bytes(std::span(buffer_).subspan(held)));
  offset_ += 8 * more;
  left_ -= more;
}

void ThreadLog::next() {
  at_ += count_;
  count_ = 0;
  block_ = ptx::no_index;
  if (at_ == buffer_.size() && left_ == 0) {
    ended_ = true;
    return;
  }
  fill(1);
  const std::uint64_t head = buffer_[at_];
  const std::uint64_t number = head & 0xffff'ffff;
  if (number == 0 || number > code_->block_in_program.size() || code_->block_in_program[number - 1] == ptx::no_index)
    fail(fmt::format("expected the record of a basic block of kernel '{}', not the word {:#x}", code_->statics.name,
                     head));
  const std::uint32_t block = code_->block_in_program[number - 1];
  const std::uint32_t words = code_->blocks[block].words;
  if (head >> 32 != words) fail(fmt::format("expected {} words of basic block {}, not {}", words, block, head >> 32));
  fill(words);
  block_ = block;
  count_ = words;
}

}  // namespace lockstep::capture
