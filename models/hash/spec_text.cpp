#include "models/hash/spec_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "isa/did_you_mean.hpp"
#include "isa/error.hpp"

namespace lockstep::hash {

std::vector<Piece> split(const Piece& piece, char separator) {
  std::vector<Piece> pieces;
  std::size_t first = 0;
  for (std::size_t next = 0; next != std::string_view::npos; first = next + 1) {
    next = piece.text.find(separator, first);
    pieces.push_back(
        {piece.text.substr(first, next == std::string_view::npos ? next : next - first), piece.column + first});
  }
  return pieces;
}

SpecText::SpecText(std::string_view spec) : whole_(spec), family_(spec.substr(0, spec.find(':'))) {
  if (family_.size() < spec.size()) arguments_ = Piece{spec.substr(family_.size() + 1), family_.size() + 2};
}

void SpecText::fail(std::size_t column, std::string_view message) const {
  throw InputError(fmt::format("hash \"{}\", column {}: {}", whole_, column, message));
}

std::vector<Piece> SpecText::list(std::string_view form) const {
  if (!arguments_ || arguments_->text.empty())
    fail(whole_.size() + 1, fmt::format("arguments are missing; the form is {}", form));
  std::vector<Piece> pieces = split(*arguments_, ',');
  for (const Piece& piece : pieces)
    if (piece.text.empty()) fail(piece.column, fmt::format("an argument is missing; the form is {}", form));
  return pieces;
}

std::vector<Piece> SpecText::list(std::size_t count, std::string_view form) const {
  std::vector<Piece> pieces = list(form);
  if (pieces.size() != count)
    fail(pieces.size() > count ? pieces[count].column : whole_.size() + 1,
         fmt::format("found {} argument{}, but {} are needed; the form is {}", pieces.size(),
                     pieces.size() == 1 ? "" : "s", count, form));
  return pieces;
}

std::vector<Piece> SpecText::named(const std::vector<std::string>& names, std::string_view form) const {
  std::vector<Piece> values(names.size());
  std::vector<bool> given(names.size(), false);
  for (const Piece& piece : list(form)) {
    const std::size_t equals = piece.text.find('=');
    if (equals == std::string_view::npos)
      fail(piece.column, fmt::format("\"{}\" has no value; the form is {}", piece.text, form));
    const std::string_view name = piece.text.substr(0, equals);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      fail(piece.column,
           fmt::format("unknown argument \"{}\"{}; the form is {}", name, did_you_mean_aside(name, names), form));
    }
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (given[index]) fail(piece.column, fmt::format("{} is given twice", name));
    given[index] = true;
    values[index] = {piece.text.substr(equals + 1), piece.column + equals + 1};
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!given[i]) fail(whole_.size() + 1, fmt::format("{} is missing; the form is {}", names[i], form));
  return values;
}

void SpecText::expect_no_arguments() const {
  if (arguments_) fail(arguments_->column - 1, fmt::format("\"{}\" takes no arguments", family_));
}

std::int64_t SpecText::number(const Piece& piece, std::string_view what, std::int64_t least, std::int64_t most) const {
  const bool hexadecimal = piece.text.starts_with("0x") || piece.text.starts_with("0X");
  const char* const first = piece.text.data() + (hexadecimal ? 2 : 0);
  const char* const last = piece.text.data() + piece.text.size();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value, hexadecimal ? 16 : 10);
  if (error == std::errc::invalid_argument || end != last || (hexadecimal && *first == '-'))
    fail(piece.column,
         fmt::format("{} must be a whole number from {} to {}; found \"{}\"", what, least, most, piece.text));
  if (error != std::errc() || value < least || value > most)
    fail(piece.column, fmt::format("{} is {}, but must be from {} to {}", what, piece.text, least, most));
  return value;
}

std::uint64_t SpecText::hexadecimal(const Piece& piece, std::string_view what) const {
  const bool prefixed = piece.text.starts_with("0x") || piece.text.starts_with("0X");
  const char* const first = piece.text.data() + (prefixed ? 2 : 0);
  const char* const last = piece.text.data() + piece.text.size();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value, 16);
  if (error == std::errc::result_out_of_range)
    fail(piece.column, fmt::format("{} has more than 64 bits: \"{}\"", what, piece.text));
  if (error != std::errc() || end != last)
    fail(piece.column, fmt::format("{} must be a hexadecimal number; found \"{}\"", what, piece.text));
  return value;
}

}  // namespace lockstep::hash
