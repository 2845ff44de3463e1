#include "isa/exec/thread_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <string_view>

#include "isa/error.hpp"
#include "isa/exec/checks/block_checks.hpp"
#include "isa/exec/control/passing.hpp"
#include "isa/exec/control/splits.hpp"
#include "isa/exec/dataflow/execution.hpp"
#include "isa/exec/mbarriers.hpp"
#include "isa/exec/memory/heap.hpp"
#include "isa/exec/memory/variables.hpp"
#include "isa/exec/print_log.hpp"
#include "isa/program/demangled.hpp"
#include "isa/ptx/control_flow/waiting_loops.hpp"

namespace lockstep::exec {

namespace {

/// Warp instructions after which the next warp gets its turn, so that a warp that waits in a loop for another one
/// does not wait forever. Small, because the trace holds the turns of such loops.
constexpr std::uint64_t slice = 512;

/// The patience of warps that wait at mbarriers, and what it loses in a turn in which other warps ran and nothing advanced: as
/// one of them may ask for what a waiting warp does next, they go on after 16 such turns, or 1,024 others.
constexpr std::uint32_t most_patience = 1024, idle_turn = 64;

std::string text(const program::Dim3& d) {
  return fmt::format("({},{},{})", d[0], d[1], d[2]);
}

program::Dim3 coordinates(std::uint64_t number, const program::Dim3& size) {
  return {static_cast<std::uint32_t>(number % size[0]), static_cast<std::uint32_t>(number / size[0] % size[1]),
          static_cast<std::uint32_t>(number / size[0] / size[1])};
}

}  // namespace

void Storage::resize(std::uint64_t size) {
  constexpr std::size_t alignment = 64;
  bytes.assign(size + alignment, std::byte{0});
  const auto at = reinterpret_cast<std::uintptr_t>(bytes.data());
  data = bytes.data() + ((at + alignment - 1) / alignment * alignment - at);
}

std::uint64_t shared_bytes_of(const Kernel& kernel, const KernelLaunch& launch) {
  const std::uint64_t dynamic = launch.dynamic_shared_bytes;
  return dynamic == 0 ? kernel.static_shared_bytes : kernel.dynamic_shared_offset + dynamic;
}

std::uint64_t reserved_shared_offset(const Kernel& kernel, const KernelLaunch& launch) {
  return aligned(shared_bytes_of(kernel, launch), reserved_shared_alignment);
}

ThreadBlock::ThreadBlock(const LaunchContext& context) : context_(context) {
  const Kernel& decoded = kernel();
  threads_ = static_cast<std::uint32_t>(program::volume(context_.launch->block));
  warps_.resize((threads_ + lanes - 1) / lanes);
  ended_warps_ = warps_.size();
  shared_bytes_ = shared_bytes_of(decoded, *context_.launch);
  reserved_shared_ = reserved_shared_offset(decoded, *context_.launch);
  shared_storage_ = decoded.uses_reserved_shared ? reserved_shared_ + reserved_shared_bytes : shared_bytes_;
  local_stride_ = aligned(decoded.local_bytes, local_alignment);
  frames_.resize(std::uint64_t{decoded.frame_bytes} * warps_.size());
  shared_.resize(shared_storage_);
  local_.resize(local_stride_ * lanes * warps_.size());
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    warp.owner = this;
    warp.index = w;
    warp.frames = frames_.data + std::uint64_t{decoded.frame_bytes} * w;
    warp.stack.reserve(2 * lanes);
    warp.nesting.resize(decoded.functions.size());
    warp.deeper_frames.resize(decoded.functions.size());
    for (const FunctionFrame& function : decoded.functions) {
      fill_constants(function.layout, warp.frames + function.offset);
    }
  }
  if (context_.checks != nullptr) checks_ = std::make_unique<BlockChecks>(*context_.checks, *this);
}

ThreadBlock::~ThreadBlock() = default;

std::uint64_t ThreadBlock::executed(const Warp& warp, const Op& op) const {
  // The whole block of the warp is counted already.
  const Block& block = kernel().blocks[warp.block];
  return executed_ - block.instructions + (op.instruction - block.first_instruction);
}

void ThreadBlock::fill_special_registers(const Warp& warp, const FunctionFrame& function, std::byte* frame) {
  using ptx::SpecialRegister;
  const program::Dim3& size = context_.launch->block;
  const program::Dim3& grid = context_.launch->grid;
  for (const auto& [special, offset] : function.layout.specials()) {
    auto* values = plane<std::uint32_t>(frame, offset);
    const auto all = [&](std::uint32_t value) { std::fill_n(values, lanes, value); };
    const auto each = [&](auto&& value_of_lane) {
      for (unsigned lane = 0; lane < lanes; ++lane) values[lane] = value_of_lane(lane);
    };
    const std::uint32_t first = warp.index * lanes;
    switch (special) {
      case SpecialRegister::tid_x: each([&](unsigned lane) { return (first + lane) % size[0]; }); break;
      case SpecialRegister::tid_y: each([&](unsigned lane) { return (first + lane) / size[0] % size[1]; }); break;
      case SpecialRegister::tid_z: each([&](unsigned lane) { return (first + lane) / size[0] / size[1]; }); break;
      case SpecialRegister::ntid_x: all(size[0]); break;
      case SpecialRegister::ntid_y: all(size[1]); break;
      case SpecialRegister::ntid_z: all(size[2]); break;
      case SpecialRegister::ctaid_x: all(place_[0]); break;
      case SpecialRegister::ctaid_y: all(place_[1]); break;
      case SpecialRegister::ctaid_z: all(place_[2]); break;
      case SpecialRegister::nctaid_x: all(grid[0]); break;
      case SpecialRegister::nctaid_y: all(grid[1]); break;
      case SpecialRegister::nctaid_z: all(grid[2]); break;
      case SpecialRegister::laneid: each([](unsigned lane) { return lane; }); break;
      case SpecialRegister::warpid: all(warp.index); break;
      case SpecialRegister::nwarpid: all(warp_count()); break;
      // Which SM a thread block runs on is decided at replay; a program that reads it gets the first of one.
      case SpecialRegister::smid: all(0); break;
      case SpecialRegister::nsmid: all(1); break;
      case SpecialRegister::gridid: all(context_.number); break;
      case SpecialRegister::lanemask_eq: each([](unsigned lane) { return 1u << lane; }); break;
      case SpecialRegister::lanemask_le: each([](unsigned lane) { return (2u << lane) - 1; }); break;
      case SpecialRegister::lanemask_lt: each([](unsigned lane) { return (1u << lane) - 1; }); break;
      case SpecialRegister::lanemask_ge: each([](unsigned lane) { return ~((1u << lane) - 1); }); break;
      case SpecialRegister::lanemask_gt: each([](unsigned lane) { return ~((2u << lane) - 1); }); break;
      case SpecialRegister::dynamic_smem_size: all(context_.launch->dynamic_shared_bytes); break;
      case SpecialRegister::total_smem_size: all(static_cast<std::uint32_t>(shared_bytes_)); break;
      case SpecialRegister::envreg1: all(static_cast<std::uint32_t>(context_.grid_workspace >> 32)); break;
      case SpecialRegister::envreg2: all(static_cast<std::uint32_t>(context_.grid_workspace)); break;
      case SpecialRegister::reserved_smem_offset_begin:
      case SpecialRegister::reserved_smem_offset_0:
      case SpecialRegister::reserved_smem_offset_1: all(static_cast<std::uint32_t>(reserved_shared_)); break;
      case SpecialRegister::reserved_smem_offset_end:
        all(static_cast<std::uint32_t>(reserved_shared_ + reserved_shared_used));
        break;
      case SpecialRegister::reserved_smem_offset_cap: all(reserved_shared_bytes); break;
      default: break;  // The clocks are written before each instruction that reads one.
    }
  }
}

std::uint64_t ThreadBlock::allocate(std::uint64_t bytes) {
  const std::uint64_t address = context_.heap->allocate(bytes);
  if (checks_ != nullptr && address != 0) checks_->allocated(address, Heap::taken(bytes));
  return address;
}

void ThreadBlock::begin(std::uint64_t number, trace::Recorder* recorder) {
  const Kernel& decoded = kernel();
  recorder_ = recorder;
  number_ = number;
  place_ = coordinates(number, context_.launch->grid);
  instance_ = nullptr;
  executed_ = 0;
  before_turn_ = 0;
  ended_warps_ = 0;
  mbarrier_waits_ = 0;
  patience_ = most_patience;
  barriers_.fill(Barrier{});
  std::memset(shared_.data, 0, shared_storage_);
  if (local_stride_ > 0) std::memset(local_.data, 0, local_stride_ * lanes * warps_.size());
  for (Warp& warp : warps_) {
    const std::uint32_t left = threads_ - warp.index * lanes;
    warp.live = left >= lanes ? ~LaneMask{0} : (LaneMask{1} << left) - 1;
    warp.state = Warp::State::ready;
    for (const FunctionFrame& function : decoded.functions) {
      std::memset(warp.frames + function.offset, 0, function.register_bytes);
      fill_special_registers(warp, function, warp.frames + function.offset);
    }
    warp.local = local_.data + std::uint64_t{warp.index} * lanes * local_stride_;
    warp.local_bytes = decoded.local_bytes;
    warp.local_stride = local_stride_;
    warp.deeper_local = {};
    std::fill(warp.nesting.begin(), warp.nesting.end(), 0);
    for (auto& frames : warp.deeper_frames) frames.clear();
    warp.activations.assign(1, {0, warp.frames, 0, local_stride_, 0, 0, nullptr});
    warp.apart.clear();
    warp.has_turn = false;
    warp.stack.clear();
    warp.stack.push_back({decoded.program.first_block[0], ptx::no_index, warp.live, true, 0});
  }
  if (checks_ != nullptr) checks_->begin();
  for (Warp& warp : warps_) enter_block(warp);
}

/// Turns to the block that the top level names; false when no lane is left.
bool ThreadBlock::enter_block(Warp& warp) {
  while (!warp.stack.empty() || continue_with_others(warp)) {
    const Level& top = warp.stack.back();
    if (top.mask == 0 || top.block == top.reconvergence) {
      if (top.lowest) {
        --warp.nesting[warp.activations.back().function];
        warp.activations.pop_back();
      }
      warp.stack.pop_back();
      continue;
    }
    if (has_left_loop(top, kernel().program)) {
      leave_loops(warp.stack, kernel().program);
      continue;
    }
    const Block& block = kernel().blocks[top.block];
    if (block.checked) {
      if (block.endless) report_endless(warp, block);
      if (take_turns(warp)) continue;
    }
    const Level& entering = warp.stack.back();
    warp.block = entering.block;
    warp.active = entering.mask;
    warp.frame = warp.activations[entering.activation].frame;
    warp.at = kernel().ops.data() + block.first_op;
    warp.end = kernel().ops.data() + block.end_op;
    executed_ += block.instructions;
    if (recorder_ != nullptr) recorder_->block(warp.index, warp.block, warp.active);
    return true;
  }
  warp.state = Warp::State::ended;
  advanced_ = true;
  ++ended_warps_;
  if (ended() && context_.prints != nullptr) context_.prints->end_block(number_);
  leave_barriers(*this);
  if (checks_ != nullptr && ended()) checks_->end();
  return false;
}

void ThreadBlock::enter_function(Warp& warp, const Op& op, const CallSite& site, std::uint32_t caller, LaneMask mask) {
  const FunctionFrame& function = kernel().functions[site.callee];
  const Activation from = warp.activations[caller];
  Activation next{site.callee, warp.frames + function.offset, 0, from.local_end, from.depth, caller, &site};
  if (function.recursive) {
    next.local = from.local_end;
    next.local_end += function.local_bytes;
    if (++next.depth > context_.call_depth || next.local_end > program::most_local_bytes) {
      fail(warp, op, static_cast<unsigned>(__builtin_ctz(mask)),
           fmt::format("stack overflow: depth {} in function '{}', with frames of {} bytes; 'call_depth' in the launch "
                       "descriptor raises the limit of {}",
                       from.depth, kernel().program.functions[site.callee]->name, function.local_bytes,
                       context_.call_depth));
    }
    if (warp.nesting[site.callee] > 0) next.frame = deeper_frame(warp, site.callee, warp.nesting[site.callee]);
    if (next.local_end > warp.local_bytes) grow_local(warp, next.local_end);
    fill_locals(function.layout, next.frame, next.local);
  }
  for (const CallSite::Copy& argument : site.arguments) copy(warp, argument, from, next, mask);
  ++warp.nesting[site.callee];
  warp.activations.push_back(next);
  const auto number = static_cast<std::uint32_t>(warp.activations.size() - 1);
  warp.stack.push_back({site.callee_block, ptx::no_index, mask, true, number});
}

/// The frame of a function's activation while so many others of it have not returned, at least one.
std::byte* ThreadBlock::deeper_frame(Warp& warp, std::uint32_t function, std::uint32_t nesting) {
  std::vector<Storage>& frames = warp.deeper_frames[function];
  if (frames.size() < nesting) {
    const FunctionFrame& of = kernel().functions[function];
    Storage& frame = frames.emplace_back();
    frame.resize(of.layout.bytes());
    fill_constants(of.layout, frame.data);
    fill_special_registers(warp, of, frame.data);
  }
  return frames[nesting - 1].data;
}

void ThreadBlock::grow_local(Warp& warp, std::uint64_t bytes) {
  const std::uint64_t size = std::max(bytes, 2 * warp.local_bytes);
  Storage grown;
  grown.resize(size * lanes);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (warp.local_bytes > 0) std::memcpy(grown.data + lane * size, local(warp, lane), warp.local_bytes);
  }
  warp.deeper_local = std::move(grown);
  warp.local = warp.deeper_local.data;
  warp.local_bytes = warp.local_stride = size;
}

void ThreadBlock::run_slice(Warp& warp) {
  const std::uint64_t stop = executed_ + slice;
  for (;;) {
    const LaneMask active = warp.active;
    std::byte* const frame = warp.frame;
    const Op* const end = warp.end;
    Outcome outcome = Outcome::next;
    for (const Op* op = warp.at; op != end; ++op) {
      const LaneMask mask = active & (predicate(frame, op->guard) ^ op->guard_flip);
      if (op->step == nullptr) {
        if (mask != 0) op->arithmetic.run(frame, op->arithmetic, mask);
        continue;
      }
      outcome = op->step(warp, *op, mask);
      if (outcome >= Outcome::turn_over) {
        warp.at = op + 1;
        return;
      }
    }
    if (outcome != Outcome::jumped) warp.stack.back().block = warp.block + 1;
    if (!enter_block(warp)) return;
    if (executed_ >= stop) {
      busy_ = true;
      return;
    }
  }
}

bool ThreadBlock::run_ready_warps() {
  bool any = false;
  for (Warp& warp : warps_) {
    if (warp.state != Warp::State::ready) continue;
    run_slice(warp);
    any = true;
  }
  return any;
}

bool ThreadBlock::loses_patience(bool any_ran) {
  const std::uint32_t lost = !any_ran ? most_patience : advanced_ || busy_ ? 1 : idle_turn;
  patience_ -= std::min(patience_, lost);
  if (patience_ > 0) return false;
  patience_ = most_patience;
  return true;
}

std::uint64_t ThreadBlock::take_turn() {
  const bool any_ran = run_ready_warps();
  if (!ended()) {
    if (mbarrier_waits_ > 0) {
      if (loses_patience(any_ran)) tell_waiting_warps(*this);
      if (!any_ran) run_ready_warps();
    } else if (!any_ran) {
      report_deadlock();
    }
    if (executed_ > context_.instruction_limit) report_limit();
  }
  return executed_ - std::exchange(before_turn_, executed_);
}

std::size_t ThreadBlock::state() const {
  std::size_t state = patience_;
  const auto add = [&](std::size_t value) { state = state * 31 + value; };
  const auto add_bytes = [&](const Storage& storage) {
    add(std::hash<std::string_view>{}({reinterpret_cast<const char*>(storage.bytes.data()), storage.bytes.size()}));
  };
  for (const Storage* storage : {&frames_, &shared_, &local_}) add_bytes(*storage);
  for (const Warp& warp : warps_) {
    add(static_cast<std::size_t>(warp.state));
    if (warp.state == Warp::State::ended) continue;
    add(static_cast<std::size_t>(warp.at - kernel().ops.data()));
    add_bytes(warp.deeper_local);
    for (const std::vector<Storage>& frames : warp.deeper_frames)
      for (const Storage& frame : frames) add_bytes(frame);
    const auto add_levels = [&](const Levels& levels) {
      for (const Level& level : levels) {
        add(level.block);
        add(level.mask);
      }
    };
    add_levels(warp.stack);
    for (const Split& split : warp.apart) add_levels(split.stack);
  }
  return state;
}

void ThreadBlock::run_graph() {
  const dataflow::Program& program = *context_.launch->graph;
  const std::uint64_t number = place_[0];
  if (instance_ == nullptr) instance_ = std::make_shared<const dataflow::Instance>(program.instance(number));
  dataflow::Memory memory;
  memory.device = context_.memory;
  memory.buffers = *context_.buffers;
  memory.scratchpad = {shared_.data, shared_bytes_};
  memory.thread_block = number;
  memory.stores = context_.graph_stores;
  memory.firing_limit = context_.instruction_limit;
  auto run = std::make_shared<const dataflow::GraphRun>(
      dataflow::execute(program.parts[number % program.parts.size()], instance_, memory));
  ++graph_runs_;
  if (recorder_ != nullptr) recorder_->graph_run(std::move(run));
}

std::string ThreadBlock::place(const Op& op) const {
  const ptx::Module& module = *kernel().module;
  const ptx::Instruction& instruction = kernel().program.instruction(op.instruction);
  const std::string ptx_place =
      fmt::format("{} at {}", instruction.mnemonic(), to_string({module.file, instruction.line, instruction.column}));
  if (instruction.source_line == 0 || instruction.source_file >= module.source_files.size()) return ptx_place;
  return fmt::format("{}:{} ({})", module.source_files[instruction.source_file], instruction.source_line, ptx_place);
}

std::string ThreadBlock::thread_text(const Warp& warp, unsigned lane) const {
  return text(coordinates(std::uint64_t{warp.index} * lanes + lane, context_.launch->block));
}

void ThreadBlock::print(const Warp& warp, unsigned lane, std::string_view text) {
  if (context_.prints == nullptr) return;
  context_.prints->print(number_, warp.index * lanes + lane, text,
                         [&] { return fmt::format("block {} thread {}: ", number_text(), thread_text(warp, lane)); });
}

void ThreadBlock::fail(const Warp& warp, const Op& op, unsigned lane, const std::string& message) const {
  const std::string thread = lane < lanes ? fmt::format(", thread {}", thread_text(warp, lane)) : "";
  throw InputError(fmt::format("{}: kernel '{}', thread block {}{}: {}", place(op), program::demangled(kernel().name),
                               text(place_), thread, message));
}

void ThreadBlock::report_deadlock() const {
  std::string report = fmt::format("barrier deadlock: kernel '{}', thread block {}: no warp can continue",
                                   program::demangled(kernel().name), text(place_));
  std::string ended;
  for (const Warp& warp : warps_) {
    if (warp.state == Warp::State::ended) ended += fmt::format("{}{}", ended.empty() ? "" : ", ", warp.index);
  }
  for (unsigned number = 0; number < barrier_count; ++number) {
    const Barrier& barrier = barriers_[number];
    if (barrier.arrived == 0) continue;
    report += fmt::format("\n  barrier {}: {} of {} threads have arrived", number, barrier.arrived, barrier.expected);
    if (barrier.expected > warps_.size() * lanes) {
      report += fmt::format(" (the thread block has only {} warps, which count as {} threads)", warps_.size(),
                            warps_.size() * lanes);
    }
    for (const Warp& warp : warps_) {
      if (barrier.arrivals[warp.index] > 0) report += fmt::format("\n    warp {} arrived without waiting", warp.index);
      if (warp.state == Warp::State::waiting && warp.barrier == number) {
        report += fmt::format("\n    warp {} waits at {}", warp.index, place(*warp.barrier_op));
      }
    }
  }
  if (!ended.empty()) report += fmt::format("\n  ended without arriving: warps {}", ended);
  throw InputError(report);
}

void ThreadBlock::report_endless(const Warp& warp, const Block& block) const {
  const Op& first = kernel().ops[block.first_op];
  fail(warp, first, static_cast<unsigned>(std::countr_zero(warp.stack.back().mask)),
       "a loop without end: no way leads from here to the end of the kernel");
}

void ThreadBlock::report_limit() const {
  throw InputError(fmt::format(
      "kernel '{}', thread block {} has executed {} warp instructions, more than the limit of {}; it probably loops "
      "without end, or waits for something that never happens: {}a thread block that is not resident. "
      "'instruction_limit' in the launch descriptor sets the limit{}",
      program::demangled(kernel().name), text(place_), executed_, context_.instruction_limit,
      ptx::has_independent_threads(*kernel().module)
          ? ""
          : fmt::format(
                "another thread of the same warp, which a module for {} cannot wait for, one for sm_70 can; or ",
                kernel().module->target),
      places_of_warps()));
}

std::string ThreadBlock::number_text() const {
  return text(place_);
}

std::string ThreadBlock::places_of_warps() const {
  std::string report;
  for (const Warp& warp : warps_) {
    switch (warp.state) {
      case Warp::State::ended: report += fmt::format("\n  warp {} has ended", warp.index); break;
      case Warp::State::waiting:
        if (warp.barrier == at_mbarrier) {
          report += fmt::format("\n  warp {} waits at an mbarrier: {}", warp.index, place(*warp.barrier_op));
          break;
        }
        report += fmt::format("\n  warp {} waits at barrier {}: {}", warp.index, warp.barrier, place(*warp.barrier_op));
        break;
      case Warp::State::ready: report += fmt::format("\n  warp {} is at {}", warp.index, place(*warp.at)); break;
    }
  }
  return report + mbarrier_waits_text(*this);
}

}  // namespace lockstep::exec
