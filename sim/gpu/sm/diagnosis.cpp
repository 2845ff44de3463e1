// Why an SM stands: what its warps and its fabric wait for, who holds a lock, and what stands without a cause.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "sim/gpu/sm/front_end/readiness.hpp"
#include "sim/gpu/sm/sm.hpp"

namespace lockstep::gpu {

std::uint32_t Sm::lock_of(const Warp& warp, std::uint32_t lane) const {
  return scratchpad_.banks().lock_of(front_end_.warps().scratchpad_base(warp) + warp.access.address[lane]);
}

std::string Sm::holder_of(std::uint32_t lock) const {
  const std::uint32_t holder = scratchpad_.banks().locks().holder(lock);
  return fmt::format("thread block {}, warp {}", holder / launch_.warps_per_block, holder % launch_.warps_per_block);
}

std::string Sm::lock_waited_for(const Warp& warp) const {
  for (std::uint32_t rest = warp.loop.lanes_left; rest != 0; rest &= rest - 1) {
    const std::uint32_t lock = lock_of(warp, static_cast<std::uint32_t>(std::countr_zero(rest)));
    if (scratchpad_.banks().locks().taken_at(lock) == never) continue;
    return fmt::format("retries since cycle {} for lock {}, which {} holds", warp.loop.refused_since, lock,
                       holder_of(lock));
  }
  return fmt::format("retries since cycle {} for locks that others acquire and release", warp.loop.refused_since);
}

std::string Sm::describe_locks() const {
  struct Hold {
    std::uint32_t first_lock = 0, locks = 0;
  };
  const scratchpad::LockTable& table = scratchpad_.banks().locks();
  const WarpTable& warps = front_end_.warps();
  std::map<std::uint32_t, Hold> holders;
  std::set<std::uint32_t> told;
  for (std::uint32_t w = 0; w < warps.size(); ++w) {
    const Warp& warp = warps[w];
    if (!warp.live || warp.loop.refused_since == never) continue;
    for (std::uint32_t rest = warp.loop.lanes_left; rest != 0; rest &= rest - 1) {
      const std::uint32_t lock = lock_of(warp, static_cast<std::uint32_t>(std::countr_zero(rest)));
      if (table.taken_at(lock) == never || !told.insert(lock).second) continue;
      Hold& hold = holders[table.holder(lock)];
      if (hold.locks++ == 0) hold.first_lock = lock;
    }
  }
  std::string text;
  for (const auto& [number, hold] : holders) {
    const std::uint32_t lock = hold.first_lock;
    text += fmt::format("\n  sm {}: {} holds lock {} since cycle {}, acquired for word {} of the scratchpad", index_,
                        holder_of(lock), lock, table.taken_at(lock), table.word(lock));
    if (hold.locks > 1) text += fmt::format(", and {} more for which warps retry", hold.locks - 1);
    std::uint32_t holder = 0;
    while (holder < warps.size() && !(warps[holder].live && static_cast<std::uint32_t>(warps[holder].number) == number))
      ++holder;
    if (holder == warps.size()) {
      text += "; it has ended without releasing it";
    } else if (front_end_.schedulers()[warps[holder].scheduler].queue().is_ready(warps[holder].slot)) {
      text += "; it is ready, but its scheduler issues from other warps";
    }
  }
  return text;
}

std::string Sm::describe_warps() const {
  std::string text;
  const WarpTable& warps = front_end_.warps();
  for (std::uint32_t index = 0; index < warps.size(); ++index) {
    const Warp& warp = warps[index];
    if (!warp.live) continue;
    const program::Kernel& kernel = *launch_.program->kernel;
    const program::StaticInstruction& s =
        kernel.instructions[launch_.program->instructions[warp.pc - (warp.at_end ? 1 : 0)].static_index];
    const ResidentBlock& block = warps.block(warp.block_slot);
    const std::string place =
        to_string(SourceLocation{kernel.strings[s.source_file], static_cast<int>(s.source_line), 0});
    std::string why = fmt::format("cannot issue {}", kernel.strings[s.mnemonic]);
    if (warp.barrier == Warp::phase_barrier) {
      const MbarrierUnit::Object* object = front_end_.mbarriers().waits_at(warp.block_slot, index);
      if (object != nullptr)
        why = fmt::format(
            "waits at the mbarrier at byte {} of its scratchpad memory, whose phase needs {} more arrivals of {}",
            object->offset, object->state.pending, object->state.expected);
    } else if (warp.barrier != Warp::no_barrier && rgpu_ != nullptr && !rgpu_->off()) {
      why = fmt::format("waits at barrier {} while the SM is in R-GPU mode", warp.barrier);
    } else if (warp.barrier != Warp::no_barrier) {
      const BarrierUnit::Barrier& barrier = front_end_.barriers().at(warp.block_slot, warp.barrier);
      why = fmt::format("waits at barrier {}, where {} of {} warps have arrived", warp.barrier, barrier.arrived,
                        barrier.expected != 0 ? barrier.expected : block.live_warps);
    } else if (warp.loop.refused_since != never) {
      why = lock_waited_for(warp);
    } else if (warp.outstanding > 0) {
      why = fmt::format("waits for {} memory accesses", warp.outstanding);
    }
    text += fmt::format("\n  sm {}: thread block {}, warp {}, next {}: {}", index_, block.number,
                        warps.place_in_block(index), place, why);
  }
  return text;
}

std::string Sm::describe_fabric(std::string& told) const {
  if (rgpu_ == nullptr || rgpu_->off()) return {};
  const std::uint64_t block = front_end_.warps().block(rgpu_->block_slot()).number;
  if (!rgpu_->running()) return fmt::format("\n  sm {}: thread block {} is switching modes", index_, block);
  std::string text = fmt::format("\n  sm {}: thread block {} has run graph {} since cycle {}:", index_, block,
                                 rgpu_->run().graph->name, rgpu_->entered());
  const std::string nodes = rgpu_->fabric().describe();
  if (nodes == told) return text + " the same";
  told = nodes;
  for (std::size_t at = 0; at < nodes.size();) {
    const std::size_t end = std::min(nodes.find('\n', at), nodes.size());
    text += "\n    " + nodes.substr(at, end - at);
    at = end + 1;
  }
  return text;
}

/// The same for a live warp.
std::string Sm::unexplained_wait_of(std::uint32_t index) const {
  const WarpTable& warps = front_end_.warps();
  const Warp& warp = warps[index];
  const IssueScheduler& scheduler = front_end_.schedulers()[warp.scheduler];
  const std::string name =
      fmt::format("thread block {}, warp {}", warps.block(warp.block_slot).number, warps.place_in_block(index));
  const bool rgpu = rgpu_ != nullptr && !rgpu_->off();
  if (warp.barrier == Warp::phase_barrier) {
    return front_end_.mbarriers().wait_ends(warp.block_slot, index) == never
               ? std::string()
               : fmt::format("{} waits at an mbarrier whose phase has ended", name);
  }
  if (warp.barrier != Warp::no_barrier && !rgpu &&
      front_end_.barriers().complete(warp.block_slot, warp.barrier, warps.block(warp.block_slot).live_warps))
    return fmt::format("{} waits at barrier {}, which is complete", name, warp.barrier);
  const FrontEnd::Readiness next = front_end_.readiness(index);
  if (next.ready != scheduler.queue().ready_at(warp.slot))
    return fmt::format("{} can issue from cycle {} on, but was not woken up", name, next.ready);
  if (next.reason == Slot::memory_result && next.ready == never && memory_.accesses().under_way() == 0 &&
      front_end_.next_copy() == never)
    return fmt::format("{} waits for {} memory accesses, but none is in flight", name, warp.outstanding);
  return {};
}

std::string Sm::find_unexplained_wait(bool at_rest, Cycle now) {
  const OpenAccesses& accesses = memory_.accesses();
  if (accesses.under_way() != 0 && memory_.port().pending() == 0 && memory_.next_event() == never)
    return fmt::format("{} memory accesses are in flight, but no request is", accesses.under_way());
  for (std::uint32_t index = 0; index < front_end_.warps().size(); ++index) {
    if (!front_end_.warps()[index].live) continue;
    if (std::string text = unexplained_wait_of(index); !text.empty()) return text;
  }
  for (const IssueScheduler& s : front_end_.schedulers())
    if (s.could_issue_at() != never && s.next_attempt() == never)
      return fmt::format("scheduler {} has a warp that can issue from cycle {} on, but was not woken up", s.id(),
                         s.could_issue_at());
  if (at_rest && rgpu_ != nullptr && rgpu_->try_wake_up(now))
    return fmt::format("graph {} proceeds when it is woken up", rgpu_->run().graph->name);
  return {};
}

}  // namespace lockstep::gpu
