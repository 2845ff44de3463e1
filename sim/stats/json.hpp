#pragma once
// Writes JSON text. Numbers are the shortest text that reads back as the same number, so equal results are equal bytes.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::stats {

/// Values are written in order; inside an object each one is preceded by key(). The text is indented by two blanks per
/// level, an object opened as `compact` stands on one line.
class JsonWriter {
 public:
  JsonWriter& begin_object(bool compact = false) { return open('{', compact); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array(bool compact = false) { return open('[', compact); }
  JsonWriter& end_array() { return close(']'); }

  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool flag);
  JsonWriter& value(double number);  ///< null when it is no finite number.
  template <std::unsigned_integral Number>
  requires(!std::same_as<Number, bool>) JsonWriter& value(Number number) { return whole(number); }
  JsonWriter& value(std::optional<double> number) { return number ? value(*number) : null(); }
  JsonWriter& null();
  /// Text that is JSON already.
  JsonWriter& raw(std::string_view json);

  template <class Type>
  JsonWriter& field(std::string_view name, const Type& content) {
    key(name);
    return value(content);
  }

  /// The finished text, with a line end. The writer is empty afterwards.
  std::string take();

 private:
  struct Level {
    bool compact = false, empty = true;
  };
  JsonWriter& open(char bracket, bool compact);
  JsonWriter& close(char bracket);
  JsonWriter& whole(std::uint64_t number);
  void separate();
  void new_line();

  std::string text_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

/// A JSON string with its quotes. Bytes that are no valid UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace lockstep::stats
