// Any function at all, written out: in the SPEC itself or in a file.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <sstream>

#include "isa/error.hpp"
#include "isa/input_file.hpp"
#include "models/hash/family.hpp"

namespace lockstep::hash {

namespace {

constexpr const char* form = "table:T,T,... or table:FILE";

/// The numbers of a file, between white space or commas; a '#' begins a comment.
std::vector<std::uint16_t> read_file(const SpecText& spec, const std::string& path, std::uint32_t targets) {
  std::istringstream in;
  try {
    in.str(read_whole_file(path, most_text_bytes));
  } catch (const InputError& error) {
    spec.fail(spec.arguments()->column, fmt::format("{}; the form is {}", error.what(), form));
  }
  std::vector<std::uint16_t> table;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    line.resize(std::min(line.find('#'), line.size()));
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return c == ',' || std::isspace(c) != 0; }, ' ');
    for (const Piece& piece : split({line, 1}, ' ')) {
      if (piece.text.empty()) continue;
      try {
        table.push_back(static_cast<std::uint16_t>(spec.number(piece, "a target", 0, std::int64_t{targets} - 1)));
      } catch (const InputError&) {
        throw InputError({path, number, static_cast<int>(piece.column)},
                         fmt::format("a target of hash \"{}\" must be a number from 0 to {}; found \"{}\"",
                                     spec.whole(), targets - 1, piece.text));
      }
    }
  }
  return table;
}

std::vector<std::uint16_t> table(const SpecText& spec, const Shape& shape) {
  const std::vector<Piece> pieces = spec.list(form);
  const Piece all = *spec.arguments();
  const bool in_line = std::all_of(all.text.begin(), all.text.end(),
                                   [](char c) { return c == ',' || c == '-' || (c >= '0' && c <= '9'); });
  std::vector<std::uint16_t> targets;
  if (in_line) {
    for (const Piece& piece : pieces)
      targets.push_back(static_cast<std::uint16_t>(spec.number(piece, "a target", 0, std::int64_t{shape.targets} - 1)));
  } else {
    targets = read_file(spec, std::string(all.text), shape.targets);
  }
  if (!std::has_single_bit(targets.size()))
    spec.fail(all.column,
              fmt::format("the table repeats itself after a power of two of entries; found {}", targets.size()));
  if (targets.size() > std::uint64_t{1} << shape.word_bits())
    spec.fail(all.column, fmt::format("the table has {} entries, but word addresses have {} bits: {} at most",
                                      targets.size(), shape.word_bits(), std::uint64_t{1} << shape.word_bits()));
  std::vector<bool> reached(shape.targets, false);
  for (const std::uint16_t target : targets) reached[target] = true;
  const auto missing = std::find(reached.begin(), reached.end(), false);
  if (missing != reached.end())
    spec.fail(all.column, fmt::format("no address has target {}; all {} must be reached", missing - reached.begin(),
                                      shape.targets));
  return targets;
}

}  // namespace

extern const FamilyDeclaration table_family = {
    "table", form, "the targets of the word addresses 0, 1, ...: a power of two of numbers, which repeat", nullptr,
    table};

}  // namespace lockstep::hash
