// lockstep hash count

#include <fmt/format.h>

#include "isa/trace/file.hpp"
#include "models/hash/kernel_hashes.hpp"
#include "models/hash_search/collect.hpp"
#include "models/hash_search/lock_loop.hpp"
#include "models/hash_search/objective.hpp"
#include "models/scratchpad/scratchpad.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/hash/traces.hpp"

namespace lockstep::cli {

namespace {

using stats::Table;

/// What one hash does to a kernel. Bank: requests, passes, and passes beyond the first of a request. Lock: atomics,
/// iterations of their lock loops, and iterations beyond the first.
struct Count {
  std::uint64_t accesses = 0, served = 0, least = 0;

  std::uint64_t conflicts() const { return served - accesses; }
  Count& operator+=(const Count& other) {
    accesses += other.accesses;
    served += other.served;
    least += other.least;
    return *this;
  }
};

/// Conflicts that are gone, of those of the baseline; none when that has none.
std::optional<double> removed_percent(const Count& count, const Count& baseline) {
  if (baseline.conflicts() == 0) return std::nullopt;
  const auto before = static_cast<double>(baseline.conflicts()), after = static_cast<double>(count.conflicts());
  return 100 * (before - after) / before;
}

/// The counts of one kernel of one trace, or of all, by hash.
struct Group {
  std::string trace, kernel;
  std::vector<Count> counts;
};

class Counter {
 public:
  Counter(const gpu::GpuSpec& spec, bool locks) : spec_(spec.sm.scratchpad), locks_(locks) {
    bytes_ = spec.sm.occupancy.scratchpad_bytes;
  }

  Count count(const hash::KernelAccesses& accesses, const std::string& hashes) const {
    scratchpad::Spec spec = spec_;
    (locks_ ? spec.lock_hash : spec.bank_hash) = hashes;
    const scratchpad::Maps maps = scratchpad::make_maps(spec, bytes_, accesses.kernel);
    Count count;
    if (locks_) {
      count.accesses = accesses.set.lock_access_weight();
      count.served = count.accesses + hash::count_lock_loops(accesses.set, maps.locks, maps.banks).retries;
      count.least = count.accesses + hash::least_retries(accesses.set);
      return count;
    }
    const hash::AccessSet trips = hash::with_lock_trips(accesses.set, maps.locks);
    count.accesses = trips.request_weight();
    count.served = hash::count_passes(trips, maps.banks);
    count.least = hash::least_passes(trips);
    return count;
  }

 private:
  scratchpad::Spec spec_;
  bool locks_;
  std::uint64_t bytes_ = 0;
};

std::string table_text(const std::vector<Group>& groups, const std::vector<std::string>& hashes, bool locks,
                       bool several_traces) {
  Table table;
  if (several_traces) table.column("trace", Table::Align::left);
  table.column("kernel", Table::Align::left);
  table.column("hash", Table::Align::left);
  table.column(locks ? "atomics" : "accesses", Table::Align::right);
  table.column(locks ? "iterations" : "passes", Table::Align::right);
  table.column(locks ? "retries" : "conflicts", Table::Align::right);
  table.column("removed", Table::Align::right, "%");
  table.column("at least", Table::Align::right, locks ? "iterations" : "passes");
  for (const Group& group : groups)
    for (std::size_t h = 0; h < hashes.size(); ++h) {
      const Count& count = group.counts[h];
      const std::optional<double> removed = removed_percent(count, group.counts[0]);
      std::vector<std::string> row;
      if (several_traces) row.push_back(group.trace);
      row.insert(row.end(), {group.kernel, hashes[h], stats::grouped(count.accesses), stats::grouped(count.served),
                             stats::grouped(count.conflicts()), removed ? fmt::format("{:.1f}", *removed) : "-",
                             stats::grouped(count.least)});
      table.row(row);
    }
  return table.text();
}

void add_counts(stats::JsonWriter& json, const Group& group, const std::vector<std::string>& hashes, bool locks) {
  json.key("hashes").begin_array();
  for (std::size_t h = 0; h < hashes.size(); ++h) {
    const Count& count = group.counts[h];
    json.begin_object(true).field("hash", hashes[h]).field(locks ? "atomics" : "accesses", count.accesses);
    json.field(locks ? "iterations" : "passes", count.served).field(locks ? "retries" : "conflicts", count.conflicts());
    json.field("removed_pct", removed_percent(count, group.counts[0])).field("lower_bound", count.least).end_object();
  }
  json.end_array();
}

}  // namespace

int execute(const HashCountArguments& arguments, const Invocation&) {
  const std::vector<config::Override> overrides = parse_overrides(arguments);
  for (const config::Override& given : overrides)
    if (given.path.starts_with("args."))
      throw InputError(given.value.where, "arguments are fixed in a trace; give them to `lockstep trace`");
  const gpu::GpuSpec spec = config::load_gpu(arguments.gpu, overrides);
  const bool locks = arguments.unit == "lock";
  if (locks) require_locks(spec);

  // The baseline comes first: shares are relative to it.
  std::vector<std::string> hashes = {"mod"};
  for (const std::string& given : arguments.hashes) {
    if (given != "mod") hashes.push_back(given);
    try {
      const hash::KernelHashes per_kernel(given);
      for (const auto& [kernel, hash] : per_kernel.all())
        hash::make_address_map(hash, locks ? spec.sm.scratchpad.locks : spec.sm.scratchpad.banks,
                               spec.sm.occupancy.scratchpad_bytes / (locks ? 4 : spec.sm.scratchpad.bank_bytes));
    } catch (const InputError& error) {
      throw InputError(fmt::format("--hash: {}", error.what()));
    }
  }

  const Counter counter(spec, locks);
  std::vector<Group> groups;
  Group all{"all", "all", std::vector<Count>(hashes.size())};
  ProgressLine line(arguments.quiet);
  std::set<std::string> kernels;
  for (const std::string& trace : arguments.traces) {
    const auto source = trace::open_file(trace);
    require_room(source->header(), spec);
    add_kernels(source->header(), kernels);
    hash::CollectOptions options;
    options.progress = [&](std::uint64_t done, std::uint64_t blocks) {
      line.update(trace, static_cast<double>(done) / static_cast<double>(blocks), 0);
    };
    for (const hash::KernelAccesses& accesses :
         hash::collect_accesses(*source, hash::ServiceRules(spec.sm.scratchpad), spec.target, options)) {
      Group group{trace, accesses.kernel, {}};
      for (std::size_t h = 0; h < hashes.size(); ++h) {
        group.counts.push_back(counter.count(accesses, hashes[h]));
        all.counts[h] += group.counts[h];
      }
      groups.push_back(std::move(group));
    }
  }
  line.clear();
  for (const std::string& given : arguments.hashes)
    if (!arguments.quiet) note_unknown_kernels("--hash", given, kernels);

  if (arguments.json) {
    stats::JsonWriter json;
    json.begin_object().field("schema", "lockstep.hash-count/1").field("gpu", spec.name).field("unit", arguments.unit);
    json.key("kernels").begin_array();
    for (const Group& group : groups) {
      json.begin_object().field("trace", group.trace).field("kernel", group.kernel);
      add_counts(json, group, hashes, locks);
      json.end_object();
    }
    json.end_array();
    add_counts(json, all, hashes, locks);
    print(json.end_object().take());
    return exit_done;
  }
  if (groups.size() != 1) groups.push_back(all);
  print(table_text(groups, hashes, locks, arguments.traces.size() > 1));
  return exit_done;
}

}  // namespace lockstep::cli
