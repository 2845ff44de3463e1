#include "sim/workload/expression/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "isa/did_you_mean.hpp"
#include "isa/error.hpp"

namespace lockstep::workload {

enum class Expression::Operator : std::uint8_t {
  literal,
  name,
  element,
  call,
  negate,
  logical_not,
  bit_not,
  multiply,
  divide,
  remainder,
  add,
  subtract,
  shift_left,
  shift_right,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  bit_and,
  bit_xor,
  bit_or,
  logical_and,
  logical_or,
  conditional
};

namespace {

using Operator = Expression::Operator;
using Node = Expression::Node;

struct Binary {
  std::string_view text;
  int precedence;  ///< Higher binds tighter.
  Operator op;
};
/// Longer spellings stand before their prefixes.
constexpr Binary binaries[] = {
    {"||", 1, Operator::logical_or}, {"&&", 2, Operator::logical_and},
    {"==", 6, Operator::equal},      {"!=", 6, Operator::not_equal},
    {"<<", 8, Operator::shift_left}, {">>", 8, Operator::shift_right},
    {"<=", 7, Operator::less_equal}, {">=", 7, Operator::greater_equal},
    {"<", 7, Operator::less},        {">", 7, Operator::greater},
    {"|", 3, Operator::bit_or},      {"^", 4, Operator::bit_xor},
    {"&", 5, Operator::bit_and},     {"+", 9, Operator::add},
    {"-", 9, Operator::subtract},    {"*", 10, Operator::multiply},
    {"/", 10, Operator::divide},     {"%", 10, Operator::remainder},
};
std::string_view spelling(Operator op) {
  for (const Binary& binary : binaries) {
    if (binary.op == op) return binary.text;
  }
  return op == Operator::bit_not ? "~" : op == Operator::logical_not ? "!" : "-";
}

struct Function {
  std::string_view name;
  std::size_t arguments;
};
constexpr Function functions[] = {{"min", 2},  {"max", 2},   {"ceil_div", 2}, {"round_up", 2}, {"log2", 1},
                                  {"abs", 1},  {"sqrt", 1},  {"sin", 1},      {"cos", 1},      {"floor", 1},
                                  {"ceil", 1}, {"float", 1}, {"pow", 2}};

/// Recursive descent over the text; binary operators by precedence.
class Parser {
 public:
  Parser(std::string_view text, std::vector<Node>& nodes, std::vector<Expression::Use>& uses)
      : text_(text), nodes_(nodes), uses_(uses) {}

  void parse() {
    if (text_.size() > longest) fail(longest, fmt::format("an expression has at most {} characters", longest));
    conditional();
    skip_blanks();
    if (at_ < text_.size()) fail(at_, fmt::format("expected an operator or the end, found '{}'", text_[at_]));
  }

 private:
  [[noreturn]] static void fail(std::size_t position, const std::string& message) {
    throw ExpressionError(position, message);
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool accept(std::string_view token) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (accept(token)) return;
    fail(at_, at_ < text_.size() ? fmt::format("expected '{}', found '{}'", token, text_[at_])
                                 : fmt::format("'{}' is missing at the end; inside [ ] and {{ }} of YAML a comma ends "
                                               "a value that is not in quotes",
                                               token));
  }
  std::uint32_t add(Operator op, std::size_t position, std::vector<std::uint32_t> operands = {}) {
    Node node;
    node.op = op;
    node.position = static_cast<std::uint32_t>(position);
    node.operands = std::move(operands);
    nodes_.push_back(std::move(node));
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  std::uint32_t conditional() {
    if (++depth_ > 100) fail(at_, "the expression is nested too deeply");
    const std::uint32_t condition = binary(1);
    skip_blanks();
    const std::size_t position = at_;
    std::uint32_t result = condition;
    if (accept("?")) {
      const std::uint32_t yes = conditional();
      expect(":");
      const std::uint32_t no = conditional();
      result = add(Operator::conditional, position, {condition, yes, no});
    }
    --depth_;
    return result;
  }

  std::uint32_t binary(int precedence) {
    std::uint32_t left = unary();
    while (true) {
      skip_blanks();
      const Binary* found = nullptr;
      for (const Binary& candidate : binaries) {
        if (text_.substr(at_).starts_with(candidate.text)) {
          found = &candidate;
          break;
        }
      }
      if (found == nullptr || found->precedence < precedence) return left;
      const std::size_t position = at_;
      at_ += found->text.size();
      const std::uint32_t right = binary(found->precedence + 1);
      left = add(found->op, position, {left, right});
    }
  }

  std::uint32_t unary() {
    while (accept("+")) {
    }
    skip_blanks();
    const std::size_t position = at_;
    for (const auto& [token, op] :
         {std::pair{"-", Operator::negate}, std::pair{"!", Operator::logical_not}, std::pair{"~", Operator::bit_not}}) {
      if (!accept(token)) continue;
      if (++depth_ > 100) fail(at_, "the expression is nested too deeply");
      const std::uint32_t operand = unary();
      --depth_;
      return add(op, position, {operand});
    }
    return primary();
  }

  std::uint32_t primary() {
    skip_blanks();
    if (at_ == text_.size()) fail(at_, "a value is missing at the end");
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') return number();
    // PTX names may begin with a $, but are more than that.
    const bool follows = at_ + 1 < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_ + 1]));
    if (std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c == '$' && follows)) return name();
    if (accept("(")) {
      const std::uint32_t inner = conditional();
      expect(")");
      return inner;
    }
    fail(at_, fmt::format("expected a value, found '{}'", c));
  }

  std::uint32_t number() {
    const std::size_t start = at_;
    const bool hexadecimal = text_.substr(at_).starts_with("0x") || text_.substr(at_).starts_with("0X");
    if (hexadecimal) at_ += 2;
    const char* first = text_.data() + at_;
    const char* last = text_.data() + text_.size();
    std::uint64_t integer = 0;
    auto [end, error] = std::from_chars(first, last, integer, hexadecimal ? 16 : 10);
    bool is_whole = true;
    Number value = static_cast<std::int64_t>(integer);
    if (!hexadecimal &&
        (error == std::errc::invalid_argument || (end < last && (*end == '.' || *end == 'e' || *end == 'E')))) {
      double real = 0;
      const auto result = std::from_chars(first, last, real);
      end = result.ptr;
      error = result.ec;
      value = real;
      is_whole = false;
    }
    if (error == std::errc::result_out_of_range) fail(start, is_whole ? too_large : "the number is too large");
    if (error != std::errc()) fail(start, "this is not a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    for (const auto& [unit, bits] : {std::pair{"KiB", 10}, std::pair{"MiB", 20}, std::pair{"GiB", 30}}) {
      const std::size_t after_number = at_;
      if (!accept(unit)) {
        at_ = after_number;
        continue;
      }
      if (!is_whole) fail(start, fmt::format("a number of {} must be whole", unit));
      if (__builtin_mul_overflow(integer, std::uint64_t{1} << bits, &integer)) fail(start, too_large);
      value = static_cast<std::int64_t>(integer);
    }
    // As a floating-point number it would be another one, without a word.
    if (is_whole && !hexadecimal && !std::in_range<std::int64_t>(integer))
      fail(start,
           fmt::format("the number is too large: from 2^63 on a number is written as its 64 bits, {:#x}", integer));
    if (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) {
      fail(at_, fmt::format("'{}' does not belong to a number; names start with a letter", text_[at_]));
    }
    const std::uint32_t index = add(Operator::literal, start);
    nodes_[index].literal = value;
    return index;
  }

  std::uint32_t name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' ||
                                  text_[at_] == '.' || text_[at_] == '$'))
      ++at_;
    const std::string word(text_.substr(start, at_ - start));
    if (accept("(")) return call(word, start);
    std::vector<std::uint32_t> operands;
    const bool indexed = accept("[");
    if (indexed) {
      operands.push_back(conditional());
      expect("]");
    }
    const std::uint32_t index = add(indexed ? Operator::element : Operator::name, start, std::move(operands));
    nodes_[index].use = static_cast<std::uint32_t>(uses_.size());
    uses_.push_back({word, start, indexed});
    return index;
  }

  std::uint32_t call(const std::string& word, std::size_t start) {
    const auto* function =
        std::find_if(std::begin(functions), std::end(functions), [&](const Function& f) { return f.name == word; });
    if (function == std::end(functions)) {
      std::vector<std::string> known;
      for (const Function& f : functions) known.emplace_back(f.name);
      const std::string all = fmt::format("; known: {}", fmt::join(known, ", "));
      fail(start, fmt::format("there is no function '{}'{}", word, did_you_mean(word, known, all)));
    }
    std::vector<std::uint32_t> operands;
    if (!accept(")")) {
      do {
        operands.push_back(conditional());
      } while (accept(","));
      expect(")");
    }
    if (operands.size() != function->arguments) {
      fail(start, fmt::format("'{}' takes {} argument{}, found {}", word, function->arguments,
                              function->arguments == 1 ? "" : "s", operands.size()));
    }
    const std::uint32_t index = add(Operator::call, start, std::move(operands));
    nodes_[index].function = static_cast<std::uint32_t>(function - std::begin(functions));
    return index;
  }

  static constexpr const char* too_large = "the number is too large: whole numbers have 64 bits, up to 2^64 - 1";
  static constexpr std::size_t longest = 4096;  ///< Bounds the recursion of evaluation.
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Node>& nodes_;
  std::vector<Expression::Use>& uses_;
};

class Evaluator {
 public:
  Evaluator(const std::vector<Node>& nodes, const std::vector<Expression::Use>& uses, const Scope& scope)
      : nodes_(nodes), uses_(uses), scope_(scope) {}

  Number value(std::uint32_t index) const {
    const Node& node = nodes_[index];
    switch (node.op) {
      case Operator::literal: return node.literal;
      case Operator::name:
      case Operator::element: return look_up(node);
      case Operator::call: return call(node);
      case Operator::conditional: return value(node.operands[truth(node.operands[0]) ? 1 : 2]);
      case Operator::logical_and: return flag(truth(node.operands[0]) && truth(node.operands[1]));
      case Operator::logical_or: return flag(truth(node.operands[0]) || truth(node.operands[1]));
      case Operator::logical_not: return flag(!truth(node.operands[0]));
      case Operator::negate: {
        const Number operand = value(node.operands[0]);
        if (const double* real = std::get_if<double>(&operand)) return -*real;
        return integer_operation(node, Operator::subtract, 0, integer(node, operand));
      }
      case Operator::bit_not: return ~integer(node, value(node.operands[0]));
      default: return binary(node, value(node.operands[0]), value(node.operands[1]));
    }
  }

 private:
  [[noreturn]] static void fail(const Node& node, const std::string& message) {
    throw ExpressionError(node.position, message);
  }
  static Number flag(bool value) { return std::int64_t{value ? 1 : 0}; }

  static std::int64_t integer(const Node& node, const Number& value) {
    if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) return *whole;
    if (std::holds_alternative<Address>(value)) fail(node, "expected a number; a buffer is an address");
    fail(node, fmt::format("'{}' needs whole numbers, found {}", spelling(node.op), std::get<double>(value)));
  }
  static double real(const Node& node, const Number& value) {
    if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const double* floating = std::get_if<double>(&value)) return *floating;
    fail(node, "expected a number; a buffer is an address");
  }
  bool truth(std::uint32_t index) const { return real(nodes_[index], value(index)) != 0; }

  Number look_up(const Node& node) const {
    const Expression::Use& use = uses_[node.use];
    try {
      if (node.op == Operator::name) return scope_.value_of(use.name);
      return scope_.element(use.name, integer(nodes_[node.operands[0]], value(node.operands[0])));
    } catch (const UnknownName&) {
      const std::vector<std::string> names = scope_.names();
      const std::string all = fmt::format("; there is: {}", fmt::join(names, ", "));
      fail(node, fmt::format("nothing is named '{}'{}", use.name, did_you_mean(use.name, names, all)));
    } catch (const NoValue& reason) {
      fail(node, reason.message);
    }
  }

  Number call(const Node& node) const {
    const std::string_view name = functions[node.function].name;
    const Number a = value(node.operands[0]);
    if (name == "sqrt") {
      if (real(node, a) < 0) fail(node, fmt::format("sqrt of {}", real(node, a)));
      return std::sqrt(real(node, a));
    }
    if (name == "floor" || name == "ceil") {
      if (std::holds_alternative<std::int64_t>(a)) return a;
      const double rounded = name == "floor" ? std::floor(real(node, a)) : std::ceil(real(node, a));
      if (!(std::fabs(rounded) < 0x1p63)) fail(node, fmt::format("{} of {}", name, real(node, a)));
      return static_cast<std::int64_t>(rounded);
    }
    if (name == "sin") return std::sin(real(node, a));
    if (name == "cos") return std::cos(real(node, a));
    if (name == "float") return real(node, a);
    if (name == "abs") {
      if (const double* floating = std::get_if<double>(&a)) return std::fabs(*floating);
      const std::int64_t whole = whole_argument(node, a);
      return whole < 0 ? integer_operation(node, Operator::subtract, 0, whole) : whole;
    }
    if (name == "log2") {
      const std::int64_t whole = whole_argument(node, a);
      if (whole <= 0) fail(node, fmt::format("log2 of {}", whole));
      return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(whole))) - 1;
    }
    const Number b = value(node.operands[1]);
    if (name == "min" || name == "max") {
      if (std::holds_alternative<std::int64_t>(a) && std::holds_alternative<std::int64_t>(b)) {
        const auto [low, high] = std::minmax(std::get<std::int64_t>(a), std::get<std::int64_t>(b));
        return name == "min" ? low : high;
      }
      return name == "min" ? std::min(real(node, a), real(node, b)) : std::max(real(node, a), real(node, b));
    }
    if (name == "pow") {
      const double power = std::pow(real(node, a), real(node, b));
      if (!std::isfinite(power)) fail(node, fmt::format("pow({}, {})", real(node, a), real(node, b)));
      return power;
    }
    // ceil_div and round_up
    const std::int64_t dividend = whole_argument(node, a), divisor = whole_argument(node, b);
    if (dividend < 0 || divisor <= 0) {
      fail(node,
           fmt::format("{}({}, {}) needs a number that is not negative and a positive one", name, dividend, divisor));
    }
    const std::int64_t quotient = dividend / divisor + (dividend % divisor != 0 ? 1 : 0);
    return name == "ceil_div" ? quotient : integer_operation(node, Operator::multiply, quotient, divisor);
  }
  static std::int64_t whole_argument(const Node& node, const Number& value) {
    if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) return *whole;
    fail(node, fmt::format("{} needs whole numbers", functions[node.function].name));
  }

  static Number binary(const Node& node, const Number& a, const Number& b) {
    const Address* address = std::get_if<Address>(&a);
    if (address != nullptr && (node.op == Operator::add || node.op == Operator::subtract)) {
      return Address{address->buffer, integer_operation(node, node.op, address->offset, integer(node, b))};
    }
    const bool whole = std::holds_alternative<std::int64_t>(a) && std::holds_alternative<std::int64_t>(b);
    if (whole) return integer_operation(node, node.op, std::get<std::int64_t>(a), std::get<std::int64_t>(b));
    const double x = real(node, a), y = real(node, b);
    switch (node.op) {
      case Operator::multiply: return x * y;
      case Operator::divide:
        if (y == 0) fail(node, "division by zero");
        return x / y;
      case Operator::add: return x + y;
      case Operator::subtract: return x - y;
      case Operator::less: return flag(x < y);
      case Operator::less_equal: return flag(x <= y);
      case Operator::greater: return flag(x > y);
      case Operator::greater_equal: return flag(x >= y);
      case Operator::equal: return flag(x == y);
      case Operator::not_equal: return flag(x != y);
      default: fail(node, fmt::format("'{}' needs whole numbers", spelling(node.op)));
    }
  }

  static std::int64_t integer_operation(const Node& node, Operator op, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    bool overflow = false;
    switch (op) {
      case Operator::multiply: overflow = __builtin_mul_overflow(a, b, &result); break;
      case Operator::add: overflow = __builtin_add_overflow(a, b, &result); break;
      case Operator::subtract: overflow = __builtin_sub_overflow(a, b, &result); break;
      case Operator::divide:
      case Operator::remainder:
        if (b == 0) fail(node, op == Operator::divide ? "division by zero" : "remainder of a division by zero");
        if (b == -1) {  // The only quotient that can overflow.
          if (op == Operator::divide) overflow = __builtin_sub_overflow(std::int64_t{0}, a, &result);
        } else {
          result = op == Operator::divide ? a / b : a % b;
        }
        break;
      case Operator::shift_left:
      case Operator::shift_right:
        if (b < 0 || b > 63) fail(node, fmt::format("shift by {}; 0 to 63 is possible", b));
        if (op == Operator::shift_right) {
          result = a >> b;
        } else {
          result = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
          overflow = (result >> b) != a;
        }
        break;
      case Operator::less: return a < b ? 1 : 0;
      case Operator::less_equal: return a <= b ? 1 : 0;
      case Operator::greater: return a > b ? 1 : 0;
      case Operator::greater_equal: return a >= b ? 1 : 0;
      case Operator::equal: return a == b ? 1 : 0;
      case Operator::not_equal: return a != b ? 1 : 0;
      case Operator::bit_and: return a & b;
      case Operator::bit_xor: return a ^ b;
      case Operator::bit_or: return a | b;
      default: throw Bug(fmt::format("'{}' is not an operation on two integers", spelling(op)));
    }
    if (overflow) fail(node, fmt::format("{} {} {} does not fit into 64 bits", a, spelling(op), b));
    return result;
  }

  const std::vector<Node>& nodes_;
  const std::vector<Expression::Use>& uses_;
  const Scope& scope_;
};

}  // namespace

Expression::Expression(std::string_view text) : text_(text) {
  Parser(text_, nodes_, uses_).parse();
}

Number Expression::evaluate(const Scope& scope) const {
  return Evaluator(nodes_, uses_, scope).value(static_cast<std::uint32_t>(nodes_.size() - 1));
}

}  // namespace lockstep::workload
