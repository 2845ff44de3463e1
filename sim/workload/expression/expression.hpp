#pragma once
// The expressions of launch descriptors: numbers, named values and device addresses with the operators of C.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep::workload {

/// The device address of a buffer or module variable plus bytes; in a graph also a place in scratchpad memory.
struct Address {
  static constexpr std::uint32_t scratchpad = ~std::uint32_t{0};
  std::uint32_t buffer = 0;  ///< Number of the descriptor's buffer; behind the buffers count its variables.
  std::int64_t offset = 0;
  bool operator==(const Address&) const = default;
};

/// What an expression yields. Integers are 64 bits; operations take them as signed and never wrap, hexadecimal literals of
/// 2^63 to 2^64 - 1 are the negative numbers with their bits. One floating-point operand makes an operation
/// floating-point.
using Number = std::variant<std::int64_t, double, Address>;

/// An error at character `position` (from 0) of an expression.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t position, const std::string& message)
      : std::runtime_error(message), position_(position) {}
  std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

/// What the names of an expression stand for.
class Scope {
 public:
  virtual ~Scope() = default;
  /// The value of `name`; throws UnknownName or NoValue.
  virtual Number value_of(std::string_view name) const = 0;
  /// Element `index` of the buffer `name`, written NAME[index]; throws UnknownName or NoValue.
  virtual Number element(std::string_view name, std::int64_t index) const = 0;
  /// Every name, for suggestions.
  virtual std::vector<std::string> names() const = 0;
};

/// Thrown by a Scope: there is no such name. evaluate() turns it into an ExpressionError with the nearest name.
struct UnknownName {};
/// Thrown by a Scope: the name is known, but has no value. evaluate() adds the position.
struct NoValue {
  std::string message;
};

class Expression {
 public:
  /// A name as used in the expression.
  struct Use {
    std::string name;
    std::size_t position;
    bool indexed;  ///< NAME[...]
  };

  /// ExpressionError when `text` is no expression.
  explicit Expression(std::string_view text);

  const std::string& text() const { return text_; }
  const std::vector<Use>& uses() const { return uses_; }

  /// ExpressionError for unknown names, overflow, division by zero and operands of the wrong kind.
  Number evaluate(const Scope& scope) const;

  enum class Operator : std::uint8_t;
  struct Node {
    Operator op;
    std::uint32_t position = 0;
    Number literal;              ///< Of a literal.
    std::uint32_t use = 0;       ///< Of a name: index into uses().
    std::uint32_t function = 0;  ///< Of a call.
    std::vector<std::uint32_t> operands;
  };

 private:
  std::string text_;
  std::vector<Node> nodes_;  ///< Operands stand before their operator; the last one is the result.
  std::vector<Use> uses_;
};

}  // namespace lockstep::workload
