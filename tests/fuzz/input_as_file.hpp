#pragma once
// The input of a fuzz target as a file, for what reads only files.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string>

namespace lockstep::fuzz {

/// The path of a file in memory that holds the bytes until the next call.
inline const std::string& as_file(const void* bytes, std::size_t size) {
  static const int descriptor = ::memfd_create("input", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  if (::ftruncate(descriptor, 0) != 0 || ::pwrite(descriptor, bytes, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  return path;
}

}  // namespace lockstep::fuzz
