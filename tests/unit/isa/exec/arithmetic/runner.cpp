#include "tests/unit/isa/exec/arithmetic/runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "isa/exec/subjects.hpp"

namespace lockstep::test {

namespace {

using exec::LaneMask;
using exec::lanes;

ptx::Module module_with(const std::string& instruction) {
  return ptx::parse(fmt::format(R"(.version 8.3
.target sm_90
.address_size 64
.visible .entry kernel()
{{
.reg .pred %p<16>;
.reg .b16 %h<16>;
.reg .b32 %r<16>;
.reg .b64 %d<16>;
.reg .b128 %q<16>;
.reg .f32 %f<16>;
.reg .f64 %fd<16>;
.shared .b8 array[64];
{}
ret;
}}
)",
                                instruction),
                    "test.ptx");
}

std::uint64_t read_lane(const std::byte* frame, exec::PlaneOffset offset, unsigned width, unsigned lane) {
  auto* const at = const_cast<std::byte*>(frame);
  switch (width) {
    case 1: return exec::predicate(at, offset) >> lane & 1;
    case 16: return exec::plane<std::uint16_t>(at, offset)[lane];
    case 32: return exec::plane<std::uint32_t>(at, offset)[lane];
    default: return exec::plane<std::uint64_t>(at, offset)[lane];
  }
}
void write_lane(std::byte* frame, exec::PlaneOffset offset, unsigned width, unsigned lane, std::uint64_t value) {
  switch (width) {
    case 1: {
      LaneMask& mask = exec::predicate(frame, offset);
      mask = (mask & ~(LaneMask{1} << lane)) | static_cast<LaneMask>(value & 1) << lane;
      break;
    }
    case 16: exec::plane<std::uint16_t>(frame, offset)[lane] = static_cast<std::uint16_t>(value); break;
    case 32: exec::plane<std::uint32_t>(frame, offset)[lane] = static_cast<std::uint32_t>(value); break;
    default: exec::plane<std::uint64_t>(frame, offset)[lane] = value;
  }
}

}  // namespace

InstructionRunner::Plane InstructionRunner::plane_of(ptx::RegisterId id) const {
  const unsigned width = ptx::bits_of(module_.functions[0].registers[id].type);
  return {layout().of_register(id), width == 8 ? 16 : width};
}

InstructionRunner::InstructionRunner(const std::string& text) : module_(module_with(text)) {
  const ptx::Instruction& instruction = module_.functions.at(0).instructions.at(0);
  if (instruction.row().subject != ptx::OpcodeClass::arithmetic) throw std::runtime_error("not arithmetic: " + text);
  kernel_.module = &module_;
  kernel_.program = ptx::link(module_, "kernel");
  kernel_.functions.push_back({exec::FrameLayout(module_.functions[0]), 0, 0});
  exec::VariablePlaces places;
  places.of_function = {{{"array", {ptx::Space::shared, symbol_address}}}};
  exec::Decoder decoder(kernel_, places, 0);
  decoder.begin(instruction, 0);
  exec::decode_instruction(decoder);
  operation_ = decoder.op.arithmetic;

  using Kind = ptx::Operand::Kind;
  bool has_sink = false;
  const auto add = [&](std::vector<Plane>& to, const ptx::Operand& operand) {
    if (operand.kind == Kind::sink) has_sink = true;
    if (operand.kind != Kind::reg) return;
    const Plane plane = plane_of(operand.index);
    if (plane.bits == 128) {
      to.push_back({plane.offset, 64});
      to.push_back({plane.offset + static_cast<exec::PlaneOffset>(lanes * 8), 64});
    } else {
      to.push_back(plane);
    }
  };
  const auto add_operand = [&](std::vector<Plane>& to, const ptx::Operand& operand) {
    if (operand.kind == Kind::vector) {
      for (const ptx::Operand& element : operand.elements) add(to, element);
    } else {
      add(to, operand);
    }
  };
  add_operand(destinations_, instruction.operands.at(0));
  if (instruction.operands[0].second != ptx::no_index)
    destinations_.push_back(plane_of(instruction.operands[0].second));
  if (has_sink) {
    const exec::PlaneOffset sink = operation_.destination;
    destinations_.push_back({sink, 32});
  }
  for (std::size_t i = 1; i < instruction.operands.size(); ++i) add_operand(sources_, instruction.operands[i]);
  destinations_.push_back({layout().carry(), 1});
}

std::vector<std::byte> InstructionRunner::prepare(const std::vector<Row>& rows, std::size_t first) const {
  std::vector<std::byte> frame(layout().bytes(), std::byte{0xa5});
  exec::fill_constants(layout(), frame.data());
  for (const auto& [special, offset] : layout().specials()) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      write_lane(frame.data(), offset, ptx::bits_of(special), lane, 0x8765432187654321 + lane);
    }
  }
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const Row& row = rows[(first + lane) % rows.size()];
    if (row.size() != sources_.size()) throw std::runtime_error("a row does not fit the sources");
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      write_lane(frame.data(), sources_[i].offset, sources_[i].bits, lane, row[i]);
    }
    write_lane(frame.data(), destinations_.back().offset, 1, lane, carry_in_ ? 1 : 0);
  }
  return frame;
}

void InstructionRunner::run_lanes(const std::vector<Row>& rows, std::size_t first, LaneMask mask,
                                  std::vector<std::vector<std::uint64_t>>& results) {
  std::vector<std::byte> before = prepare(rows, first), frame = before;
  operation_.run(frame.data(), operation_, mask);
  for (std::size_t i = 0; i < destinations_.size(); ++i) {
    const Plane& plane = destinations_[i];
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const std::uint64_t value = read_lane(frame.data(), plane.offset, plane.bits, lane);
      write_lane(before.data(), plane.offset, plane.bits, lane, value);
      if (first + lane < rows.size()) results[i][first + lane] = value;
    }
  }
  if (frame != before) throw std::runtime_error("a byte changed that belongs to no active lane of a destination");
}

std::vector<std::uint64_t> InstructionRunner::run_rows(const std::vector<Row>& rows) {
  results_.assign(destinations_.size(), std::vector<std::uint64_t>(rows.size()));
  std::vector<std::vector<std::uint64_t>> in_halves = results_;
  for (std::size_t first = 0; first < rows.size(); first += lanes) {
    run_lanes(rows, first, ~LaneMask{0}, results_);
    run_lanes(rows, first, 0x5a5a5a5a, in_halves);
    run_lanes(rows, first, ~LaneMask{0x5a5a5a5a}, in_halves);
  }
  if (results_ != in_halves) throw std::runtime_error("results depend on which lanes are active");
  return results_[0];
}

std::vector<std::uint64_t> integer_values(unsigned width, unsigned random, std::uint64_t seed) {
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - width), top = std::uint64_t{1} << (width - 1);
  std::vector<std::uint64_t> values{
      0,       1,       2,           3,        7,          31,          32,
      33,      63,      64,          65,       127,        128,         255,
      256,     all,     all - 1,     top,      top - 1,    top + 1,     all & 0x5555555555555555,
      top / 2, all / 3, all & ~0xfu, all >> 4, 0xff & all, 0xff00 & all};
  std::mt19937_64 engine(seed);
  for (unsigned i = 0; i < random; ++i) {
    const unsigned used = 1 + static_cast<unsigned>(engine() % width);
    const std::uint64_t value = engine() >> (64 - used);
    values.push_back(((engine() & 1) != 0 ? ~value + 1 : value) & all);
  }
  return values;
}

std::vector<std::uint64_t> float_values(unsigned width, unsigned random, std::uint64_t seed) {
  const unsigned fraction = width == 16 ? 10 : width == 32 ? 23 : 52;
  const std::uint64_t sign = std::uint64_t{1} << (width - 1), unit = std::uint64_t{1} << fraction;
  const std::uint64_t infinity = (sign - 1) - (unit - 1), one = infinity / 2 & ~(unit - 1);
  std::vector<std::uint64_t> values;
  for (const std::uint64_t value : {std::uint64_t{0},
                                    std::uint64_t{1},
                                    unit - 1,
                                    unit,
                                    unit + 1,
                                    one,
                                    one + 1,
                                    one - 1,
                                    one + unit,
                                    one - unit,
                                    one + unit / 2,
                                    infinity - 1,
                                    infinity,
                                    infinity + 1,
                                    infinity + unit / 2,
                                    infinity + unit - 1,
                                    unit / 2,
                                    one + 3 * unit,
                                    unit * 2,
                                    infinity - unit}) {
    values.push_back(value);
    values.push_back(value | sign);
  }
  std::mt19937_64 engine(seed);
  for (unsigned i = 0; i < random; ++i) {
    const std::uint64_t value = engine() >> (64 - width);
    values.push_back(value);
    const std::uint64_t exponent = one + (engine() % 9 - 4) * unit;
    values.push_back((value & (sign | (unit - 1))) | (exponent & (sign - unit)));
  }
  return values;
}

std::vector<Row> pairs(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::vector<Row> rows;
  rows.reserve(a.size() * b.size());
  for (const std::uint64_t x : a) {
    for (const std::uint64_t y : b) rows.push_back({x, y});
  }
  return rows;
}

std::vector<Row> picks(const std::vector<std::vector<std::uint64_t>>& lists, unsigned count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<Row> rows(count);
  for (Row& row : rows) {
    for (const auto& list : lists) row.push_back(list[engine() % list.size()]);
  }
  return rows;
}

std::string explain(const std::string& text, const Row& row, std::uint64_t got, std::uint64_t wanted) {
  return fmt::format("{} of {:#x} gives {:#x} instead of {:#x}", text, fmt::join(row, ", "), got, wanted);
}

}  // namespace lockstep::test
