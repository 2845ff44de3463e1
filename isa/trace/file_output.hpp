#pragma once
// Writing the bytes of a trace file wherever they are to be. Internal to this folder.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "isa/trace/file_layout.hpp"
#include "isa/trace/source.hpp"

namespace lockstep::trace {

/// Where a trace's bytes go, one after the other.
class Output {
 public:
  virtual ~Output() = default;
  virtual void append(std::span<const std::byte> bytes) = 0;
  /// Bytes appended so far: the offset of what is appended next.
  virtual std::uint64_t size() const = 0;
};

/// Appends a whole trace file. Its first file_head_bytes are zeros; the encoded result belongs there. InputError, which
/// begins with `place`, when a kernel runs a graph.
FileHead write_trace(Output& output, Source& source, const std::string& place,
                     const std::function<void(std::uint64_t done, std::uint64_t all)>& progress = {});

}  // namespace lockstep::trace
