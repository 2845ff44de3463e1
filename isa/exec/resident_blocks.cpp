#include "isa/exec/resident_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"
#include "isa/program/demangled.hpp"
#include "isa/ptx/control_flow/waiting_loops.hpp"

namespace lockstep::exec {

namespace {

/// Idle rounds before the states of rounds are compared for the first time, and how many are compared with the first.
constexpr std::uint64_t first_check = 4096, longest_period = 64;

/// Where so many idle rounds have executed as many warp instructions as a thread block may, warps poll, and count how often:
/// whoever only reads would have read some 100,000,000 words by then.
constexpr std::uint64_t polling_rounds = 8192;

/// Warp instructions between two reports of progress: some hundredths of a second.
constexpr std::uint64_t report_interval = 2'000'000;

}  // namespace

std::uint64_t default_resident_blocks(std::uint32_t threads_per_block) {
  constexpr std::uint32_t sms = 132, threads_per_sm = 2048, most_blocks_per_sm = 32, warp_threads = lanes;
  const std::uint32_t whole_warps = (threads_per_block + warp_threads - 1) / warp_threads * warp_threads;
  return std::uint64_t{sms} * std::clamp(threads_per_sm / whole_warps, 1u, most_blocks_per_sm);
}

ResidentBlocks::ResidentBlocks(const LaunchContext& context, std::uint64_t most, std::uint64_t& executed)
    : blocks_(program::volume(context.launch->grid)),
      executed_(executed),
      progress_(context.progress),
      instruction_limit_(context.instruction_limit),
      next_check_(first_check) {
  residents_.resize(std::min(most, blocks_));
  for (Resident& resident : residents_) resident.block = std::make_unique<ThreadBlock>(context);
}

std::unique_ptr<trace::ThreadBlockStreams> ResidentBlocks::take(std::uint64_t number) {
  while (ended_.find(number) == ended_.end()) {
    if (residents_.empty()) throw Bug(fmt::format("functional machine: there is no thread block {} to take", number));
    run_round();
  }
  return std::move(ended_.extract(number).mapped());
}

void ResidentBlocks::finish() {
  records_ = false;
  while (!residents_.empty()) run_round();
  ended_.clear();
}

std::uint64_t ResidentBlocks::graph_runs() const {
  std::uint64_t runs = graph_runs_;
  for (const Resident& resident : residents_) runs += resident.block->graph_runs();
  return runs;
}

void ResidentBlocks::begin_next(Resident& resident) {
  resident.number = next_++;
  if (records_) resident.recorder = std::make_unique<trace::Recorder>(resident.block->warp_count(), budget_);
  resident.block->begin(resident.number, resident.recorder.get());
}

void ResidentBlocks::run_round() {
  bool advanced = false, busy = false;
  const std::uint64_t executed_before = executed_;
  for (Resident& resident : residents_) {
    ThreadBlock& block = *resident.block;
    if (block.ended()) {
      if (next_ == blocks_) continue;
      begin_next(resident);
    }
    executed_ += block.take_turn();
    advanced = block.take_advanced() || advanced;
    busy = block.take_busy() || busy;
    if (!block.ended()) continue;
    if (resident.recorder != nullptr) ended_.emplace(resident.number, resident.recorder->finish());
    resident.recorder.reset();
  }
  if (progress_ != nullptr && executed_ >= next_report_) {
    (*progress_)(executed_);
    next_report_ = executed_ + report_interval;
  }
  if (next_ == blocks_) {
    const auto leaves = [](const Resident& resident) { return resident.block->ended(); };
    for (const Resident& resident : residents_)
      if (leaves(resident)) graph_runs_ += resident.block->graph_runs();
    residents_.erase(std::remove_if(residents_.begin(), residents_.end(), leaves), residents_.end());
  }
  look_for_standstill(advanced, busy ? 0 : executed_ - executed_before);
}

/// Rounds in which nothing advances change registers, scratchpad and local memory alone. When these are as they were some rounds
/// before, they will be forever. Where a register counts the rounds, they never are. `polled`: warp instructions of a round in which
/// every warp waits at a barrier or asks for what has not been written.
void ResidentBlocks::look_for_standstill(bool advanced, std::uint64_t polled) {
  if (advanced || residents_.empty()) {
    idle_rounds_ = idle_instructions_ = 0;
    next_check_ = first_check;
    return;
  }
  ++idle_rounds_;
  idle_instructions_ += polled;
  if (idle_rounds_ > polling_rounds && idle_instructions_ > instruction_limit_) {
    report_standstill(
        fmt::format(", or so it seems, as nothing else has happened in {} warp instructions; "
                    "'instruction_limit' in the launch descriptor, {} now, lets them wait longer",
                    idle_instructions_, instruction_limit_));
  }
  if (idle_rounds_ < next_check_) return;
  if (idle_rounds_ == next_check_) {
    checked_state_ = state();
    return;
  }
  if (state() == checked_state_) report_standstill(", and the values that they ask for do not change");
  if (idle_rounds_ == next_check_ + longest_period) next_check_ *= 4;
}

std::size_t ResidentBlocks::state() const {
  std::size_t state = 0;
  for (const Resident& resident : residents_) state = state * 31 + resident.block->state();
  return state;
}

void ResidentBlocks::report_standstill(const std::string& sign) const {
  const ThreadBlock& first = *residents_.front().block;
  std::string remedy;
  if (!ptx::has_independent_threads(*first.kernel().module)) {
    remedy =
        fmt::format("; a thread may wait for one of its own warp in a module for sm_70, but not in this one for {}",
                    first.kernel().module->target);
  }
  if (next_ < blocks_ && first.kernel().communication.order_may_show) {
    remedy += fmt::format(
        "; should they wait for one of the others, 'resident_blocks' in the launch descriptor or `lockstep trace "
        "--resident-blocks {}` makes all resident",
        blocks_);
  }
  throw InputError(fmt::format(
      "kernel '{}': {} thread block{} of {} {} resident and {} forever: no warp writes to global memory{}{}; "
      "thread block {}:{}",
      program::demangled(first.kernel().name), residents_.size(), residents_.size() == 1 ? "" : "s", blocks_,
      residents_.size() == 1 ? "is" : "are", residents_.size() == 1 ? "waits" : "wait", sign, remedy,
      first.number_text(), first.places_of_warps()));
}

}  // namespace lockstep::exec
