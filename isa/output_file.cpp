#include "isa/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/command_files.hpp"
#include "isa/error.hpp"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

constexpr int most_links = 40;  // As many as Linux follows.

/// The names of unfinished files, of as many as are written at the same time. A signal handler may read them at any time.
std::array<std::atomic<const char*>, 64> unfinished_names;
static_assert(std::atomic<const char*>::is_always_lock_free);

std::size_t remember(const char* name) {
  for (std::size_t place = 0; place < unfinished_names.size(); ++place) {
    const char* free = nullptr;
    if (unfinished_names[place].compare_exchange_strong(free, name)) return place;
  }
  throw ResourceError(fmt::format("more than {} files are written at the same time", unfinished_names.size()));
}

ResourceError failure(const std::string& path, const char* what) {
  return ResourceError(fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno)));
}

/// A file that open() gave, closed at the end.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags, const char* what)
      : path_(path), number_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (number_ < 0) throw failure(path, what);
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  /// The bytes read, none at the end of the file.
  std::string_view read(std::vector<char>& room) const {
    for (;;) {
      const ssize_t count = ::read(number_, room.data(), room.size());
      if (count >= 0) return {room.data(), static_cast<std::size_t>(count)};
      if (errno != EINTR) throw failure(path_, "read");
    }
  }
  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::write(number_, text.data(), text.size());
      if (count >= 0) {
        text.remove_prefix(static_cast<std::size_t>(count));
      } else if (errno != EINTR) {
        throw failure(path_, "write");
      }
    }
  }
  /// A full disk may be known only now.
  void close() {
    if (::close(std::exchange(number_, -1)) != 0) throw failure(path_, "write");
  }

 private:
  std::string path_;
  int number_;
};

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path, OutputFile whose) : path_(path), whose_(whose) {
  if (path.empty()) throw InputError("the name of a file to write is empty");
  std::error_code ignored;
  const fs::file_status status = fs::status(path_, ignored);
  if (fs::is_directory(status)) throw ResourceError(path + ": is a folder; a file is to be written there");
  replaces_ = !fs::exists(status) || fs::is_regular_file(status);
  for (int links = 0; links < most_links && fs::is_symlink(path_, ignored); ++links) {
    const fs::path next = fs::path(path_).parent_path() / fs::read_symlink(path_, ignored);
    // Links of /dev/fd to pipes name nothing that could be opened by that name.
    if (!replaces_ && !fs::exists(next, ignored)) break;
    path_ = next.string();
  }
  static std::atomic<unsigned> number{0};
  const std::string unique = fmt::format("partial-{}-{}", ::getpid(), number++);
  name_ = replaces_ ? fmt::format("{}.{}", path_, unique)
                    : (fs::temp_directory_path() / fmt::format("lockstep-{}", unique)).string();
  if (whose_ == OutputFile::of_user) begin_output(path_);
  place_ = remember(name_.c_str());
}

UnfinishedFile::~UnfinishedFile() {
  if (!kept_) {
    ::unlink(name_.c_str());
    if (whose_ == OutputFile::of_user) drop_output(path_);
  }
  unfinished_names[place_] = nullptr;
}

void remove_unfinished_files() noexcept {
  for (const std::atomic<const char*>& entry : unfinished_names) {
    if (const char* const name = entry.load(); name != nullptr) ::unlink(name);
  }
}

void UnfinishedFile::keep() {
  if (replaces_) {
    if (std::rename(name_.c_str(), path_.c_str()) != 0) throw failure(path_, "write");
    kept_ = true;
    if (whose_ == OutputFile::of_user) end_output(path_);
    return;
  }
  const Descriptor from(name_, O_RDONLY, "read");
  Descriptor to(path_, O_WRONLY, "open");
  std::vector<char> room(std::size_t{1} << 20);
  for (std::string_view piece = from.read(room); !piece.empty(); piece = from.read(room)) to.write(piece);
  to.close();
}

void write_whole_file(const std::string& path, std::string_view text, OutputFile whose) {
  UnfinishedFile unfinished(path, whose);
  Descriptor file(unfinished.name(), O_WRONLY | O_CREAT | O_TRUNC, "create");
  file.write(text);
  file.close();
  unfinished.keep();
}

}  // namespace lockstep
