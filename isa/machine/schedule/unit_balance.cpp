#include "isa/machine/schedule/unit_balance.hpp"

#include <algorithm>
#include <span>

namespace lockstep::machine {

namespace {

bool multiplies(Operation operation) {
  return operation == Operation::integer_multiply || operation == Operation::wide_multiply ||
         operation == Operation::floating || operation == Operation::floating_multiply;
}

bool is_integer(Operation operation) {
  return operation == Operation::integer || operation == Operation::shift || operation == Operation::compare ||
         operation == Operation::min_max;
}

void balance(std::span<Instruction> code) {
  std::size_t of_integer = 0, of_multiplier = 0, either = 0;
  for (const Instruction& i : code) {
    of_integer += is_integer(i.operation);
    of_multiplier += multiplies(i.operation);
    either += i.alternative != Operation::exit;
  }
  if (of_integer <= of_multiplier) return;
  const std::size_t moved = std::min(either, (of_integer - of_multiplier) / 2);
  std::size_t seen = 0;
  for (Instruction& i : code) {
    if (i.alternative == Operation::exit) continue;
    if ((seen + 1) * moved / either != seen * moved / either) i.operation = i.alternative;
    ++seen;
  }
}

}  // namespace

void balance_units(Program& program) {
  const auto of = [&](const Code& code) {
    return std::span(program.instructions).subspan(code.first, code.end - code.first);
  };
  for (const Code& code : program.blocks) balance(of(code));
  for (const Path& one : program.predicated)
    if (one.code.executions != 0) balance(of(one.code));
  for (const std::vector<Path>& paths : program.unrolled)
    for (const Path& path : paths) balance(of(path.code));
}

}  // namespace lockstep::machine
