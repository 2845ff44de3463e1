// bar and barrier.

#include "isa/exec/control/barriers.hpp"

#include <fmt/format.h>

#include <bit>

#include "isa/exec/steps.hpp"
#include "isa/exec/subjects.hpp"
#include "isa/exec/thread_block.hpp"

namespace lockstep::exec {

namespace {

enum Mode : std::uint32_t { sync = barrier_waits, arrive = barrier_arrives, red_popc, red_and, red_or };
constexpr std::uint32_t flip = 8;

void store_result(Warp& warp, const Op& op, LaneMask mask, const Barrier& barrier) {
  const PlaneOffset destination = op.arithmetic.destination;
  switch (op.arithmetic.control & ~flip) {
    case red_popc: {
      auto* d = plane<std::uint32_t>(warp.frame, destination);
      for_each_lane(mask, [&](unsigned lane) { d[lane] = barrier.true_threads; });
      break;
    }
    case red_and:
    case red_or: {
      const bool value = (op.arithmetic.control & ~flip) == red_and ? barrier.all : barrier.true_threads > 0;
      LaneMask& p = predicate(warp.frame, destination);
      p = (p & ~mask) | (value ? mask : 0);
      break;
    }
    default: break;
  }
}

/// Every warp that has not ended waits at the barrier, or arrives there last. What a graph does there comes first.
void complete(ThreadBlock& block, std::uint32_t number) {
  if (block.is_graph_barrier(number)) block.run_graph();
  Barrier& barrier = block.barriers()[number];
  for (std::uint32_t w = 0; w < block.warp_count(); ++w) {
    Warp& warp = block.warp(w);
    if (warp.state != Warp::State::waiting || warp.barrier != number) continue;
    store_result(warp, *warp.barrier_op, warp.barrier_mask, barrier);
    warp.state = Warp::State::ready;
  }
  barrier = Barrier{};
}

/// Threads of the warps that have not ended, each warp counted whole.
std::uint32_t live_threads(ThreadBlock& block) {
  std::uint32_t warps = 0;
  for (std::uint32_t w = 0; w < block.warp_count(); ++w) warps += block.warp(w).state != Warp::State::ended;
  return warps * lanes;
}

/// The access entry of a barrier: number | threads << 8 in every lane.
void record(Warp& warp, const Op& op, LaneMask mask) {
  const Arithmetic& planes = op.arithmetic;
  for_each_lane(mask, [&](unsigned lane) {
    const std::uint64_t threads =
        planes.source[1] == no_plane ? 0 : plane<std::uint32_t>(warp.frame, planes.source[1])[lane];
    warp.address[lane] = plane<std::uint32_t>(warp.frame, planes.source[0])[lane] | threads << 8;
  });
  warp.owner->recorder()->access(warp.index, mask, warp.address);
}

Outcome gather(Warp& warp, const Op& op, LaneMask mask) {
  ThreadBlock& block = *warp.owner;
  if (op.records && block.recorder() != nullptr) record(warp, op, mask);
  if (mask == 0) return Outcome::next;
  const Arithmetic& planes = op.arithmetic;
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  const std::uint32_t number = plane<std::uint32_t>(warp.frame, planes.source[0])[first];
  if (number >= barrier_count)
    block.fail(warp, op, first, fmt::format("there is no barrier {}; they are 0 to 15", number));
  const bool for_all = planes.source[1] == no_plane;
  const std::uint32_t expected =
      for_all ? live_threads(block) : plane<std::uint32_t>(warp.frame, planes.source[1])[first];
  if (expected == 0 || expected % lanes != 0) {
    block.fail(warp, op, first, fmt::format("a barrier for {} threads: it must be a multiple of 32", expected));
  }
  const std::uint32_t mode = planes.control & ~flip;
  if (block.is_graph_barrier(number) && (mode == arrive || expected != live_threads(block))) {
    block.fail(
        warp, op, first,
        fmt::format("barrier {} is where the thread block runs its graph, so all of its {} warps must wait there; "
                    "here {}",
                    number, live_threads(block) / lanes,
                    mode == arrive ? "this warp continues without waiting" : fmt::format("{} do", expected / lanes)));
  }
  Barrier& barrier = block.barriers()[number];
  if (barrier.arrived == 0) {
    barrier.expected = expected;
    barrier.for_all = for_all;
  }
  if (barrier.expected != expected) {
    block.fail(warp, op, first,
               fmt::format("arrives at barrier {} for {} threads, but the {} threads that arrived before expect {}",
                           number, expected, barrier.arrived, barrier.expected));
  }
  if (mode >= red_popc) {
    const LaneMask ayes =
        (predicate(warp.frame, planes.source[2]) ^ ((planes.control & flip) != 0 ? ~LaneMask{0} : 0)) & mask;
    barrier.true_threads += static_cast<std::uint32_t>(std::popcount(ayes));
    barrier.all = barrier.all && ayes == mask;
  }
  barrier.arrived += lanes;
  if (barrier.arrived == barrier.expected) {
    store_result(warp, op, mask, barrier);
    complete(block, number);
    return Outcome::next;
  }
  if (mode == arrive) {
    ++barrier.arrivals[warp.index];
    return Outcome::next;
  }
  warp.state = Warp::State::waiting;
  warp.barrier = number;
  warp.barrier_op = &op;
  warp.barrier_mask = mask;
  return Outcome::waiting;
}

void decode_reduction(Decoder& decoder, std::size_t& next_operand) {
  Arithmetic& planes = decoder.op.arithmetic;
  const std::string_view operation = decoder.take_any({"popc", "and", "or"});
  const bool counts = operation == "popc";
  const auto& operands = decoder.instruction().operands;
  decoder.expect_operands(3, 4);
  planes.destination = decoder.destination_plane(operands[0], counts ? ptx::Type::u32 : ptx::Type::pred);
  next_operand = 1;
  LaneMask negated = 0;
  planes.source[2] = decoder.predicate_source(operands.back(), negated);
  planes.control = (counts ? red_popc : operation == "and" ? red_and : red_or) | (negated != 0 ? flip : 0);
}

}  // namespace

void leave_barriers(ThreadBlock& block) {
  const std::uint32_t left = live_threads(block);
  for (std::uint32_t number = 0; number < barrier_count; ++number) {
    Barrier& barrier = block.barriers()[number];
    if (!barrier.for_all || barrier.arrived == 0) continue;
    barrier.expected = left;
    if (barrier.arrived == left) complete(block, number);
  }
}

void decode_barrier(Decoder& decoder) {
  const auto& operands = decoder.instruction().operands;
  if (decoder.take("warp")) {
    decoder.expect_operands(1);
    decoder.op.arithmetic.source[3] = decoder.source_plane(operands[0], ptx::Type::b32);
    decoder.op.step = no_effect;
    return;
  }
  Arithmetic& planes = decoder.op.arithmetic;
  std::size_t next = 0, end = operands.size();
  if (decoder.take("sync")) {
    planes.control = sync;
    decoder.expect_operands(1, 2);
  } else if (decoder.take("arrive")) {
    planes.control = arrive;
    decoder.expect_operands(2, 2);
  } else {
    decode_reduction(decoder, next);
    --end;
  }
  planes.source[0] = decoder.source_plane(operands[next], ptx::Type::u32);
  if (next + 1 < end) planes.source[1] = decoder.source_plane(operands[next + 1], ptx::Type::u32);
  decoder.op.step = gather;
}

}  // namespace lockstep::exec
