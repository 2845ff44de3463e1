#pragma once
// Literals and constant expressions, PTX ISA 4.5.

#include <cstdint>
#include <string_view>

#include "isa/ptx/token_stream.hpp"

namespace lockstep::ptx {

/// The value of a literal or constant expression.
struct Constant {
  bool is_real = false;
  bool is_unsigned = false;     ///< An integer of type .u64 and not .s64.
  std::uint8_t real_bits = 64;  ///< 32 for 0f..., else 64.
  std::uint64_t bits = 0;       ///< An integer in two's complement, or the f64 bits of a real.

  double real() const;
  static Constant integer(std::uint64_t value, bool is_unsigned = false);
  static Constant real_of(double value);
};

/// The f64 bits of an f32 value; exact, payloads of NaNs included.
std::uint64_t widen_f32(std::uint32_t bits);

/// False when the text is not a literal of PTX: `reason` then says why.
bool read_literal(std::string_view text, Constant& result, std::string_view& reason);

/// Parses a constant expression with C's operators and precedence.
Constant parse_constant(TokenStream& tokens);

/// One operand of such an expression, with its unary operators.
Constant parse_unary_constant(TokenStream& tokens);

/// The expression as an unsigned number of at most `largest`; `what` names it in the error.
std::uint64_t parse_count(TokenStream& tokens, std::string_view what, std::uint64_t largest);

/// True when the token can start a constant expression.
bool starts_constant(const Token& token);

}  // namespace lockstep::ptx
