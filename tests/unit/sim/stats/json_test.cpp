#include <catch2/catch.hpp>
#include <limits>

#include "isa/error.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"

using namespace lockstep::stats;

TEST_CASE("Nested objects and lists are separated and indented") {
  JsonWriter json;
  json.begin_object().field("a", std::uint64_t{1}).key("b").begin_array();
  json.begin_object(true).field("x", true).field("y", "z").end_object();
  json.null().end_array().key("empty").begin_object().end_object().end_object();
  CHECK(json.take() ==
        "{\n  \"a\": 1,\n  \"b\": [\n    {\"x\": true, \"y\": \"z\"},\n    null\n  ],\n  \"empty\": {}\n}\n");
}

TEST_CASE("Numbers read back as the same number") {
  JsonWriter json;
  json.begin_array(true);
  json.value(0.1).value(1.0 / 3).value(1e300).value(5e-324).value(2.0).value(std::numeric_limits<std::uint64_t>::max());
  json.value(std::numeric_limits<double>::infinity()).value(std::optional<double>{}).end_array();
  CHECK(json.take() == "[0.1, 0.3333333333333333, 1e+300, 5e-324, 2, 18446744073709551615, null, null]\n");
}

TEST_CASE("Strings are escaped, and bytes that are no UTF-8 are replaced") {
  CHECK(json_string("a\"b\\c\n\t\r\x01") == "\"a\\\"b\\\\c\\n\\t\\r\\u0001\"");
  CHECK(json_string("G\xc3\xb3mez \xf0\x9f\x99\x82") == "\"G\xc3\xb3mez \xf0\x9f\x99\x82\"");
  CHECK(json_string("\xff") == "\"\xef\xbf\xbd\"");
  CHECK(json_string("\xc3") == "\"\xef\xbf\xbd\"");                                  // cut off
  CHECK(json_string("\xc0\x80") == "\"\xef\xbf\xbd\xef\xbf\xbd\"");                  // overlong
  CHECK(json_string("\xed\xa0\x80") == "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");  // a surrogate
  CHECK(json_string(std::string_view("\0", 1)) == "\"\\u0000\"");
}

TEST_CASE("A table aligns names left, numbers right, by characters") {
  Table table;
  table.column("name", Table::Align::left);
  table.column("cycles", Table::Align::right, "cycles");
  table.row({"Jos\xc3\xa9", "12"});
  table.row({"x", "1,234,567"});
  CHECK(table.text() ==
        "name     cycles\n"
        "         cycles\n"
        "---------------\n"
        "Jos\xc3\xa9         12\n"
        "x     1,234,567\n");
  CHECK_THROWS_AS(table.row({"one"}), lockstep::Bug);
}

TEST_CASE("Large numbers are grouped by thousands") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(12345678) == "12,345,678");
}
