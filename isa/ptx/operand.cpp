#include "isa/ptx/operand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "isa/did_you_mean.hpp"

namespace lockstep::ptx {

namespace {

// Special registers of PTX ISA chapter 10 beyond those of SpecialRegister; a trailing '#' stands for digits.
constexpr std::array<std::string_view, 19> unmodelled{"clusterid.x",
                                                      "clusterid.y",
                                                      "clusterid.z",
                                                      "nclusterid.x",
                                                      "nclusterid.y",
                                                      "nclusterid.z",
                                                      "cluster_ctaid.x",
                                                      "cluster_ctaid.y",
                                                      "cluster_ctaid.z",
                                                      "cluster_nctaid.x",
                                                      "cluster_nctaid.y",
                                                      "cluster_nctaid.z",
                                                      "cluster_ctarank",
                                                      "cluster_nctarank",
                                                      "is_explicit_cluster",
                                                      "aggr_smem_size",
                                                      "current_graph_exec",
                                                      "envreg#",
                                                      "pm#"};

bool is_unmodelled(std::string_view name) {
  if (name.size() > 3 && name.substr(0, 2) == "pm" && name.substr(name.size() - 3) == "_64") {
    name.remove_suffix(3);
  }
  const std::size_t digits = std::min(name.find_last_not_of("0123456789") + 1, name.size());
  return std::any_of(unmodelled.begin(), unmodelled.end(), [&](std::string_view known) {
    if (known.back() != '#') return known == name;
    return digits < name.size() && known.substr(0, known.size() - 1) == name.substr(0, digits);
  });
}

Operand of_register(RegisterId id) {
  Operand operand;
  operand.kind = Operand::Kind::reg;
  operand.index = id;
  return operand;
}

}  // namespace

Operand OperandParser::parse() {
  Operand operand = simple();
  if (!tokens_.accept('|')) return operand;
  const Token name = tokens_.expect_identifier("the second destination register");
  if (name.text == "_") return operand;
  const NamedThing thing = scopes_.find(name.text);
  if (thing.kind != NamedThing::Kind::reg) fail_unknown(name);
  operand.second = thing.id;
  return operand;
}

Operand OperandParser::simple() {
  const Token token = tokens_.peek();
  if (token.is('{')) return vector();
  if (token.is('[')) return address();
  const bool negation = token.is('!') || token.is('-');
  if (token.is_identifier() && token.text != "WARP_SZ") return named(tokens_.take());
  if (negation && tokens_.peek_second().is_identifier() && tokens_.peek_second().text != "WARP_SZ") {
    tokens_.take();
    const Token name = tokens_.take();
    Operand operand = named(name);
    if (operand.kind != Operand::Kind::reg) {
      tokens_.fail(token, fmt::format("'{}{}': only a register can be negated", token.text, name.text));
    }
    operand.negated = true;
    return operand;
  }
  if (!starts_constant(token)) tokens_.fail_expected("an operand");
  return constant();
}

Operand OperandParser::constant() {
  const Constant value = parse_constant(tokens_);
  Operand operand;
  operand.kind = value.is_real ? Operand::Kind::real : Operand::Kind::integer;
  operand.bits = value.bits;
  operand.real_bits = value.real_bits;
  return operand;
}

Operand OperandParser::vector() {
  const NestingGuard guard(depth_, tokens_);
  tokens_.take();
  Operand operand;
  operand.kind = Operand::Kind::vector;
  do {
    operand.elements.push_back(simple());
  } while (tokens_.accept(','));
  tokens_.expect('}', "the elements of the vector");
  return operand;
}

Operand OperandParser::address() {
  const NestingGuard guard(depth_, tokens_);
  tokens_.take();
  Operand operand;
  if (tokens_.peek().is_identifier() && tokens_.peek().text != "WARP_SZ") {
    const Token name = tokens_.take();
    operand = named(name);
    if (operand.kind != Operand::Kind::reg && operand.kind != Operand::Kind::symbol) {
      tokens_.fail(name, fmt::format("'{}' cannot be an address", name.text));
    }
    operand.offset += offset();
  } else {
    const Token token = tokens_.peek();
    if (!starts_constant(token)) tokens_.fail_expected("an address");
    operand = constant();
    if (operand.kind == Operand::Kind::real) tokens_.fail(token, "an address must be an integer");
    operand.offset = static_cast<std::int64_t>(operand.bits);
    operand.bits = 0;
  }
  operand.kind = Operand::Kind::address;
  while (tokens_.accept(',')) operand.elements.push_back(simple());
  tokens_.expect(']', "the address");
  return operand;
}

/// [+ expression] [- expression] ...
std::int64_t OperandParser::offset() {
  std::uint64_t sum = 0;
  while (tokens_.peek().is('+') || tokens_.peek().is('-')) {
    const bool negative = tokens_.take().is('-');
    const Token token = tokens_.peek();
    if (!starts_constant(token)) tokens_.fail_expected("a constant offset");
    Constant value = parse_unary_constant(tokens_);
    while (tokens_.accept('*')) {
      const Constant factor = parse_unary_constant(tokens_);
      if (factor.is_real) tokens_.fail(token, "an address offset must be an integer");
      value.bits *= factor.bits;
    }
    if (value.is_real) tokens_.fail(token, "an address offset must be an integer");
    sum += negative ? ~value.bits + 1 : value.bits;
  }
  return static_cast<std::int64_t>(sum);
}

Operand OperandParser::named(const Token& name) {
  Operand operand;
  if (name.text == "_") return operand;
  const NamedThing thing = scopes_.find(name.text);
  switch (thing.kind) {
    case NamedThing::Kind::reg:
      operand = of_register(thing.id);
      if (tokens_.peek().kind == TokenKind::dotted) selector(operand, thing, name);
      return operand;
    case NamedThing::Kind::vector_register:
      if (tokens_.peek().kind == TokenKind::dotted) {
        selector(operand, thing, name);
        return operand;
      }
      operand.kind = Operand::Kind::vector;
      for (unsigned i = 0; i < thing.elements; ++i) operand.elements.push_back(of_register(thing.id + i));
      return operand;
    case NamedThing::Kind::variable:
      operand.kind = Operand::Kind::symbol;
      operand.symbol = thing.symbol;
      operand.offset = offset();
      return operand;
    case NamedThing::Kind::none: break;
  }
  if (name.text.front() == '%') return special(name);
  operand.kind = Operand::Kind::symbol;
  operand.symbol = name.text;
  operand.offset = offset();
  const bool known =
      state_.variable_numbers.count(operand.symbol) != 0 || state_.function_numbers.count(operand.symbol) != 0;
  state_.symbol_uses.push_back({name.text, name.line, name.column, known ? "" : scopes_.nearest(name.text)});
  return operand;
}

/// A component of a vector register (".x"), or the part of a register that a video instruction works on (".b0", ".h1").
void OperandParser::selector(Operand& operand, const NamedThing& thing, const Token& name) {
  const Token token = tokens_.take();
  if (thing.kind == NamedThing::Kind::vector_register) {
    constexpr std::string_view letters = "xyzwrgba";
    const std::size_t place = token.text.size() == 1 ? letters.find(token.text[0]) : std::string_view::npos;
    const std::size_t component = place == std::string_view::npos ? place : place % 4;
    if (component >= thing.elements) {
      tokens_.fail(token, fmt::format("'{}' has no component {}", name.text, describe(token)));
    }
    operand = of_register(thing.id + static_cast<RegisterId>(component));
    return;
  }
  const bool known = token.text.size() > 1 && (token.text[0] == 'b' || token.text[0] == 'h') &&
                     token.text.find_first_not_of("01234567", 1) == std::string_view::npos;
  if (!known) tokens_.fail(token, fmt::format("'{}' has no part {}", name.text, describe(token)));
  operand.symbol = token.text;
}

Operand OperandParser::special(const Token& name) {
  std::string text(name.text.substr(1));
  const bool dimensional = text == "tid" || text == "ntid" || text == "ctaid" || text == "nctaid";
  Operand operand;
  operand.kind = Operand::Kind::special;
  if (dimensional && tokens_.peek().kind != TokenKind::dotted) {  // the whole vector: x, y, z and 0
    operand.kind = Operand::Kind::vector;
    for (const char* component : {".x", ".y", ".z"}) {
      Operand part;
      part.kind = Operand::Kind::special;
      special_register_named(text + component, part.special);
      operand.elements.push_back(part);
    }
    Operand zero;
    zero.kind = Operand::Kind::integer;
    operand.elements.push_back(zero);
    return operand;
  }
  if (tokens_.peek().kind == TokenKind::dotted) text += fmt::format(".{}", tokens_.take().text);
  if (special_register_named(text, operand.special)) return operand;
  if (!is_unmodelled(text)) {
    if (text.find('.') == std::string::npos) fail_unknown(name);
    tokens_.fail(name, fmt::format("unknown special register '%{}'", text));
  }
  operand.special = SpecialRegister::unmodelled;
  operand.symbol = text;
  return operand;
}

void OperandParser::fail_unknown(const Token& name) const {
  const std::string nearest = scopes_.nearest(name.text);
  tokens_.fail(name, fmt::format("unknown register '{}'{}", name.text, did_you_mean_name(nearest)));
}

}  // namespace lockstep::ptx
