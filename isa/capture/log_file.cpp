#include "isa/capture/log_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <charconv>
#include <cstring>

#include "isa/error.hpp"
#include "isa/input_file.hpp"

namespace lockstep::capture {

namespace {

constexpr std::string_view first_line = "lockstep-capture 1";
constexpr std::size_t last_line_bytes = 13;  ///< "end ", eight digits, a line break.
constexpr std::size_t most_line_bytes = std::size_t{64} << 10;
constexpr std::uint64_t most_header_words = std::uint64_t{1} << 20;
constexpr std::uint32_t most_threads = 1024;
constexpr program::Dim3 most_blocks{0x7fff'ffff, 65535, 65535};

/// Cuts off the first word.
std::string_view word_of(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

template <class Number>
bool number_of(std::string_view word, Number& value, int base = 10) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  return error == std::errc{} && end == word.data() + word.size() && !word.empty();
}

}  // namespace

LogFile::LogFile(const std::string& path, const std::function<void(std::uint64_t, std::uint64_t)>& progress)
    : path_(path), file_(trace::PosixFile::open_for_reading(path)), bytes_(file_.size()) {
  std::string beginning(first_line.size(), '\0');
  if (bytes_ < first_line.size() + 1 + last_line_bytes)
    fail(bytes_, "the file ends: expected a log of instrumented kernels");
  read(0, std::as_writable_bytes(std::span(beginning)));
  if (beginning != first_line)
    fail(0, fmt::format("expected \"{}\", with which the log of instrumented kernels begins", first_line));
  check_sum(progress);
  at_ = first_line.size();
  expect_line_break();
  while (at_ < body_) {
    const std::uint64_t offset = at_;
    take_line(line(), offset);
  }
  if (launches_.empty()) fail(body_, "expected a launch: the log has none");
  for (const auto& [launch, count] : registers_)
    if (launch < launches_.size()) launches_[launch].registers_per_thread = count;
}

void LogFile::fail(std::uint64_t offset, std::string_view message) const {
  throw InputError(SourceLocation{path_}, fmt::format("byte {}: {}", offset, message));
}

void LogFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (file_.read_at(offset, bytes) != bytes.size()) fail(bytes_, "the file ends, though it was longer before");
}

/// The last line has the CRC-32 of all others.
void LogFile::check_sum(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  body_ = bytes_ - last_line_bytes;
  std::string last(last_line_bytes, '\0');
  read(body_, std::as_writable_bytes(std::span(last)));
  std::uint32_t stated = 0;
  if (!last.starts_with("end ") || last.back() != '\n' || !number_of(std::string_view(last).substr(4, 8), stated, 16))
    fail(body_, "expected \"end\" and a checksum: the log was cut off, or the program that wrote it did not finish");
  boost::crc_32_type crc;
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  for (std::uint64_t at = 0; at < body_; at += buffer.size()) {
    const auto part =
        std::span(buffer).first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), body_ - at)));
    read(at, part);
    crc.process_bytes(part.data(), part.size());
    if (progress) progress(at, bytes_);
  }
  if (crc.checksum() != stated)
    fail(body_, fmt::format("the log is damaged: its checksum is {:08x}, expected {:08x}", crc.checksum(), stated));
}

/// The line that begins at `at_`, which goes behind it. Valid until the next call.
std::string_view LogFile::line() {
  const auto find = [&] {
    const std::size_t from = static_cast<std::size_t>(at_ - buffer_offset_);
    return buffer_.find('\n', from);
  };
  if (at_ < buffer_offset_ || at_ >= buffer_offset_ + buffer_.size() || find() == std::string::npos) {
    buffer_offset_ = at_;
    buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(most_line_bytes, body_ - at_)));
    read(at_, std::as_writable_bytes(std::span(buffer_)));
  }
  const std::size_t end = find();
  if (end == std::string::npos) fail(at_, "expected a line of text");
  const std::size_t from = static_cast<std::size_t>(at_ - buffer_offset_);
  at_ = buffer_offset_ + end + 1;
  return std::string_view(buffer_).substr(from, end - from);
}

void LogFile::expect_line_break() {
  char c = 0;
  if (at_ < body_) read(at_, std::as_writable_bytes(std::span(&c, 1)));
  if (c != '\n') fail(at_, "expected a line break");
  ++at_;
}

void LogFile::take_line(std::string_view text, std::uint64_t offset) {
  std::string_view rest = text;
  const std::string_view key = word_of(rest);
  if (key == "workload") {
    workload_ = rest;
  } else if (key == "argument") {
    const std::string name(word_of(rest));
    arguments_.emplace_back(name, rest);
  } else if (key == "gpu" || key == "driver" || key == "date" || key == "command" || key == "note" || key == "origin") {
    if (!origin_.empty()) origin_ += '\n';
    origin_ += key == "origin" ? std::string(rest) : fmt::format("{}: {}", key, rest);
  } else if (key == "module") {
    take_module(rest, offset);
  } else if (key == "placed") {
    std::uint32_t module = 0;
    std::uint64_t address = 0;
    const std::string_view number = word_of(rest), name = word_of(rest);
    if (!number_of(number, module) || module >= modules_.size() || name.empty() || !number_of(rest, address))
      fail(offset, "expected \"placed MODULE VARIABLE ADDRESS\" of a module above");
    modules_[module].placed[std::string(name)] = address;
  } else if (key == "registers") {
    take_registers(rest, offset);
  } else if (key == "call_depth") {
    if (!number_of(rest, call_depth_)) fail(offset, "expected \"call_depth NUMBER\"");
  } else if (key == "launch") {
    take_launch(rest, offset);
  } else {
    fail(offset,
         "expected a line that begins with workload, argument, gpu, driver, date, command, note, origin, module, "
         "placed, registers, call_depth, launch or end");
  }
}

void LogFile::take_registers(std::string_view rest, std::uint64_t offset) {
  std::uint64_t launch = 0;
  std::uint32_t count = 0;
  const std::string_view number = word_of(rest);
  if (!number_of(number, launch) || !number_of(rest, count)) fail(offset, "expected \"registers LAUNCH COUNT\"");
  registers_[launch] = count;
}

std::string LogFile::bytes_of_text(std::uint64_t count) {
  std::string text(static_cast<std::size_t>(count), '\0');
  read(at_, std::as_writable_bytes(std::span(text)));
  at_ += count;
  return text;
}

void LogFile::take_module(std::string_view rest, std::uint64_t offset) {
  std::uint64_t count = 0;
  const std::string_view number = word_of(rest);
  if (!number_of(number, count) || rest.empty() || count > most_kernel_bytes || count > body_ - at_)
    fail(offset, "expected \"module BYTES NAME\", and as many bytes of PTX behind it");
  LogModule module;
  module.name = rest;
  module.text = bytes_of_text(count);
  expect_line_break();
  modules_.push_back(std::move(module));
}

void LogFile::take_launch(std::string_view rest, std::uint64_t offset) {
  LogLaunch launch;
  bool good = number_of(word_of(rest), launch.module);
  launch.entry = word_of(rest);
  for (program::Dim3* size : {&launch.grid, &launch.block})
    for (std::uint32_t& side : *size) good = number_of(word_of(rest), side) && side > 0 && good;
  std::uint64_t words = 0, count = 0;
  good = number_of(word_of(rest), launch.dynamic_shared_bytes) && good;
  good = number_of(word_of(rest), words) && good;
  good = number_of(rest, count) && good;
  if (!good || launch.entry.empty() || launch.module >= modules_.size())
    fail(offset,
         "expected \"launch MODULE KERNEL GRID BLOCK SCRATCHPAD WORDS BYTES\" of a module above, grid and thread "
         "block with three sizes from 1 on");
  for (std::size_t d = 0; d < 3; ++d)
    if (launch.grid[d] > most_blocks[d])
      fail(offset, fmt::format("expected a grid of at most {}", fmt::join(most_blocks, " x ")));
  // Sides of 32 bits: their product may wrap around.
  if (launch.block[0] > most_threads || launch.block[1] > most_threads || launch.threads_per_block() > most_threads)
    fail(offset, fmt::format("expected a thread block of at most {} threads", most_threads));
  if (words > most_header_words || 8 * words > body_ - at_)
    fail(offset, fmt::format("expected at most {} words of addresses, which the file has", most_header_words));
  launch.header.resize(static_cast<std::size_t>(words));
  read(at_, std::as_writable_bytes(std::span(launch.header)));
  launch.begin = at_ + 8 * words;
  if (count > body_ - launch.begin) fail(offset, "expected as many bytes of records as the launch says");
  if (launch.thread_blocks() > count / (4 * launch.threads_per_block()))
    fail(offset, "expected four bytes for each thread of the launch, at least");
  launch.end = launch.begin + count;
  at_ = launch.end;
  expect_line_break();
  launches_.push_back(std::move(launch));
}

}  // namespace lockstep::capture
