#include "sim/explain/source_files.hpp"

#include <filesystem>
#include <sstream>

#include "isa/error.hpp"
#include "isa/input_file.hpp"

namespace lockstep::explain {

namespace {

namespace fs = std::filesystem;

std::optional<std::vector<std::string>> read(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return std::nullopt;
  std::string text;
  try {
    text = read_whole_file(path.string(), most_text_bytes);
  } catch (const InputError&) {
    return std::nullopt;  // Too large, or not to be read: the report goes without its text.
  }
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

const std::vector<std::string>* SourceFiles::lines(const std::string& file) {
  if (file.empty()) return nullptr;
  const auto [found, is_new] = read_.try_emplace(file);
  if (is_new) {
    std::vector<fs::path> places;
    for (const std::string& folder : folders_) {
      if (fs::path(file).is_relative()) places.push_back(fs::path(folder) / file);
      places.push_back(fs::path(folder) / fs::path(file).filename());
    }
    places.emplace_back(file);
    for (const fs::path& place : places) {
      found->second = read(place);
      if (found->second) break;
    }
  }
  return found->second ? &*found->second : nullptr;
}

std::string SourceFiles::line(const std::string& file, std::uint32_t number) {
  const std::vector<std::string>* all = lines(file);
  if (all == nullptr || number == 0 || number > all->size()) return "";
  const std::string& text = (*all)[number - 1];
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace lockstep::explain
