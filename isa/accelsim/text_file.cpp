#include "isa/accelsim/text_file.hpp"

#include <fmt/format.h>
#include <lzma.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

namespace lockstep::accelsim {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18, most_line_bytes = std::size_t{1} << 16;
constexpr std::size_t input_bytes = std::size_t{1} << 18;
/// Of the decoder: `xz -9` needs 65 MiB.
constexpr std::uint64_t most_decoder_bytes = std::uint64_t{512} << 20;
constexpr std::array<unsigned char, 6> xz_magic{0xfd, '7', 'z', 'X', 'Z', 0};

}  // namespace

struct TextFile::Decoder {
  Decoder() : input(input_bytes) {
    if (lzma_stream_decoder(&stream, most_decoder_bytes, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }
  ~Decoder() { lzma_end(&stream); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  lzma_stream stream = LZMA_STREAM_INIT;
  std::vector<std::byte> input;
};

TextFile::TextFile(const std::string& path) : path_(path), file_(trace::PosixFile::open_for_reading(path)) {
  std::array<std::byte, xz_magic.size()> first{};
  const std::size_t count = file_.read_at(0, first);
  if (count == first.size() && std::memcmp(first.data(), xz_magic.data(), count) == 0)
    decoder_ = std::make_unique<Decoder>();
  buffer_.resize(buffer_bytes);
}

TextFile::~TextFile() = default;

void TextFile::fail(std::string_view at, std::string_view message) const {
  const char* line = buffer_.data() + line_begin_;
  const bool inside = at.data() != nullptr && at.data() >= line && at.data() <= line + line_size_;
  throw InputError(
      SourceLocation{path_, static_cast<int>(line_number_), inside ? static_cast<int>(at.data() - line) + 1 : 0},
      message);
}

std::size_t TextFile::read_text(char* to, std::size_t room) {
  if (decoder_ == nullptr) {
    const std::size_t count = file_.read_at(file_offset_, {reinterpret_cast<std::byte*>(to), room});
    file_offset_ += count;
    return count;
  }
  lzma_stream& stream = decoder_->stream;
  stream.next_out = reinterpret_cast<std::uint8_t*>(to);
  stream.avail_out = room;
  while (stream.avail_out == room) {
    bool last = false;
    if (stream.avail_in == 0) {
      const std::size_t count = file_.read_at(file_offset_, decoder_->input);
      file_offset_ += count;
      stream.next_in = reinterpret_cast<const std::uint8_t*>(decoder_->input.data());
      stream.avail_in = count;
      last = count == 0;
    }
    const lzma_ret result = lzma_code(&stream, last ? LZMA_FINISH : LZMA_RUN);
    if (result == LZMA_STREAM_END) break;
    if (result == LZMA_MEM_ERROR || result == LZMA_MEMLIMIT_ERROR)
      throw ResourceError(fmt::format("{}: no memory to decompress it", path_));
    if (result == LZMA_BUF_ERROR)
      throw InputError(fmt::format("{}: the compressed text ends too early, after line {}", path_, line_number_));
    if (result != LZMA_OK)
      throw InputError(fmt::format("{}: the compressed text is damaged, behind line {}", path_, line_number_));
  }
  return room - stream.avail_out;
}

/// Keeps what is not yet read and reads on. False when nothing more comes.
bool TextFile::refill() {
  if (at_end_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  buffer_offset_ += begin_;
  end_ -= begin_;
  begin_ = 0;
  const std::size_t count = read_text(buffer_.data() + end_, buffer_.size() - end_);
  end_ += count;
  at_end_ = count == 0;
  return !at_end_;
}

bool TextFile::next_line(std::string_view& line) {
  if (again_) {
    again_ = false;
    line = {buffer_.data() + line_begin_, line_size_};
    return true;
  }
  std::size_t searched = 0;
  for (;;) {
    const char* const from = buffer_.data() + begin_;
    const void* const found = std::memchr(from + searched, '\n', end_ - begin_ - searched);
    if (found != nullptr || (at_end_ && begin_ != end_)) {
      std::size_t size =
          found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - from) : end_ - begin_;
      line_begin_ = begin_;
      begin_ += size + (found != nullptr ? 1 : 0);
      if (size > 0 && from[size - 1] == '\r') --size;
      line_size_ = size;
      ++line_number_;
      line = {from, size};
      return true;
    }
    searched = end_ - begin_;
    if (searched > most_line_bytes) {
      ++line_number_;
      line_begin_ = begin_;
      line_size_ = 0;
      fail(fmt::format("a line of more than {} bytes; no trace has one", most_line_bytes));
    }
    if (!refill() && begin_ == end_) return false;
  }
}

/// The text as a temporary file, of which any part can be read.
void TextFile::unpack() {
  trace::PosixFile text = trace::PosixFile::create_anonymous();
  decoder_ = std::make_unique<Decoder>();
  file_offset_ = 0;
  std::uint64_t size = 0;
  while (const std::size_t count = read_text(buffer_.data(), buffer_.size())) {
    text.write_at(size, {reinterpret_cast<const std::byte*>(buffer_.data()), count});
    size += count;
  }
  decoder_.reset();
  file_ = std::move(text);
}

void TextFile::seek(const Position& position) {
  const std::uint64_t buffered = buffer_offset_ + end_;
  again_ = false;
  if (position.offset < buffer_offset_ || position.offset > buffered) {
    if (decoder_ != nullptr) unpack();
    begin_ = end_ = 0;
    buffer_offset_ = file_offset_ = position.offset;
    at_end_ = false;
  } else {
    begin_ = static_cast<std::size_t>(position.offset - buffer_offset_);
  }
  line_begin_ = begin_;
  line_size_ = 0;
  line_number_ = position.line - 1;
}

}  // namespace lockstep::accelsim
