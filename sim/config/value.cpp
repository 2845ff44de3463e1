#include "sim/config/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "isa/did_you_mean.hpp"

namespace lockstep::config {

namespace {

/// What a value is, for messages: `a list`, `'abc'`.
std::string described(const Value& value) {
  switch (value.kind) {
    case Value::Kind::null: return "nothing";
    case Value::Kind::list: return "a list";
    case Value::Kind::map: return "a map";
    case Value::Kind::scalar: break;
  }
  return value.quoted ? fmt::format("the text \"{}\"", value.text) : fmt::format("'{}'", value.text);
}

[[noreturn]] void fail(const Value& value, std::string_view expected) {
  throw InputError(value.where, fmt::format("expected {}, found {}", expected, described(value)));
}

struct ByteUnit {
  std::string_view name;
  std::uint64_t factor;
};
constexpr ByteUnit byte_units[] = {{"KiB", 1ULL << 10}, {"MiB", 1ULL << 20}, {"GiB", 1ULL << 30}};

/// Splits a byte unit and the blanks before it off the end of `text`; the factor is 1 when there is none.
std::uint64_t strip_unit(std::string_view& text) {
  for (const ByteUnit& unit : byte_units) {
    if (text.size() <= unit.name.size() || !text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    while (text.ends_with(' ')) text.remove_suffix(1);
    return unit.factor;
  }
  return 1;
}

enum class Parsed { good, malformed, overflow };

Parsed parse_integer(std::string_view text, std::int64_t& result) {
  const std::uint64_t factor = strip_unit(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return Parsed::malformed;
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (error == std::errc::result_out_of_range || magnitude > largest / factor) return Parsed::overflow;
  magnitude *= factor;
  result = negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
  return Parsed::good;
}

}  // namespace

const Value* Value::find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name.text == key) return &value;
  }
  return nullptr;
}

std::string Value::as_string() const {
  if (kind != Kind::scalar) fail(*this, "a text");
  return text;
}

std::int64_t Value::as_integer() const {
  constexpr std::string_view expected = "a whole number (like 12, 0x1F or 48 KiB)";
  if (kind != Kind::scalar || quoted) fail(*this, expected);
  std::int64_t result = 0;
  switch (parse_integer(text, result)) {
    case Parsed::good: return result;
    case Parsed::overflow: throw InputError(where, fmt::format("'{}' is too large for a 64-bit number", text));
    case Parsed::malformed: break;
  }
  fail(*this, expected);
}

double Value::as_number() const {
  constexpr std::string_view expected = "a finite number (like 12, 0.5 or 1e6)";
  if (kind != Kind::scalar || quoted) fail(*this, expected);
  std::int64_t integer = 0;
  if (parse_integer(text, integer) == Parsed::good) return static_cast<double>(integer);
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double result = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result);
  if (error != std::errc() || end != digits.data() + digits.size() || text.starts_with("+-") ||
      !std::isfinite(result)) {
    fail(*this, expected);
  }
  return result;
}

bool Value::as_bool() const {
  if (kind == Kind::scalar && !quoted) {
    if (text == "true") return true;
    if (text == "false") return false;
  }
  fail(*this, "true or false");
}

void check_keys(const Value& map, const std::vector<std::string>& known, Diagnostics& diagnostics) {
  constexpr std::size_t most = 100;  // More is another kind of file.
  std::size_t unknown = 0;
  for (const auto& [key, value] : map.entries) {
    if (std::find(known.begin(), known.end(), key.text) != known.end() || ++unknown > most) continue;
    const std::string all = fmt::format("; known here: {}", fmt::join(known, ", "));
    diagnostics.add(key.where, fmt::format("unknown key '{}'{}", key.text, did_you_mean(key.text, known, all)));
  }
}

}  // namespace lockstep::config
