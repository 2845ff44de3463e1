#include "tests/unit/isa/exec/form_operands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "isa/ptx/module.hpp"
#include "isa/ptx/opcodes.hpp"

namespace lockstep::exec::test {

namespace {

using Texts = std::vector<std::string>;

/// Operands of an opcode, a word each: t has the width of the last type, f of the first; a number is a width in bits, i an
/// immediate, a an address. Other opcodes have those of their rows, all of the last type.
const std::map<std::string_view, std::string_view> shapes = [] {
  const std::pair<std::string_view, std::string_view> groups[] = {
      {"32 t", "bfind popc clz"},
      {"32 32 32", "bmsk"},
      {"32 32 32 32", "fns shf prmt dp4a dp2a vabsdiff4"},
      {"t t 32", "shl shr szext"},
      {"t t 32 32", "bfe"},
      {"t t t 32 32", "bfi"},
      {"1 t", "testp"},
      {"t t t 1", "selp"},
      {"f f f t", "slct"},
      {"f t", "cvt"},
      {"1 64", "isspacep"},
      {"a i", "applypriority discard"},
      {"32", "activemask nanosleep"},
      {"i", "setmaxnreg pmevent"},
      {"", "brkpt exit trap ret griddepcontrol membar"},
  };
  std::map<std::string_view, std::string_view> all;
  for (const auto& [shape, names] : groups) {
    for (std::size_t at = 0; at < names.size();) {
      const std::size_t end = std::min(names.find(' ', at), names.size());
      all[names.substr(at, end - at)] = shape;
      at = end + 1;
    }
  }
  return all;
}();

std::string shape_of(std::string_view opcode) {
  if (const auto found = shapes.find(opcode); found != shapes.end()) return std::string(found->second);
  const ptx::OpcodeRow& row = ptx::row_of(ptx::find_opcode(opcode).value());
  std::string shape;
  for (const char letter : row.operands.substr(0, row.least_operands())) shape += letter == 'a' ? "a " : "t ";
  return shape;
}

unsigned width_of(std::string_view modifier) {
  if (modifier == "tf32" || modifier == "u16x2" || modifier == "s16x2") return 32;
  return ptx::bits_of(ptx::type_named(modifier));
}

struct Form {
  const std::vector<std::string_view>& modifiers;
  std::vector<unsigned> widths;  ///< Of the types, as written.
  unsigned registers = 0;

  bool has(std::string_view modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
  }
  unsigned first() const { return widths.empty() ? 32 : widths.front(); }
  unsigned last() const { return widths.empty() ? 32 : widths.back(); }
  std::string reg(unsigned bits) {
    const char letter = bits == 1 ? 'p' : bits <= 16 ? 'h' : bits == 32 ? 'r' : bits == 64 ? 'd' : 'q';
    return fmt::format("%{}{}", letter, registers++ % 32);
  }
  std::string list(unsigned count, unsigned bits) {
    Texts all;
    for (unsigned i = 0; i < count; ++i) all.push_back(reg(bits));
    return fmt::format("{{{}}}", fmt::join(all, ", "));
  }
  /// What is moved: a register, or as many as .v2, .v4 or .v8 says.
  std::string value(unsigned bits) {
    for (const unsigned count : {2u, 4u, 8u}) {
      if (has(fmt::format("v{}", count))) return list(count, bits);
    }
    return reg(bits);
  }
  std::string address() const { return has("param") || has("param::func") ? "[q]" : "[%d31]"; }
};

Texts in_memory(std::string_view opcode, Form& form) {
  Texts all;
  if (opcode == "st" || opcode == "red") all.push_back(form.address());
  all.push_back(form.value(form.last()));
  if (opcode == "atom" || opcode.starts_with("ld")) all.push_back(form.address());
  if (opcode == "atom") all.push_back(form.value(form.last()));
  if (form.has("cas")) all.push_back(form.value(form.last()));
  if (form.has("L2::cache_hint")) all.push_back("%d30");
  return all;
}

Texts on_texture(std::string_view opcode, Form& form) {
  if (opcode == "txq" || opcode == "suq") {
    const bool of_sampler = std::any_of(form.modifiers.begin(), form.modifiers.end(), [](std::string_view m) {
      return m.starts_with("filter") || m.starts_with("addr") || m.starts_with("force");
    });
    Texts all{form.reg(32), opcode == "suq" ? "[sf]" : of_sampler ? "[sm]" : "[tx]"};
    if (form.has("level")) all.push_back(form.reg(32));
    return all;
  }
  const auto* const geometry = [&] {
    for (const char* name : {"1d", "2d", "3d", "a1d", "a2d"}) {
      if (form.has(name)) return name;
    }
    throw std::runtime_error("a form without geometry");
  }();
  const std::string_view name = geometry;
  const unsigned dimensions = static_cast<unsigned>(name[name.size() - 2] - '0');
  const unsigned coordinates = dimensions + (name[0] == 'a' ? 1 : 0);
  const auto padded = [](unsigned count) { return count == 3 ? 4 : count; };
  const bool on_surface = opcode == "suld" || opcode == "sust";
  const std::string place = fmt::format("[{}, {}]", on_surface ? "sf" : "tx", form.list(padded(coordinates), 32));
  Texts all{form.value(on_surface ? form.last() : 32), place};
  if (opcode == "sust") std::swap(all[0], all[1]);
  if (form.has("level")) all.push_back(form.reg(32));
  if (form.has("grad")) {
    for (unsigned g = 0; g < 2; ++g) all.push_back(form.list(padded(dimensions), 32));
  }
  return all;
}

Texts between_lanes(std::string_view opcode, Form& form) {
  const bool sync = form.has("sync");
  Texts all;
  if (opcode == "shfl") all = {form.reg(32), form.reg(32), form.reg(32), form.reg(32)};
  if (opcode == "vote") all = {form.reg(form.has("ballot") ? 32 : 1), form.reg(1)};
  if (opcode == "match" || opcode == "redux") all = {form.reg(32), form.reg(form.last())};
  if (opcode == "elect") all = {"%r1|%p1"};
  if (sync) all.push_back("-1");
  return all;
}

Texts at_barrier(Form& form) {
  if (form.has("warp")) return {"-1"};
  if (form.has("red")) return {form.reg(form.has("popc") ? 32 : 1), "1", "64", "%p2"};
  return {"1", "64"};
}

Texts of_mbarrier(Form& form) {
  if (form.has("pending_count")) return {form.reg(32), form.reg(64)};
  if (form.has("inval")) return {"[%d31]"};
  if (form.has("test_wait") || form.has("try_wait"))
    return {form.reg(1), "[%d31]", form.reg(form.has("parity") ? 32 : 64)};
  if (form.has("arrive") || form.has("arrive_drop")) return {form.reg(64), "[%d31]", form.reg(32)};
  return {"[%d31]", form.reg(32)};
}

/// Registers of A, B and C of an mma; m16n8k16 of f16 has four of A.
Texts of_matrices(std::string_view opcode, Form& form) {
  if (opcode == "movmatrix") return {form.reg(32), form.reg(32)};
  if (opcode == "ldmatrix" || opcode == "stmatrix") {
    Texts all{form.list(form.has("x4") ? 4 : form.has("x2") ? 2 : 1, 32), "[%d31]"};
    if (opcode == "stmatrix") std::swap(all[0], all[1]);
    return all;
  }
  if (form.has("f64")) return {form.list(2, 64), form.list(1, 64), form.list(1, 64), form.list(2, 64)};
  const bool deep =
      form.has("m16n8k32") || (form.has("m16n8k16") && !form.has("s32")) || (form.has("m16n8k8") && form.has("tf32"));
  const unsigned sums = form.has("f32") || form.has("s32") ? 4 : 2;
  return {form.list(sums, 32), form.list(deep ? 4 : 2, 32), form.list(deep ? 2 : 1, 32), form.list(sums, 32)};
}

/// As PTX ISA 9.7.14.4 counts them.
Texts of_wmma(Form& form) {
  const bool tall = form.has("m32n8k16"), flat = form.has("m8n32k16"), wide = form.has("f64");
  const bool bytes = form.has("s8") || form.has("u8"), repeats = !bytes && !form.has("bf16") && !form.has("tf32");
  const unsigned bits = wide ? 64 : 32;
  const auto factor = [&](bool many, bool few) {
    if (wide || repeats) return form.list(wide ? 1 : 8, bits);  // Of f16 as many in every shape.
    const unsigned count = bytes ? 2 : 4;
    return form.list(many ? 2 * count : few ? count / 2 : count, bits);
  };
  const auto sums = [&](unsigned width) { return form.list(wide ? 2 : width == 16 ? 4 : 8, bits); };
  if (form.has("mma")) {
    const std::string a = factor(tall, flat), b = factor(flat, tall);
    return {sums(form.first()), a, b, sums(form.last())};
  }
  if (form.has("d")) return {"[%d31]", sums(form.last())};
  if (form.has("c")) return {sums(form.last()), "[%d31]", "%r31"};
  return {form.has("a") ? factor(tall, flat) : factor(flat, tall), "[%d31]", "64"};
}

Texts of_comparison(std::string_view opcode, Form& form) {
  const bool pairs = form.has("f16x2") || form.has("bf16x2");
  Texts all{opcode == "set" ? form.reg(form.first())
            : pairs         ? "%p1|%p2"
                            : "%p1",
            form.reg(form.last()), form.reg(form.last())};
  if (form.has("and") || form.has("or") || form.has("xor")) all.push_back("!%p3");
  return all;
}

/// Opcodes whose operands depend on more than their types.
std::optional<Texts> special(std::string_view opcode, Form& form) {
  if (opcode == "ld" || opcode == "ldu" || opcode == "st" || opcode == "atom" || opcode == "red") {
    return in_memory(opcode, form);
  }
  for (const std::string_view name : {"tex", "tld4", "txq", "suq", "suld", "sust"}) {
    if (opcode == name) return on_texture(opcode, form);
  }
  for (const std::string_view name : {"shfl", "vote", "match", "redux", "elect"}) {
    if (opcode == name) return between_lanes(opcode, form);
  }
  for (const std::string_view name : {"mma", "ldmatrix", "stmatrix", "movmatrix"}) {
    if (opcode == name) return of_matrices(opcode, form);
  }
  if (opcode == "wmma") return of_wmma(form);
  if (opcode == "bar" || opcode == "barrier") return at_barrier(form);
  if (opcode == "mbarrier") return of_mbarrier(form);
  if (opcode == "set" || opcode == "setp") return of_comparison(opcode, form);
  if (opcode == "cp") {
    if (form.has("wait_group")) return Texts{"1"};
    if (form.has("mbarrier")) return Texts{"[%d31]"};
    if (!form.has("global")) return Texts{};
    return form.has("L2::cache_hint") ? Texts{"[%d1]", "[%d2]", "16", "%d3"} : Texts{"[%d1]", "[%d2]", "16"};
  }
  if (opcode == "createpolicy") {
    if (form.has("range")) return Texts{"%d1", "[%d2]", "64", "128"};
    return form.has("cvt") ? Texts{"%d1", "%d2"} : Texts{"%d1", "0.5"};
  }
  if (opcode == "fence") {
    return form.has("tensormap::generic") && form.has("acquire") ? Texts{"[%d1]", "128"} : Texts{};
  }
  if (opcode == "bra") return Texts{"L"};
  if (opcode == "brx") return Texts{"%r1", "T"};
  if (opcode == "call") return Texts{"f"};
  if (opcode == "lop3" && (form.has("or") || form.has("and"))) {
    return Texts{"%r1|%p1", "%r2", "%r3", "%r4", "5", "%p2"};
  }
  if (opcode == "lop3") return Texts{"%r1", "%r2", "%r3", "%r4", "5"};
  const unsigned bits = form.last();
  if (form.has("wide") && opcode == "mul") return Texts{form.reg(2 * bits), form.reg(bits), form.reg(bits)};
  if (form.has("wide")) return Texts{form.reg(2 * bits), form.reg(bits), form.reg(bits), form.reg(2 * bits)};
  const bool extremum = opcode == "min" || opcode == "max";
  if (extremum && form.has("abs") && !form.has("xorsign")) {
    return Texts{form.reg(bits), form.reg(bits), form.reg(bits), form.reg(bits)};
  }
  const bool three = form.has("f16x2") || form.has("bf16x2") || form.has("pack");
  if (opcode == "cvt" && three) {
    Texts all{form.reg(32), form.reg(32), form.reg(32)};
    if (form.has("b32")) all.push_back(form.reg(32));
    return all;
  }
  return std::nullopt;
}

Texts by_shape(std::string_view shape, Form& form) {
  Texts all;
  for (std::size_t at = 0; at < shape.size();) {
    const std::size_t end = std::min(shape.find(' ', at), shape.size());
    const std::string_view word = shape.substr(at, end - at);
    if (word == "t")
      all.push_back(form.reg(form.last()));
    else if (word == "f")
      all.push_back(form.reg(form.first()));
    else if (word == "a")
      all.push_back("[%d31]");
    else if (word == "i")
      all.push_back("64");
    else
      all.push_back(form.reg(static_cast<unsigned>(std::stoul(std::string(word)))));
    at = end + 1;
  }
  return all;
}

}  // namespace

std::string instruction_of(std::string_view opcode, const std::vector<std::string_view>& modifiers) {
  Form form{modifiers, {}, 0};
  for (const std::string_view modifier : modifiers) {
    if (const unsigned width = width_of(modifier); width != 0) form.widths.push_back(width);
  }
  auto operands = special(opcode, form);
  if (!operands) {
    operands = by_shape(shape_of(opcode), form);
  }
  std::string text(opcode);
  for (const std::string_view modifier : modifiers) text.append(".").append(modifier);
  return fmt::format("{} {};", text, fmt::join(*operands, ", "));
}

}  // namespace lockstep::exec::test
