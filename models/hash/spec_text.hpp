#pragma once
// A hash SPEC as text, taken apart: "family:argument,argument,...".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::hash {

/// A piece of a SPEC, and where it begins in it, counted from 1.
struct Piece {
  std::string_view text;
  std::size_t column = 1;
};

/// The SPEC must outlive it.
class SpecText {
 public:
  explicit SpecText(std::string_view spec);

  std::string_view whole() const { return whole_; }
  std::string_view family() const { return family_; }
  /// What follows the colon; nothing when there is no colon.
  const std::optional<Piece>& arguments() const { return arguments_; }

  /// The arguments between commas. InputError when there are none or one is empty; `form` says what would be right.
  std::vector<Piece> list(std::string_view form) const;
  /// The same; InputError when they are not `count` in number.
  std::vector<Piece> list(std::size_t count, std::string_view form) const;
  /// The values of "name=value,name=value,...", in the order of `names`; every one has to be there, and no other.
  std::vector<Piece> named(const std::vector<std::string>& names, std::string_view form) const;
  /// InputError when there is anything behind the family's name.
  void expect_no_arguments() const;

  /// A number from least to most, decimal or with 0x; `what` names it in the message.
  std::int64_t number(const Piece& piece, std::string_view what, std::int64_t least, std::int64_t most) const;
  /// A number in hexadecimal digits, with or without 0x.
  std::uint64_t hexadecimal(const Piece& piece, std::string_view what) const;

  /// InputError: hash "SPEC", column N: message.
  [[noreturn]] void fail(std::size_t column, std::string_view message) const;

 private:
  std::string_view whole_, family_;
  std::optional<Piece> arguments_;
};

/// The pieces between separators; one when there is no separator.
std::vector<Piece> split(const Piece& piece, char separator);

}  // namespace lockstep::hash
