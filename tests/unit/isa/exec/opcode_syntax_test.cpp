// The syntax of the rows of opcodes, and that decode functions handle what it takes and nothing else.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <set>

#include "isa/error.hpp"
#include "isa/exec/subjects.hpp"
#include "isa/ptx/opcode_syntax.hpp"
#include "tests/unit/isa/exec/form_operands.hpp"

namespace lockstep::opcode_syntax_test {

using Catch::Matchers::Contains;
using ptx::Opcode;
using ptx::OpcodeRow;

namespace {

using Views = std::vector<std::string_view>;
using Modifiers = std::vector<std::string>;

std::string name_of(const OpcodeRow& row, const Views& modifiers) {
  std::string text(row.name);
  for (const std::string_view modifier : modifiers) text.append(".").append(modifier);
  return text;
}

/// Told of an instruction that was decoded: its text, its refusal or "", how many operands it has.
using Decoded = std::function<void(const std::string& text, const std::string& refusal, std::size_t operands)>;

/// Decodes instructions. A Bug is not caught.
void decode(const std::vector<std::string>& instructions, const Decoded& use) {
  constexpr std::string_view head = R"(.version 8.3
.target sm_90
.address_size 64
.global .texref tx; .global .surfref sf; .global .samplerref sm;
.func f() { ret; }
.visible .entry k(.param .u64 out)
{
.reg .pred %p<32>; .reg .b16 %h<32>; .reg .b32 %r<32>; .reg .b64 %d<32>; .reg .b128 %q<32>;
.param .align 16 .b8 q[64]; T: .branchtargets L;
)";
  constexpr std::size_t batch = 1000;
  for (std::size_t first = 0; first < instructions.size(); first += batch) {
    const std::size_t end = std::min(instructions.size(), first + batch);
    std::string text(head);
    for (std::size_t i = first; i < end; ++i) text += instructions[i] + "\n";
    const ptx::Module module = ptx::parse(text + "L: ret;\n}\n", "test.ptx");
    exec::Kernel kernel;
    kernel.module = &module;
    kernel.program = ptx::link(module, "k");
    for (const auto* function : kernel.program.functions) {
      kernel.functions.push_back({exec::FrameLayout(*function), 0, 0});
    }
    exec::VariablePlaces places;
    places.of_function.resize(kernel.program.functions.size());
    places.of_function[0]["q"] = {ptx::Space::local, 0};
    for (const char* opaque : {"tx", "sf", "sm"}) places.of_module[opaque] = {ptx::Space::global, 0};
    exec::Decoder decoder(kernel, places, 0);
    const auto& parsed = module.find_function("k")->instructions;
    for (std::size_t i = first; i < end; ++i) {
      std::string refusal;
      try {
        decoder.begin(parsed.at(i - first), static_cast<std::uint32_t>(i - first));
        exec::decode_instruction(decoder);
      } catch (const InputError& error) {
        refusal = error.what();
      }
      use(instructions[i], refusal, parsed[i - first].operands.size());
    }
  }
}

std::string refusal_of(const std::string& instruction) {
  std::string found;
  decode({instruction}, [&](const std::string&, const std::string& refusal, std::size_t) { found = refusal; });
  return found;
}

/// Forms of a row, at most about `most`, spread over all of them.
std::vector<Views> forms_of(const OpcodeRow& row, std::uint64_t most) {
  const std::uint64_t count = ptx::form_count(row.opcode);
  const std::uint64_t step = count <= most ? 1 : (count / most / 30 + 1) * 30 + 1;
  std::vector<Views> forms;
  for (std::uint64_t n = 0; n < count; n += step) forms.push_back(ptx::form(row.opcode, n));
  return forms;
}

Modifiers owned(const Views& views) {
  return {views.begin(), views.end()};
}

bool is_type(std::string_view name) {
  static const std::set<std::string_view> others{"u16x2", "s16x2", "tf32", "u4", "s4", "u2", "s2"};
  return ptx::type_named(name) != ptx::Type::none || others.contains(name);
}

/// Two lists of modifiers are the same form when they differ in the order of what is no type, no priority of createpolicy, of
/// which the first one written is the primary, and no layout of wmma, of which the first one is that of A.
std::string key_of(const OpcodeRow& row, const Modifiers& modifiers) {
  Modifiers sorted, types, ordered;
  for (const std::string& modifier : modifiers) {
    const bool is_priority = row.opcode == Opcode::createpolicy && modifier.starts_with("L2::");
    const bool is_layout = row.opcode == Opcode::wmma && (modifier == "row" || modifier == "col");
    (is_type(modifier) ? types : is_priority || is_layout ? ordered : sorted).push_back(modifier);
  }
  std::sort(sorted.begin(), sorted.end());
  return fmt::format("{}|{}|{}", fmt::join(sorted, "."), fmt::join(types, "."), fmt::join(ordered, "."));
}

}  // namespace

namespace {

/// Of each row at most about `most` forms. Gives how many they were.
std::size_t check_forms(std::uint64_t most) {
  std::size_t forms = 0, opcodes = 0;
  for (const OpcodeRow& row : ptx::opcode_table) {
    std::vector<std::string> instructions;
    for (const Views& form : forms_of(row, most)) {
      instructions.push_back(exec::test::instruction_of(row.name, form));
    }
    CHECK(instructions.empty() != row.is_executed());
    opcodes += instructions.empty() ? 0 : 1;
    forms += instructions.size();
    std::size_t refused = 0;
    std::set<std::size_t> counts;
    decode(instructions, [&](const std::string& text, const std::string& refusal, std::size_t operands) {
      counts.insert(operands);
      if (refusal.empty() || ++refused > 3) return;
      FAIL_CHECK(text << " is refused: " << refusal);
    });
    CHECK(refused == 0);
    if (row.subject != ptx::OpcodeClass::arithmetic || instructions.size() < ptx::form_count(row.opcode)) continue;
    INFO(row.name);
    CHECK(*counts.begin() == row.least_operands());
    // Of cvt, the form with most operands rounds stochastically, which is not executed.
    if (row.opcode != Opcode::cvt) CHECK(*counts.rbegin() == row.most_operands());
  }
  CHECK(opcodes >= 95);
  return forms;
}

/// Changes of at most about `most` forms of each row. Gives how many they were.
std::size_t check_changes(std::uint64_t most) {
  std::size_t tried = 0;
  for (const OpcodeRow& row : ptx::opcode_table) {
    if (ptx::form_count(row.opcode) > 20000) continue;  // ld and st: the next test.
    std::set<std::string> listed;
    for (const Views& form : forms_of(row, ~std::uint64_t{0})) listed.insert(key_of(row, owned(form)));
    std::size_t wrong = 0;
    const auto check = [&](const Modifiers& changed) {
      ++tried;
      if (ptx::takes(row.opcode, changed) == listed.contains(key_of(row, changed))) return;
      if (++wrong < 4) FAIL_CHECK(row.name << " " << fmt::format("{}", fmt::join(changed, ".")));
    };
    for (const Views& form : forms_of(row, most)) {
      const Modifiers modifiers = owned(form);
      for (std::size_t i = 0; i <= modifiers.size(); ++i) {
        for (const std::string_view other : ptx::modifier_names()) {
          Modifiers changed = modifiers;
          changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(i), std::string(other));
          check(changed);
          if (i == modifiers.size()) continue;
          changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i) + 1);
          check(changed);
        }
        if (i == modifiers.size()) continue;
        Modifiers less = modifiers;
        less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
        check(less);
      }
    }
    CHECK(wrong == 0);
  }
  return tried;
}

}  // namespace

TEST_CASE("forms that a row takes are decoded, with the operands that the row names", "[exec][opcodes]") {
  CHECK(check_forms(400) > 2500);
}

TEST_CASE("every form that a row takes is decoded, with the operands that the row names", "[exec][opcodes][long]") {
  CHECK(check_forms(~std::uint64_t{0}) > 130000);
}

TEST_CASE("a modifier added, left out or exchanged is taken exactly where the row lists the result",
          "[exec][opcodes]") {
  CHECK(check_changes(2) > 50000);
}

TEST_CASE("changes of many forms are taken exactly where the row lists the result", "[exec][opcodes][long]") {
  CHECK(check_changes(60) > 1000000);
}

TEST_CASE("no form is listed twice, and each is taken in any order of what is no type", "[exec][opcodes]") {
  for (const OpcodeRow& row : ptx::opcode_table) {
    std::set<std::string> seen;
    std::size_t wrong = 0;
    for (const Views& form : forms_of(row, 20000)) {
      Modifiers modifiers = owned(form);
      if (!seen.insert(key_of(row, modifiers)).second || !ptx::takes(row.opcode, modifiers)) ++wrong;
      std::stable_partition(modifiers.begin(), modifiers.end(), is_type);
      if (!ptx::takes(row.opcode, modifiers)) ++wrong;
    }
    INFO(row.name);
    CHECK(wrong == 0);
  }
}

TEST_CASE("what a row does not take is refused at its place, and nothing that it takes is a bug", "[exec][opcodes]") {
  for (const OpcodeRow& row : ptx::opcode_table) {
    std::vector<std::string> instructions;
    std::set<std::string> refused;
    for (const Views& form : forms_of(row, 1)) {
      const std::string text = exec::test::instruction_of(row.name, form);
      const std::string operands = text.substr(text.find(' '));
      for (std::size_t i = 0; i <= form.size(); ++i) {
        for (const std::string_view other : ptx::modifier_names()) {
          Views changed = form;
          if (i < form.size()) {
            changed[i] = other;
          } else {
            changed.push_back(other);
          }
          instructions.push_back(name_of(row, changed) + operands);
          if (!ptx::takes(row.opcode, owned(changed))) refused.insert(instructions.back());
        }
      }
    }
    std::size_t wrong = 0;
    decode(instructions, [&](const std::string& text, const std::string& refusal, std::size_t) {
      const std::string name = text.substr(0, text.find(' '));
      // One that is taken may need other operands.
      if (!refused.contains(text) && refusal.empty()) return;
      if (refusal.starts_with("test.ptx:") && refusal.find(fmt::format(":1: {}: ", name)) != std::string::npos) return;
      if (++wrong < 4) FAIL_CHECK(text << " gives '" << refusal << "'");
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE("a refusal says what is wrong and what would be right", "[exec][opcodes]") {
  // Line 10 is the first one behind the head.
  CHECK(refusal_of("add.cc.f32 %r1, %r2, %r3;") ==
        "test.ptx:10:1: add.cc.f32: does not take .cc; add{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32 is possible");
  CHECK(refusal_of("mul.u32 %r1, %r2, %r3;") == "test.ptx:10:1: mul.u32: .lo, .hi or .wide is missing");
  CHECK(refusal_of("ld.global %r1, [%d1];") ==
        "test.ptx:10:1: ld.global: .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, ... is missing");
  CHECK(refusal_of("add.satt.s32 %r1, %r2, %r3;") ==
        "test.ptx:10:1: add.satt.s32: does not take .satt (did you mean 'sat'?); add.s32 is possible");
  CHECK(refusal_of("exit.uni;") == "test.ptx:10:1: exit.uni: does not take .uni; exit is possible");
  CHECK_THAT(refusal_of("set.f16x2.f32.eq %r1, %r2, %r3;"), Contains("f16x2"));
}

TEST_CASE("where nothing can stand in for what is not supported, a refusal says no more", "[exec][opcodes]") {
  const std::string clusters = "thread block clusters are not supported";
  CHECK(refusal_of("barrier.cluster.arrive;") == "test.ptx:10:1: barrier.cluster.arrive: " + clusters);
  CHECK(refusal_of("barrier.cluster.wait.aligned;") == "test.ptx:10:1: barrier.cluster.wait.aligned: " + clusters);
  CHECK(refusal_of("bar.cluster.sync 0;") == "test.ptx:10:1: bar.cluster.sync: " + clusters);
  const std::string of_8_bits = "floating-point types of 8 bits are not supported";
  CHECK(refusal_of("cvt.rn.satfinite.e4m3x2.f32 %r1, %r2, %r3;") ==
        "test.ptx:10:1: cvt.rn.satfinite.e4m3x2.f32: " + of_8_bits);
  CHECK(refusal_of("cvt.rn.f16x2.e5m2x2 %r1, %r2;") == "test.ptx:10:1: cvt.rn.f16x2.e5m2x2: " + of_8_bits);
  CHECK(refusal_of("cvt.rn.satfinite.e2m1x2.f32 %r1, %r2, %r3;") ==
        "test.ptx:10:1: cvt.rn.satfinite.e2m1x2.f32: floating-point types of 6 and 4 bits are not supported");
}

TEST_CASE("types are taken in the order of the row, other modifiers in any", "[exec][opcodes]") {
  CHECK(ptx::takes(Opcode::add, {"f32", "sat", "ftz", "rn"}));
  CHECK(ptx::takes(Opcode::cvt, {"u16", "rni", "f32"}));
  CHECK(!ptx::takes(Opcode::cvt, {"rni", "f32", "u16"}));
  CHECK(!ptx::takes(Opcode::cvt, {"rn", "f32", "tf32"}));
  CHECK(ptx::takes(Opcode::set, {"eq", "u32", "f16x2"}));
  CHECK(!ptx::takes(Opcode::set, {"eq", "f16x2", "u32"}));
  CHECK(!ptx::takes(Opcode::add, {"sat", "sat", "s32"}));
}

}  // namespace lockstep::opcode_syntax_test
