#include "isa/capture/warp_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "isa/capture/device_log.hpp"

namespace lockstep::capture {

namespace {

using ptx::no_index;
using LaneMask = WarpLog::LaneMask;

constexpr program::AddressWindows windows;
/// More than the stack of any GPU's thread has room for.
constexpr std::size_t most_activations = std::size_t{1} << 16;

template <class F>
void for_each_lane(LaneMask mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

}  // namespace

std::uint64_t WarpLog::run(trace::Recorder& recorder, std::uint32_t warp, LaneMask live, UnknownAddresses& unknown) {
  activations_.clear();
  activations_.push_back({0, 0, exec::aligned(code_.places.local_bytes, exec::local_alignment), {}});
  stack_.assign(1, {code_.program.first_block[0], no_index, live, true, 0});
  std::uint64_t records = 0;
  while (enter_block()) {
    records += static_cast<std::uint64_t>(std::popcount(active_));
    recorder.block(warp, block_, active_);
    record_accesses(recorder, warp, unknown);
    for_each_lane(active_, [&](unsigned lane) { threads_[lane].next(); });
    advance();
  }
  return records;
}

/// Turns to the block of the top level; false when no lane is left.
bool WarpLog::enter_block() {
  while (!stack_.empty()) {
    const exec::Level& top = stack_.back();
    if (top.mask == 0 || top.block == top.reconvergence) {
      if (top.lowest) activations_.pop_back();
      stack_.pop_back();
      continue;
    }
    if (exec::has_left_loop(top, code_.program)) {
      exec::leave_loops(stack_, code_.program);
      continue;
    }
    check_lanes(top);
    block_ = top.block;
    active_ = top.mask;
    activation_ = top.activation;
    return true;
  }
  return false;
}

void WarpLog::check_lanes(const exec::Level& level) const {
  for_each_lane(level.mask, [&](unsigned lane) {
    const ThreadLog& thread = threads_[lane];
    if (thread.block() == level.block) return;
    const std::string found = thread.ended() ? "the end of its log" : fmt::format("basic block {}", thread.block());
    thread.fail(fmt::format("expected basic block {} of kernel '{}' as the successor, not {}", level.block,
                            code_.statics.name, found));
  });
}

void WarpLog::record_accesses(trace::Recorder& recorder, std::uint32_t warp, UnknownAddresses& unknown) {
  const CodeBlock& block = code_.blocks[block_];
  Activation& activation = activations_[activation_];
  std::size_t word = 1;
  if (block.places > 0) activation.places.resize(block.places);
  for (std::uint32_t p = 0; p < block.places; ++p, ++word)
    for_each_lane(active_, [&](unsigned lane) { activation.places[p][lane] = threads_[lane].words()[word]; });
  std::uint64_t address[lanes] = {};
  for (const CodeAccess& access : block.accesses) {
    LaneMask mask = active_;
    for_each_lane(active_, [&](unsigned lane) {
      std::uint64_t logged = 0;
      if (access.has_word && (logged = threads_[lane].words()[word]) == not_taking_part) {
        mask &= ~(LaneMask{1} << lane);
        return;
      }
      switch (access.value) {
        case LoggedAccess::Value::barrier: address[lane] = logged; break;
        case LoggedAccess::Value::fixed:
          address[lane] = access.offset + (access.in_frame ? activation.local : 0);
          break;
        case LoggedAccess::Value::base: {
          const std::uint64_t sum = logged + access.offset;
          address[lane] = in_trace(access, lane, access.narrow ? sum & 0xffff'ffff : sum, unknown);
          break;
        }
      }
    });
    if (access.has_word) ++word;
    recorder.access(warp, mask, address);
  }
}

std::uint64_t WarpLog::in_trace(const CodeAccess& access, unsigned lane, std::uint64_t address,
                                UnknownAddresses& unknown) const {
  switch (access.space) {
    case ptx::Space::shared: return window_address(ptx::Space::shared, lane, address, unknown.shared);
    case ptx::Space::local: return window_address(ptx::Space::local, lane, address, unknown.local);
    case ptx::Space::param: return window_address(ptx::Space::param, lane, address, unknown.param);
    case ptx::Space::constant: return window_address(ptx::Space::constant, lane, address, unknown.constant);
    case ptx::Space::global: return addresses_.find(ptx::Space::global, address).value_or(address);
    case ptx::Space::generic: break;
  }
  // The windows of every GPU so far are as large as those of traces.
  if (const std::uint64_t offset = address - addresses_.shared_window(); offset < windows.shared_size)
    return windows.shared_base + window_address(ptx::Space::shared, lane, offset, unknown.shared);
  if (const std::uint64_t offset = address - addresses_.local_window(); offset < windows.local_size)
    return windows.local_base + window_address(ptx::Space::local, lane, offset, unknown.local);
  return addresses_.find(ptx::Space::global, address).value_or(address);
}

/// An address that the GPU has chosen: of a variable of the module, or of a function that the lane is in.
std::uint64_t WarpLog::window_address(ptx::Space space, unsigned lane, std::uint64_t address,
                                      std::uint64_t& unknown) const {
  if (const auto found = addresses_.find(space, address)) return *found;
  for (auto at = activations_.rbegin(); at != activations_.rend(); ++at) {
    const std::vector<CodePlace>& places = code_.logged_places[at->function];
    for (std::size_t p = 0; p < at->places.size(); ++p) {
      const std::uint64_t offset = address - at->places[p][lane];
      if (places[p].place.space != space || offset >= places[p].variable->bytes) continue;
      return places[p].place.address + (places[p].in_frame ? at->local : 0) + offset;
    }
  }
  ++unknown;
  return address;
}

LaneMask WarpLog::lanes_at(std::uint32_t block) const {
  LaneMask mask = 0;
  for_each_lane(active_, [&](unsigned lane) {
    if (threads_[lane].block() == block) mask |= LaneMask{1} << lane;
  });
  return mask;
}

/// From the block that the lanes have executed to those that their next records name.
void WarpLog::advance() {
  switch (code_.blocks[block_].last->row().traits.control) {
    case program::Control::branch: return branch();
    case program::Control::call: return call();
    case program::Control::ret: return leave(activation_ == 0);
    case program::Control::exit:
    case program::Control::trap: return leave(true);
    default: stack_.back().block = block_ + 1;
  }
}

void WarpLog::branch() {
  const CodeBlock& block = code_.blocks[block_];
  std::vector<exec::Path> paths;
  LaneMask left = active_;
  // Paths of a table in the order of the lowest lane that takes them; lanes that stay behind the branch last.
  const bool guarded = block.last->guard != no_index;
  while (left != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(left));
    const std::uint32_t next = threads_[first].block();
    const LaneMask same = lanes_at(next);
    left &= ~same;
    paths.push_back({next, same});
  }
  const auto stays = std::find_if(paths.begin(), paths.end(), [&](const auto& path) {
    return guarded && path.block == block_ + 1 &&
           std::find(block.targets.begin(), block.targets.end(), block_ + 1) == block.targets.end();
  });
  if (stays != paths.end()) std::rotate(stays, stays + 1, paths.end());
  for (const auto& [next, mask] : paths) {
    const bool known = std::find(block.targets.begin(), block.targets.end(), next) != block.targets.end();
    if (known || (guarded && next == block_ + 1)) continue;
    const ThreadLog& thread = threads_[static_cast<unsigned>(std::countr_zero(mask))];
    thread.fail(fmt::format("expected a basic block to which block {} of kernel '{}' branches, not {}", block_,
                            code_.statics.name, thread.ended() ? "the end of the log" : fmt::format("block {}", next)));
  }
  if (paths.size() == 1) {
    stack_.back().block = paths[0].block;
  } else {
    exec::part(stack_, code_.program, block_, paths);
  }
}

void WarpLog::call() {
  stack_.back().block = block_ + 1;
  // Functions in the order of the lowest lane that calls them: the first is executed first.
  std::vector<std::pair<std::uint32_t, LaneMask>> calls;
  const auto callees = code_.program.callees(*code_.blocks[block_].last);
  LaneMask left = active_;
  while (left != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(left));
    const LaneMask same = lanes_at(threads_[first].block());
    left &= ~same;
    for (const std::uint32_t callee : callees)
      if (code_.program.first_block[callee] == threads_[first].block()) calls.emplace_back(callee, same);
  }
  for (auto one = calls.rbegin(); one != calls.rend(); ++one) enter_function(one->first, one->second);
}

void WarpLog::enter_function(std::uint32_t function, LaneMask mask) {
  if (activations_.size() > most_activations)
    threads_[static_cast<unsigned>(std::countr_zero(mask))].fail(
        fmt::format("expected at most {} calls that wait for each other", most_activations));
  const Activation& from = activations_[activation_];
  Activation next{function, 0, from.local_end, {}};
  if (code_.program.is_recursive(function)) {
    next.local = from.local_end;
    next.local_end += code_.places.frame_bytes[function];
  }
  activations_.push_back(std::move(next));
  stack_.push_back(
      {code_.program.first_block[function], no_index, mask, true, static_cast<std::uint32_t>(activations_.size() - 1)});
}

/// A return, or the end of threads: of the lanes whose guard holds.
void WarpLog::leave(bool thread_ends) {
  LaneMask left = active_;
  if (code_.blocks[block_].last->guard != no_index) left &= ~lanes_at(block_ + 1);
  stack_.back().block = block_ + 1;
  if (!thread_ends) {
    for (auto level = stack_.rbegin();; ++level) {
      level->mask &= ~left;
      if (level->lowest) break;
    }
    return;
  }
  for_each_lane(left, [&](unsigned lane) {
    const ThreadLog& thread = threads_[lane];
    if (!thread.ended())
      thread.fail(
          fmt::format("expected the end of the log behind basic block {} of kernel '{}', with which the thread "
                      "ends, not block {}",
                      block_, code_.statics.name, thread.block()));
  });
  for (exec::Level& level : stack_) level.mask &= ~left;
}

}  // namespace lockstep::capture
