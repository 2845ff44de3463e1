// wmma.load and wmma.store.

#include <fmt/format.h>

#include <map>

#include "isa/ptx/wmma/parts.hpp"

namespace lockstep::ptx::wmma {

namespace {

/// Addresses of a matrix's pieces.
class Places {
 public:
  Places(Writer& writer, const Transfer& form, const Operand& address)
      : writer_(writer), bytes_(bytes_of(form.elements)), offset_(address.offset) {
    const auto& operands = writer.current().operands;
    stride_ = operands.size() == 3 ? operands[2] : number_operand(form.usual_stride());
    if (address.index != no_index) {
      base_ = address.index;
    } else if (!address.symbol.empty()) {
      Operand symbol;
      symbol.kind = Operand::Kind::symbol;
      symbol.symbol = address.symbol;
      base_ = form.in_shared ? writer.compute("mov.u32", {symbol}, Type::b32)
                             : writer.compute("mov.u64", {symbol}, Type::b64);
    } else {
      base_ = form.in_shared ? writer.compute("mov.u32", {number_operand(0)}, Type::b32)
                             : writer.compute("mov.u64", {number_operand(0)}, Type::b64);
    }
    bits_ = writer.bits_of_register(base_);
  }

  void begin(const Pattern& pattern) {
    const RegisterId offset = writer_.lane_offset(pattern, stride_, bytes_, bits_);
    first_ = writer_.compute(bits_ == 64 ? "add.s64" : "add.s32", {register_operand(base_), register_operand(offset)},
                             bits_ == 64 ? Type::b64 : Type::b32);
    lines_ = {{0, first_}};
  }

  /// Of a piece. Every address must be asked for before a register of the program is written.
  Operand of(const Piece& piece) {
    if (stride_.kind != Operand::Kind::reg) {
      const std::uint64_t behind = stride_.bits * bytes_ * piece.line + piece.byte;
      return address_operand(first_, offset_ + static_cast<std::int64_t>(behind));
    }
    const auto [place, added] = lines_.emplace(piece.line, no_index);
    if (added) {
      const Operand line = writer_.line_bytes(stride_, bytes_);
      place->second = writer_.compute(bits_ == 64 ? "mad.wide.u32" : "mad.lo.u32",
                                      {line, number_operand(piece.line), register_operand(first_)},
                                      bits_ == 64 ? Type::b64 : Type::b32);
    }
    return address_operand(place->second, offset_ + piece.byte);
  }

 private:
  Writer& writer_;
  unsigned bytes_, bits_ = 64;
  std::int64_t offset_;
  Operand stride_;
  RegisterId base_ = no_index, first_ = no_index;
  std::map<unsigned, RegisterId> lines_;  ///< Of each line that was asked for, the lane's place.
};

/// The registers of the program that hold the fragment.
class Registers {
 public:
  Registers(Writer& writer, const Operand& list) : writer_(writer) {
    all_ = list.kind == Operand::Kind::vector ? list.elements : std::vector<Operand>{list};
  }
  const Operand& operator[](std::size_t i) const { return all_[i]; }

  /// Registers behind those of `held` hold the same again. What only wmmas read of these is not needed: they take the first.
  void repeat(std::size_t held) const {
    for (std::size_t i = held; i < all_.size(); ++i)
      if (writer_.is_read_elsewhere(all_[i].index)) writer_.write("mov.b32", {all_[i], all_[i % held]});
  }

 private:
  Writer& writer_;
  std::vector<Operand> all_;
};

std::string in_space(const Transfer& form, std::string_view opcode, std::string_view rest) {
  return form.space.empty() ? fmt::format("{}.{}", opcode, rest) : fmt::format("{}.{}.{}", opcode, form.space, rest);
}

std::vector<std::vector<Operand>> addresses_of(Places& places, const Fragment& fragment) {
  std::vector<std::vector<Operand>> all;
  for (const Tile& tile : fragment.tiles) {
    auto& of_tile = all.emplace_back();
    for (const Piece& piece : tile.pieces) of_tile.push_back(places.of(piece));
  }
  return all;
}

void load_rows(Writer& writer, const Transfer& form, Places& places, const Fragment& fragment, const MatrixLoads& loads,
               const Registers& registers) {
  places.begin(loads.pattern);
  std::vector<Operand> addresses;
  for (std::size_t t = 0; t < fragment.tiles.size(); t += loads.matrices)
    addresses.push_back(places.of(fragment.tiles[t].pieces[0]));
  const std::string mnemonic = fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}.{}.b16", loads.matrices,
                                           loads.transposed ? ".trans" : "", form.space);
  for (std::size_t n = 0; n < addresses.size(); ++n) {
    std::vector<Operand> list;
    for (unsigned i = 0; i < loads.matrices; ++i) list.push_back(registers[n * loads.matrices + i]);
    writer.write(mnemonic, {list_operand(std::move(list)), addresses[n]});
  }
}

/// Four bytes, each in a register, as one word.
void put_together(Writer& writer, const Operand& to, const std::vector<RegisterId>& bytes) {
  const auto pair = [&](RegisterId low, RegisterId high) {
    return register_operand(
        writer.compute("mad.lo.u32", {register_operand(high), number_operand(256), register_operand(low)}, Type::b32));
  };
  const Operand low = pair(bytes[0], bytes[1]), high = pair(bytes[2], bytes[3]);
  writer.write("prmt.b32", {to, low, high, number_operand(0x5410)});
}

void load(Writer& writer, const Transfer& form, Places& places, const Registers& registers) {
  const Fragment fragment = fragment_of(form);
  if (const MatrixLoads loads = matrix_loads_of(form, fragment); loads.matrices != 0) {
    load_rows(writer, form, places, fragment, loads, registers);
    return registers.repeat(fragment.tiles.size());
  }
  places.begin(fragment.pattern);
  const auto addresses = addresses_of(places, fragment);
  const char* const word = fragment.register_bytes == 8 ? "b64" : "b32";
  const std::string one = in_space(form, "ld", word);
  const std::string pair = in_space(form, "ld", fmt::format("v2.{}", word));
  // What still has to be moved to its place waits in registers of its own until all loads are on their way.
  std::vector<std::vector<RegisterId>> raw(fragment.tiles.size());
  for (std::size_t t = 0; t < fragment.tiles.size(); ++t) {
    const std::size_t first = t * fragment.registers;
    switch (fragment.method) {
      case Method::direct:
        if (fragment.registers == 2) {
          writer.write(pair, {list_operand({registers[first], registers[first + 1]}), addresses[t][0]});
        } else {
          writer.write(one, {registers[first], addresses[t][0]});
        }
        break;
      case Method::scattered:
        for (std::size_t i = 0; i < fragment.registers; ++i) writer.write(one, {registers[first + i], addresses[t][i]});
        break;
      case Method::transposed:
      case Method::bytes: {
        const std::string mnemonic = fragment.method == Method::bytes ? in_space(form, "ld", "u8") : one;
        for (const Operand& address : addresses[t]) {
          raw[t].push_back(writer.new_register(Type::b32));
          writer.write(mnemonic, {register_operand(raw[t].back()), address});
        }
        break;
      }
    }
  }
  for (std::size_t t = 0; t < fragment.tiles.size(); ++t) {
    if (fragment.method == Method::transposed)
      writer.write("movmatrix.sync.aligned.m8n8.trans.b16", {registers[t], register_operand(raw[t][0])});
    if (fragment.method == Method::bytes) put_together(writer, registers[t], raw[t]);
  }
  registers.repeat(fragment.tiles.size() * fragment.registers);
}

void store(Writer& writer, const Transfer& form, Places& places, const Registers& registers) {
  const Fragment fragment = fragment_of(form);
  places.begin(fragment.pattern);
  const auto addresses = addresses_of(places, fragment);
  const char* const word = fragment.register_bytes == 8 ? "b64" : "b32";
  const std::string one = in_space(form, "st", word);
  const std::string pair = in_space(form, "st", fmt::format("v2.{}", word));
  std::vector<Operand> values;
  for (std::size_t i = 0; i < fragment.tiles.size() * fragment.registers; ++i) {
    values.push_back(registers[i]);
    if (fragment.method != Method::transposed) continue;
    values[i] = register_operand(writer.new_register(Type::b32));
    writer.write("movmatrix.sync.aligned.m8n8.trans.b16", {values[i], registers[i]});
  }
  for (std::size_t t = 0; t < fragment.tiles.size(); ++t) {
    const std::size_t first = t * fragment.registers;
    if (fragment.method == Method::direct && fragment.registers == 2) {
      writer.write(pair, {addresses[t][0], list_operand({values[first], values[first + 1]})});
      continue;
    }
    for (std::size_t i = 0; i < fragment.registers; ++i) writer.write(one, {addresses[t][i], values[first + i]});
  }
}

}  // namespace

void transfer(Writer& writer, const Transfer& form) {
  const auto& operands = writer.current().operands;
  Places places(writer, form, operands[form.stores ? 0 : 1]);
  const Registers registers(writer, operands[form.stores ? 1 : 0]);
  if (form.stores) {
    store(writer, form, places, registers);
  } else {
    load(writer, form, places, registers);
  }
}

}  // namespace lockstep::ptx::wmma
