// Every column: name, unit, one line of text, and what it shows.

#include "sim/experiment/columns/declarations.hpp"

#include <algorithm>

#include "sim/config/parameter.hpp"
#include "sim/experiment/columns/gain.hpp"
#include "sim/experiment/point.hpp"
#include "sim/experiment/result.hpp"
#include "sim/stats/catalog.hpp"

namespace lockstep::experiment {

namespace {

using Group = Column::Group;
using Columns = std::vector<Column>;

Shown shown(const std::optional<double>& number) {
  return number ? Shown(*number) : Shown();
}

/// The SPECs that the point's named hashes came to.
std::string hash_text(const PointResult& result) {
  std::string text;
  for (const SettledHash& hash : result.hashes) text += (text.empty() ? "" : "; ") + hash.spec;
  return text.empty() ? "-" : text;
}

void declare_run(Columns& all) {
  const auto add = [&all](const char* name, const char* unit, const char* text, bool of_run, auto read) {
    all.push_back({name, unit, text, Group::run, read, of_run});
  };
  const auto add_text = [&all, add](const char* name, const char* text, bool of_run, auto read) {
    add(name, "", text, of_run, read);
    all.back().is_text = true;
  };
  // Only a replay has warps and a time; a probe has cycles as well.
  const auto replayed = [](const Row& row) { return !row.result.statistics.empty(); };
  add_text("gpu", "Name of the GPU", true, [](const Row& row) -> Shown { return row.run.gpu.name; });
  add_text("workload", "Name of the workload", true, [](const Row& row) -> Shown { return row.result.workload; });
  add_text("status", "done; failed: the output is not the expected one; refused: the input is wrong; missing", true,
           [](const Row& row) -> Shown { return std::string(name_of(row.result.status)); });
  add_text("hash", "The SPECs that the named hashes came to", false,
           [](const Row& row) -> Shown { return hash_text(row.result); });
  all.back().of_hashes = true;
  add("cycles", "cycles", "Cycles of all launches, or of an access pattern", false,
      [replayed](const Row& row) -> Shown {
        return replayed(row) || row.result.probe ? Shown(row.result.cycles) : Shown();
      });
  add("time_ms", "ms", "Time of all launches", false,
      [replayed](const Row& row) { return replayed(row) ? Shown(row.result.time_ms) : Shown(); });
  add("warp_instructions", "instructions", "Warp instructions of all launches", false,
      [replayed](const Row& row) { return replayed(row) ? Shown(row.result.warp_instructions) : Shown(); });
  add("wall_s", "s", "How long the simulator took", false, [](const Row& row) -> Shown { return row.result.wall_s; });
  all.back().is_left_out = true;
  add("time_s", "s", "Time of all launches", false,
      [replayed](const Row& row) { return replayed(row) ? Shown(row.result.time_ms / 1e3) : Shown(); });
  all.back().is_left_out = true;
}

void declare_statistics(Columns& all) {
  for (std::size_t i = 0; i < stats::statistics().size(); ++i) {
    const stats::Statistic& one = stats::statistics()[i];
    all.push_back({one.name, one.unit, one.text, Group::statistic, [i](const Row& row) -> Shown {
                     return i < row.result.statistics.size() ? Shown(row.result.statistics[i]) : Shown();
                   }});
  }
}

void declare_derived(Columns& all) {
  for (std::size_t i = 0; i < stats::derived_statistics().size(); ++i) {
    const stats::Derived& one = stats::derived_statistics()[i];
    all.push_back({"derived." + one.name, one.unit, one.text, Group::derived, [i](const Row& row) -> Shown {
                     return i < row.result.derived.size() ? shown(row.result.derived[i]) : Shown();
                   }});
  }
}

void declare_gains(Columns& all) {
  all.push_back({"derived.speedup", "",
                 "Time of the baseline's point, or of the best reference, over the time of this one", Group::gain,
                 [](const Row& row) { return shown(row.gain.speedup); }});
  all.back().is_speedup = true;
  all.push_back({"derived.conflicts_removed", "",
                 "Share of the scratchpad bank conflicts of the baseline's point that are removed", Group::gain,
                 [](const Row& row) { return shown(row.gain.conflicts_removed); }});
}

void declare_hashes(Columns& all) {
  const auto add = [&all](const char* name, const char* unit, const char* text, auto read) {
    all.push_back({name, unit, text, Group::hash, [read](const Row& row) -> Shown {
                     return row.hash < row.result.hashes.size() ? read(row.result.hashes[row.hash]) : Shown();
                   }});
    all.back().of_hashes = true;
  };
  using Hash = const SettledHash&;
  add("hash.cost", "passes",
      "Passes over the banks (or retries of lock loops) with the named hash, as the search counts them: warps one by "
      "one",
      [](Hash h) -> Shown { return h.cost; });
  add("hash.conflicts", "passes", "Passes (or retries) beyond those of requests without conflicts",
      [](Hash h) -> Shown { return h.cost - h.without_conflicts; });
  add("hash.least", "passes", "Passes (or retries) that no mapping of any kind can avoid",
      [](Hash h) -> Shown { return h.least; });
  add("hash.lower_bound", "passes", "Passes (or retries) that no hash of the searched family can avoid",
      [](Hash h) -> Shown { return h.lower_bound; });
  add("hash.above_least", "", "Cost above what no mapping can avoid, relative to that", [](Hash h) -> Shown {
    if (h.least == 0) return {};
    return static_cast<double>(h.cost - h.least) / static_cast<double>(h.least);
  });
  add("hash.optimal", "", "1 when the cost meets the lower bound",
      [](Hash h) -> Shown { return std::uint64_t{h.optimal}; });
  add("hash.xor_gates", "gates", "Two-input XOR gates of a linear hash, each target bit by itself",
      [](Hash h) -> Shown { return h.xor_gates ? Shown(std::uint64_t{*h.xor_gates}) : Shown(); });
}

void declare_references(Columns& all) {
  const auto add = [&all](std::string name, const std::string& unit, const std::string& text, Group group, auto read) {
    all.push_back({std::move(name), unit, text, group, [read](const Row& row) -> Shown {
                     const ReferenceResult* best = best_reference(row.result);
                     return best == nullptr ? Shown() : read(*best);
                   }});
  };
  using Best = const ReferenceResult&;
  add("reference.name", "", "The fastest of the runs that the point is compared with: workload and settings",
      Group::reference, [](Best best) -> Shown { return best.name; });
  all.back().is_text = true;
  add("reference.gpu", "", "Its GPU", Group::reference, [](Best best) -> Shown { return best.gpu; });
  all.back().is_text = true;
  add("reference.cycles", "cycles", "Its cycles", Group::reference, [](Best best) -> Shown { return best.cycles; });
  add("reference.time_ms", "ms", "Its time", Group::reference, [](Best best) -> Shown { return best.time_ms; });
  for (std::size_t i = 0; i < stats::derived_statistics().size(); ++i) {
    const stats::Derived& one = stats::derived_statistics()[i];
    add("reference.derived." + one.name, one.unit, one.text, Group::reference_derived,
        [i](Best best) { return i < best.derived.size() ? shown(best.derived[i]) : Shown(); });
  }
}

void declare_clock(Columns& all) {
  const auto add = [&all](const char* name, const char* unit, const char* text, auto read) {
    Column clock{name, unit, text, Group::clock, [read](const Row& row) -> Shown {
                   return row.result.clock.warps == 0 ? Shown() : read(row.result.clock);
                 }};
    clock.absent = "the kernel does not read the clock register twice";
    all.push_back(std::move(clock));
  };
  using Clock = const gpu::ClockTimes&;
  const auto mean = [](std::uint64_t sum, Clock c) { return static_cast<double>(sum) / static_cast<double>(c.warps); };
  add("clock", "cycles", "As derived.clock", [mean](Clock c) -> Shown { return mean(c.cycles, c); });
  add("clock_first", "cycles", "From a warp's first read of the clock register to its second; mean over the warps",
      [mean](Clock c) -> Shown { return mean(c.first, c); });
  add("clock_min", "cycles", "The least that a warp times itself", [](Clock c) -> Shown { return c.least; });
  add("clock_max", "cycles", "The most that a warp times itself", [](Clock c) -> Shown { return c.most; });
  add("clock_span", "cycles", "As derived.clock_span", [](Clock c) -> Shown { return c.span; });
  add("clock_first_warp", "cycles", "What warp 0 of thread block 0 times itself",
      [](Clock c) -> Shown { return c.first_warp; });
  add("clock_warps", "warps", "Warps that time something", [](Clock c) -> Shown { return c.warps; });
}

void declare_residency(Columns& all) {
  const auto add = [&all](const char* name, const char* unit, const char* text, auto read) {
    all.push_back({name, unit, text, Group::residency, [read](const Row& row) -> Shown {
                     if (row.result.launches.empty()) return {};
                     return std::uint64_t{read(row.result.launches.back().occupancy)};
                   }});
  };
  add("resident.blocks", "blocks", "Thread blocks of the last launch that fit on an SM",
      [](const gpu::Occupancy& o) { return o.blocks; });
  add("resident.warps", "warps", "Their warps", [](const gpu::Occupancy& o) { return o.warps; });
}

void declare_probe(Columns& all) {
  const auto add = [&all](const char* name, const char* unit, const char* text, auto read) {
    all.push_back({name, unit, text, Group::probe,
                   [read](const Row& row) -> Shown { return row.result.probe ? read(*row.result.probe) : Shown(); }});
  };
  using Probe = const probe::Result&;
  add("iterations", "iterations", "Of the lock loop, of the warp that took most",
      [](Probe p) -> Shown { return std::uint64_t{p.iterations}; });
  add("bank_degree", "", "Bank conflict degree of the pattern",
      [](Probe p) -> Shown { return std::uint64_t{p.bank_degree}; });
  add("lock_degree", "", "Lock conflict degree of the pattern",
      [](Probe p) -> Shown { return std::uint64_t{p.lock_degree}; });
  add("position_degree", "", "Position conflict degree of the pattern",
      [](Probe p) -> Shown { return std::uint64_t{p.position_degree}; });
  add("analytic_cycles", "cycles", "Of the closed-form model",
      [](Probe p) -> Shown { return p.analytic_cycles ? Shown(std::uint64_t{*p.analytic_cycles}) : Shown(); });
}

void declare_parameters(Columns& all) {
  for (const config::Parameter& parameter : config::gpu_parameters()) {
    const bool is_statistic =
        std::any_of(all.begin(), all.end(), [&](const Column& other) { return other.name == parameter.path; });
    if (is_statistic) continue;  // The statistic has the name; the parameter can still be swept.
    all.push_back(
        {parameter.path, parameter.unit, parameter.text, Group::parameter,
         [get = parameter.get](const Row& row) -> Shown {
           const config::Setting setting = get(row.run.gpu);
           if (const auto* flag = std::get_if<bool>(&setting)) return std::uint64_t{*flag};
           if (const auto* whole = std::get_if<std::uint64_t>(&setting)) return *whole;
           if (const auto* number = std::get_if<double>(&setting)) return *number;
           return std::get<std::string>(setting);
         },
         true, parameter.type == config::Parameter::Type::choice || parameter.type == config::Parameter::Type::text});
  }
}

}  // namespace

std::vector<Column> declared_columns() {
  Columns all;
  declare_run(all);
  declare_statistics(all);
  declare_derived(all);
  declare_gains(all);
  declare_hashes(all);
  declare_references(all);
  declare_clock(all);
  declare_residency(all);
  declare_probe(all);
  declare_parameters(all);
  return all;
}

}  // namespace lockstep::experiment
