#include "isa/accelsim/kernels_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "isa/accelsim/text_file.hpp"
#include "isa/accelsim/tokens.hpp"
#include "isa/error.hpp"

namespace lockstep::accelsim {

namespace fs = std::filesystem;

namespace {

constexpr const char* list_name = "kernelslist.g";

std::string list_of(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return path;
  std::string list = (fs::path(path) / list_name).string();
  if (fs::exists(list, ignored)) return list;
  const bool raw = fs::exists(fs::path(path) / "kernelslist", ignored);
  throw InputError(SourceLocation{path, 0, 0},
                   fmt::format("is a folder without {}{}", list_name,
                               raw ? "; its kernelslist is of raw traces: post-process them first" : ""));
}

/// Whether a file's own name says that it is a kernel: kernel-1.traceg, kernel-1.traceg.xz, kernel-1.trace.
bool names_kernel(std::string_view name) {
  return name.find(".trace") != std::string_view::npos;
}

/// Whether a file is a kernel's, by its name, or by its first line where that is of a header.
bool is_kernel(const std::string& path) {
  if (names_kernel(fs::path(path).filename().string())) return true;
  TextFile file(path);
  std::string_view line;
  while (file.next_line(line))
    if (!line.empty()) return line[0] == '-';
  return false;
}

/// MemcpyHtoD,0x7f2a00000000,4096
void read_copy(std::string_view line, const SourceLocation& where, KernelsList& list, Diagnostics& diagnostics) {
  const std::size_t first = line.find(','), second = line.find(',', std::min(first, line.size() - 1) + 1);
  const auto address =
      second == std::string_view::npos ? std::nullopt : hexadecimal(line.substr(first + 1, second - first - 1));
  const auto bytes =
      second == std::string_view::npos ? std::nullopt : count(line.substr(second + 1), std::uint64_t{1} << 62);
  if (!address || !bytes) return diagnostics.add(where, "expected MemcpyHtoD,0xADDRESS,BYTES");
  ++list.copies;
  list.copied_bytes += *bytes;
}

}  // namespace

KernelsList read_kernels_list(const std::string& given) {
  KernelsList list;
  list.path = list_of(given);
  if (is_kernel(list.path)) {
    list.kernels.push_back(list.path);
    return list;
  }
  TextFile file(list.path);
  Diagnostics diagnostics;
  std::string_view line;
  while (file.next_line(line)) {
    Tokens tokens(line);
    const std::string_view command = tokens.next();
    const SourceLocation where{list.path, static_cast<int>(file.line_number()), 1};
    if (command.empty() || command[0] == '#') continue;
    const std::string_view word = command.substr(0, command.find(','));
    if (word == "MemcpyHtoD") {
      read_copy(command, where, list, diagnostics);
    } else if (names_kernel(command)) {
      const fs::path named(command);
      list.kernels.push_back((named.is_absolute() ? named : fs::path(list.path).parent_path() / named).string());
    } else if (word.starts_with("Memcpy") || word.starts_with("Memset") || word.starts_with("nccl")) {
      if (std::find(list.ignored.begin(), list.ignored.end(), word) == list.ignored.end())
        list.ignored.emplace_back(word);
    } else {
      diagnostics.add(where,
                      fmt::format("expected MemcpyHtoD,0xADDRESS,BYTES or kernel-N.traceg, found '{}'", command));
    }
  }
  diagnostics.throw_if_any();
  if (list.kernels.empty()) throw InputError(SourceLocation{list.path, 0, 0}, "names no kernel (kernel-N.traceg)");
  return list;
}

}  // namespace lockstep::accelsim
