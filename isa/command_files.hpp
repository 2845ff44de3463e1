#pragma once
// The files that one command reads and writes, so that no output takes the place of an input or of another output. What
// holds nothing that could be replaced (a device, a pipe, a socket) is none of them.

#include <string>

namespace lockstep {

/// What the process reads and writes from here to its end is that of one command; outside of it, nothing is refused. One at a
/// time.
class CommandFiles {
 public:
  CommandFiles();
  ~CommandFiles();
  CommandFiles(const CommandFiles&) = delete;
  CommandFiles& operator=(const CommandFiles&) = delete;
};

/// A file that the command will write, told before it reads anything, so that it fails before it begins. InputError when it is
/// another output too, or has been read.
void name_output(const std::string& path);

/// The command begins to write a file, named before or not. InputError when it is another output too, or has been read.
void begin_output(const std::string& path);
/// The file has been replaced: what reads it from now on reads the output.
void end_output(const std::string& path);
/// Nothing was written.
void drop_output(const std::string& path);

/// The command has opened a file to read it. InputError when it is one that the command has yet to write.
void note_input(const std::string& path);

}  // namespace lockstep
