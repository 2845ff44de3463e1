#pragma once
// Reading a trace file that is open already. Internal to this folder.

#include <memory>

#include "isa/trace/posix_file.hpp"
#include "isa/trace/source.hpp"

namespace lockstep::trace {

/// The open file, as every source and thread block opened from it share it, on any threads. Nothing changes after opening.
class TraceFile;

/// InputError, which begins with the file's name, when it is no trace, of another version, truncated or damaged.
std::shared_ptr<const TraceFile> trace_file(PosixFile file);
/// A replay's own view of it.
std::unique_ptr<Source> open_trace(std::shared_ptr<const TraceFile> file);

}  // namespace lockstep::trace
