#pragma once
// Tokens with two of lookahead, and the syntax error that the parser recovers from at the next statement.

#include <string>
#include <string_view>
#include <utility>

#include "isa/error.hpp"
#include "isa/ptx/lexer.hpp"

namespace lockstep::ptx {

/// Thrown and caught inside the parser only.
struct SyntaxError {
  SyntaxError(SourceLocation at, std::string text) : where(std::move(at)), message(std::move(text)) {}
  SourceLocation where;
  std::string message;
};

class TokenStream {
 public:
  TokenStream(std::string_view text, std::string file);

  const Token& peek() const { return tokens_[0]; }
  const Token& peek_second() const { return tokens_[1]; }
  Token take();
  /// Takes the token when it is this one.
  bool accept(char punctuation);
  bool accept_dotted(std::string_view word);
  /// Takes the token, or fails with "expected WHAT, found ...".
  Token expect(char punctuation, std::string_view after);
  Token expect_identifier(std::string_view what);
  Token expect_string(std::string_view what);
  bool at_end() const { return tokens_[0].kind == TokenKind::end; }
  /// Takes everything up to the end of the current token's line.
  void skip_line();

  SourceLocation where(const Token& token) const { return {file_, token.line, token.column}; }
  [[noreturn]] void fail(const Token& token, const std::string& message) const;
  /// Fails at the next token with "expected WHAT, found ...".
  [[noreturn]] void fail_expected(std::string_view what) const;
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  Lexer lexer_;
  Token tokens_[2];
};

/// How a message names a token: "'add'", "the end of the file".
std::string describe(const Token& token);

/// Counts nesting while it lives, so that no input can exhaust the stack.
class NestingGuard {
 public:
  NestingGuard(int& depth, const TokenStream& tokens);
  ~NestingGuard() { --depth_; }
  NestingGuard(const NestingGuard&) = delete;
  NestingGuard& operator=(const NestingGuard&) = delete;

 private:
  int& depth_;
};

}  // namespace lockstep::ptx
