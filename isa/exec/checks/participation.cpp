#include "isa/exec/checks/participation.hpp"

#include <fmt/format.h>

#include <bit>

#include "isa/exec/control/exchange.hpp"

namespace lockstep::exec {

namespace {

unsigned first_of(LaneMask mask) {
  return static_cast<unsigned>(std::countr_zero(mask));
}

/// "lane 3", "lanes 4 to 7, 9".
std::string lanes_text(LaneMask mask) {
  std::string text;
  const bool one = std::popcount(mask) == 1;
  while (mask != 0) {
    const unsigned first = first_of(mask);
    unsigned last = first;
    while (last < 31 && (mask >> (last + 1) & 1) != 0) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (last > first) text += fmt::format("{}{}", last == first + 1 ? ", " : " to ", last);
    for (unsigned lane = first; lane <= last; ++lane) mask &= ~(LaneMask{1} << lane);
  }
  return (one ? "lane " : "lanes ") + text;
}

}  // namespace

void Participation::begin() {
  gatherings_.assign(block_.warp_count(), {});
  last_.fill(std::nullopt);
}

void Participation::report(Kind kind, const ThreadAt& at, const std::string& what, const char* remedy) const {
  context_.report(Check::sync, kind, at, nullptr, [&](Finding& finding) {
    finding.what = what;
    finding.remedy = remedy;
  });
}

/// The lanes of the warp that have been threads of the block.
LaneMask Participation::threads(const Warp& warp) const {
  const auto left = static_cast<std::uint32_t>(program::volume(context_.launch.block)) - warp.index * lanes;
  return left >= lanes ? ~LaneMask{0} : (LaneMask{1} << left) - 1;
}

/// Whether a thread of the activation that goes on at the block ends without executing anything else.
bool Participation::ends(const Activation& activation, std::uint32_t block) const {
  const Kernel& kernel = context_.kernel;
  for (std::size_t followed = 0; followed <= kernel.blocks.size(); ++followed) {
    const Block& at = kernel.blocks[block];
    if (at.first_op == at.end_op) return false;
    const Op& op = kernel.ops[at.first_op];
    const ptx::Instruction& instruction = kernel.program.instruction(op.instruction);
    if (instruction.guard != ptx::no_index) return false;
    switch (instruction.opcode) {
      case ptx::Opcode::exit: return true;
      case ptx::Opcode::ret: return activation.call == nullptr;
      case ptx::Opcode::bra: block = op.arithmetic.control; break;
      default: return false;
    }
  }
  return false;
}

LaneMask Participation::running(const Warp& warp) const {
  LaneMask running = warp.active, settled = warp.active;
  const auto add = [&](const Levels& levels, const std::vector<Activation>& activations) {
    for (auto level = levels.rbegin(); level != levels.rend() && settled != warp.live; ++level) {
      if (level->block == level->reconvergence) continue;  // Its lanes go on where a lower level does.
      const LaneMask lanes_here = level->mask & ~settled;
      settled |= lanes_here;
      if (lanes_here != 0 && !ends(activations[level->activation], level->block)) running |= lanes_here;
    }
  };
  add(warp.stack, warp.activations);
  for (const Split& split : warp.apart) add(split.stack, split.activations);
  return running & warp.live;
}

void Participation::barrier(const Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0) return;
  const ptx::Instruction& instruction = context_.kernel.program.instruction(op.instruction);
  const ThreadAt at = context_.thread(warp, op, first_of(mask));
  const bool aligned = instruction.opcode == ptx::Opcode::bar || instruction.has("aligned");
  const LaneMask absent = mask == warp.live ? 0 : running(warp) & ~mask;
  if (aligned && absent != 0) {
    report(diverged, at,
           fmt::format("a barrier for whole warps is executed by {} of warp {}, but not by {}", lanes_text(mask),
                       warp.index, lanes_text(absent)),
           "all threads of a warp that have not exited must execute it together: move it out of the condition");
  }
  for (const PlaneOffset operand : {op.arithmetic.source[0], op.arithmetic.source[1]}) {
    if (operand == no_plane) continue;
    const auto* values = plane<std::uint32_t>(warp.frame, operand);
    for_each_lane(mask, [&](unsigned lane) {
      if (values[lane] == values[first_of(mask)]) return;
      report(
          not_uniform, context_.thread(warp, op, lane),
          fmt::format("lanes of warp {} execute a barrier with different numbers or thread counts: {} in lane {}, {} "
                      "in lane {}",
                      warp.index, values[first_of(mask)], first_of(mask), values[lane], lane),
          "the operands of a barrier must be the same in all lanes of a warp");
    });
  }
  const std::uint32_t number = plane<std::uint32_t>(warp.frame, op.arithmetic.source[0])[first_of(mask)];
  if (number < barrier_count) last_[number] = at;
}

bool Participation::warp_barrier(const Warp& warp, const Op& op, LaneMask mask) {
  const auto* members = plane<std::uint32_t>(warp.frame, op.arithmetic.source[3]);
  std::map<LaneMask, Gathering>& gatherings = gatherings_[warp.index];
  for_each_lane(mask, [&](unsigned lane) {
    const ThreadAt at = context_.thread(warp, op, lane);
    const LaneMask own = LaneMask{1} << lane;
    if ((members[lane] & own) == 0) return report_not_member(at, members[lane], lane);
    auto found = gatherings.find(members[lane]);
    if (found != gatherings.end() && (found->second.arrived & own) != 0) {
      // The others have not come, and a lane that waits for them comes again.
      report_absent(found->second.first, found->second.needed & ~found->second.arrived);
      gatherings.erase(found);
      found = gatherings.end();
    }
    if (found == gatherings.end())
      found = gatherings.emplace(members[lane], Gathering{0, members[lane] & running(warp), at}).first;
    found->second.arrived |= own;
    if ((found->second.needed & ~found->second.arrived) == 0) gatherings.erase(found);
  });
  return !gatherings.empty();
}

void Participation::exchange(const Warp& warp, const Op& op, LaneMask mask) const {
  if (mask == 0) return;
  if (op.arithmetic.source[3] != no_plane) check_members(warp, op, mask);
  if (context_.kernel.program.instruction(op.instruction).opcode == ptx::Opcode::shfl) check_sources(warp, op, mask);
}

void Participation::report_not_member(const ThreadAt& at, LaneMask members, unsigned lane) const {
  report(not_member, at, fmt::format("the mask {:#010x} does not name the lane that executes it, {}", members, lane),
         "a lane may execute it only with a mask that names the lane");
}

void Participation::report_absent(const ThreadAt& at, LaneMask absent) const {
  report(absent_member, at,
         fmt::format("the mask names {}, which {} execute it with the others", lanes_text(absent),
                     std::popcount(absent) == 1 ? "does not" : "do not"),
         "the mask must name the lanes that execute the instruction together, and no other");
}

void Participation::check_members(const Warp& warp, const Op& op, LaneMask mask) const {
  const auto* members = plane<std::uint32_t>(warp.frame, op.arithmetic.source[3]);
  const LaneMask left = mask == warp.live ? mask : running(warp);
  for_each_lane(mask, [&](unsigned lane) {
    const ThreadAt at = context_.thread(warp, op, lane);
    if ((members[lane] >> lane & 1) == 0) {
      report_not_member(at, members[lane], lane);
      return;
    }
    // CUDA lets a mask name threads that have exited.
    const LaneMask named = members[lane] & threads(warp) & left;
    if (const LaneMask absent = named & ~mask; absent != 0) report_absent(at, absent);
    for_each_lane(named & mask, [&](unsigned other) {
      if (members[other] == members[lane]) return;
      report(not_uniform, at,
             fmt::format("lane {} has the mask {:#010x}, and lane {}, which it names, {:#010x}", lane, members[lane],
                         other, members[other]),
             "all lanes that a mask names must have the same mask");
    });
  });
}

void Participation::check_sources(const Warp& warp, const Op& op, LaneMask mask) const {
  const Arithmetic& planes = op.arithmetic;
  const auto* b = plane<std::uint32_t>(warp.frame, planes.source[1]);
  const auto* c = plane<std::uint32_t>(warp.frame, planes.source[2]);
  for_each_lane(mask, [&](unsigned lane) {
    const auto from = shuffle_source(static_cast<Shuffle>(planes.control), lane, b[lane], c[lane]);
    if (!from) return;
    const bool executes = (mask >> *from & 1) != 0;
    const bool named =
        planes.source[3] == no_plane || (plane<std::uint32_t>(warp.frame, planes.source[3])[lane] >> *from & 1) != 0;
    if (executes && named) return;
    report(absent_source, context_.thread(warp, op, lane),
           fmt::format("lane {} reads the value of lane {}, which {}", lane, *from,
                       executes                            ? "its mask does not name"
                       : (threads(warp) >> *from & 1) == 0 ? "is not a thread of the block"
                       : (warp.live >> *from & 1) == 0     ? "has exited"
                                                           : "does not execute the shuffle"),
           "the value is not defined: let all lanes that are read execute the shuffle, or read no others");
  });
}

void Participation::end() {
  for (std::uint32_t number = 0; number < barrier_count; ++number) {
    const Barrier& barrier = block_.barriers()[number];
    if (barrier.arrived == 0 || !last_[number]) continue;
    report(left_over, *last_[number],
           fmt::format("the thread block ends while barrier {} has {} of {} threads", number, barrier.arrived,
                       barrier.expected),
           "as many threads must arrive as the barrier's count says");
  }
  for (const auto& of_warp : gatherings_)
    for (const auto& [members, gathering] : of_warp)
      report_absent(gathering.first, gathering.needed & ~gathering.arrived);
}

}  // namespace lockstep::exec
