#pragma once
// Lines of a text file of any size, plain or xz-compressed.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isa/error.hpp"
#include "isa/trace/posix_file.hpp"

namespace lockstep::accelsim {

/// Reads a file from its beginning, line by line, through a buffer. Whether it is compressed its first bytes say.
class TextFile {
 public:
  /// InputError when there is no such file.
  explicit TextFile(const std::string& path);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  /// The next line without its end, valid until the next call; false at the end of the file. InputError for a line that is
  /// longer than any trace has, or damaged compression.
  bool next_line(std::string_view& line);
  /// The next line comes again.
  void unread() { again_ = true; }

  /// Where a line begins, in the text.
  struct Position {
    std::uint64_t offset = 0, line = 0;
  };
  /// Of the line that next_line() returned last.
  Position position() const { return {buffer_offset_ + line_begin_, line_number_}; }
  /// next_line() returns the line at `position` next. Text that is compressed goes to a temporary file first.
  void seek(const Position& position);

  const std::string& path() const { return path_; }
  std::uint64_t line_number() const { return line_number_; }
  /// Bytes of the file read so far, as it lies on the disk.
  std::uint64_t bytes_read() const { return file_offset_; }
  /// InputError at the line that was read last. `at` is a part of that line, or what begins behind it; empty data: no column.
  [[noreturn]] void fail(std::string_view at, std::string_view message) const;
  [[noreturn]] void fail(std::string_view message) const { fail({}, message); }

 private:
  struct Decoder;
  bool refill();
  std::size_t read_text(char* to, std::size_t room);
  void unpack();

  std::string path_;
  trace::PosixFile file_;
  std::unique_ptr<Decoder> decoder_;  ///< Of compressed text.
  std::uint64_t file_offset_ = 0;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< Of what is not yet read, in the buffer.
  std::uint64_t buffer_offset_ = 0;  ///< Of the buffer's first byte, in the text.
  std::size_t line_begin_ = 0, line_size_ = 0;
  std::uint64_t line_number_ = 0;
  bool at_end_ = false, again_ = false;
};

}  // namespace lockstep::accelsim
