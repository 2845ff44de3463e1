#include "isa/ptx/scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace lockstep::ptx {

namespace {
constexpr std::string_view component_names[] = {"x", "y", "z", "w", "4", "5", "6", "7"};
constexpr std::size_t most_registers = 1 << 20;
constexpr std::size_t most_scopes_open = 256;
}  // namespace

Scopes::Scopes(Function& function, const TokenStream& tokens) : function_(function), tokens_(tokens), scopes_(1) {
  for (const auto* list : {&function.results, &function.parameters}) {
    for (const Variable& variable : *list) used_.insert(variable.name);
  }
}

void Scopes::open() {
  std::size_t depth = 0;
  for (std::uint32_t scope = current_; scope != 0; scope = scopes_[scope].parent) ++depth;
  if (depth >= most_scopes_open) tokens_.fail(tokens_.peek(), "scopes are nested too deeply");
  Scope scope;
  scope.parent = current_;
  current_ = static_cast<std::uint32_t>(scopes_.size());
  scopes_.push_back(std::move(scope));
}

bool Scopes::close() {
  if (current_ == 0) return false;
  current_ = scopes_[current_].parent;
  return true;
}

void Scopes::declare_register(const Token& name, Type type, unsigned elements) {
  NamedThing thing;
  thing.kind = elements > 1 ? NamedThing::Kind::vector_register : NamedThing::Kind::reg;
  thing.type = type;
  thing.elements = elements;
  if (!scopes_[current_].names.emplace(name.text, thing).second) {
    tokens_.fail(name, fmt::format("'{}' is declared twice in this scope", name.text));
  }
}

void Scopes::declare_parameter_register(RegisterId id) {
  const Register& reg = function_.registers[id];
  NamedThing thing;
  thing.kind = NamedThing::Kind::reg;
  thing.type = reg.type;
  thing.id = id;
  // The name must stay where it is while the function's registers move, so the key points into the set of used names.
  scopes_[0].names.emplace(*used_.insert(reg.name).first, thing);
}

void Scopes::declare_range(const Token& prefix, Type type, std::uint64_t count) {
  if (!scopes_[current_].ranges.emplace(prefix.text, Range{type, count}).second) {
    tokens_.fail(prefix, fmt::format("the registers {}<> are declared twice in this scope", prefix.text));
  }
}

void Scopes::declare_variable(const Token& name, const std::string& symbol) {
  NamedThing thing;
  thing.kind = NamedThing::Kind::variable;
  thing.symbol = symbol;
  if (!scopes_[current_].names.emplace(name.text, thing).second) {
    tokens_.fail(name, fmt::format("'{}' is declared twice in this scope", name.text));
  }
}

void Scopes::declare_label(const Token& name, std::uint32_t instruction) {
  if (!scopes_[current_].labels.emplace(name.text, instruction).second) {
    tokens_.fail(name, fmt::format("label '{}' appears twice in this scope", name.text));
  }
}

void Scopes::declare_targets(const Token& name, std::vector<Token> labels) {
  if (!scopes_[current_].targets.emplace(name.text, std::move(labels)).second) {
    tokens_.fail(name, fmt::format("the branch targets '{}' are declared twice in this scope", name.text));
  }
}

NamedThing* Scopes::find_declared(std::string_view name) {
  std::size_t first_digit = name.size();
  while (first_digit > 1 && name[first_digit - 1] >= '0' && name[first_digit - 1] <= '9') --first_digit;
  for (std::uint32_t number = current_;; number = scopes_[number].parent) {
    Scope& scope = scopes_[number];
    const auto found = scope.names.find(name);
    if (found != scope.names.end()) return &found->second;
    for (std::size_t digits = first_digit; digits < name.size() && !scope.ranges.empty(); ++digits) {
      if (name[digits] == '0' && digits + 1 < name.size()) continue;  // %r01 is not in %r<2>
      const auto range = scope.ranges.find(name.substr(0, digits));
      if (range == scope.ranges.end()) continue;
      std::uint64_t index = 0;
      const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), index);
      if (error != std::errc() || end != name.data() + name.size() || index >= range->second.count) continue;
      NamedThing thing;
      thing.kind = NamedThing::Kind::reg;
      thing.type = range->second.type;
      return &scope.names.emplace(name, thing).first->second;
    }
    if (number == 0) return nullptr;
  }
}

void Scopes::number(NamedThing& thing, std::string_view name) {
  if (function_.registers.size() + thing.elements > most_registers) {
    tokens_.fail(tokens_.peek(), fmt::format("the function uses more than {} registers", most_registers));
  }
  thing.id = static_cast<std::uint32_t>(function_.registers.size());
  if (thing.elements == 1) {
    function_.registers.push_back({unused(name), thing.type});
    return;
  }
  for (unsigned i = 0; i < thing.elements; ++i) {
    function_.registers.push_back({unused(fmt::format("{}.{}", name, component_names[i])), thing.type});
  }
}

NamedThing Scopes::find(std::string_view name) {
  NamedThing* const found = find_declared(name);
  if (found == nullptr) return {};
  if (found->kind != NamedThing::Kind::variable && found->id == no_index) number(*found, name);
  return *found;
}

std::uint32_t Scopes::find_label(std::string_view name, std::uint32_t scope) const {
  for (;; scope = scopes_[scope].parent) {
    const auto found = scopes_[scope].labels.find(name);
    if (found != scopes_[scope].labels.end()) return found->second;
    if (scope == 0) return no_index;
  }
}

const std::vector<Token>* Scopes::find_targets(std::string_view name, std::uint32_t scope) const {
  for (;; scope = scopes_[scope].parent) {
    const auto found = scopes_[scope].targets.find(name);
    if (found != scopes_[scope].targets.end()) return &found->second;
    if (scope == 0) return nullptr;
  }
}

std::string Scopes::unused(std::string_view name) {
  std::string candidate(name);
  for (unsigned number = 2; !used_.insert(candidate).second; ++number) candidate = fmt::format("{}${}", name, number);
  return candidate;
}

std::string Scopes::unique_name(std::string_view name,
                                const std::unordered_map<std::string, std::size_t>& taken_variables,
                                const std::unordered_map<std::string, std::size_t>& taken_functions) {
  std::string candidate = unused(name);
  while (taken_variables.count(candidate) != 0 || taken_functions.count(candidate) != 0) candidate = unused(name);
  return candidate;
}

std::string Scopes::nearest(std::string_view word) const {
  if (word.size() < 4) return "";  // between short names any guess is as good as another
  std::vector<std::string> names;
  for (std::uint32_t number = current_;; number = scopes_[number].parent) {
    for (const auto& [name, thing] : scopes_[number].names) names.emplace_back(name);
    if (number == 0) break;
  }
  std::sort(names.begin(), names.end());
  return nearest_name(word, names);
}

std::string Scopes::nearest_label(std::string_view word) const {
  std::vector<std::string> names;
  for (const Scope& scope : scopes_) {
    for (const auto& [name, instruction] : scope.labels) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return nearest_name(word, names);
}

}  // namespace lockstep::ptx
