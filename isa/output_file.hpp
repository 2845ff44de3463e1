#pragma once
// The files that a program writes. One that exists is replaced when the new one is whole, and stays as it was when anything
// fails before; a symbolic link stays, and what it names is replaced. A device, a FIFO or a socket is written, never replaced.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

/// Whose a file is.
enum class OutputFile : std::uint8_t {
  of_user,  ///< What the user has made: it takes the place of no input and of no other output (command_files.hpp).
  of_program  ///< What the program keeps up to date, such as those of a results folder: also when it has read or written it.
};

/// Writes a file. ResourceError when it cannot be written; InputError when it would replace what it must not.
void write_whole_file(const std::string& path, std::string_view text, OutputFile whose = OutputFile::of_user);

/// A file that is written under another name first: whoever makes it writes name(), which is removed unless keep() is called.
class UnfinishedFile {
 public:
  /// ResourceError where a folder is; InputError for "", and when it would replace what it must not.
  explicit UnfinishedFile(const std::string& path, OutputFile whose = OutputFile::of_user);
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
  OutputFile whose_;
};

/// For a signal that ends the program: removes what every UnfinishedFile has written. Safe in a signal handler; whoever
/// calls it writes no file afterwards.
void remove_unfinished_files() noexcept;

}  // namespace lockstep
