#pragma once
// The formats of CUDA's printf (CUDA C++ Programming Guide, "Formatted Output").

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::exec {

/// The arguments of one printf. Each function is asked in the order of the format, and may have nothing to give.
struct PrintArguments {
  std::function<std::optional<std::uint64_t>(unsigned bytes)> next;            ///< The next one, of 4 or 8 bytes.
  std::function<std::optional<std::string>(std::uint64_t address)> string_at;  ///< That of a %s.
};

struct PrintedText {
  std::string text;
  std::uint32_t arguments = 0;  ///< How many the format takes: what printf returns.
};

/// The text of a format as the C library writes it, with `long` of 64 bits. What is no conversion (%n, %y, a lone %) stays as
/// it is and takes no argument; an argument that is missing reads "(missing)". Widths and precisions end at 4095.
PrintedText print_format(std::string_view format, const PrintArguments& arguments);

}  // namespace lockstep::exec
