#pragma once
// Cuts PTX text into tokens. Comments, white space and preprocessor lines are skipped.

#include <cstdint>
#include <string_view>

namespace lockstep::ptx {

enum class TokenKind : std::uint8_t {
  identifier,   ///< "add", "%r1", "$L__BB0_1", "_"
  dotted,       ///< ".global", ".L2::cache_hint", ".2d": the text is without the first dot.
  number,       ///< As written; read_literal() gives its value.
  string,       ///< Without the quotes, escapes as written.
  punctuation,  ///< One character.
  end,
  bad  ///< What cannot start a token; the text is that character, or the opening of an unterminated comment or string.
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  int line = 0, column = 0;

  bool is(char c) const { return kind == TokenKind::punctuation && text.front() == c; }
  bool is_dotted(std::string_view word) const { return kind == TokenKind::dotted && text == word; }
  bool is_identifier() const { return kind == TokenKind::identifier; }
};

class Lexer {
 public:
  /// The tokens point into the text, which must outlive them.
  explicit Lexer(std::string_view text);
  Token next();
  /// Continues after the end of the line of the last token.
  void skip_line();

 private:
  /// False when a comment is not closed: open_ is then its opening.
  bool skip_blank();
  void newline();
  const char* at_;
  const char* end_;
  const char* line_start_;
  int line_ = 1;
  Token open_;
};

}  // namespace lockstep::ptx
