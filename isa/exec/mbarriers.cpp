// mbarrier, and cp.async.mbarrier.arrive. Copies are done at once, so that the arrival of copies is one of their thread.
//
// Lanes act in lane order. A wait whose phase has not ended gives way to the other warps until it has, test_wait as well as
// try_wait: an instruction may take as long as the others need. When no other warp can continue, or after many turns of those
// that do, it observes an incomplete phase.

#include "isa/exec/mbarriers.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>

#include "isa/exec/checks/block_checks.hpp"
#include "isa/exec/memory/addressing.hpp"
#include "isa/exec/subjects.hpp"
#include "isa/program/mbarrier.hpp"

namespace lockstep::exec {

namespace {

using program::Mbarrier;
using program::MbarrierAction;

/// Arithmetic::control: the action and these. Planes: source 0 the count, token or parity.
constexpr std::uint32_t action_bits = 0xff, relaxed = 0x100, keeps_phase = 0x200, of_parity = 0x400;

MbarrierAction action_of(const Op& op) {
  return static_cast<MbarrierAction>(op.arithmetic.control & action_bits);
}

std::uint64_t offset_of(const Warp& warp, unsigned lane) {
  return static_cast<std::uint64_t>(warp.host[lane] - warp.owner->shared());
}

std::uint64_t word_at(const std::byte* host) {
  std::uint64_t word = 0;
  std::memcpy(&word, host, sizeof word);
  return word;
}
void store_word(std::byte* host, std::uint64_t word) {
  std::memcpy(host, &word, sizeof word);
}

/// Fills warp.host. The lanes' objects must lie in the scratchpad.
void resolve(Warp& warp, const Op& op, LaneMask mask) {
  form_addresses(warp, *op.memory);
  resolve_addresses(warp, op, *op.memory, mask);
  if (op.memory->space == ptx::Space::shared) return;
  for_each_lane(mask, [&](unsigned lane) {
    if (offset_of(warp, lane) >= warp.owner->shared_bytes())
      warp.owner->fail(
          warp, op, lane,
          fmt::format("the mbarrier at generic address {:#x} does not lie in scratchpad memory", warp.address[lane]));
  });
}

Mbarrier state_of(const Warp& warp, const Op& op, unsigned lane) {
  const std::uint64_t word = word_at(warp.host[lane]);
  if (const auto state = Mbarrier::from(word)) return *state;
  warp.owner->fail(warp, op, lane,
                   fmt::format("there is no mbarrier at byte {} of the scratchpad memory, which holds {:#x}: "
                               "mbarrier.init makes one, and no thread may come before it",
                               offset_of(warp, lane), word));
}

/// The access entry: see program::AccessKind.
void record(Warp& warp, const Op& op, LaneMask mask, const std::uint32_t* arguments) {
  trace::Recorder* const recorder = warp.owner->recorder();
  if (recorder == nullptr || !op.records) return;
  for_each_lane(mask, [&](unsigned lane) {
    warp.address[lane] = program::mbarrier_entry(offset_of(warp, lane), arguments[lane]);
  });
  recorder->access(warp.index, mask, warp.address);
}

/// The parity of the phase whose end a lane awaits.
std::uint32_t awaited(const Warp& warp, const Op& op, unsigned lane) {
  const PlaneOffset source = op.arithmetic.source[0];
  if ((op.arithmetic.control & of_parity) != 0) return plane<std::uint32_t>(warp.frame, source)[lane] & 1;
  const std::uint64_t token = plane<std::uint64_t>(warp.frame, source)[lane];
  const auto state = Mbarrier::from(token);
  if (!state)
    warp.owner->fail(warp, op, lane, fmt::format("{:#x} is no token: it is what mbarrier.arrive has returned", token));
  return state->odd ? 1 : 0;
}

/// The lanes whose phase has ended.
LaneMask ended_phases(const Warp& warp, const Op& op, LaneMask mask) {
  LaneMask ended = 0;
  for_each_lane(mask, [&](unsigned lane) {
    if (awaited(warp, op, lane) != (state_of(warp, op, lane).odd ? 1U : 0U)) ended |= LaneMask{1} << lane;
  });
  return ended;
}

void finish_wait(Warp& warp, const Op& op, LaneMask mask, LaneMask ended) {
  std::uint32_t parity[lanes];
  for_each_lane(ended, [&](unsigned lane) { parity[lane] = awaited(warp, op, lane); });
  BlockChecks* const checks = (op.arithmetic.control & relaxed) == 0 ? warp.owner->checks() : nullptr;
  if (checks != nullptr)
    for_each_lane(ended, [&](unsigned lane) { checks->mbarrier_wait(warp, offset_of(warp, lane)); });
  record(warp, op, ended, parity);
  if (op.arithmetic.destination == no_plane) return;
  LaneMask& result = predicate(warp.frame, op.arithmetic.destination);
  result = (result & ~mask) | ended;
}

Outcome wait_for_phase(Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0) {
    record(warp, op, 0, nullptr);
    return Outcome::next;
  }
  resolve(warp, op, mask);
  if (BlockChecks* const checks = warp.owner->checks(); checks != nullptr)
    for_each_lane(mask, [&](unsigned lane) {
      checks->mbarrier_access(warp, op, lane, offset_of(warp, lane), MbarrierAction::wait);
    });
  const LaneMask ended = ended_phases(warp, op, mask);
  if (ended == mask) {
    finish_wait(warp, op, mask, ended);
    return Outcome::next;
  }
  warp.state = Warp::State::waiting;
  warp.barrier = at_mbarrier;
  warp.barrier_op = &op;
  warp.barrier_mask = mask;
  warp.owner->begin_mbarrier_wait();
  return Outcome::waiting;
}

bool waits(const Warp& warp) {
  return warp.state == Warp::State::waiting && warp.barrier == at_mbarrier;
}

/// Warps that wait continue if all of their lanes have what they wait for, or in any case.
void wake(ThreadBlock& block, bool in_any_case) {
  for (std::uint32_t w = 0; w < block.warp_count(); ++w) {
    Warp& warp = block.warp(w);
    if (!waits(warp)) continue;
    const LaneMask ended = ended_phases(warp, *warp.barrier_op, warp.barrier_mask);
    if (ended != warp.barrier_mask && !in_any_case) continue;
    finish_wait(warp, *warp.barrier_op, warp.barrier_mask, ended);
    warp.state = Warp::State::ready;
    block.end_mbarrier_wait();
  }
}

std::uint32_t argument_of(Warp& warp, const Op& op, unsigned lane) {
  const PlaneOffset source = op.arithmetic.source[0];
  return source == no_plane ? 1 : plane<std::uint32_t>(warp.frame, source)[lane];
}

void check_argument(Warp& warp, const Op& op, unsigned lane, std::uint32_t argument) {
  using enum MbarrierAction;
  const MbarrierAction action = action_of(op);
  const bool counts_bytes =
      action == expect || action == complete || action == arrive_expecting || action == drop_expecting;
  if (argument <= Mbarrier::most_arrivals && (argument != 0 || counts_bytes || action == inval)) return;
  warp.owner->fail(
      warp, op, lane,
      fmt::format("a count of {}: {} to {} is possible", argument, counts_bytes ? "0" : "1",
                  counts_bytes ? static_cast<std::uint32_t>(Mbarrier::most_bytes) : Mbarrier::most_arrivals));
}

void add_bytes(Warp& warp, const Op& op, unsigned lane, Mbarrier& state, std::int64_t bytes) {
  const std::int64_t sum = state.bytes + bytes;
  if (sum < -Mbarrier::most_bytes || sum > Mbarrier::most_bytes)
    warp.owner->fail(
        warp, op, lane,
        fmt::format("the mbarrier at byte {} of the scratchpad memory would wait for {} bytes; {} are possible",
                    offset_of(warp, lane), sum, Mbarrier::most_bytes));
  state.bytes = static_cast<std::int32_t>(sum);
}

void take_arrivals(Warp& warp, const Op& op, unsigned lane, Mbarrier& state, std::uint32_t count) {
  if (count > state.pending)
    warp.owner->fail(
        warp, op, lane,
        fmt::format("{} arrival{} at the mbarrier at byte {} of the scratchpad memory, whose phase needs {} more "
                    "of {}",
                    count, count == 1 ? "" : "s", offset_of(warp, lane), state.pending, state.expected));
  if (count == state.pending && (op.arithmetic.control & keeps_phase) != 0 && state.bytes == 0)
    warp.owner->fail(
        warp, op, lane,
        fmt::format("an arrival with .noComplete would end the phase of the mbarrier at byte {} of the scratchpad "
                    "memory",
                    offset_of(warp, lane)));
  state.pending -= count;
}

/// One lane. Returns whether it has ended a phase.
bool act(Warp& warp, const Op& op, unsigned lane, std::uint32_t argument) {
  using enum MbarrierAction;
  const MbarrierAction action = action_of(op);
  if (action == init) {
    store_word(warp.host[lane], Mbarrier{argument, argument, 0, false}.word());
    return false;
  }
  Mbarrier state = state_of(warp, op, lane);
  if (action == inval) {
    store_word(warp.host[lane], 0);
    return false;
  }
  if (op.arithmetic.destination != no_plane)
    plane<std::uint64_t>(warp.frame, op.arithmetic.destination)[lane] = state.word();
  const bool drops = action == drop || action == drop_expecting;
  switch (action) {
    case expect: add_bytes(warp, op, lane, state, argument); break;
    case complete: add_bytes(warp, op, lane, state, -std::int64_t{argument}); break;
    case arrive_expecting:
    case drop_expecting: add_bytes(warp, op, lane, state, argument); [[fallthrough]];
    case copies_arrive: take_arrivals(warp, op, lane, state, 1); break;
    case copies_add_arrival: break;  // Expected once more, and there at once.
    default: take_arrivals(warp, op, lane, state, argument); break;
  }
  if (drops) state.expected -= action == drop ? argument : 1;
  const bool may_end = action != expect && action != copies_add_arrival;
  const bool ended = may_end && state.end_phase();
  store_word(warp.host[lane], state.word());
  return ended;
}

Outcome update(Warp& warp, const Op& op, LaneMask mask) {
  using enum MbarrierAction;
  if (mask == 0) {
    record(warp, op, 0, nullptr);
    return Outcome::next;
  }
  ThreadBlock& block = *warp.owner;
  resolve(warp, op, mask);
  std::uint32_t arguments[lanes];
  for_each_lane(mask, [&](unsigned lane) {
    arguments[lane] = argument_of(warp, op, lane);
    check_argument(warp, op, lane, arguments[lane]);
  });
  // Its lanes' bytes are found before wake() records for other warps; the entry replaces the addresses.
  record(warp, op, mask, arguments);
  const MbarrierAction action = action_of(op);
  const bool releases = action != init && action != inval && (op.arithmetic.control & relaxed) == 0;
  BlockChecks* const checks = block.checks();
  for_each_lane(mask, [&](unsigned lane) {
    if (checks != nullptr) checks->mbarrier_access(warp, op, lane, offset_of(warp, lane), action);
    if (checks != nullptr && releases) checks->mbarrier_arrive(warp, offset_of(warp, lane));
    if (!act(warp, op, lane, arguments[lane])) return;
    if (checks != nullptr) checks->mbarrier_phase_ends(offset_of(warp, lane));
    wake(block, false);
  });
  if (checks != nullptr && releases) checks->mbarrier_arrived(warp);
  return Outcome::next;
}

Outcome pending_count(Warp& warp, const Op& op, LaneMask mask) {
  const auto* tokens = plane<std::uint64_t>(warp.frame, op.arithmetic.source[0]);
  auto* counts = plane<std::uint32_t>(warp.frame, op.arithmetic.destination);
  for_each_lane(mask, [&](unsigned lane) {
    const auto state = Mbarrier::from(tokens[lane]);
    if (!state)
      warp.owner->fail(warp, op, lane,
                       fmt::format("{:#x} is no token: it is what mbarrier.arrive has returned", tokens[lane]));
    counts[lane] = state->pending;
  });
  return Outcome::next;
}

MemoryAccess& object_access(Decoder& decoder, std::size_t operand) {
  MemoryAccess& access = decoder.new_access();
  access.kind = "mbarrier";
  access.writes = true;
  access.element_bytes = 8;
  access.bytes = 8;
  access.space = decoder.take_space();
  decoder.address(decoder.operand(operand), access);
  return access;
}

}  // namespace

void decode_copies_arrive(Decoder& decoder) {
  decoder.expect_operands(1);
  object_access(decoder, 0);
  const auto has = [&](std::string_view modifier) { return decoder.instruction().has(modifier); };
  decoder.op.arithmetic.control = static_cast<std::uint32_t>(program::mbarrier_action(true, has));
  decoder.op.step = update;
}

void decode_mbarrier(Decoder& decoder) {
  using enum MbarrierAction;
  const auto has = [&](std::string_view modifier) { return decoder.instruction().has(modifier); };
  Arithmetic& planes = decoder.op.arithmetic;
  if (has("pending_count")) {
    decoder.expect_operands(2);
    planes.destination = decoder.destination_plane(decoder.operand(0), ptx::Type::b32);
    planes.source[0] = decoder.source_plane(decoder.operand(1), ptx::Type::b64);
    decoder.op.step = pending_count;
    return;
  }
  const MbarrierAction action = program::mbarrier_action(false, has);
  planes.control = static_cast<std::uint32_t>(action) | (has("relaxed") ? relaxed : 0) |
                   (has("noComplete") ? keeps_phase : 0) | (has("parity") ? of_parity : 0);
  if (action == MbarrierAction::wait) {
    decoder.expect_operands(3, has("try_wait") ? 4 : 3);
    planes.destination = decoder.destination_plane(decoder.operand(0), ptx::Type::pred, Sink::dropped);
    object_access(decoder, 1);
    planes.source[0] = decoder.source_plane(decoder.operand(2), has("parity") ? ptx::Type::b32 : ptx::Type::b64);
    if (decoder.operand_count() == 4) decoder.source_plane(decoder.operand(3), ptx::Type::b32);  // The time limit.
    decoder.op.step = wait_for_phase;
    return;
  }
  const bool returns = has("arrive") || has("arrive_drop");
  const std::size_t object = returns ? 1 : 0;
  const bool needs_count = !(action == inval || ((action == arrive || action == drop) && !has("noComplete")));
  decoder.expect_operands(object + (needs_count ? 2 : 1), object + (action == inval ? 1 : 2));
  if (returns) planes.destination = decoder.destination_plane(decoder.operand(0), ptx::Type::b64, Sink::dropped);
  object_access(decoder, object);
  if (decoder.operand_count() > object + 1)
    planes.source[0] = decoder.source_plane(decoder.operand(object + 1), ptx::Type::b32);
  decoder.op.step = update;
}

void tell_waiting_warps(ThreadBlock& block) {
  wake(block, true);
}

std::string mbarrier_waits_text(const ThreadBlock& block) {
  std::map<std::uint64_t, std::string> waiting;
  std::map<std::uint64_t, Mbarrier> states;
  for (std::uint32_t w = 0; w < block.warp_count(); ++w) {
    const Warp& warp = block.warp(w);
    if (!waits(warp)) continue;
    const LaneMask left = warp.barrier_mask & ~ended_phases(warp, *warp.barrier_op, warp.barrier_mask);
    std::map<std::uint64_t, unsigned> objects;
    for_each_lane(left, [&](unsigned lane) { objects.emplace(offset_of(warp, lane), lane); });
    for (const auto& [offset, lane] : objects) {
      states[offset] = state_of(warp, *warp.barrier_op, lane);
      waiting[offset] += fmt::format("\n    warp {} waits at {}", w, block.place(*warp.barrier_op));
      if (const LaneMask others = warp.live & ~warp.active; others != 0)
        waiting[offset] += fmt::format(
            ", and its lanes {:#010x}, which are elsewhere, can proceed only after it: in a program with "
            "recursive functions, lanes of one warp do not take turns here",
            others);
    }
  }
  std::string text;
  for (const auto& [offset, state] : states) {
    text +=
        fmt::format("\n  mbarrier at byte {} of the scratchpad memory: its {} phase needs {} more arrival{} of {}",
                    offset, state.odd ? "odd" : "even", state.pending, state.pending == 1 ? "" : "s", state.expected);
    if (state.bytes != 0) text += fmt::format(", and {} bytes", state.bytes);
    text += waiting[offset];
  }
  return text;
}

}  // namespace lockstep::exec
