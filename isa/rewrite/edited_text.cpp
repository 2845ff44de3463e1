#include "isa/rewrite/edited_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"

namespace lockstep::rewrite {

EditedText::EditedText(std::string_view text) : text_(text) {
  ptx::Lexer lexer(text);
  for (ptx::Token token = lexer.next(); token.kind != ptx::TokenKind::end; token = lexer.next()) {
    // One that is bad stands in a section of debugging data, which is copied as it is.
    by_place_.emplace(std::pair(token.line, token.column), tokens_.size());
    tokens_.push_back(token);
  }
}

std::size_t EditedText::token_at(int line, int column) const {
  const auto found = by_place_.find({line, column});
  if (found == by_place_.end()) throw Bug(fmt::format("no token of the PTX begins at {}:{}", line, column));
  return found->second;
}

std::size_t EditedText::find(std::size_t from, char punctuation) const {
  while (from < tokens_.size() && !tokens_[from].is(punctuation)) ++from;
  if (from == tokens_.size()) throw Bug(fmt::format("no '{}' where the PTX has to have one", punctuation));
  return from;
}

std::size_t EditedText::begin_of(std::size_t token) const {
  const ptx::Token& one = tokens_[token];
  return static_cast<std::size_t>(one.text.data() - text_.data()) - (one.kind == ptx::TokenKind::dotted ? 1 : 0);
}

std::size_t EditedText::end_of(std::size_t token) const {
  const ptx::Token& one = tokens_[token];
  return static_cast<std::size_t>(one.text.data() - text_.data()) + one.text.size();
}

void EditedText::replace(std::size_t begin, std::size_t end, std::string replacement) {
  edits_.push_back({begin, end, std::move(replacement)});
}

std::string EditedText::unused_prefix(std::string prefix) const {
  const auto begins = [&](const ptx::Token& token) { return token.text.starts_with(prefix); };
  while (std::any_of(tokens_.begin(), tokens_.end(), begins)) prefix += "_";
  return prefix;
}

std::string EditedText::result() const {
  std::vector<const Edit*> ordered;
  for (const Edit& edit : edits_) ordered.push_back(&edit);
  std::stable_sort(ordered.begin(), ordered.end(), [](const Edit* x, const Edit* y) { return x->begin < y->begin; });
  std::string result;
  std::size_t at = 0;
  for (const Edit* edit : ordered) {
    if (edit->begin < at) throw Bug("two changes of the same PTX text");
    result += text_.substr(at, edit->begin - at);
    result += edit->text;
    at = edit->end;
  }
  result += text_.substr(at);
  return result;
}

}  // namespace lockstep::rewrite
