#include "isa/ptx/token_stream.hpp"

#include <fmt/format.h>

#include <utility>

namespace lockstep::ptx {

namespace {
constexpr int deepest_nesting = 100;
constexpr std::size_t longest_quote = 60;
}  // namespace

TokenStream::TokenStream(std::string_view text, std::string file) : file_(std::move(file)), lexer_(text) {
  tokens_[0] = lexer_.next();
  tokens_[1] = lexer_.next();
}

Token TokenStream::take() {
  const Token taken = tokens_[0];
  tokens_[0] = tokens_[1];
  tokens_[1] = lexer_.next();
  return taken;
}

bool TokenStream::accept(char punctuation) {
  if (!tokens_[0].is(punctuation)) return false;
  take();
  return true;
}

bool TokenStream::accept_dotted(std::string_view word) {
  if (!tokens_[0].is_dotted(word)) return false;
  take();
  return true;
}

Token TokenStream::expect(char punctuation, std::string_view after) {
  if (!tokens_[0].is(punctuation)) fail_expected(fmt::format("'{}' after {}", punctuation, after));
  return take();
}

Token TokenStream::expect_identifier(std::string_view what) {
  if (!tokens_[0].is_identifier()) fail_expected(what);
  return take();
}

Token TokenStream::expect_string(std::string_view what) {
  if (tokens_[0].kind != TokenKind::string) fail_expected(what);
  return take();
}

void TokenStream::skip_line() {
  const int line = tokens_[0].line;
  while (!at_end() && tokens_[0].line == line) take();
}

void TokenStream::fail(const Token& token, const std::string& message) const {
  throw SyntaxError{where(token), message};
}

void TokenStream::fail_expected(std::string_view what) const {
  fail(tokens_[0], fmt::format("expected {}, found {}", what, describe(tokens_[0])));
}

std::string describe(const Token& token) {
  if (token.kind == TokenKind::end) return "the end of the file";
  std::string text;
  for (const char c : token.text.substr(0, longest_quote)) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte < 0x20 || byte > 0x7E ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  if (token.text.size() > longest_quote) text += "...";
  if (token.kind == TokenKind::bad && token.text == "/*") return "a comment that is never closed";
  if (token.kind == TokenKind::bad && token.text == "\"") return "a string that is not closed on its line";
  if (token.kind == TokenKind::string) return fmt::format("\"{}\"", text);
  return fmt::format("'{}{}'", token.kind == TokenKind::dotted ? "." : "", text);
}

NestingGuard::NestingGuard(int& depth, const TokenStream& tokens) : depth_(depth) {
  if (depth_ >= deepest_nesting) tokens.fail(tokens.peek(), "brackets are nested too deeply");
  ++depth_;
}

}  // namespace lockstep::ptx
