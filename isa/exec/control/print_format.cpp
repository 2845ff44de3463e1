#include "isa/exec/control/print_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>

namespace lockstep::exec {

namespace {

constexpr int largest_field = 4095;
constexpr std::string_view missing = "(missing)";

/// One conversion: "%-08.3lld".
struct Conversion {
  std::string flags;
  std::optional<int> width, precision;
  bool star_width = false, star_precision = false;
  unsigned shorts = 0, longs = 0;  ///< h and l; j, z and t are l.
  char letter = 0;                 ///< 0: not a conversion.
};

class Formatting {
 public:
  Formatting(std::string_view format, const PrintArguments& arguments) : format_(format), arguments_(arguments) {}

  PrintedText run() {
    while (at_ < format_.size()) {
      const std::size_t next = std::min(format_.find('%', at_), format_.size());
      result_.text += format_.substr(at_, next - at_);
      at_ = next;
      if (at_ == format_.size()) break;
      const Conversion conversion = parse();
      const std::string_view written = format_.substr(next, at_ - next);
      if (conversion.letter == '%') {
        result_.text += '%';
      } else if (conversion.letter == 0) {
        result_.text += written;
      } else {
        convert(conversion);
      }
    }
    return std::move(result_);
  }

 private:
  char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }
  bool accept(char c) {
    if (peek() != c || c == 0) return false;
    ++at_;
    return true;
  }

  std::optional<int> number() {
    if (peek() < '0' || peek() > '9') return std::nullopt;
    int value = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at_) value = std::min(value * 10 + (peek() - '0'), largest_field);
    return value;
  }

  Conversion parse() {
    Conversion c;
    ++at_;
    for (; peek() != 0 && std::string_view("-+ #0").find(peek()) != std::string_view::npos; ++at_)
      if (c.flags.find(peek()) == std::string::npos) c.flags += peek();
    c.star_width = accept('*');
    if (!c.star_width) c.width = number();
    if (accept('.')) {
      c.star_precision = accept('*');
      if (!c.star_precision) c.precision = number().value_or(0);
    }
    for (;; ++at_) {
      if (peek() == 'h') {
        ++c.shorts;
      } else if (peek() == 'l' || peek() == 'j' || peek() == 'z' || peek() == 't') {
        ++c.longs;
      } else if (peek() != 'L') {
        break;
      }
    }
    if (peek() != 0 && std::string_view("diouxXcspeEfFgGaA%").find(peek()) != std::string_view::npos)
      c.letter = format_[at_++];
    return c;
  }

  std::optional<std::uint64_t> take(unsigned bytes) {
    ++result_.arguments;
    return arguments_.next(bytes);
  }

  /// A width or precision that is an argument.
  std::optional<int> star() {
    const std::optional<std::uint64_t> value = take(4);
    if (!value) return std::nullopt;
    return std::clamp(static_cast<int>(static_cast<std::uint32_t>(*value)), -largest_field, largest_field);
  }

  void convert(Conversion c) {
    if (c.star_width) c.width = star();
    if (c.width.value_or(0) < 0) {
      c.flags += '-';
      c.width = -*c.width;
    }
    if (c.star_precision) c.precision = star();
    if (c.precision.value_or(0) < 0) c.precision.reset();
    const bool wide =
        std::string_view("speEfFgGaA").find(c.letter) != std::string_view::npos || (c.longs > 0 && c.letter != 'c');
    const std::optional<std::uint64_t> value = take(wide ? 8 : 4);
    if (!value) {
      result_.text += missing;
      return;
    }
    switch (c.letter) {
      case 'c': write(c, "", static_cast<int>(static_cast<unsigned char>(*value))); break;
      case 's': write(c, "", string(*value).c_str()); break;
      // An address of the device is as wide as one of the host.
      case 'p': write(c, "", reinterpret_cast<const void*>(*value)); break;  // NOLINT(performance-no-int-to-ptr)
      case 'd':
      case 'i': write(c, "ll", signed_value(c, *value)); break;
      case 'o':
      case 'u':
      case 'x':
      case 'X': write(c, "ll", unsigned_value(c, *value)); break;
      default: write(c, "", std::bit_cast<double>(*value)); break;
    }
  }

  static long long signed_value(const Conversion& c, std::uint64_t value) {
    if (c.longs > 0) return static_cast<std::int64_t>(value);
    if (c.shorts > 1) return static_cast<std::int8_t>(value);
    return c.shorts == 1 ? static_cast<std::int16_t>(value) : static_cast<std::int32_t>(value);
  }
  static unsigned long long unsigned_value(const Conversion& c, std::uint64_t value) {
    if (c.longs > 0) return value;
    if (c.shorts > 1) return static_cast<std::uint8_t>(value);
    return c.shorts == 1 ? static_cast<std::uint16_t>(value) : static_cast<std::uint32_t>(value);
  }
  std::string string(std::uint64_t address) const {
    if (address == 0) return "(null)";
    return arguments_.string_at(address).value_or(fmt::format("(no string at {:#x})", address));
  }

  template <class T>
  void write(const Conversion& c, std::string_view length, T value) {
    std::string format = "%" + c.flags;
    if (c.width) format += fmt::format("{}", *c.width);
    if (c.precision) format += fmt::format(".{}", *c.precision);
    format += fmt::format("{}{}", length, c.letter);
    const int size = std::snprintf(nullptr, 0, format.c_str(), value);
    if (size <= 0) return;
    std::string text(static_cast<std::size_t>(size) + 1, '\0');
    std::snprintf(text.data(), text.size(), format.c_str(), value);
    text.pop_back();
    result_.text += text;
  }

  std::string_view format_;
  const PrintArguments& arguments_;
  std::size_t at_ = 0;
  PrintedText result_;
};

}  // namespace

PrintedText print_format(std::string_view format, const PrintArguments& arguments) {
  return Formatting(format, arguments).run();
}

}  // namespace lockstep::exec
