#pragma once
// An open file that several threads may read at the same time.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace lockstep::trace {

/// Owns a file descriptor. Every failure is a ResourceError that names the file and the system's reason.
class PosixFile {
 public:
  PosixFile() = default;
  /// Takes over an open descriptor; `name` is for messages.
  PosixFile(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  PosixFile(PosixFile&& other) noexcept;
  PosixFile& operator=(PosixFile&& other) noexcept;
  ~PosixFile();

  /// An existing file, for reading. InputError when the path leads to none that may be read, or it is not a
  /// regular file.
  static PosixFile open_for_reading(const std::string& path);
  /// A new file that must not exist yet; messages call it `name`.
  static PosixFile create(const std::string& path, const std::string& name);
  /// A file without a name in $TMPDIR (or /tmp), gone when it is closed.
  static PosixFile create_anonymous();
  /// A file without a name in memory, gone when it is closed.
  static PosixFile create_in_memory();

  const std::string& name() const { return name_; }
  std::uint64_t size() const;
  /// Fills `bytes` from `offset` on as far as the file goes, and returns how many there were.
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) const;
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Gives the disk blocks of a range back, where the file system can.
  void discard(std::uint64_t offset, std::uint64_t bytes);
  /// Waits until everything is on the disk, then closes.
  void finish();

 private:
  int descriptor_ = -1;
  std::string name_;
};

}  // namespace lockstep::trace
