#include "isa/ptx/opcode_syntax_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "isa/error.hpp"
#include "isa/ptx/module.hpp"

namespace lockstep::ptx::syntax {

namespace {

/// Types that no register or variable has, which Type does not list.
bool names_type(std::string_view modifier) {
  constexpr std::array<std::string_view, 7> others{"u16x2", "s16x2", "tf32", "u4", "s4", "u2", "s2"};
  return type_named(modifier) != Type::none || std::find(others.begin(), others.end(), modifier) != others.end();
}

/// Reads the notation of `OpcodeRow::syntax`, and multiplies groups out.
class SyntaxParser {
 public:
  SyntaxParser(Table& table, std::string_view text) : table_(table), text_(text) {}

  std::vector<Sequence> parse() {
    auto result = alternatives();
    if (at_ != text_.size()) fail();
    return result;
  }

 private:
  [[noreturn]] void fail() const {
    throw Bug(fmt::format("opcode table: the syntax '{}' is wrong at place {}", text_, at_));
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail();
  }
  std::string_view name() {
    skip_blanks();
    const std::size_t first = at_;
    const auto belongs = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' || c == '-';
    };
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    if (at_ == first) fail();
    return text_.substr(first, at_ - first);
  }
  void add_choice(Element& element, std::string_view choice) {
    const ModifierId id = table_.intern(choice);
    element.choices.set(id);
    element.listed.push_back(id);
    element.is_type = element.is_type || names_type(choice);
  }
  Element element() {
    Element result;
    if (!accept('(')) {
      add_choice(result, name());
      return result;
    }
    do add_choice(result, name());
    while (accept(','));
    expect(')');
    return result;
  }
  std::vector<Sequence> optional() {
    auto inner = alternatives();
    expect('}');
    if (inner.size() == 1 && inner[0].size() == 1) {
      inner[0][0].optional = true;
    } else {
      inner.emplace_back();
    }
    return inner;
  }
  std::vector<Sequence> fragment();
  std::vector<Sequence> sequence() {
    std::vector<Sequence> result(1);
    for (;;) {
      std::vector<Sequence> next;
      if (accept('.')) {
        next = {{element()}};
      } else if (accept('<')) {
        next = fragment();
      } else if (accept('{')) {
        next = optional();
      } else if (accept('(')) {
        next = alternatives();
        expect(')');
      } else {
        return result;
      }
      std::vector<Sequence> product;
      for (const Sequence& first : result) {
        for (const Sequence& second : next) {
          product.push_back(first);
          product.back().insert(product.back().end(), second.begin(), second.end());
        }
      }
      result = std::move(product);
    }
  }
  std::vector<Sequence> alternatives() {
    std::vector<Sequence> result = sequence();
    while (accept('|')) {
      const auto more = sequence();
      result.insert(result.end(), more.begin(), more.end());
    }
    return result;
  }

  Table& table_;
  std::string_view text_;
  std::size_t at_ = 0;
};

std::vector<Sequence> SyntaxParser::fragment() {
  const std::string_view wanted = name();
  expect('>');
  for (const SyntaxFragment& candidate : syntax_fragments) {
    if (candidate.name == wanted) return SyntaxParser(table_, candidate.syntax).parse();
  }
  fail();
}

}  // namespace

Table::Table() {
  for (const OpcodeRow& row : opcode_table) {
    if (!row.is_executed()) continue;
    Row& to = rows_[static_cast<std::size_t>(row.opcode)];
    const std::vector<Sequence> sequences = SyntaxParser(*this, row.syntax).parse();
    if (sequences.size() > most_alternatives)
      throw Bug(fmt::format("opcode table: {} has too many alternatives", row.name));
    to.places.emplace_back();
    for (std::size_t a = 0; a < sequences.size(); ++a) {
      Alternative& alternative = to.alternatives.emplace_back();
      alternative.elements = sequences[a];
      if (sequences[a].size() > most_written)
        throw Bug(fmt::format("opcode table: a form of {} is too long", row.name));
      for (std::size_t e = 0; e < sequences[a].size(); ++e) {
        const Element& element = sequences[a][e];
        const auto bit = static_cast<ElementMask>(1u << e);
        alternative.forms *= element.listed.size() + (element.optional ? 1 : 0);
        if (!element.optional) alternative.needed |= bit;
        if (element.is_type) alternative.types |= bit;
        for (const ModifierId id : element.listed) {
          if (to.number[id] == 0) {
            to.number[id] = static_cast<std::uint8_t>(to.places.size());
            to.places.emplace_back().elements.resize(sequences.size());
          }
          Places& places = to.places[to.number[id]];
          places.alternatives[a / 64] |= std::uint64_t{1} << a % 64;
          places.elements[a] |= bit;
        }
      }
    }
  }
}

std::size_t Table::slot_of(std::string_view name) const {
  // Length and three characters tell most names apart.
  const auto at = [&](std::size_t place) { return std::size_t{static_cast<unsigned char>(name[place])}; };
  std::size_t slot =
      name.empty() ? 0 : name.size() + at(0) * 37 + at(name.size() / 2) * 211 + at(name.size() - 1) * 1021;
  slot &= slots - 1;
  while (ids_[slot] != unknown && names_[ids_[slot]] != name) slot = (slot + 1) & (slots - 1);
  return slot;
}

ModifierId Table::intern(std::string_view name) {
  ModifierId& id = ids_[slot_of(name)];
  if (id == unknown) {
    id = static_cast<ModifierId>(names_.size());
    names_.push_back(name);
  }
  if (names_.size() > most_modifiers) throw Bug("opcode table: more modifiers than a set holds");
  return id;
}

const Table& table() {
  static const Table all;
  return all;
}

}  // namespace lockstep::ptx::syntax
