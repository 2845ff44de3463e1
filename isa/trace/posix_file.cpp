#include "isa/trace/posix_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>
#include <vector>

#include "isa/command_files.hpp"
#include "isa/error.hpp"
#include "isa/input_file.hpp"

namespace lockstep::trace {

namespace {

[[noreturn]] void fail(const std::string& name, const char* what) {
  throw ResourceError(fmt::format("{}: cannot {}: {}", name, what, std::generic_category().message(errno)));
}

}  // namespace

PosixFile::PosixFile(PosixFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), name_(std::move(other.name_)) {}

PosixFile& PosixFile::operator=(PosixFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(name_, other.name_);
  return *this;
}

PosixFile::~PosixFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

PosixFile PosixFile::open_for_reading(const std::string& path) {
  PosixFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), path);
  if (file.descriptor_ < 0) {
    if (const char* const reason = why_not_opened(errno); *reason != '\0') throw InputError(path + ": " + reason);
    fail(path, "open");
  }
  struct stat status {};
  if (::fstat(file.descriptor_, &status) != 0) fail(path, "examine");
  if (!S_ISREG(status.st_mode)) throw InputError(path + ": not a regular file");
  note_input(path);
  return file;
}

PosixFile PosixFile::create(const std::string& path, const std::string& name) {
  PosixFile file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666), name);
  if (file.descriptor_ < 0) fail(name, "create");
  return file;
}

PosixFile PosixFile::create_anonymous() {
  const char* const chosen = std::getenv("TMPDIR");
  const std::string folder = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
  const std::string name = "temporary file in " + folder;
  int descriptor = ::open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
  if (descriptor < 0) {  // The file system may not know files without names.
    std::string path = folder + "/lockstep-XXXXXX";
    descriptor = ::mkostemp(path.data(), O_CLOEXEC);
    if (descriptor < 0) fail(name, "create");
    ::unlink(path.c_str());
  }
  return PosixFile(descriptor, name);
}

PosixFile PosixFile::create_in_memory() {
  PosixFile file(::memfd_create("lockstep", MFD_CLOEXEC), "file in memory");
  if (file.descriptor_ < 0) fail(file.name_, "create");
  return file;
}

std::uint64_t PosixFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail(name_, "examine");
  return static_cast<std::uint64_t>(status.st_size);
}

std::size_t PosixFile::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name_, "read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void PosixFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put =
        ::pwrite(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(name_, "write");
    done += static_cast<std::size_t>(put);
  }
}

void PosixFile::discard(std::uint64_t offset, std::uint64_t bytes) {
#ifdef FALLOC_FL_PUNCH_HOLE
  // Only saves disk space; a file system that cannot do it loses nothing else.
  (void)::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                    static_cast<off_t>(bytes));
#else
  (void)offset, (void)bytes;
#endif
}

void PosixFile::finish() {
  // A file system that cannot synchronise says EINVAL or EROFS; everything else is a write that failed late.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail(name_, "write");
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(name_, "write");
}

}  // namespace lockstep::trace
