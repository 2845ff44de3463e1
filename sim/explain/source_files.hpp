#pragma once
// The text of source lines, where the files can be found.

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::explain {

class SourceFiles {
 public:
  /// Files are looked for in these folders, in order: below them under the name with its folders, then under the bare
  /// name; and then under their name as it is.
  explicit SourceFiles(std::vector<std::string> folders = {}) : folders_(std::move(folders)) {}

  /// All lines of a file as a compiler names it; null when it is not found or is not text.
  const std::vector<std::string>* lines(const std::string& file);
  /// Line `number`, counted from 1, without blanks at its ends; "" when it is not known.
  std::string line(const std::string& file, std::uint32_t number);

 private:
  std::vector<std::string> folders_;
  std::map<std::string, std::optional<std::vector<std::string>>> read_;
};

}  // namespace lockstep::explain
