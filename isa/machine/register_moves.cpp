#include "isa/machine/register_moves.hpp"

#include "isa/machine/conditional_steps.hpp"

namespace lockstep::machine {

RegisterMoves::RegisterMoves(const program::Kernel& kernel, const Selection& selection, const program::DataFlow& flow,
                             Emitter& emitter, Program& program)
    : emitter_(emitter),
      program_(program),
      pair_moves_(pair_moves(kernel, selection, flow)),
      double_literals_(double_literals(kernel, selection)),
      conditional_steps_(conditional_steps(kernel, selection, flow)) {}

template <typename Literal>
std::uint16_t RegisterMoves::entry_of(std::map<Literal, std::uint16_t>& entries, const Literal& literal) {
  const auto [entry, added] = entries.try_emplace(literal, static_cast<std::uint16_t>(program_.register_bits.size()));
  if (added) program_.register_bits.push_back(1);
  return entry->second;
}

void RegisterMoves::move_literal(std::uint16_t entry) {
  Instruction i = emitter_.make(Operation::integer);
  i.once_for_all_rounds = true;
  Emitter::write(i, entry);
  emitter_.emit(i);
}

void RegisterMoves::join_halves() {
  for (const PairMove& move : pair_moves_[emitter_.index()]) {
    if (move.from == program::no_register) {
      move_literal(entry_of(half_entries_, {move.upper, move.literal}));
      continue;
    }
    Instruction i = emitter_.make(Operation::integer);
    emitter_.read(i, move.from);
    Emitter::write(i, emitter_.temporary());
    emitter_.emit(i);
  }
}

void RegisterMoves::load_literals() {
  for (const std::uint64_t literal : double_literals_[emitter_.index()].loaded)
    for (const bool upper : {false, true}) move_literal(entry_of(literal_entries_, {upper, literal}));
}

void RegisterMoves::read_literals(std::uint32_t first) {
  for (const std::uint64_t literal : double_literals_[emitter_.index()].read)
    for (const bool upper : {false, true})
      for (std::uint32_t n = first; n < program_.instructions.size(); ++n)
        if (Instruction& i = program_.instructions[n]; i.source_count < max_sources)
          Emitter::link(i, entry_of(literal_entries_, {upper, literal}));
}

void RegisterMoves::carry_step() {
  if (!conditional_steps_[emitter_.index()]) return;
  Instruction i = emitter_.make(Operation::integer);
  i.once_for_all_rounds = true;
  emitter_.read(i, emitter_.current().destinations[0]);
  emitter_.write_all(i);
  emitter_.emit(i);
}

}  // namespace lockstep::machine
