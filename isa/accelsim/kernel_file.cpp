#include "isa/accelsim/kernel_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "isa/accelsim/tokens.hpp"

namespace lockstep::accelsim {

namespace {

constexpr std::uint32_t newest_tracer = 5;
constexpr std::uint64_t most_threads = 1024, most_blocks = std::uint64_t{1} << 48;
constexpr std::uint64_t most_scratchpad_bytes = std::uint64_t{1} << 24, most_registers = 1024, most_version = 9999;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

/// What stands behind "KEY =", or nothing when the line does not begin so.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return {};
  line = trimmed(line.substr(key.size()));
  if (!line.starts_with('=')) return {};
  return trimmed(line.substr(1));
}

/// "(4,1,1)" or "4,1,1".
std::optional<program::Dim3> triple(std::string_view text) {
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  program::Dim3 result{};
  for (std::size_t n = 0; n < result.size(); ++n) {
    const std::size_t end = n + 1 < result.size() ? text.find(',') : text.size();
    if (end == std::string_view::npos) return {};
    const auto value = count(trimmed(text.substr(0, end)), std::numeric_limits<std::uint32_t>::max());
    if (!value) return {};
    result[n] = static_cast<std::uint32_t>(*value);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

bool fits(const program::Dim3& extents, std::uint64_t limit) {
  std::uint64_t product = 1;
  for (const std::uint32_t extent : extents) {
    if (extent == 0 || product > limit / extent) return false;
    product *= extent;
  }
  return true;
}

}  // namespace

KernelFile::KernelFile(const std::string& path) : text_(path) {
  read_header();
}

void KernelFile::read_value(std::string_view key, std::string_view value) {
  const auto extents = [&](program::Dim3& to, std::uint64_t limit, const char* what) {
    const auto read = triple(value);
    if (!read || !fits(*read, limit)) text_.fail(value, fmt::format("expected (x,y,z), {} in all", what));
    to = *read;
  };
  const auto number = [&](std::uint64_t most) {
    const auto read = count(value, most);
    if (!read) text_.fail(value, fmt::format("-{} must be a number from 0 to {}", key, most));
    return static_cast<std::uint32_t>(*read);
  };
  const auto address = [&](std::uint64_t& to) {
    const auto read = hexadecimal(value);
    if (!read) text_.fail(value, fmt::format("-{} must be a hexadecimal address", key));
    to = *read;
  };
  if (key == "kernel name") {
    header_.name = value;
  } else if (key == "grid dim") {
    extents(header_.grid, most_blocks, "1 to 2^48 thread blocks");
  } else if (key == "block dim") {
    extents(header_.block, most_threads, "1 to 1024 threads");
  } else if (key == "shmem") {
    header_.scratchpad_bytes = number(most_scratchpad_bytes);
  } else if (key == "nregs") {
    header_.registers = number(most_registers);
  } else if (key == "binary version") {
    header_.binary_version = number(most_version);
  } else if (key == "cuda stream id") {
    // Some tracers write the handle of the stream.
    const auto read = hexadecimal(value);
    if (!read) text_.fail(value, "-cuda stream id must be a number");
    header_.stream = *read;
  } else if (key == "shmem base_addr") {
    address(header_.shared_base);
  } else if (key == "local mem base_addr") {
    address(header_.local_base);
  } else if (key == "accelsim tracer version") {
    header_.tracer_version = number(most_version);
    if (header_.tracer_version > newest_tracer)
      text_.fail(value, fmt::format("tracer version {} is not known; versions up to {} are", header_.tracer_version,
                                    newest_tracer));
  } else if (key == "enable lineinfo") {
    header_.has_source_lines = number(1) != 0;
  }
}

void KernelFile::read_header() {
  std::string_view line;
  while (text_.next_line(line)) {
    line = trimmed(line);
    if (line.empty()) continue;
    if (line[0] == '#') {
      if (line.starts_with("#BEGIN_TB")) text_.unread();
      header_.lines_name_warps = line.find("threadblock_x") != std::string_view::npos;
      break;
    }
    const std::size_t equals = line.find('=');
    if (line[0] != '-' || equals == std::string_view::npos)
      text_.fail(line, "expected '-KEY = VALUE' of the header, or a line that begins with '#' and ends it");
    read_value(trimmed(line.substr(1, equals - 1)), trimmed(line.substr(equals + 1)));
  }
  const auto missing = [&](const char* what) { text_.fail(fmt::format("the header has no '-{}'", what)); };
  if (header_.name.empty()) missing("kernel name = NAME");
  if (header_.grid[0] == 0) missing("grid dim = (x,y,z)");
  if (header_.block[0] == 0) missing("block dim = (x,y,z)");
}

std::string_view KernelFile::expect_line(std::string_view what) {
  std::string_view line;
  while (text_.next_line(line)) {
    line = trimmed(line);
    if (!line.empty()) return line;
  }
  text_.fail(fmt::format("the file ends here; expected {}", what));
}

bool KernelFile::next_thread_block(std::uint64_t& number) {
  std::string_view line;
  do {
    if (!text_.next_line(line)) return false;
    line = trimmed(line);
  } while (line.empty());
  if (line != "#BEGIN_TB")
    text_.fail(line, "expected #BEGIN_TB (a raw trace, in which warps are mixed, has to be post-processed first)");
  block_position_ = text_.position();
  line = expect_line("'thread block = x,y,z'");
  const auto value = value_of(line, "thread block");
  const auto at = value ? triple(*value) : std::nullopt;
  if (!at) text_.fail(line, "expected 'thread block = x,y,z'");
  const program::Dim3& grid = header_.grid;
  for (std::size_t n = 0; n < grid.size(); ++n)
    if ((*at)[n] >= grid[n])
      text_.fail(*value, fmt::format("thread block {},{},{} is not in the grid of {} x {} x {}", (*at)[0], (*at)[1],
                                     (*at)[2], grid[0], grid[1], grid[2]));
  number = (std::uint64_t{(*at)[2]} * grid[1] + (*at)[1]) * grid[0] + (*at)[0];
  return true;
}

bool KernelFile::next_warp(std::uint32_t& warp, std::uint64_t& instructions) {
  std::string_view line = expect_line("'warp = NUMBER' or #END_TB");
  if (line == "#END_TB") return false;
  const auto number = value_of(line, "warp");
  if (!number) text_.fail(line, "expected 'warp = NUMBER' or #END_TB");
  const auto read = count(*number, header_.warps() - 1);
  if (!read)
    text_.fail(*number, fmt::format("expected a warp from 0 to {}: thread blocks have {} threads", header_.warps() - 1,
                                    program::volume(header_.block)));
  warp = static_cast<std::uint32_t>(*read);
  line = expect_line("'insts = NUMBER'");
  const auto insts = value_of(line, "insts");
  const auto size = insts ? count(*insts, std::uint64_t{1} << 62) : std::nullopt;
  if (!size) text_.fail(line, "expected 'insts = NUMBER'");
  instructions = *size;
  return true;
}

void KernelFile::next_instruction(InstructionLine& line) {
  std::string_view text;
  if (!text_.next_line(text)) text_.fail("the file ends here; expected another instruction of the warp");
  Tokens tokens(text);
  if (header_.lines_name_warps)
    for (int n = 0; n < 4; ++n) tokens.next();
  if (header_.has_source_lines) {
    const std::string_view word = tokens.next();
    const auto read = count(word, std::numeric_limits<std::int32_t>::max());
    if (!read) text_.fail(word, "expected a source line, decimal, in front of the instruction");
    line.source_line = static_cast<std::uint32_t>(*read);
  }
  const std::string_view pc = tokens.next(), mask = tokens.next();
  const auto address = hexadecimal(pc), lanes = hexadecimal(mask);
  if (!address || *address > std::numeric_limits<std::uint32_t>::max())
    text_.fail(pc, "expected the instruction's address, up to 8 hexadecimal digits");
  if (!lanes || *lanes > std::numeric_limits<std::uint32_t>::max())
    text_.fail(mask, "expected the mask of active lanes, up to 8 hexadecimal digits");
  line.pc = static_cast<std::uint32_t>(*address);
  line.mask = static_cast<std::uint32_t>(*lanes);
  line.rest = tokens.rest();
}

}  // namespace lockstep::accelsim
