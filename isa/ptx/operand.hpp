#pragma once
// Operands of instructions, in every form that PTX writes them.

#include <vector>

#include "isa/ptx/module.hpp"
#include "isa/ptx/parse_state.hpp"
#include "isa/ptx/scope.hpp"

namespace lockstep::ptx {

class OperandParser {
 public:
  OperandParser(ParseState& state, Scopes& scopes) : state_(state), tokens_(state.tokens), scopes_(scopes) {}
  Operand parse();
  /// Fails with the name that is not declared and the declared one that is most like it.
  [[noreturn]] void fail_unknown(const Token& name) const;

 private:
  Operand simple();
  Operand vector();
  Operand address();
  Operand named(const Token& name);
  Operand special(const Token& name);
  Operand constant();
  void selector(Operand& operand, const NamedThing& thing, const Token& name);
  std::int64_t offset();

  ParseState& state_;
  TokenStream& tokens_;
  Scopes& scopes_;
  int depth_ = 0;
};

}  // namespace lockstep::ptx
