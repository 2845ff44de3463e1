#include "isa/exec/arithmetic/families.hpp"

#include <array>

#include "isa/error.hpp"
#include "isa/exec/subjects.hpp"

namespace lockstep::exec {

namespace {

struct Decoders {
  ArithmeticOpcode::Decode integer = nullptr, floating = nullptr;
};
using Table = std::array<Decoders, ptx::opcode_count>;

/// Of every opcode, the decoders that the files of the families bring.
Table make_table() {
  Table table;
  for (const auto family : {integer_opcodes(), bit_opcodes(), float_opcodes(), compare_opcodes(), convert_opcodes(),
                            move_opcodes(), video_opcodes()}) {
    for (const ArithmeticOpcode& one : family) {
      Decoders& entry = table[static_cast<std::size_t>(one.opcode)];
      if (one.integer != nullptr) entry.integer = one.integer;
      if (one.floating != nullptr) entry.floating = one.floating;
    }
  }
  return table;
}

}  // namespace

void decode_arithmetic(Decoder& decoder) {
  static const Table table = make_table();
  const Decoders& found = table[static_cast<std::size_t>(decoder.opcode())];
  const auto decode = is_floating(decoder.instruction().last_type()) ? found.floating : found.integer;
  if (decode == nullptr) {
    throw Bug(fmt::format("no family of arithmetic instructions has {}", decoder.instruction().mnemonic()));
  }
  decode(decoder);
}

}  // namespace lockstep::exec
