#pragma once
// The names that are visible at a place of a function body: registers, variables, labels, lists of branch targets.

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "isa/ptx/module.hpp"
#include "isa/ptx/token_stream.hpp"

namespace lockstep::ptx {

/// What a name stands for.
struct NamedThing {
  enum class Kind : std::uint8_t { none, reg, vector_register, variable };
  Kind kind = Kind::none;
  Type type = Type::b32;
  std::uint32_t id = no_index;  ///< Registers: the first RegisterId, once the register is used.
  unsigned elements = 1;        ///< Of a vector register.
  std::string symbol;           ///< Variables: the unique name.
};

class Scopes {
 public:
  Scopes(Function& function, const TokenStream& tokens);

  void open();
  /// False when there is no inner scope to close.
  bool close();
  bool inside() const { return current_ != 0; }
  std::uint32_t current() const { return current_; }

  /// Declarations in the current scope; each fails when the name is taken there.
  void declare_register(const Token& name, Type type, unsigned elements);
  /// A register that the function's head declares: it has its number already.
  void declare_parameter_register(RegisterId id);
  void declare_range(const Token& prefix, Type type, std::uint64_t count);
  void declare_variable(const Token& name, const std::string& symbol);
  void declare_label(const Token& name, std::uint32_t instruction);
  void declare_targets(const Token& name, std::vector<Token> labels);

  /// What the name stands for here; registers are given their numbers on first use.
  NamedThing find(std::string_view name);
  /// The instruction a label stands at, seen from a scope; no_index when there is no such label.
  std::uint32_t find_label(std::string_view name, std::uint32_t scope) const;
  const std::vector<Token>* find_targets(std::string_view name, std::uint32_t scope) const;

  /// The name, or the name with a suffix when the function has one like it already; `taken` are names of the module.
  std::string unique_name(std::string_view name, const std::unordered_map<std::string, std::size_t>& taken_variables,
                          const std::unordered_map<std::string, std::size_t>& taken_functions);
  /// The visible name that is spelled most like the word, or "".
  std::string nearest(std::string_view word) const;
  std::string nearest_label(std::string_view word) const;

 private:
  struct Range {
    Type type;
    std::uint64_t count;
  };
  struct Scope {
    std::uint32_t parent = 0;
    std::unordered_map<std::string_view, NamedThing> names;
    std::unordered_map<std::string_view, Range> ranges;
    std::unordered_map<std::string_view, std::uint32_t> labels;
    std::unordered_map<std::string_view, std::vector<Token>> targets;
  };
  NamedThing* find_declared(std::string_view name);
  void number(NamedThing& thing, std::string_view name);
  std::string unused(std::string_view name);

  Function& function_;
  const TokenStream& tokens_;
  std::vector<Scope> scopes_;
  std::uint32_t current_ = 0;
  std::unordered_set<std::string> used_;
};

}  // namespace lockstep::ptx
