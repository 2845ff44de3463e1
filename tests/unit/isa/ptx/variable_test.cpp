// Variables of modules and functions, and their initial values.

#include "tests/unit/isa/ptx/text.hpp"

using namespace lockstep;
using namespace lockstep::ptx;
using namespace lockstep::ptx::test;

namespace {

/// The variable "v" of a module with this declaration.
Variable declared(const std::string& text) {
  const Module module = module_with(".global .b8 other[64];\n.func f() { ret; }\n" + text);
  const Variable* const found = module.find_variable("v");
  REQUIRE(found != nullptr);
  return *found;
}

using Bytes = std::vector<std::uint8_t>;

}  // namespace

TEST_CASE("a variable has space, type, size and alignment") {
  CHECK(declared(".global .u32 v;").bytes == 4);
  CHECK(declared(".global .u32 v;").alignment == 4);
  CHECK(declared(".const .align 16 .b8 v[20];").alignment == 16);
  CHECK(declared(".const .align 16 .b8 v[20];").space == Space::constant);
  CHECK(declared(".const[3] .f64 v;").space == Space::constant);
  CHECK(declared(".shared .f64 v[3][5];").bytes == 120);
  CHECK(declared(".local .v4 .f32 v[2];").bytes == 32);
  CHECK(declared(".local .v4 .f32 v[2];").alignment == 16);
  CHECK(declared(".visible .global .attribute(.managed) .align 8 .u32 v;").alignment == 8);
  CHECK(declared(".global .u32 a, v[7], b;").bytes == 28);
  CHECK(declared(".global .b16 v[2+3*4];").bytes == 28);
}

TEST_CASE("dynamic shared memory is extern and has no size") {
  const Variable v = declared(".extern .shared .align 16 .b8 v[];");
  CHECK(v.is_extern);
  CHECK(v.bytes == 0);
  CHECK(v.alignment == 16);
}

TEST_CASE("a declaration and its definition are one variable") {
  const Variable v = declared(".extern .global .u32 v;\n.global .u32 v = 5;");
  CHECK_FALSE(v.is_extern);
  CHECK(v.initial == Bytes{5, 0, 0, 0});
  CHECK(declared(".weak .global .u32 v = 1;\n.weak .global .u32 v = 2;").initial[0] == 1);
}

TEST_CASE("initial values are little endian, in the type of the elements") {
  CHECK(declared(".global .u16 v[3] = {1, 0x203, -1};").initial == Bytes{1, 0, 3, 2, 255, 255});
  CHECK(declared(".global .u8 v = 300;").initial == Bytes{44});
  CHECK(declared(".global .f32 v = 0f3F800000;").initial == Bytes{0, 0, 128, 63});
  CHECK(declared(".global .f32 v = -2.5;").initial == Bytes{0, 0, 32, 192});
  CHECK(declared(".global .f32 v = 1;").initial == Bytes{0, 0, 128, 63});
  CHECK(declared(".global .f32 v = 0f7FA00001;").initial == Bytes{1, 0, 160, 127});
  CHECK(declared(".global .f64 v = 1.0;").initial == Bytes{0, 0, 0, 0, 0, 0, 240, 63});
  CHECK(declared(".global .f64 v = 0f40000000;").initial == Bytes{0, 0, 0, 0, 0, 0, 0, 64});
  CHECK(declared(".global .b32 v = 0f3F800000;").initial == Bytes{0, 0, 128, 63});
  CHECK(declared(".global .u64 v = 18446744073709551615;").initial == Bytes(8, 255));
}

TEST_CASE("a short list leaves the rest zero") {
  const Variable v = declared(".global .u8 v[100] = {1, 2};");
  CHECK(v.bytes == 100);
  CHECK(v.initial == Bytes{1, 2});
}

TEST_CASE("nested lists fill rows") {
  CHECK(declared(".global .u8 v[2][3] = {{1}, {4, 5}};").initial == Bytes{1, 0, 0, 4, 5});
  CHECK(declared(".global .u8 v[2][3] = {1, 2, 3, 4};").initial == Bytes{1, 2, 3, 4});
  CHECK(declared(".global .v2 .u8 v[2] = {{1, 2}, {3, 4}};").initial == Bytes{1, 2, 3, 4});
}

TEST_CASE("an open dimension takes its size from the values") {
  CHECK(declared(".global .u32 v[] = {1, 2, 3};").bytes == 12);
  CHECK(declared(".global .u8 v[][4] = {{1}, {2}, {3}};").bytes == 12);
  CHECK(declared(".global .u8 v[][4] = {1, 2, 3, 4, 5};").bytes == 8);
  CHECK(declared(".global .b8 v[] = \"ab\\n\";").initial == Bytes{'a', 'b', '\n', 0});
  CHECK(declared(".global .b8 v[8] = \"a\\101\";").initial == Bytes{'a', 'A'});
}

TEST_CASE("addresses are relocations") {
  const Variable v = declared(".global .u64 v[4] = {other, generic(other)+20, f, generic(other+4)-2};");
  CHECK(v.initial.size() == 32);
  REQUIRE(v.relocations.size() == 4);
  CHECK((v.relocations[0].offset == 0 && v.relocations[0].symbol == "other" && !v.relocations[0].generic));
  CHECK((v.relocations[1].offset == 8 && v.relocations[1].addend == 20 && v.relocations[1].generic));
  CHECK((v.relocations[1].bytes == 8 && v.relocations[1].shift == 0));
  CHECK(v.relocations[2].symbol == "f");
  CHECK(v.relocations[3].addend == 2);
}

TEST_CASE("the masked bytes of one address become one relocation") {
  const Variable v = declared(
      ".global .align 1 .u8 v[11] = {1, 0XFF(generic(other)+12), 0xFF00(generic(other)+12), "
      "0xFF0000(generic(other)+12), "
      "0xFF000000(generic(other)+12), 0xFF00000000(generic(other)+12), 0xFF0000000000(generic(other)+12), "
      "0xFF000000000000(generic(other)+12), 0xFF00000000000000(generic(other)+12), 7, 0};");
  CHECK(v.initial == Bytes{1, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0});
  REQUIRE(v.relocations.size() == 1);
  CHECK((v.relocations[0].offset == 1 && v.relocations[0].bytes == 8 && v.relocations[0].shift == 0));
  CHECK((v.relocations[0].addend == 12 && v.relocations[0].generic));
}

TEST_CASE("a single masked byte keeps its shift") {
  const Variable v = declared(".global .u8 v[3] = {0xFF00(other), 0xFF(other), 0xFF(v)};");
  REQUIRE(v.relocations.size() == 3);
  CHECK((v.relocations[0].shift == 8 && v.relocations[0].bytes == 1));
  CHECK(v.relocations[1].shift == 0);
}

TEST_CASE("a global variable inside a function is one of the module") {
  const Module module = kernel(".global .u32 counter = 7; ld.global.u32 %r1, [counter];");
  const auto& code = module.find_function("k")->instructions;
  REQUIRE(module.find_variable(code[0].operands[1].symbol) != nullptr);
  CHECK(module.find_variable(code[0].operands[1].symbol)->initial[0] == 7);
  CHECK(module.find_function("k")->variables.empty());
}

TEST_CASE("wrong initial values are errors at their place") {
  const auto error = [](const std::string& text) { return error_of(head + text); };
  CHECK(error(".global .u8 v[2] = {1, 2, 3};") == "test.ptx:4:27: too many initial values for 'v'");
  CHECK(error(".global .u8 v = {{1}};") == "test.ptx:4:18: 'v' has no further dimension for a nested list");
  CHECK(error(".shared .u32 v = 1;") == "test.ptx:4:14: a .shared variable cannot have initial values");
  CHECK(error(".global .u32 v = 1.5;") == "test.ptx:4:18: a floating-point value cannot initialise .u32 'v'");
  CHECK(error(".global .b8 v[2] = \"abc\";") == "test.ptx:4:20: the string has 3 bytes, its array has 2");
  CHECK(error(".global .u8 v = 0xFF0(v);") == "test.ptx:4:17: '0xFF0' does not select one byte of an address");
  CHECK(error(".global .u64 v = missing;") == "test.ptx:4:18: 'missing' is not declared");
  CHECK(error(".global .u16 v = v;") == "test.ptx:4:18: .u16 is too small for an address");
  CHECK(error(".global .align 3 .u32 v;") == "test.ptx:4:16: the alignment must be a power of two");
  CHECK(error(".global .pred v;") == "test.ptx:4:15: only registers can be of type .pred");
  CHECK(error(".global v;") == "test.ptx:4:9: expected the type of the variable, found 'v'");
  CHECK(error(".global .u32 v[2][];") == "test.ptx:4:19: only the first dimension of an array may be left open");
  CHECK(error(".global .u32 v[4000000000][4000000000];") == "test.ptx:4:14: 'v' is too large");
  CHECK(error(".global .u8 v[4][4000000000] = {{1},{1}};") ==
        "test.ptx:4:38: the initial values of 'v' take more than 67108864 bytes");
  CHECK(error(".global .u32 v;\n.global .u32 v;") == "test.ptx:5:14: 'v' is declared twice, first at test.ptx:4:14");
}
