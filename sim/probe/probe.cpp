#include "sim/probe/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/error.hpp"
#include "isa/trace/composed_trace.hpp"
#include "models/analytic/latency_estimate.hpp"
#include "models/analytic/state_machine.hpp"
#include "models/scratchpad/scratchpad.hpp"

namespace lockstep::probe {

namespace {

using machine::Operation;
using program::AccessKind;
using program::Control;
using program::MemorySpace;

constexpr std::uint32_t word_bytes = 4;

/// The kernel: a barrier when there are several warps, the access, and an exit that waits for what the access yields.
struct Kernel {
  trace::ComposedTrace trace{"probe"};
  std::uint32_t first = 0, end = 0;  ///< The access is the static instructions [first, end); behind it stands the exit.

  Kernel(const gpu::GpuSpec& spec, AccessOperation operation, const std::vector<analytic::WarpAccess>& patterns,
         std::uint32_t warps) {
    trace.launch().block = {32 * warps, 1, 1};
    trace.launch().dynamic_shared_bytes = static_cast<std::uint32_t>(scratchpad_words(spec) * word_bytes);
    const std::uint32_t address = trace.reg(), value = trace.reg();
    trace.kernel().live_registers = 2;
    std::vector<std::uint32_t> result;
    int accesses = 1;
    if (warps > 1) trace.control("bar.sync", Control::barrier);
    first = static_cast<std::uint32_t>(trace.kernel().instructions.size());
    switch (operation) {
      case AccessOperation::load:
        trace.access("ld.shared.u32", AccessKind::load, MemorySpace::shared, {value}, {address});
        result = {value};
        break;
      case AccessOperation::store:
        trace.access("st.shared.u32", AccessKind::store, MemorySpace::shared, {}, {address, value});
        break;
      case AccessOperation::read_modify_write:
        trace.access("ld.shared.u32", AccessKind::load, MemorySpace::shared, {value}, {address});
        trace.add("add.u32", {value}, {value});
        trace.access("st.shared.u32", AccessKind::store, MemorySpace::shared, {}, {address, value});
        accesses = 2;
        break;
      case AccessOperation::atomic:
        trace.access("atom.shared.add.u32", AccessKind::atomic, MemorySpace::shared, {value}, {address, value});
        result = {value};
        break;
    }
    end = static_cast<std::uint32_t>(trace.kernel().instructions.size());
    trace.control("exit", Control::exit, result);

    trace.execute = [=](std::uint64_t, std::uint32_t warp, trace::ComposedTrace::Script script) {
      const analytic::WarpAccess& access = patterns[warp % patterns.size()];
      std::array<std::uint64_t, 32> bytes{};
      std::transform(access.word.begin(), access.word.end(), bytes.begin(),
                     [](std::uint64_t word) { return word * word_bytes; });
      script.enter(0);
      for (int n = 0; n < accesses; ++n) script.touch(access.mask, bytes.data());
    };
  }
};

/// Issues of the access by one warp, and the issue of the exit behind them.
struct Way {
  std::vector<gpu::Issue> accesses;
  Cycle end = 0;
};

std::vector<Step> steps_of(const Way& way, const analytic::Layout& layout, const analytic::WarpAccess& access) {
  std::vector<Step> steps;
  for (std::size_t n = 0; n < way.accesses.size(); ++n) {
    const gpu::Issue& issue = way.accesses[n];
    const Cycle next = n + 1 < way.accesses.size() ? way.accesses[n + 1].cycle : way.end;
    Step step{issue.operation, issue.lanes, issue.acquired, 0, next - issue.cycle};
    if (machine::unit_of(issue.operation) == machine::Unit::load_store) {
      analytic::WarpAccess part = access;
      part.mask = issue.lanes;
      step.degree = analytic::bank_conflict_degree(layout, part);
    }
    steps.push_back(step);
  }
  return steps;
}

void estimate(Result& result, const gpu::GpuSpec& spec, AccessOperation operation, const analytic::Layout& layout,
              const analytic::WarpAccess& access) {
  switch (operation) {
    case AccessOperation::load: result.analytic_cycles = load_latency(spec.analytic, layout, access); return;
    case AccessOperation::store: result.analytic_cycles = store_latency(spec.analytic, layout, access); return;
    case AccessOperation::read_modify_write:
      result.analytic_cycles = read_modify_write_latency(spec.analytic, layout, access);
      return;
    case AccessOperation::atomic: break;
  }
  if (const auto atomic = atomic_latency(spec.analytic, layout, access)) result.analytic_cycles = atomic->cycles;
  result.state_machine_cycles = state_machine_latency(spec.analytic.state_machine, layout, access);
}

}  // namespace

std::uint64_t scratchpad_words(const gpu::GpuSpec& spec) {
  return spec.sm.occupancy.scratchpad_bytes_per_block / spec.sm.occupancy.scratchpad_unit *
         spec.sm.occupancy.scratchpad_unit / word_bytes;
}

analytic::Layout layout_of(const gpu::GpuSpec& spec) {
  const scratchpad::Spec& scratchpad = spec.sm.scratchpad;
  const std::uint64_t bytes = spec.sm.occupancy.scratchpad_bytes;
  scratchpad::Maps maps = scratchpad::make_maps(scratchpad, bytes, "");
  return {std::move(maps.banks), std::move(maps.locks),
          static_cast<std::uint32_t>(std::countr_zero(scratchpad.bank_bytes / word_bytes))};
}

Result measure(const gpu::GpuSpec& spec, AccessOperation operation, const analytic::WarpAccess& access,
               std::uint32_t warps) {
  return measure(spec, operation, std::vector<analytic::WarpAccess>{access}, warps);
}

Result measure(const gpu::GpuSpec& spec, AccessOperation operation, const std::vector<analytic::WarpAccess>& accesses,
               std::uint32_t warps) {
  const auto is_idle = [](const analytic::WarpAccess& pattern) { return pattern.mask == 0; };
  if (accesses.empty() || std::any_of(accesses.begin(), accesses.end(), is_idle))
    throw InputError("a probe needs at least one active lane");
  if (const std::uint32_t most = spec.sm.occupancy.threads_per_block / 32; warps == 0 || warps > most)
    throw InputError(fmt::format("{} warps; a thread block of {} has 1 to {}", warps, spec.name, most));
  gpu::GpuSpec one_sm = spec;
  one_sm.sms = 1;
  const analytic::WarpAccess& access = accesses.front();
  Kernel kernel(spec, operation, accesses, warps);
  std::vector<gpu::Issue> issues;
  gpu::Options options;
  options.issues = &issues;
  gpu::simulate(one_sm, kernel.trace, options);

  std::vector<Way> ways(warps);
  for (const gpu::Issue& issue : issues) {
    if (issue.instruction >= kernel.first && issue.instruction < kernel.end)
      ways[issue.warp].accesses.push_back(issue);
    else if (issue.instruction == kernel.end)
      ways[issue.warp].end = issue.cycle;
  }
  const auto starts_earlier = [](const Way& a, const Way& b) {
    return a.accesses.front().cycle < b.accesses.front().cycle;
  };
  const Cycle start = std::min_element(ways.begin(), ways.end(), starts_earlier)->accesses.front().cycle;
  const auto last =
      std::max_element(ways.begin(), ways.end(), [](const Way& a, const Way& b) { return a.end < b.end; });

  const analytic::Layout layout = layout_of(spec);
  Result result;
  result.cycles = last->end - start;
  result.bank_degree = bank_conflict_degree(layout, access);
  result.lock_degree = lock_conflicts(layout, access).degree;
  result.position_degree = position_conflict_degree(access);
  result.iterations = 1;
  for (const Way& way : ways) {
    const auto asked = std::count_if(way.accesses.begin(), way.accesses.end(),
                                     [](const gpu::Issue& i) { return i.operation == Operation::load_lock; });
    result.iterations = std::max(result.iterations, static_cast<std::uint32_t>(asked));
  }
  result.last_warp = static_cast<std::uint32_t>(last - ways.begin());
  result.last_warp_waited = last->accesses.front().cycle - start;
  result.steps = steps_of(*last, layout, access);
  if (warps == 1) estimate(result, spec, operation, layout, access);
  return result;
}

}  // namespace lockstep::probe
