#include "isa/machine/atomic_lowering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <vector>

namespace lockstep::machine {

namespace {

using program::AccessKind;
using program::MemorySpace;
using program::StaticInstruction;

class AtomicLowering {
 public:
  AtomicLowering(Emitter& emitter, ScratchpadAtomics scratchpad_atomics, WarpAggregation* aggregation)
      : emitter_(emitter),
        s_(emitter.current()),
        // Atomics of vectors are for global memory only.
        generic_(s_.space == MemorySpace::generic && s_.vector_elements == 1),
        scratchpad_atomics_(scratchpad_atomics),
        aggregation_(aggregation) {}

  void run() {
    const bool on_global = s_.space != MemorySpace::shared;
    if (aggregation_ != nullptr && (on_global || scratchpad_atomics_ == ScratchpadAtomics::native))
      aggregated_ = aggregation_->prepare(emitter_, !on_global);
    bool takes_access = true;
    if (generic_ || s_.space == MemorySpace::shared) {
      takes_access = scratchpad_atomics_ == ScratchpadAtomics::none;
      on_scratchpad();
    }
    if (generic_ || on_global) on_global_memory(takes_access);
    if (aggregated_ && emitter_.has_read_result()) aggregation_->distribute(emitter_, *aggregated_, elected_result_);
  }

 private:
  void on_scratchpad() {
    switch (scratchpad_atomics_) {
      case ScratchpadAtomics::lock_loop: return lock_loop();
      case ScratchpadAtomics::native: return has_native_unit() ? native() : cas_loop();
      case ScratchpadAtomics::none: break;
    }
    if (!generic_)
      throw emitter_.refusal(
          fmt::format("\"{}\" needs atomics on scratchpad memory, which this GPU lacks", emitter_.mnemonic()));
  }

  void on_global_memory(bool takes_access) {
    // An exchange or compare-and-swap has no form without a result.
    const bool reduces =
        s_.access == AccessKind::reduction || (!emitter_.has_read_result() && !emitter_.has("exch") && !swaps());
    Instruction i = access(reduces ? Operation::global_reduction : Operation::global_atomic);
    i.takes_access = takes_access;
    i.floating = is_floating();
    read_operands(i);
    if (!reduces) write_result(i);
    emitter_.emit(i);
  }

  /// The address and what is applied to the word there: the elected lane's, or each lane's own.
  void read_operands(Instruction& i) {
    if (!aggregated_) return emitter_.read_all(i);
    read_address(i);
    Emitter::link(i, aggregated_->value);
  }
  void read_address(Instruction& i) {
    if (!aggregated_) return emitter_.read_all(i);
    if (s_.address_register != program::no_register) emitter_.read(i, s_.address_register);
    Emitter::link(i, aggregated_->leader);
    i.guard = aggregated_->leader;
    i.election = aggregated_->election;
  }
  void write_result(Instruction& i) {
    if (!aggregated_) return emitter_.write_all(i);
    elected_result_ = emitter_.temporary();
    Emitter::write(i, elected_result_);
  }

  Instruction access(Operation operation) const {
    Instruction i = emitter_.access(operation);
    i.only_own_space = generic_;
    return i;
  }
  Instruction make(Operation operation) const {
    Instruction i = emitter_.make(operation);
    i.only_own_space = generic_;
    return i;
  }

  /// cas; in SASS also CAST.
  bool swaps() const { return has_type({"cas", "cast"}); }
  bool is_floating() const { return has_type({"f16", "f16x2", "bf16", "bf16x2", "bf16_v2", "f32", "f64"}); }
  bool has_type(std::initializer_list<const char*> types) const {
    return std::any_of(types.begin(), types.end(), [&](const char* type) { return emitter_.has(type); });
  }

  /// The scratchpad's units do integers of 32 bits and compare-and-swap of 64 (Maxwell tuning guide, 1.4.3); an exchange of
  /// 64 bits is taken to go the same way.
  bool has_native_unit() const {
    if (is_floating()) return false;
    return s_.element_bytes == 4 || (s_.element_bytes == 8 && (swaps() || emitter_.has("exch")));
  }

  void native() {
    const bool reduces = !emitter_.has_read_result();
    Instruction i = access(reduces ? Operation::scratchpad_reduction : Operation::scratchpad_atomic);
    i.adds_one =
        (!aggregated_ && emitter_.has("add") && s_.operands.size() == 2 && emitter_.literal(s_.operands[1]) == 1) ||
        emitter_.has("popc");  // ATOMS.POPC.INC
    i.swaps = swaps();
    read_operands(i);
    if (!reduces) write_result(i);
    emitter_.emit(i);
  }

  /// Load, update, compare-and-swap, comparison with what was loaded, of 64 bits in two steps, branch back while a lane lost; around it
  /// what registers the lanes and where they meet: as ptxas 13.0 writes them for sm_90.
  void cas_loop() {
    emitter_.emit(make(Operation::integer));
    const std::uint32_t start = emitter_.next();
    const std::uint16_t loaded = emitter_.temporary(), won = emitter_.temporary();
    Instruction load = access(Operation::scratchpad_load);
    load.cas_loop = true;
    read_address(load);
    Emitter::write(load, loaded);
    emitter_.emit(load);

    const std::uint16_t result = update(loaded, {});

    Instruction swap = access(Operation::scratchpad_atomic);
    swap.takes_access = false;
    swap.cas_loop = true;
    Emitter::link(swap, loaded);
    Emitter::link(swap, result);
    const std::uint16_t swapped = emitter_.temporary();
    Emitter::write(swap, swapped);
    if (emitter_.has_read_result()) write_result(swap);
    emitter_.emit(swap);

    for (int word = 0; word < words(); ++word) {
      Instruction compare = make(Operation::compare);
      Emitter::link(compare, loaded);
      Emitter::link(compare, swapped);
      if (word > 0) Emitter::link(compare, won);
      Emitter::write(compare, won);
      emitter_.emit(compare);
    }

    Instruction branch = make(Operation::branch);
    Emitter::link(branch, won);
    branch.cas_loop = true;
    branch.loop_start = start;
    emitter_.emit(branch);
    emitter_.emit(make(Operation::integer));
  }

  /// LDSLK / operation / STSUL / BRA, Listing 3.5 of Van den Braak (2015).
  void lock_loop() {
    const std::uint32_t start = emitter_.next();
    const std::uint16_t loaded = emitter_.temporary(), acquired = emitter_.temporary();
    Instruction load = access(Operation::load_lock);
    emitter_.read_all(load);
    emitter_.write_all(load);
    Emitter::write(load, loaded);
    Emitter::write(load, acquired);
    emitter_.emit(load);

    const std::uint16_t result = update(loaded, {acquired});

    Instruction store = access(Operation::store_unlock);
    store.takes_access = false;
    Emitter::link(store, result);
    Emitter::link(store, acquired);
    emitter_.emit(store);

    Instruction branch = make(Operation::branch);
    Emitter::link(branch, acquired);
    branch.closes_lock_loop = true;
    branch.loop_start = start;
    emitter_.emit(branch);
  }

  /// What stands between the load and the store of a loop. Each operation reads the atomic's operands, the result of the
  /// one before and `also`; returns the last result.
  std::uint16_t update(std::uint16_t loaded, std::initializer_list<std::uint16_t> also) {
    std::uint16_t result = loaded;
    for (const Operation operation : update_operations()) {
      Instruction i = make(operation);
      if (aggregated_) Emitter::link(i, aggregated_->value);
      for (const std::uint32_t reg : s_.sources)
        if (!aggregated_ && i.source_count + 1u + also.size() < max_sources) emitter_.read(i, reg);
      Emitter::link(i, result);
      for (const std::uint16_t entry : also) Emitter::link(i, entry);
      result = emitter_.temporary();
      Emitter::write(i, result);
      emitter_.emit(i);
    }
    return result;
  }

  std::vector<Operation> update_operations() const {
    const auto steps = static_cast<std::size_t>(words());
    if (emitter_.has("exch")) return std::vector<Operation>(steps, Operation::integer);
    if (emitter_.has("f64")) return {Operation::double_precision};
    if (is_floating()) return {Operation::floating};
    const bool compares = has_type({"min", "max", "cas", "cast", "inc", "dec"});
    return std::vector<Operation>(compares ? 2 * steps : steps, Operation::integer);
  }
  /// Of 32 bits, of what is in memory.
  int words() const { return std::max(1, s_.element_bytes / 4); }

  Emitter& emitter_;
  const StaticInstruction& s_;
  const bool generic_;  ///< Each part has the lanes whose addresses lie in its space.
  const ScratchpadAtomics scratchpad_atomics_;
  WarpAggregation* const aggregation_;
  std::optional<WarpAggregation::Prepared> aggregated_;
  std::uint16_t elected_result_ = 0;
};

}  // namespace

void lower_atomic(Emitter& emitter, ScratchpadAtomics scratchpad_atomics, WarpAggregation* aggregation) {
  AtomicLowering(emitter, scratchpad_atomics, aggregation).run();
}

}  // namespace lockstep::machine
