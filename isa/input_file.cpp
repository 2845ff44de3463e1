#include "isa/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "isa/command_files.hpp"
#include "isa/error.hpp"

namespace lockstep {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw InputError(SourceLocation{path, 0, 0}, reason);
}

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw ResourceError(fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno)));
}

class Descriptor {
 public:
  /// Without waiting for the other end of a FIFO.
  explicit Descriptor(const std::string& path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (number_ >= 0) return;
    if (const char* const reason = why_not_opened(errno); *reason != '\0') refuse(path, reason);
    fail(path, "open");
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return number_; }

 private:
  int number_;
};

/// How many bytes were read; 0 at the end. Waits while a writer has the other end and writes nothing.
std::size_t read_some(int file, char* to, std::size_t room, const std::string& path) {
  for (;;) {
    const ssize_t count = ::read(file, to, room);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EAGAIN) {
      pollfd wanted{file, POLLIN, 0};
      if (::poll(&wanted, 1, -1) < 0 && errno != EINTR) fail(path, "read");
    } else if (errno != EINTR) {
      fail(path, "read");
    }
  }
}

}  // namespace

const char* why_not_opened(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR: return "there is no such file";
    case EACCES:
    case EPERM: return "not allowed to read this file";
    case ENAMETOOLONG: return "the name is longer than a file's can be";
    case ELOOP: return "symbolic links lead to each other";
    default: return "";
  }
}

std::string read_whole_file(const std::string& path, std::uint64_t most_bytes) {
  const Descriptor file(path);
  struct stat status {};
  if (::fstat(file, &status) != 0) fail(path, "examine");
  if (S_ISDIR(status.st_mode)) refuse(path, "is a folder, not a file");
  const auto too_large = [&](const std::string& has) {
    refuse(path, fmt::format("has {} bytes; at most {} are read", has, most_bytes));
  };
  const auto size = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  note_input(path);
  if (S_ISREG(status.st_mode) && size > most_bytes) too_large(fmt::format("{}", size));
  std::string text;
  std::vector<char> room(std::size_t{1} << 16);
  if (S_ISREG(status.st_mode)) text.reserve(size);
  while (const std::size_t count = read_some(file, room.data(), room.size(), path)) {
    if (count > most_bytes - text.size()) too_large(fmt::format("more than {}", most_bytes));
    text.append(room.data(), count);
  }
  if (text.empty() && S_ISFIFO(status.st_mode)) refuse(path, "is a pipe into which nothing was written");
  return text;
}

}  // namespace lockstep
