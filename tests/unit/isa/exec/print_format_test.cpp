// Formats of printf. Expected texts follow C17, 7.21.6.1, and the CUDA C++ Programming Guide, "Formatted Output".
#include <catch2/catch.hpp>

#include <bit>
#include <vector>

#include "isa/exec/control/print_format.hpp"

namespace lockstep::print_format_test {

using lockstep::exec::print_format;
using lockstep::exec::PrintArguments;
using lockstep::exec::PrintedText;

namespace {

/// Formats with these arguments, and the string "text" at address 16.
PrintedText formatted(std::string_view format, std::vector<std::uint64_t> values = {}) {
  std::size_t at = 0;
  PrintArguments arguments;
  arguments.next = [&](unsigned bytes) -> std::optional<std::uint64_t> {
    if (at == values.size()) return std::nullopt;
    const std::uint64_t value = values[at++];
    return bytes == 4 ? value & 0xffffffff : value;
  };
  arguments.string_at = [](std::uint64_t address) -> std::optional<std::string> {
    if (address != 16) return std::nullopt;
    return "text";
  };
  return print_format(format, arguments);
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

}  // namespace

TEST_CASE("printf writes integers of every width with flags, width and precision", "[exec]") {
  const auto minus_one = static_cast<std::uint64_t>(-1);
  CHECK(formatted("%d|%i|%u", {minus_one, 5, minus_one}).text == "-1|5|4294967295");
  CHECK(formatted("%lld %ld %llu", {minus_one, minus_one, minus_one}).text == "-1 -1 18446744073709551615");
  CHECK(formatted("%hd %hhd %hu %hhu", {0x18000, 0x180, 0x1ffff, 0x1ff}).text == "-32768 -128 65535 255");
  CHECK(formatted("[%5d][%-5d][%05d][%+d][% d]", {42, 42, 42, 42, 42}).text == "[   42][42   ][00042][+42][ 42]");
  CHECK(formatted("[%.3d][%8.3d][%*d][%-*d]", {7, 7, 4, 7, 4, 7}).text == "[007][     007][   7][7   ]");
  CHECK(formatted("%x %X %#x %o %#o", {255, 255, 255, 8, 8}).text == "ff FF 0xff 10 010");
  CHECK(formatted("%llx", {0x123456789abcdef0}).text == "123456789abcdef0");
}

TEST_CASE("printf writes floating-point numbers, characters, strings and addresses", "[exec]") {
  CHECK(formatted("%f %.2f %e %g %G", {bits(1.5), bits(-2.345), bits(12345.678), bits(1e-10), bits(1e20)}).text ==
        "1.500000 -2.35 1.234568e+04 1e-10 1E+20");
  CHECK(formatted("%a %f %f", {bits(1.0), bits(__builtin_inf()), bits(-__builtin_inf())}).text == "0x1p+0 inf -inf");
  CHECK(formatted("[%c][%3c][%s][%6s][%.2s][%-6s]", {'a', 'b', 16, 16, 16, 16}).text ==
        "[a][  b][text][  text][te][text  ]");
  CHECK(formatted("%s %s", {0, 99}).text == "(null) (no string at 0x63)");
  CHECK(formatted("%p", {0x100000400}).text == "0x100000400");
  CHECK(formatted("100%%").text == "100%");
}

TEST_CASE("printf returns how many arguments the format takes", "[exec]") {
  CHECK(formatted("no argument\n").arguments == 0);
  CHECK(formatted("%d %% %s", {1, 16}).arguments == 2);
  CHECK(formatted("%*.*f", {8, 2, bits(1.0)}).arguments == 3);
}

TEST_CASE("formats that are wrong and arguments that are missing do no harm", "[exec]") {
  CHECK(formatted("%d and %s").text == "(missing) and (missing)");
  CHECK(formatted("%").text == "%");
  CHECK(formatted("a % ").text == "a % ");
  CHECK(formatted("%y %n %5").text == "%y %n %5");
  CHECK(formatted("%y %n").arguments == 0);
  CHECK(formatted("%999999999999d", {1}).text.size() == 4095);
  CHECK(formatted("%.999999999999d", {1}).text.size() == 4095);
  CHECK(formatted("%*d", {0x80000000, 1}).text.size() == 4095);
  CHECK(formatted("%-+ #0-+ #0d", {3}).text == "+3");
  CHECK(formatted(std::string("a\0b", 3)).text == std::string("a\0b", 3));
}

}  // namespace lockstep::print_format_test
