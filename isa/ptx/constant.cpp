#include "isa/ptx/constant.hpp"

#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <charconv>
#include <system_error>

namespace lockstep::ptx {

double Constant::real() const {
  if (is_real) return std::bit_cast<double>(bits);
  return is_unsigned ? static_cast<double>(bits) : static_cast<double>(static_cast<std::int64_t>(bits));
}

Constant Constant::integer(std::uint64_t value, bool is_unsigned) {
  Constant result;
  result.bits = value;
  result.is_unsigned = is_unsigned;
  return result;
}

Constant Constant::real_of(double value) {
  Constant result;
  result.is_real = true;
  result.bits = std::bit_cast<std::uint64_t>(value);
  return result;
}

std::uint64_t widen_f32(std::uint32_t bits) {
  const std::uint32_t exponent = bits >> 23 & 0xFF;
  if (exponent != 0xFF) return std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(bits)));
  return std::uint64_t{bits >> 31} << 63 | std::uint64_t{0x7FF} << 52 | std::uint64_t{bits & 0x7FFFFF} << 29;
}

namespace {

bool read_digits(std::string_view digits, int base, std::uint64_t& value, std::string_view& reason) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error == std::errc::result_out_of_range) {
    reason = "does not fit in 64 bits";
    return false;
  }
  if (error != std::errc() || end != digits.data() + digits.size()) {
    reason = "is not a number";
    return false;
  }
  return true;
}

bool read_real_bits(std::string_view digits, std::size_t count, Constant& result, std::string_view& reason) {
  std::uint64_t value = 0;
  if (digits.size() != count) {
    reason = count == 8 ? "must have 8 hexadecimal digits after 0f" : "must have 16 hexadecimal digits after 0d";
    return false;
  }
  if (!read_digits(digits, 16, value, reason)) return false;
  result.is_real = true;
  result.real_bits = count == 8 ? 32 : 64;
  result.bits = count == 8 ? widen_f32(static_cast<std::uint32_t>(value)) : value;
  return true;
}

}  // namespace

bool read_literal(std::string_view text, Constant& result, std::string_view& reason) {
  result = Constant();
  const char second = text.size() > 1 ? static_cast<char>(std::tolower(static_cast<unsigned char>(text[1]))) : '\0';
  if (text[0] == '0' && second == 'f') return read_real_bits(text.substr(2), 8, result, reason);
  if (text[0] == '0' && second == 'd') return read_real_bits(text.substr(2), 16, result, reason);
  std::string_view digits = text;
  const bool hexadecimal = text[0] == '0' && second == 'x';
  if (!hexadecimal && text.find_first_of(".eE") != std::string_view::npos) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      reason = error == std::errc::result_out_of_range ? "is out of the range of .f64" : "is not a number";
      return false;
    }
    result = Constant::real_of(value);
    return true;
  }
  int base = 10;
  if (hexadecimal || (text[0] == '0' && second == 'b')) {
    base = hexadecimal ? 16 : 2;
    digits.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0' && second != 'u') {
    base = 8;
    digits.remove_prefix(1);
  }
  if (!digits.empty() && (digits.back() == 'U' || digits.back() == 'u')) {
    result.is_unsigned = true;
    digits.remove_suffix(1);
  }
  if (!read_digits(digits, base, result.bits, reason)) return false;
  // PTX ISA 4.5.1: a literal is .s64 unless it does not fit there.
  if (result.bits >> 63 != 0) result.is_unsigned = true;
  return true;
}

bool starts_constant(const Token& token) {
  return token.kind == TokenKind::number || token.is('(') || token.is('-') || token.is('+') || token.is('~') ||
         token.is('!') || (token.is_identifier() && token.text == "WARP_SZ");
}

namespace {

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

  Constant conditional() {
    const NestingGuard guard(depth_, tokens_);
    const Constant condition = binary(0);
    if (!tokens_.accept('?')) return condition;
    const Constant yes = conditional();
    tokens_.expect(':', "the first choice of ?:");
    const Constant no = conditional();
    return truth(condition) ? yes : no;
  }

  Constant unary() {
    const NestingGuard guard(depth_, tokens_);
    const Token token = tokens_.peek();
    if (tokens_.accept('+')) return unary();
    if (tokens_.accept('-')) {
      Constant value = unary();
      value.bits = value.is_real ? value.bits ^ std::uint64_t{1} << 63 : ~value.bits + 1;
      return value;
    }
    if (tokens_.accept('~')) {
      Constant value = integer(unary(), token);
      value.bits = ~value.bits;
      return value;
    }
    if (tokens_.accept('!')) return Constant::integer(truth(unary()) ? 0 : 1);
    if (tokens_.accept('(')) {
      if (tokens_.peek().kind == TokenKind::dotted) return cast();
      const Constant value = conditional();
      tokens_.expect(')', "the expression");
      return value;
    }
    if (token.is_identifier() && token.text == "WARP_SZ") {
      tokens_.take();
      return Constant::integer(32);
    }
    if (token.kind != TokenKind::number) tokens_.fail_expected("a number");
    Constant value;
    std::string_view reason;
    if (!read_literal(token.text, value, reason)) tokens_.fail(token, fmt::format("{} {}", describe(token), reason));
    tokens_.take();
    return value;
  }

 private:
  enum class Operator : std::uint8_t {
    none,
    logic_or,
    logic_and,
    bit_or,
    bit_xor,
    bit_and,
    equal,
    differ,
    less,
    at_most,
    more,
    at_least,
    left,
    right,
    add,
    subtract,
    multiply,
    divide,
    remainder
  };
  struct Found {
    Operator what = Operator::none;
    int precedence = -1;
    bool two_tokens = false;
  };

  Found next_operator() const {
    const Token& a = tokens_.peek();
    if (a.kind != TokenKind::punctuation) return {};
    const Token& b = tokens_.peek_second();
    const char c = a.text.front();
    const bool touching = b.kind == TokenKind::punctuation && b.text.data() == a.text.data() + 1;
    const char d = touching ? b.text.front() : '\0';
    switch (c) {
      case '|': return d == '|' ? Found{Operator::logic_or, 0, true} : Found{Operator::bit_or, 2, false};
      case '&': return d == '&' ? Found{Operator::logic_and, 1, true} : Found{Operator::bit_and, 4, false};
      case '^': return {Operator::bit_xor, 3, false};
      case '=': return d == '=' ? Found{Operator::equal, 5, true} : Found{};
      case '!': return d == '=' ? Found{Operator::differ, 5, true} : Found{};
      case '<':
        if (d == '<') return {Operator::left, 7, true};
        return d == '=' ? Found{Operator::at_most, 6, true} : Found{Operator::less, 6, false};
      case '>':
        if (d == '>') return {Operator::right, 7, true};
        return d == '=' ? Found{Operator::at_least, 6, true} : Found{Operator::more, 6, false};
      case '+': return {Operator::add, 8, false};
      case '-': return {Operator::subtract, 8, false};
      case '*': return {Operator::multiply, 9, false};
      case '/': return {Operator::divide, 9, false};
      case '%': return {Operator::remainder, 9, false};
      default: return {};
    }
  }

  Constant binary(int lowest) {
    const NestingGuard guard(depth_, tokens_);
    Constant left = unary();
    for (Found found = next_operator(); found.precedence >= lowest; found = next_operator()) {
      const Token token = tokens_.take();
      if (found.two_tokens) tokens_.take();
      left = apply(found.what, left, binary(found.precedence + 1), token);
    }
    return left;
  }

  Constant cast() {
    const Token type = tokens_.take();
    if (type.text != "s64" && type.text != "u64" && type.text != "f64") {
      tokens_.fail(type, fmt::format("expected a cast to .s64, .u64 or .f64, found {}", describe(type)));
    }
    tokens_.expect(')', "the type of a cast");
    Constant value = unary();
    if (type.text == "f64") return Constant::real_of(value.real());
    value = integer(value, type);
    value.is_unsigned = type.text == "u64";
    return value;
  }

  static bool truth(const Constant& value) { return value.is_real ? value.real() != 0.0 : value.bits != 0; }

  Constant integer(const Constant& value, const Token& token) const {
    if (value.is_real)
      tokens_.fail(token, fmt::format("{} takes integers, not a floating-point value", describe(token)));
    return value;
  }

  Constant apply(Operator what, const Constant& a, const Constant& b, const Token& token) const {
    if (what == Operator::logic_or) return Constant::integer(truth(a) || truth(b) ? 1 : 0);
    if (what == Operator::logic_and) return Constant::integer(truth(a) && truth(b) ? 1 : 0);
    if (a.is_real || b.is_real) return apply_real(what, a.real(), b.real(), token);
    const bool is_unsigned = a.is_unsigned || b.is_unsigned;
    const std::uint64_t x = a.bits;
    const std::uint64_t y = b.bits;
    const auto sx = static_cast<std::int64_t>(x);
    const auto sy = static_cast<std::int64_t>(y);
    const auto truth_of = [](bool value) { return Constant::integer(value ? 1 : 0); };
    switch (what) {
      case Operator::bit_or: return Constant::integer(x | y, is_unsigned);
      case Operator::bit_xor: return Constant::integer(x ^ y, is_unsigned);
      case Operator::bit_and: return Constant::integer(x & y, is_unsigned);
      case Operator::equal: return truth_of(x == y);
      case Operator::differ: return truth_of(x != y);
      case Operator::less: return truth_of(is_unsigned ? x < y : sx < sy);
      case Operator::at_most: return truth_of(is_unsigned ? x <= y : sx <= sy);
      case Operator::more: return truth_of(is_unsigned ? x > y : sx > sy);
      case Operator::at_least: return truth_of(is_unsigned ? x >= y : sx >= sy);
      case Operator::left: return Constant::integer(y > 63 ? 0 : x << y, a.is_unsigned);
      case Operator::right: {
        const std::uint64_t amount = y > 63 ? 63 : y;
        if (!a.is_unsigned) return Constant::integer(static_cast<std::uint64_t>(sx >> amount));
        return Constant::integer(y > 63 ? 0 : x >> amount, true);
      }
      case Operator::add: return Constant::integer(x + y, is_unsigned);
      case Operator::subtract: return Constant::integer(x - y, is_unsigned);
      case Operator::multiply: return Constant::integer(x * y, is_unsigned);
      case Operator::divide:
      case Operator::remainder: {
        const bool divides = what == Operator::divide;
        if (y == 0) tokens_.fail(token, "division by zero in a constant expression");
        if (is_unsigned) return Constant::integer(divides ? x / y : x % y, true);
        if (sy == -1) return Constant::integer(divides ? ~x + 1 : 0);
        return Constant::integer(static_cast<std::uint64_t>(divides ? sx / sy : sx % sy));
      }
      default: throw Bug("constant expression: operator without a rule");
    }
  }

  Constant apply_real(Operator what, double a, double b, const Token& token) const {
    const auto truth_of = [](bool value) { return Constant::integer(value ? 1 : 0); };
    switch (what) {
      case Operator::add: return Constant::real_of(a + b);
      case Operator::subtract: return Constant::real_of(a - b);
      case Operator::multiply: return Constant::real_of(a * b);
      case Operator::divide:
        if (b == 0) tokens_.fail(token, "division by zero in a constant expression");
        return Constant::real_of(a / b);
      case Operator::equal: return truth_of(a == b);
      case Operator::differ: return truth_of(a != b);
      case Operator::less: return truth_of(a < b);
      case Operator::at_most: return truth_of(a <= b);
      case Operator::more: return truth_of(a > b);
      case Operator::at_least: return truth_of(a >= b);
      default: tokens_.fail(token, fmt::format("{} takes integers, not floating-point values", describe(token)));
    }
  }

  TokenStream& tokens_;
  int depth_ = 0;
};

}  // namespace

Constant parse_constant(TokenStream& tokens) {
  return ExpressionParser(tokens).conditional();
}

Constant parse_unary_constant(TokenStream& tokens) {
  return ExpressionParser(tokens).unary();
}

std::uint64_t parse_count(TokenStream& tokens, std::string_view what, std::uint64_t largest) {
  const Token token = tokens.peek();
  if (!starts_constant(token)) tokens.fail_expected(what);
  const Constant value = parse_constant(tokens);
  if (value.is_real || (!value.is_unsigned && value.bits >> 63 != 0) || value.bits > largest) {
    tokens.fail(token, fmt::format("{} must be an integer from 0 to {}", what, largest));
  }
  return value.bits;
}

}  // namespace lockstep::ptx
