#include "isa/ptx/lexer.hpp"

#include <array>
#include <cstring>

namespace lockstep::ptx {

namespace {

enum CharacterClass : std::uint8_t { other = 0, letter = 1, digit = 2, sigil = 4, blank = 8, mark = 16 };

constexpr std::array<std::uint8_t, 256> classes = [] {
  std::array<std::uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = letter;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = letter;
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = digit;
  table['_'] = table['$'] = letter;
  table['%'] = sigil;
  for (const char c : {' ', '\t', '\r', '\v', '\f', '\n'}) table[static_cast<std::size_t>(c)] = blank;
  for (const char c : {',', ';', ':', '(', ')', '{', '}', '[', ']', '<', '>', '+',
                       '-', '*', '/', '&', '|', '^', '!', '~', '=', '?', '@'}) {
    table[static_cast<std::size_t>(c)] = mark;
  }
  return table;
}();

std::uint8_t class_of(char c) {
  return classes[static_cast<unsigned char>(c)];
}
bool is_word(char c) {
  return (class_of(c) & (letter | digit)) != 0;
}

}  // namespace

Lexer::Lexer(std::string_view text) : at_(text.data()), end_(text.data() + text.size()), line_start_(text.data()) {}

void Lexer::newline() {
  ++line_;
  line_start_ = at_;
}

void Lexer::skip_line() {
  if (at_ == end_) return;
  const void* found = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
  at_ = found != nullptr ? static_cast<const char*>(found) : end_;
}

bool Lexer::skip_blank() {
  while (at_ != end_) {
    const char c = *at_;
    if (class_of(c) == blank) {
      ++at_;
      if (c == '\n') newline();
    } else if (c == '/' && end_ - at_ > 1 && at_[1] == '/') {
      skip_line();
    } else if (c == '/' && end_ - at_ > 1 && at_[1] == '*') {
      open_ = {TokenKind::bad, std::string_view(at_, 2), line_, static_cast<int>(at_ - line_start_) + 1};
      at_ += 2;
      bool closed = false;
      while (at_ != end_ && !closed) {
        closed = *at_ == '*' && end_ - at_ > 1 && at_[1] == '/';
        const bool breaks = *at_ == '\n';
        at_ += closed ? 2 : 1;
        if (breaks) newline();
      }
      if (!closed) return false;
    } else if (c == '#') {
      skip_line();
    } else {
      break;
    }
  }
  return true;
}

Token Lexer::next() {
  if (!skip_blank()) return open_;
  Token token;
  token.line = line_;
  token.column = static_cast<int>(at_ - line_start_) + 1;
  if (at_ == end_) return token;
  const char* const start = at_;
  const auto finish = [&](TokenKind kind, const char* first) {
    token.kind = kind;
    token.text = std::string_view(first, static_cast<std::size_t>(at_ - first));
    return token;
  };
  const char c = *at_++;
  switch (class_of(c)) {
    case letter:
      while (at_ != end_ && is_word(*at_)) ++at_;
      return finish(TokenKind::identifier, start);
    case sigil:
      while (at_ != end_ && is_word(*at_)) ++at_;
      return finish(at_ - start > 1 ? TokenKind::identifier : TokenKind::punctuation, start);
    case digit: {
      const bool prefixed = c == '0' && at_ != end_ &&
                            (*at_ == 'x' || *at_ == 'X' || *at_ == 'f' || *at_ == 'F' || *at_ == 'd' || *at_ == 'D' ||
                             *at_ == 'b' || *at_ == 'B');
      while (at_ != end_) {
        const bool exponent = !prefixed && (at_[-1] == 'e' || at_[-1] == 'E') && (*at_ == '+' || *at_ == '-');
        const bool point = !prefixed && *at_ == '.' && (end_ - at_ == 1 || (class_of(at_[1]) & letter) == 0);
        if (!is_word(*at_) && !exponent && !point) break;
        ++at_;
      }
      return finish(TokenKind::number, start);
    }
    case mark: return finish(TokenKind::punctuation, start);
    default: break;
  }
  if (c == '.' && at_ != end_ && is_word(*at_)) {
    while (at_ != end_) {
      if (is_word(*at_)) {
        ++at_;
      } else if (end_ - at_ > 2 && at_[0] == ':' && at_[1] == ':' && is_word(at_[2])) {
        at_ += 2;
      } else {
        break;
      }
    }
    return finish(TokenKind::dotted, start + 1);
  }
  if (c == '"') {
    while (at_ != end_ && *at_ != '"' && *at_ != '\n')
      at_ += (*at_ == '\\' && end_ - at_ > 1 && at_[1] != '\n') ? 2 : 1;
    if (at_ == end_ || *at_ != '"') {
      at_ = start + 1;
      finish(TokenKind::bad, start);
      skip_line();
      return token;
    }
    finish(TokenKind::string, start + 1);
    ++at_;
    return token;
  }
  return finish(TokenKind::bad, start);
}

}  // namespace lockstep::ptx
