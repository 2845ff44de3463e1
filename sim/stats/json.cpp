#include "sim/stats/json.hpp"

#include <fmt/format.h>

#include <cmath>

namespace lockstep::stats {

namespace {

/// Length of the valid UTF-8 sequence at the front of `text`, or 0 (RFC 3629: no overlong forms, no surrogates).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 && first <= 0xf4 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (first > 0xf4 || length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                   (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return bad ? 0 : length;
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = sequence_length(text);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      switch (c) {
        case '\n': result += "\\n"; break;
        case '\t': result += "\\t"; break;
        case '\r': result += "\\r"; break;
        default: result += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
      }
    } else if (length == 0) {
      result += "\xef\xbf\xbd";
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + '"';
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  text_ += json_string(name);
  text_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  return raw(json_string(text));
}

JsonWriter& JsonWriter::value(bool flag) {
  return raw(flag ? "true" : "false");
}

JsonWriter& JsonWriter::value(double number) {
  return std::isfinite(number) ? raw(fmt::format("{}", number)) : null();
}

JsonWriter& JsonWriter::whole(std::uint64_t number) {
  return raw(fmt::format("{}", number));
}

JsonWriter& JsonWriter::null() {
  return raw("null");
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

std::string JsonWriter::take() {
  std::string result = std::move(text_) + '\n';
  text_.clear();
  levels_.clear();
  after_key_ = false;
  return result;
}

JsonWriter& JsonWriter::open(char bracket, bool compact) {
  separate();
  text_ += bracket;
  levels_.push_back({compact || (!levels_.empty() && levels_.back().compact), true});
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && !level.compact) new_line();
  text_ += bracket;
  return *this;
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) text_ += level.compact ? ", " : ",";
  level.empty = false;
  if (!level.compact) new_line();
}

void JsonWriter::new_line() {
  text_ += fmt::format("\n{:{}}", "", 2 * levels_.size());
}

}  // namespace lockstep::stats
