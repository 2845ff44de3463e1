#pragma once
// PTX text with its tokens, and changes to it that leave all else byte for byte as it was.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/ptx/lexer.hpp"

namespace lockstep::rewrite {

class EditedText {
 public:
  /// The text must outlive it, and be PTX that was parsed without an error.
  explicit EditedText(std::string_view text);

  const std::vector<ptx::Token>& tokens() const { return tokens_; }
  /// Index of the token at this place. Bug when there is none.
  std::size_t token_at(int line, int column) const;
  /// Index of the first token from `from` on that is this punctuation. Bug when there is none.
  std::size_t find(std::size_t from, char punctuation) const;
  /// Where a token begins and ends in the text; that of a dotted one begins at its dot.
  std::size_t begin_of(std::size_t token) const;
  std::size_t end_of(std::size_t token) const;
  std::string_view between(std::size_t begin, std::size_t end) const { return text_.substr(begin, end - begin); }

  /// Replaces bytes [begin, end). Replacements do not overlap; several at one place come in the order given.
  void replace(std::size_t begin, std::size_t end, std::string replacement);
  void insert(std::size_t at, std::string text) { replace(at, at, std::move(text)); }
  std::string result() const;

  /// This, or this and underscores, such that no token of the text begins with it.
  std::string unused_prefix(std::string prefix) const;

 private:
  struct Edit {
    std::size_t begin, end;
    std::string text;
  };
  std::string_view text_;
  std::vector<ptx::Token> tokens_;
  std::map<std::pair<int, int>, std::size_t> by_place_;
  std::vector<Edit> edits_;
};

}  // namespace lockstep::rewrite
