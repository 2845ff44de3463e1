#pragma once
// The files that a program writes. One that exists is replaced when the new one is whole, and stays as it was when anything
// fails before; a symbolic link stays, and what it names is replaced. A device, a FIFO or a socket is written, never replaced.

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep {

/// Writes a file. ResourceError when it cannot be written.
void write_whole_file(const std::string& path, std::string_view text);

/// A file that is written under another name first: whoever makes it writes name(), which is removed unless keep() is called.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path);  ///< ResourceError where a folder is; InputError for "".
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const std::string& name() const { return name_; }
  /// It gets its name, or its contents go where the name leads. ResourceError when that fails.
  void keep();

 private:
  std::string path_, name_;
  std::size_t place_;     ///< Among the names that remove_unfinished_files() knows.
  bool replaces_ = true;  ///< Otherwise what has the path is written.
  bool kept_ = false;
};

/// For a signal that ends the program: removes what every UnfinishedFile has written. Safe in a signal handler; whoever
/// calls it writes no file afterwards.
void remove_unfinished_files() noexcept;

}  // namespace lockstep
