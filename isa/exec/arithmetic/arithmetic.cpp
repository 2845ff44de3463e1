#include "isa/exec/arithmetic/arithmetic.hpp"

#include <unordered_map>

#include "isa/exec/arithmetic/decoder.hpp"

namespace lockstep::exec {

namespace {

using Table = std::unordered_map<std::string_view, ArithmeticOpcode>;

void reject_video(ArithmeticDecoder& decoder) {
  decoder.fail("video instructions are not supported; use the corresponding scalar instructions");
}

/// Every opcode, with the decoders that the files of the families bring.
Table make_table() {
  Table table;
  for (const auto family :
       {integer_opcodes(), bit_opcodes(), float_opcodes(), compare_opcodes(), convert_opcodes(), move_opcodes()}) {
    for (const ArithmeticOpcode& opcode : family) {
      ArithmeticOpcode& entry =
          table.try_emplace(opcode.name, ArithmeticOpcode{opcode.name, nullptr, nullptr}).first->second;
      if (opcode.integer != nullptr) entry.integer = opcode.integer;
      if (opcode.floating != nullptr) entry.floating = opcode.floating;
    }
  }
  for (const std::string_view name : {"vadd",  "vsub",  "vabsdiff", "vmin",      "vmax",      "vshl",  "vshr",  "vmad",
                                      "vset",  "vadd2", "vsub2",    "vavrg2",    "vabsdiff2", "vmin2", "vmax2", "vset2",
                                      "vadd4", "vsub4", "vavrg4",   "vabsdiff4", "vmin4",     "vmax4", "vset4"}) {
    table.emplace(name, ArithmeticOpcode{name, reject_video, reject_video});
  }
  return table;
}

}  // namespace

bool decode_arithmetic(const DecodeContext& context, const ptx::Instruction& instruction, Arithmetic& result) {
  static const Table table = make_table();
  const auto at = table.find(instruction.opcode);
  if (at == table.end()) return false;
  result = {};
  ArithmeticDecoder decoder(context, instruction, result);
  const ptx::Type type = decoder.last_type();
  const auto decode = is_floating(type) ? at->second.floating : at->second.integer;
  if (decode == nullptr) {
    if (type == ptx::Type::none) decoder.fail("a type such as .f32 is missing");
    decoder.fail_type(type);
  }
  decode(decoder);
  return true;
}

}  // namespace lockstep::exec
