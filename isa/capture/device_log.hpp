#pragma once
// The buffer that instrumented kernels write to, and the file that is made of it. For programs of C++17 on a machine with a
// GPU, too: includes nothing of this project. README.md draws both.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace lockstep::capture {

/// The variable that an instrumented module has: the words of LogVariable.
constexpr char log_variable[] = "lockstep_log";

/// `buffer` is set before each launch; the others say how the module's kernels use it.
struct LogVariable {
  std::uint64_t buffer = 0;        ///< Device address, a multiple of 8.
  std::uint64_t header_bytes = 0;  ///< Behind them follows the first chunk of each thread.
  std::uint64_t chunk_bytes = 0;
  std::uint64_t version = 0;
};
constexpr std::uint64_t log_version = 1;

// Words at the beginning of the buffer. The first two are set before a launch, all others zero.
constexpr std::size_t next_chunk_word = 0;  ///< Offset of the first byte that no chunk has, from the buffer on.
constexpr std::size_t last_chunk_word = 1;  ///< The last offset at which a chunk has room.
constexpr std::size_t shared_window_word = 2, local_window_word = 3;  ///< Generic addresses of offset 0.
constexpr std::size_t fixed_header_words = 4;                         ///< Addresses of variables stand behind them.

// A chunk: the offset from the buffer on of the thread's next chunk or 0, two words in which a thread keeps where it is while
// it calls a function, then records.
constexpr std::size_t chunk_link_word = 0, chunk_at_word = 1, chunk_end_word = 2, chunk_header_words = 3;

/// A record begins with its number of words and, in the lower half, the number of the block in its module plus 1.
constexpr std::uint64_t record_word(std::uint32_t words, std::uint32_t block) {
  return std::uint64_t{words} << 32 | (std::uint64_t{block} + 1);
}
/// In place of an address.
constexpr std::uint64_t not_taking_part = ~std::uint64_t{0};

/// What a launch needs at least: header and first chunks.
constexpr std::uint64_t least_log_bytes(const LogVariable& variable, std::uint64_t threads) {
  return variable.header_bytes + threads * variable.chunk_bytes;
}

/// The first words of the buffer before a launch.
inline std::array<std::uint64_t, 2> first_words(const LogVariable& variable, std::uint64_t threads,
                                                std::uint64_t buffer_bytes) {
  return {least_log_bytes(variable, threads), buffer_bytes - variable.chunk_bytes};
}

/// The log of a launch did not fit: `needed` bytes would have been enough.
struct LogOverflow : std::runtime_error {
  LogOverflow(std::uint64_t needed_bytes, std::uint64_t bytes)
      : std::runtime_error("the log of a launch needs " + std::to_string(needed_bytes) + " bytes, but its buffer has " +
                           std::to_string(bytes)),
        needed(needed_bytes) {}
  std::uint64_t needed;
};

/// What a launch has left in the buffer, copied to the host: whole, or as far as chunks were taken (word next_chunk_word).
class DeviceLog {
 public:
  /// LogOverflow when a chunk did not fit. `capacity`: bytes of the buffer on the device.
  DeviceLog(const std::uint64_t* words, std::uint64_t capacity, const LogVariable& variable)
      : words_(words), variable_(variable) {
    if (words[next_chunk_word] > capacity) throw LogOverflow(words[next_chunk_word], capacity);
    bytes_ = words[next_chunk_word];
  }

  /// Bytes of the buffer that are used.
  std::uint64_t bytes() const { return bytes_; }

  /// Calls f(words, count) for each run of a thread's records, in order. runtime_error when the buffer is not what the
  /// kernels leave.
  template <class F>
  void for_each_run(std::uint64_t thread, F&& f) const {
    std::uint64_t chunk = variable_.header_bytes + thread * variable_.chunk_bytes;
    for (;;) {
      if (chunk % 8 != 0 || chunk + variable_.chunk_bytes > bytes_) fail(thread, "a chunk lies outside of the buffer");
      const std::uint64_t* const begin = words_ + chunk / 8;
      const std::uint64_t room = variable_.chunk_bytes / 8;
      std::uint64_t at = chunk_header_words;
      while (at < room && begin[at] != 0) {
        const std::uint64_t count = begin[at] >> 32;
        if (count == 0 || count > room - at) fail(thread, "a record does not end in its chunk");
        at += count;
      }
      if (at > chunk_header_words) f(begin + chunk_header_words, at - chunk_header_words);
      const std::uint64_t next = begin[chunk_link_word];
      if (next == 0) return;
      if (next <= chunk && next < bytes_) fail(thread, "chunks form no order");
      chunk = next;
    }
  }

 private:
  [[noreturn]] static void fail(std::uint64_t thread, const char* what) {
    throw std::runtime_error("the log of thread " + std::to_string(thread) + " of a launch is damaged: " + what);
  }
  const std::uint64_t* words_;
  LogVariable variable_;
  std::uint64_t bytes_ = 0;
};

/// A launch as the log file says it.
struct LoggedLaunch {
  std::size_t module = 0;  ///< In the order of add_module.
  std::string entry;
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
};

/// Writes a log file piece by piece. Every failure is a runtime_error that names the file.
class LogWriter {
 public:
  explicit LogWriter(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) fail();
    line("lockstep-capture 1");
  }
  ~LogWriter() {
    if (file_ != nullptr) std::fclose(file_);
  }
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// A line of the file: README.md has their forms.
  void line(const std::string& text) {
    for (const char c : text)
      if (c == '\n') throw std::runtime_error(path_ + ": a line of a log cannot have a line break");
    put(text.data(), text.size());
    put("\n", 1);
  }
  /// The text of a module before it was instrumented, and what messages and traces call it.
  void add_module(const std::string& name, const std::string& ptx) {
    line("module " + std::to_string(ptx.size()) + " " + name);
    put(ptx.data(), ptx.size());
    put("\n", 1);
  }
  void add_launch(const LoggedLaunch& launch, const DeviceLog& log, const std::uint64_t* words,
                  const LogVariable& variable) {
    std::uint64_t threads_per_block = 1, blocks = 1;
    std::string text = "launch " + std::to_string(launch.module) + " " + launch.entry;
    for (const std::uint32_t size : launch.grid) {
      text += " " + std::to_string(size);
      blocks *= size;
    }
    for (const std::uint32_t size : launch.block) {
      text += " " + std::to_string(size);
      threads_per_block *= size;
    }
    std::vector<std::uint32_t> counts(blocks * threads_per_block);
    std::uint64_t all = 0;
    for (std::uint64_t t = 0; t < counts.size(); ++t) {
      std::uint64_t count = 0;
      log.for_each_run(t, [&](const std::uint64_t*, std::uint64_t n) { count += n; });
      if (count > 0xffffffffu) throw std::runtime_error(path_ + ": a thread has logged more than 32 GiB");
      counts[t] = static_cast<std::uint32_t>(count);
      all += count;
    }
    const std::uint64_t header_words = variable.header_bytes / 8;
    line(text + " " + std::to_string(launch.dynamic_shared_bytes) + " " + std::to_string(header_words) + " " +
         std::to_string(8 * all + 4 * counts.size()));
    put(words, 8 * header_words);
    for (std::uint64_t block = 0; block < blocks; ++block) {
      const std::uint64_t first = block * threads_per_block;
      put(counts.data() + first, 4 * threads_per_block);
      for (std::uint64_t t = first; t < first + threads_per_block; ++t)
        log.for_each_run(t, [&](const std::uint64_t* run, std::uint64_t n) { put(run, 8 * n); });
    }
    put("\n", 1);
  }
  /// The last line; nothing may follow.
  void finish() {
    char text[16];
    std::snprintf(text, sizeof text, "%08x", ~crc_ & 0xffffffffu);
    line(std::string("end ") + text);
    const bool closed = std::fclose(file_) == 0;
    file_ = nullptr;
    if (!closed) fail();
  }

 private:
  [[noreturn]] void fail() const { throw std::runtime_error(path_ + ": cannot be written"); }

  /// CRC-32 of IEEE 802.3, as zlib has it.
  static std::array<std::uint32_t, 256> crc_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t n = 0; n < 256; ++n) {
      std::uint32_t value = n;
      for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? 0xedb88320u ^ value >> 1 : value >> 1;
      table[n] = value;
    }
    return table;
  }
  void put(const void* bytes, std::size_t count) {
    static const std::array<std::uint32_t, 256> table = crc_table();
    const auto* at = static_cast<const unsigned char*>(bytes);
    for (std::size_t i = 0; i < count; ++i) crc_ = table[(crc_ ^ at[i]) & 0xff] ^ crc_ >> 8;
    if (count > 0 && std::fwrite(bytes, 1, count, file_) != count) fail();
  }

  std::string path_;
  std::FILE* file_;
  std::uint32_t crc_ = 0xffffffffu;
};

}  // namespace lockstep::capture
