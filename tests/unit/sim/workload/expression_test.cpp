#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <string>

#include "sim/workload/expression/expression.hpp"

namespace lockstep::expression_test {

using namespace lockstep::workload;
using Catch::Matchers::Contains;

namespace {

class Names final : public Scope {
 public:
  std::map<std::string, Number> values{
      {"bins", std::int64_t{256}}, {"replication", std::int64_t{8}},    {"half", 0.5},
      {"zero", std::int64_t{0}},   {"image.width", std::int64_t{1536}}, {"data", Address{3, 0}}};
  Number value_of(std::string_view name) const override {
    const auto found = values.find(std::string(name));
    if (found == values.end()) throw UnknownName{};
    return found->second;
  }
  Number element(std::string_view name, std::int64_t index) const override {
    if (name != "data") throw UnknownName{};
    if (index > 9) throw NoValue{"only ten elements"};
    return index * index;
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> result;
    for (const auto& [name, value] : values) result.push_back(name);
    return result;
  }
};

std::int64_t whole(const std::string& text) {
  return std::get<std::int64_t>(Expression(text).evaluate(Names()));
}
double real(const std::string& text) {
  return std::get<double>(Expression(text).evaluate(Names()));
}

/// "character: message" of the error in `text`, characters counted from 1; "" when there is none.
std::string mistake(const std::string& text) {
  try {
    Expression(text).evaluate(Names());
  } catch (const ExpressionError& error) {
    return std::to_string(error.position() + 1) + ": " + error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("operators bind as in C") {
  CHECK(whole("2 + 3 * 4") == 14);
  CHECK(whole("(2 + 3) * 4") == 20);
  CHECK(whole("20 - 5 - 3") == 12);
  CHECK(whole("100 / 10 / 5") == 2);
  CHECK(whole("-2 * -3") == 6);
  CHECK(whole("- - 4") == 4);
  CHECK(whole("1 << 2 + 1") == 8);
  CHECK(whole("1 | 6 & 3 ^ 8") == (1 | ((6 & 3) ^ 8)));
  CHECK(whole("1 + 1 == 2 && 3 < 2 || 7 >= 7") == 1);
  CHECK(whole("!0 + !5") == 1);
  CHECK(whole("~0") == -1);
  CHECK(whole("0 ? 1 : 0 ? 2 : 3") == 3);
  CHECK(whole("1 ? 0 ? 1 : 2 : 3") == 2);
}

TEST_CASE("integers divide towards zero, as in C") {
  CHECK(whole("7 / 2") == 3);
  CHECK(whole("-7 / 2") == -3);
  CHECK(whole("-7 % 3") == -1);
  CHECK(whole("7 % -3") == 1);
}

TEST_CASE("names stand for values, also dotted ones and elements of buffers") {
  CHECK(whole("(bins + 1) * replication * 4") == 8224);
  CHECK(whole("image.width / 32") == 48);
  CHECK(whole("data[3] + data[1 + 1]") == 13);
}

TEST_CASE("numbers have bases and byte units") {
  CHECK(whole("0x10") == 16);
  CHECK(whole("010") == 10);
  CHECK(whole("48 KiB") == 49152);
  CHECK(whole("2MiB") == 2097152);
  CHECK(whole("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(real("1.5e3") == 1500.0);
  CHECK(real(".25") == 0.25);
}

TEST_CASE("one floating-point operand makes the operation floating-point") {
  CHECK(real("1 / 2.0") == 0.5);
  CHECK(real("half * 3") == 1.5);
  CHECK(real("float(7) / 2") == 3.5);
  CHECK(real("min(1, 0.5)") == 0.5);
  CHECK(real("sqrt(9)") == 3.0);
  CHECK(real("sin(0)") == 0.0);
  CHECK(real("cos(0)") == 1.0);
  CHECK(real("sin(1.5707963267948966)") == Approx(1));
  CHECK(real("cos(3.141592653589793)") == Approx(-1));
  CHECK(whole("floor(-1.5)") == -2);
  CHECK(whole("ceil(-1.5)") == -1);
  CHECK(whole("ceil(sqrt(2))") == 2);
  CHECK(whole("floor(7)") == 7);
  CHECK_THROWS_AS(whole("ceil(1e300)"), ExpressionError);
  CHECK(whole("0.5 < 1") == 1);
}

TEST_CASE("functions compute what their names say") {
  CHECK(whole("min(3, -2)") == -2);
  CHECK(whole("max(3, -2)") == 3);
  CHECK(whole("ceil_div(10, 4)") == 3);
  CHECK(whole("ceil_div(8, 4)") == 2);
  CHECK(whole("ceil_div(0, 4)") == 0);
  CHECK(whole("round_up(33, 32)") == 64);
  CHECK(whole("round_up(32, 32)") == 32);
  CHECK(whole("log2(1)") == 0);
  CHECK(whole("log2(4096)") == 12);
  CHECK(whole("log2(4097)") == 12);
  CHECK(whole("abs(-5)") == 5);
}

TEST_CASE("conditions evaluate only the side they need") {
  CHECK(whole("zero != 0 && 1 / zero > 0") == 0);
  CHECK(whole("zero == 0 || 1 / zero > 0") == 1);
  CHECK(whole("zero == 0 ? 5 : 1 / zero") == 5);
}

TEST_CASE("a buffer is an address that moves in bytes") {
  const Number moved = Expression("data + 4 * bins - 24").evaluate(Names());
  CHECK(std::get<Address>(moved) == Address{3, 1000});
  CHECK_THAT(mistake("data * 2"), Contains("1: ") || Contains("address"));
  CHECK_THAT(mistake("2 + data"), Contains("address"));
  CHECK_THAT(mistake("data == data"), Contains("address"));
}

TEST_CASE("errors are found at their character") {
  CHECK_THAT(mistake("bins * bnis"), Contains("8: ") && Contains("'bnis'") && Contains("did you mean 'bins'"));
  CHECK_THAT(mistake("1 + 4 / zero"), Contains("7: division by zero"));
  CHECK_THAT(mistake("4 % zero"), Contains("3: ") && Contains("division by zero"));
  CHECK_THAT(mistake("1.0 / zero"), Contains("division by zero"));
  CHECK_THAT(mistake("(1 + 2"), Contains("7: ')' is missing"));
  CHECK_THAT(mistake("1 +"), Contains("4: a value is missing"));
  CHECK_THAT(mistake("1 2"), Contains("3: expected an operator or the end, found '2'"));
  CHECK_THAT(mistake("$"), Contains("1: expected a value, found '$'"));
  CHECK_THAT(mistake(""), Contains("1: a value is missing"));
  CHECK_THAT(mistake("1 ? 2"), Contains("':'"));
  CHECK_THAT(mistake("3x"), Contains("2: 'x' does not belong to a number"));
  CHECK_THAT(mistake("celi_div(1, 2)"), Contains("1: ") && Contains("did you mean 'ceil_div'"));
  CHECK_THAT(mistake("min(1)"), Contains("takes 2 arguments, found 1"));
  CHECK_THAT(mistake("1.5 % 2"), Contains("5: '%' needs whole numbers"));
  CHECK_THAT(mistake("ceil_div(1, zero)"), Contains("1: ceil_div(1, 0)"));
  CHECK_THAT(mistake("log2(zero)"), Contains("log2 of 0"));
  CHECK_THAT(mistake("1 << 64"), Contains("3: shift by 64"));
  CHECK_THAT(mistake("data[10]"), Contains("1: only ten elements"));
}

TEST_CASE("integers that leave 64 bits are an error and never wrap") {
  CHECK_THAT(mistake("9223372036854775807 + 1"), Contains("21: ") && Contains("does not fit into 64 bits"));
  CHECK_THAT(mistake("-9223372036854775807 - 2"), Contains("does not fit"));
  CHECK_THAT(mistake("1 << 63"), Contains("does not fit"));
  CHECK(whole("1 << 62") == std::int64_t{1} << 62);
  CHECK_THAT(mistake("4294967296 * 4294967296"), Contains("does not fit"));
  CHECK_THAT(mistake("(-9223372036854775807 - 1) / -1"), Contains("does not fit"));
  CHECK(whole("(-9223372036854775807 - 1) % -1") == 0);
  CHECK_THAT(mistake("-(-9223372036854775807 - 1)"), Contains("does not fit"));
  CHECK_THAT(mistake("18446744073709551616"), Contains("1: ") && Contains("up to 2^64 - 1"));
  CHECK_THAT(mistake("0x10000000000000000"), Contains("too large"));
  CHECK_THAT(mistake("17179869184 GiB"), Contains("too large"));  // 2^34 * 2^30
  CHECK_THAT(mistake("9007199254740992 GiB"), Contains("too large"));
}

TEST_CASE("a hexadecimal literal from 2^63 on is its 64 bits, a negative number; a decimal one says how to write it") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  CHECK(whole("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(whole("0x8000000000000000") == least);
  CHECK_THAT(mistake("9223372036854775808"), Contains("written as its 64 bits, 0x8000000000000000"));
  CHECK_THAT(mistake("1 + 18446744073709551615"), Contains("5: ") && Contains("0xffffffffffffffff"));
  CHECK_THAT(mistake("8589934592 GiB"), Contains("0x8000000000000000"));  // 2^33 * 2^30
  CHECK(whole("0x200000000 GiB") == least);
  // 0x9e3779b97f4a7c15 = 11400714819323198485; 2^64 less is -7046029254386353131.
  CHECK(whole("0x9e3779b97f4a7c15") == -7046029254386353131);
  CHECK(whole("0x9e3779b97f4a7c15 ^ 0xffffffffffffffff") == 7046029254386353130);
  CHECK(whole("0xffffffffffffffff < 0") == 1);
  CHECK(whole("0xfffffffffffffffe / 2") == -1);
}

TEST_CASE("an endless expression is refused, not followed to the end of the stack") {
  CHECK_THAT(mistake(std::string(2000, '(')), Contains("nested too deeply"));
  CHECK_THAT(mistake(std::string(2000, '-') + "1"), Contains("nested too deeply"));
  CHECK_THAT(mistake(std::string(5000, '1')), Contains("4096"));
  CHECK(whole(std::string(2000, '+') + "1") == 1);
}

}  // namespace lockstep::expression_test
