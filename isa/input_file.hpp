#pragma once
// The files that a program reads whole.

#include <cstdint>
#include <string>

namespace lockstep {

/// The bytes of a file, of at most `most_bytes`. A regular file, a pipe (also as /dev/stdin, or of a process substitution) or a
/// device is read to its end; a FIFO that no program has open for writing, or an end before the first byte of a pipe, is an
/// error rather than something to wait for. InputError when there is no such file, it is a folder, not readable or too large,
/// or is to be replaced by the same command (command_files.hpp); ResourceError when reading fails.
std::string read_whole_file(const std::string& path, std::uint64_t most_bytes);

/// Why there is nothing to read behind a path, by the error number that open() left; "" where the system failed, not the path.
const char* why_not_opened(int error);

// What is accepted of each kind of file.
inline constexpr std::uint64_t most_text_bytes = std::uint64_t{16}
                                                 << 20;  ///< YAML, CSV, tables of hashes, own results.
inline constexpr std::uint64_t most_kernel_bytes = std::uint64_t{256} << 20;  ///< PTX.
inline constexpr std::uint64_t most_image_bytes = std::uint64_t{1} << 30;

}  // namespace lockstep
