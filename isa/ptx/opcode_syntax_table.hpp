#pragma once
// The rows of the table of opcodes, their syntax parsed and multiplied out: what opcode_syntax.cpp matches against.

#include <array>
#include <bitset>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/ptx/opcodes.hpp"

namespace lockstep::ptx::syntax {

using ModifierId = std::uint16_t;
inline constexpr ModifierId unknown = 0xffff;
inline constexpr std::size_t most_modifiers = 320;

/// One place of an alternative, which one of its choices fills.
struct Element {
  std::bitset<most_modifiers> choices;
  std::vector<ModifierId> listed;  ///< The same, in the order of the row.
  bool optional = false, is_type = false;
};
using Sequence = std::vector<Element>;
/// Most modifiers of an instruction, and elements of an alternative.
inline constexpr std::size_t most_written = 16;
using ElementMask = std::uint16_t;  ///< A bit for each element of an alternative.

struct Alternative {
  Sequence elements;
  std::uint64_t forms = 1;
  ElementMask needed = 0, types = 0;
};

inline constexpr std::size_t most_alternatives = 128;

/// Where a modifier may stand in a row.
struct Places {
  std::array<std::uint64_t, most_alternatives / 64> alternatives{};  ///< A bit for each that has an element for it.
  std::vector<ElementMask> elements;                                 ///< Per alternative, which ones.
};

/// The syntax of one opcode.
struct Row {
  std::vector<Alternative> alternatives;
  std::array<std::uint8_t, most_modifiers> number{};  ///< Of a modifier among `places`; 0, which is empty, for others.
  std::vector<Places> places;
};

/// All rows, parsed.
class Table {
 public:
  Table();

  const Row& row(Opcode opcode) const { return rows_[static_cast<std::size_t>(opcode)]; }
  std::span<const Alternative> of(Opcode opcode) const { return row(opcode).alternatives; }
  ModifierId id_of(std::string_view name) const { return ids_[slot_of(name)]; }
  const std::vector<std::string_view>& names() const { return names_; }
  /// The number of a name, which is a new one where there is none yet.
  ModifierId intern(std::string_view name);

 private:
  static constexpr std::size_t slots = 4096;

  /// Where the name stands in `ids_`, or the empty slot where it would.
  std::size_t slot_of(std::string_view name) const;

  std::vector<ModifierId> ids_ = std::vector<ModifierId>(slots, unknown);
  std::vector<std::string_view> names_;
  std::array<Row, opcode_count> rows_;
};

/// The table, parsed at its first use.
const Table& table();

}  // namespace lockstep::ptx::syntax
