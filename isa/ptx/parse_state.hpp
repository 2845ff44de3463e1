#pragma once
// What the parts of the parser share while one module is read.

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "isa/ptx/constant.hpp"
#include "isa/ptx/module.hpp"
#include "isa/ptx/token_stream.hpp"

namespace lockstep::ptx {

/// A name that must turn out to be a variable or function of the module.
struct SymbolUse {
  std::string_view name;
  int line = 0, column = 0;
  std::string nearest;  ///< The local name that it may be a misspelling of, or "".
};

struct ParseState {
  ParseState(std::string_view text, const std::string& file) : tokens(text, file) { module.file = file; }

  /// Records the error; fails for good when there are too many.
  void report(const SyntaxError& error);

  /// Keeps a text that tokens may point into.
  std::string_view keep(std::string text) { return kept.emplace_back(std::move(text)); }

  TokenStream tokens;
  Module module;
  Diagnostics diagnostics;
  int errors = 0;
  std::vector<SymbolUse> symbol_uses;
  std::unordered_set<std::string_view> failed_names;  ///< Declared, but with an error that is reported already.
  std::deque<std::string> kept;
  std::unordered_map<std::string, std::size_t> variable_numbers, function_numbers;  ///< Indices into the module.
};

/// What stands before the names of a declaration: ".align 4 .v2 .b32".
struct DeclarationHead {
  Space space = Space::global;
  Type type = Type::none;
  unsigned vector_elements = 1;
  std::uint32_t alignment = 0;  ///< 0: that of the type.
  bool is_extern = false;
  Opaque opaque = Opaque::none;
};

/// Parses alignment, type and attributes; the state space is already taken.
DeclarationHead parse_declaration_head(ParseState& state, Space space, bool is_extern);

/// Parses one name with its array dimensions and initialiser.
Variable parse_declarator(ParseState& state, const DeclarationHead& head);

/// The state space that a directive names, for variables of modules and functions.
bool variable_space(const Token& token, Space& space);

/// Parses the body of a function, after its "{" and up to its "}".
void parse_body(ParseState& state, Function& function);

/// The number of a directive such as ".file 1": no operators, because no comma may follow it.
std::uint64_t parse_plain_number(ParseState& state, std::string_view what, std::uint64_t largest);

/// Skips what follows the name of a directive that means nothing here, up to and including its ";".
void skip_to_semicolon(ParseState& state);

/// Skips a ".section name { ... }" whose first word is taken.
void skip_section(ParseState& state);

}  // namespace lockstep::ptx
