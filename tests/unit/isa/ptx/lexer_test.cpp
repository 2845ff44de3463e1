#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "isa/ptx/lexer.hpp"

using namespace lockstep::ptx;

namespace {

std::vector<Token> tokens_of(std::string_view text) {
  Lexer lexer(text);
  std::vector<Token> tokens;
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) tokens.push_back(token);
  return tokens;
}

}  // namespace

TEST_CASE("an instruction is cut into opcode, modifiers, registers, numbers and marks") {
  const auto tokens = tokens_of("@!%p1 ld.global.v2.f32 {%f1,%f2}, [%rd1+-4];");
  const std::vector<std::string> texts{"@",   "!", "%p1", "ld", "global", "v2", "f32", "{", "%f1", ",",
                                       "%f2", "}", ",",   "[",  "%rd1",   "+",  "-",   "4", "]",   ";"};
  REQUIRE(tokens.size() == texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) CHECK(tokens[i].text == texts[i]);
  CHECK(tokens[2].kind == TokenKind::identifier);
  CHECK(tokens[4].kind == TokenKind::dotted);
  CHECK(tokens[17].kind == TokenKind::number);
}

TEST_CASE("modifiers keep their double colons and may begin with a digit") {
  const auto tokens = tokens_of("cp.async.bulk.shared::cluster.L2::cache_hint tex.2d.1x");
  REQUIRE(tokens.size() == 8);
  CHECK(tokens[3].text == "shared::cluster");
  CHECK(tokens[4].text == "L2::cache_hint");
  CHECK(tokens[6].text == "2d");
}

TEST_CASE("lines and columns count from one, through comments of both kinds and preprocessor lines") {
  const auto tokens = tokens_of("// first\n  a /* two\nlines */ b\n# 1 \"x\"\n\tc");
  REQUIRE(tokens.size() == 3);
  CHECK((tokens[0].line == 2 && tokens[0].column == 3));
  CHECK((tokens[1].line == 3 && tokens[1].column == 10));
  CHECK((tokens[2].line == 5 && tokens[2].column == 2));
}

TEST_CASE("numbers of all bases are one token each") {
  for (const char* text :
       {"12", "0x1F", "017", "0b101", "7U", "0f3F800000", "0dBFF0000000000000", "1.5", "1.5e-3", "2E+4", "1."}) {
    INFO(text);
    const auto tokens = tokens_of(text);
    REQUIRE(tokens.size() == 1);
    CHECK(tokens[0].kind == TokenKind::number);
    CHECK(tokens[0].text == text);
  }
}

TEST_CASE("a hexadecimal number that ends in e does not swallow the sign behind it") {
  const auto tokens = tokens_of("0x1e+4");
  REQUIRE(tokens.size() == 3);
  CHECK(tokens[0].text == "0x1e");
}

TEST_CASE("what is not closed is a bad token where it opens") {
  auto tokens = tokens_of("a\n /* never");
  REQUIRE(tokens.size() == 2);
  CHECK(tokens[1].kind == TokenKind::bad);
  CHECK((tokens[1].line == 2 && tokens[1].column == 2));
  tokens = tokens_of("\"open\nb");
  REQUIRE(tokens.size() == 2);
  CHECK(tokens[0].kind == TokenKind::bad);
  CHECK(tokens[1].text == "b");
}

TEST_CASE("a quote inside a string is escaped") {
  const auto tokens = tokens_of(R"("a\"b" c)");
  REQUIRE(tokens.size() == 2);
  CHECK(tokens[0].text == R"(a\"b)");
}
