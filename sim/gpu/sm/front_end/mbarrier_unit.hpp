#pragma once
// The mbarrier objects of the thread blocks on an SM, and the warps that wait at them.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "isa/cycle.hpp"
#include "isa/program/mbarrier.hpp"
#include "isa/trace/stream.hpp"

namespace lockstep::gpu {

/// Counts arrivals in the order of the replay. Objects are named by their offset in their thread block's scratchpad; what a
/// trace does at a place where no object is has no effect, and a wait there is over at once.
class MbarrierUnit {
 public:
  struct Object {
    std::uint64_t offset = 0;
    program::Mbarrier state;
    Cycle last = 0;   ///< When the latest arrival of the current phase takes place, which may lie ahead.
    Cycle ended = 0;  ///< When the phase before it ended.
  };

  void begin_launch(std::uint32_t blocks, std::uint32_t warps) {
    objects_.assign(blocks, {});
    awaited_.assign(warps, {});
  }
  /// A new thread block: it has no object.
  void start_block(std::uint32_t block) { objects_[block].clear(); }

  /// What one lane does at cycle `at`. Returns whether it ended a phase.
  bool act(std::uint32_t block, program::MbarrierAction action, std::uint64_t entry, Cycle at) {
    using enum program::MbarrierAction;
    Object* object = find(block, program::mbarrier_offset(entry));
    const std::uint32_t argument = program::mbarrier_argument(entry);
    if (action == init) {
      if (object == nullptr) object = &objects_[block].emplace_back();
      *object = {program::mbarrier_offset(entry), {argument, argument, 0, false}, 0, 0};
      return false;
    }
    if (object == nullptr) return false;
    program::Mbarrier& state = object->state;
    switch (action) {
      case inval: state = {}; return false;
      case expect: state.bytes += static_cast<std::int32_t>(argument); return false;
      case complete: state.bytes -= static_cast<std::int32_t>(argument); break;
      case arrive_expecting: state.bytes += static_cast<std::int32_t>(argument); [[fallthrough]];
      case copies_arrive: state.pending -= std::min(state.pending, 1u); break;
      case copies_add_arrival: ++state.pending; return false;
      case drop_expecting:
        state.bytes += static_cast<std::int32_t>(argument);
        state.pending -= std::min(state.pending, 1u);
        state.expected -= std::min(state.expected, 1u);
        break;
      case drop: state.expected -= std::min(state.expected, argument); [[fallthrough]];
      default: state.pending -= std::min(state.pending, argument);
    }
    object->last = std::max(object->last, at);
    if (!state.end_phase()) return false;
    object->ended = object->last;
    object->last = 0;
    return true;
  }

  /// The warp waits for what the lanes of the entry name.
  void begin_wait(std::uint32_t warp, const trace::AccessEntry& lanes) {
    std::vector<std::uint64_t>& awaited = awaited_[warp];
    awaited.clear();
    for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
      const std::uint64_t entry = lanes.address[std::countr_zero(rest)];
      if (std::find(awaited.begin(), awaited.end(), entry) == awaited.end()) awaited.push_back(entry);
    }
  }
  /// When all phases that a warp of the block waits for have ended, or never while one goes on.
  Cycle wait_ends(std::uint32_t block, std::uint32_t warp) const {
    Cycle end = 0;
    for (const std::uint64_t entry : awaited_[warp]) {
      const Object* object = awaited_object(block, entry);
      if (object == nullptr) continue;
      if (object->state.odd == (program::mbarrier_argument(entry) != 0)) return never;
      end = std::max(end, object->ended);
    }
    return end;
  }
  /// The first object whose phase such a warp waits for; null: there is none.
  const Object* waits_at(std::uint32_t block, std::uint32_t warp) const {
    for (const std::uint64_t entry : awaited_[warp]) {
      const Object* object = awaited_object(block, entry);
      if (object != nullptr && object->state.odd == (program::mbarrier_argument(entry) != 0)) return object;
    }
    return nullptr;
  }

 private:
  const Object* awaited_object(std::uint32_t block, std::uint64_t entry) const {
    for (const Object& object : objects_[block])
      if (object.offset == program::mbarrier_offset(entry)) return object.state.expected == 0 ? nullptr : &object;
    return nullptr;
  }
  /// A thread block has few.
  Object* find(std::uint32_t block, std::uint64_t offset) {
    for (Object& object : objects_[block])
      if (object.offset == offset) return &object;
    return nullptr;
  }

  std::vector<std::vector<Object>> objects_;         ///< By place of the thread block.
  std::vector<std::vector<std::uint64_t>> awaited_;  ///< By warp: entries as the trace has them, each once.
};

}  // namespace lockstep::gpu
