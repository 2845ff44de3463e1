#include "sim/stats/json.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/stats/utf8.hpp"

namespace lockstep::stats {

std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = utf8_sequence_length(text);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (length != 0 && is_control(text)) {
      switch (c) {
        case '\n': result += "\\n"; break;
        case '\t': result += "\\t"; break;
        case '\r': result += "\\r"; break;
        default:
          result += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(text[length - 1])));
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
