#include "tests/differential/oracle/memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "tests/differential/oracle/integers.hpp"

namespace lockstep::differential {

namespace {

using ptx::Opcode;

std::uint64_t load(const std::uint8_t* at, unsigned bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, bytes);
  return value;
}

bool is_global(Area area) {
  return area == Area::input || area == Area::own || area == Area::results || area == Area::counters;
}
bool is_shared(Area area) {
  return area == Area::scratchpad || area == Area::shared_counters;
}

/// As on an H200, whose parameters lie in the window .global too.
bool lies_in(std::string_view space, Area area) {
  if (space.starts_with("shared")) return is_shared(area);
  if (space.starts_with("param")) return area == Area::parameters;
  if (space == "const") return area == Area::constants;
  if (space == "local") return area == Area::stack;
  return is_global(area) || area == Area::parameters;
}

/// Exchange, and compare and swap, of 128 bits in two registers each.
void update_128(const Instruction& one, std::uint8_t* at, std::span<const std::uint64_t> values) {
  const std::size_t last = values.size() - 2;
  if (one.has("cas") && std::memcmp(at, values.data(), 16) != 0) return;
  std::memcpy(at, values.data() + last, 16);
}

}  // namespace

std::uint8_t* Memory::locate(const Place& place, Thread& thread, Registers& registers) {
  const std::uint64_t index = (place.index ? registers[*place.index] : 0) + place.first;
  const std::size_t offset = index % (bytes_of(place.area) / place.bytes) * place.bytes;
  const std::size_t own_start = bytes_of(Area::counters) + std::size_t{thread.in_grid} * bytes_of(Area::own);
  const std::size_t results_start = bytes_of(Area::counters) + std::size_t{threads} * bytes_of(Area::own) +
                                    std::size_t{thread.in_grid} * bytes_of(Area::results);
  const std::size_t slot = (thread.in_block + place.neighbour) % threads_per_block;
  switch (place.area) {
    case Area::input: return contents.input.data() + offset;
    case Area::own: return contents.data.data() + own_start + offset;
    case Area::results: return contents.data.data() + results_start + offset;
    case Area::counters: return contents.data.data() + offset;
    case Area::constants: return contents.constants.data() + offset;
    case Area::parameters: return contents.parameters.data() + offset;
    case Area::scratchpad: return scratchpad.data() + slot * bytes_of(Area::scratchpad) + offset;
    case Area::shared_counters: return counters.data() + offset;
    default: return thread.stack.data() + offset;
  }
}

void access_memory(const Access& access, std::uint8_t* at, std::span<const std::uint64_t> values,
                   Registers& registers) {
  const Instruction& one = access.instruction;
  if (one.opcode == Opcode::isspacep) {
    registers[one.writes[0]] = lies_in(one.modifiers.back(), access.place.area) ? 1 : 0;
    return;
  }
  const auto types = types_of(one.modifiers);
  if (types.empty()) return;  // Of caches.
  const std::string_view type = types.back();
  const bool is_wide = type == "b128";
  const unsigned bytes = is_wide ? 8 : width_of(type) / 8;
  const std::size_t elements = access.place.bytes / bytes;
  std::vector<std::uint64_t> old(elements);
  for (std::size_t i = 0; i < elements; ++i) old[i] = load(at + i * bytes, bytes);
  if (one.opcode == Opcode::st) {
    for (std::size_t i = 0; i < elements; ++i) std::memcpy(at + i * bytes, &values[i], bytes);
  } else if (!values.empty() && is_wide) {
    update_128(one, at, values);
  } else if (!values.empty()) {
    for (std::size_t i = 0; i < elements; ++i) {
      const std::uint64_t c = values.size() > elements ? values[elements + i] : 0;
      const std::uint64_t result = updated(one, is_global(access.place.area), old[i], values[i], c);
      std::memcpy(at + i * bytes, &result, bytes);
    }
  }
  for (std::size_t i = 0; i < one.writes.size(); ++i) {
    const SignedWide value = is_signed(type) ? integer_of(old[i], type) : static_cast<SignedWide>(old[i]);
    registers[one.writes[i]] = bits_of_integer(value, one.writes[i].bits);
  }
}

}  // namespace lockstep::differential
