// lockstep hash search

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "isa/trace/file.hpp"
#include "models/hash/kernel_hashes.hpp"
#include "models/hash_search/collect.hpp"
#include "models/hash_search/joint_search.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/hash/traces.hpp"

namespace lockstep::cli {

namespace {

using hash::AccessSet;
using hash::KernelAccesses;
using hash::SearchRequest;
using stats::Table;

/// The accesses of one trace.
struct Accesses {
  std::string trace;
  bool train = true;
  std::vector<KernelAccesses> kernels;
};

/// What a search found for a kernel, or for all together ("").
struct Found {
  std::string kernel;
  SearchRequest request;
  hash::SearchResult one;
  hash::JointResult joint;
};

/// What it makes of one trace.
struct Outcome {
  std::string trace, kernel;
  bool train = true;
  std::uint64_t before = 0, after = 0;
  std::optional<std::uint64_t> alone;  ///< Under the hash that is searched for this trace alone.
};

class Command {
 public:
  Command(const HashSearchArguments& arguments, const gpu::GpuSpec& spec)
      : arguments_(arguments), spec_(spec), joint_(arguments.unit == "joint"), line_(arguments.quiet) {
    request_.unit = arguments.unit == "lock" ? hash::Unit::lock : hash::Unit::bank;
    request_.family = arguments.family;
    request_.method = arguments.method;
    for (const hash::SearchMethods& family : hash::search_methods())
      if (family.family == request_.family && request_.method.empty()) request_.method = family.methods.back();
    request_.words = spec.sm.occupancy.scratchpad_bytes / 4;
    request_.steps = arguments.steps;
    request_.seconds = arguments.seconds;
    // A retry of a single warp's lock loop: load-lock, update, store-unlock, and the branch back.
    const scratchpad::Spec& pad = spec.sm.scratchpad;
    costs_.retry = pad.load_lock_latency + pad.store_unlock_latency + 2 * pad.hash_latency +
                   spec.sm.operations[machine::Operation::integer].latency + spec.sm.branch_taken_latency;
    costs_.conflict = (pad.load_pass_spacing + pad.store_pass_spacing) / 2;
  }

  void read() {
    if (arguments_.unit != "bank") require_locks(spec_);
    for (const std::string& trace : arguments_.traces) read(trace, true);
    for (const std::string& trace : arguments_.reports) read(trace, false);
    bank_hash_ = in_use("sm.scratchpad.bank_hash", spec_.sm.scratchpad.bank_hash);
    lock_hash_ = in_use("sm.scratchpad.lock_hash", spec_.sm.scratchpad.lock_hash);
    const std::vector<std::string> searched = kernels();
    for (const Accesses& one : all_) {
      const bool counts = std::any_of(searched.begin(), searched.end(), [&](const std::string& kernel) {
        return !nothing_in(accesses_of(kernel, [&](const Accesses& other) { return &other == &one; }));
      });
      if (one.train || counts) continue;
      const std::string what = arguments_.unit == "bank" ? "access to scratchpad memory" : "atomic that takes a lock";
      throw InputError(SourceLocation{"--report", 0, 0},
                       arguments_.per_kernel
                           ? fmt::format("{} has no {} by a kernel for which a hash is searched", one.trace, what)
                           : fmt::format("{} has no {}: nothing to report", one.trace, what));
    }
  }

  void search() {
    for (const std::string& kernel : kernels()) {
      const AccessSet set = accesses_of(kernel, [](const Accesses& one) { return one.train; });
      if (set.empty()) continue;
      found_.push_back(find(kernel, set));
    }
    if (found_.empty()) throw InputError("no kernel of these traces accesses scratchpad memory");
    for (const Found& found : found_)
      for (const Accesses& one : all_) report(found, one);
    line_.clear();
  }

  std::string json() const;
  std::string text() const;

 private:
  void read(const std::string& trace, bool train) {
    const auto source = trace::open_file(trace);
    require_room(source->header(), spec_);
    hash::CollectOptions options;
    options.kernel = arguments_.kernel;
    options.progress = [&](std::uint64_t done, std::uint64_t blocks) {
      line_.update("read " + trace, static_cast<double>(done) / static_cast<double>(blocks), 0);
    };
    all_.push_back({trace, train,
                    hash::collect_accesses(*source, hash::ServiceRules(spec_.sm.scratchpad), spec_.target, options)});
  }

  /// The present hash of all kernels that will share the hash to find. "" when each gets its own.
  std::string in_use(const char* parameter, const std::string& text) const {
    if (arguments_.per_kernel) return {};
    const hash::KernelHashes hashes(text);
    std::map<std::string, std::string> kernel_of;  // By its hash.
    for (const Accesses& one : all_)
      for (const KernelAccesses& kernel : one.kernels) kernel_of.emplace(hashes.spec_of(kernel.kernel), kernel.kernel);
    if (kernel_of.empty()) return hashes.spec_of(arguments_.kernel);
    const auto first = kernel_of.begin(), last = std::prev(kernel_of.end());
    if (first != last)
      throw InputError(
          fmt::format("{}: kernel {} has the hash {}, but kernel {} has {}: there is no single hash to "
                      "compare with; search with --per-kernel, or set one for all: -s {}=mod",
                      parameter, first->second, first->first, last->second, last->first, parameter));
    return first->first;
  }

  /// Those that get a hash of their own, or "" alone.
  std::vector<std::string> kernels() const {
    std::vector<std::string> names;
    if (!arguments_.per_kernel) return {arguments_.kernel};
    for (const Accesses& one : all_)
      for (const KernelAccesses& kernel : one.kernels)
        if (one.train && std::find(names.begin(), names.end(), kernel.kernel) == names.end())
          names.push_back(kernel.kernel);
    return names;
  }

  template <class Wanted>
  AccessSet accesses_of(const std::string& kernel, Wanted&& wanted) const {
    AccessSet set{hash::ServiceRules(spec_.sm.scratchpad)};
    for (const Accesses& one : all_)
      for (const KernelAccesses& accesses : one.kernels)
        if (wanted(one) && (kernel.empty() || accesses.kernel == kernel)) set.add(accesses.set);
    return set;
  }

  /// Whether there is nothing that the hash makes a difference to.
  bool nothing_in(const AccessSet& set) const {
    return arguments_.unit == "bank" ? set.empty() : set.lock_access_count() == 0;
  }

  Found find(const std::string& kernel, const AccessSet& set) {
    Found found;
    found.kernel = kernel;
    found.request = request_;
    const scratchpad::Spec& pad = spec_.sm.scratchpad;
    found.request.bank_hash = arguments_.per_kernel ? hash::KernelHashes(pad.bank_hash).spec_of(kernel) : bank_hash_;
    found.request.lock_hash = arguments_.per_kernel ? hash::KernelHashes(pad.lock_hash).spec_of(kernel) : lock_hash_;
    found.request.progress = [&](const hash::Effort::Standing& standing) {
      std::string what = kernel.empty() ? "search" : "search " + kernel;
      if (standing.best)
        what += fmt::format(", best so far {}, at least {}", stats::grouped(*standing.best),
                            stats::grouped(standing.bound));
      line_.update(what, standing.fraction, 0);
    };
    line_.begin_stage();
    if (joint_) {
      found.joint = hash::search_joint(set, found.request, costs_);
    } else {
      found.one = hash::search(set, found.request);
    }
    return found;
  }

  /// Conflicts, retries, or for both together their cost in cycles.
  std::uint64_t cost(const AccessSet& set, const Found& found, bool searched) const {
    const SearchRequest& r = found.request;
    if (joint_)
      return hash::joint_cost(set, r, costs_, searched ? found.joint.bank_hash : r.bank_hash,
                              searched ? found.joint.lock_hash : r.lock_hash)
          .cost;
    const bool locks = r.unit == hash::Unit::lock;
    return hash::cost_of(set, r, searched ? found.one.hash : locks ? r.lock_hash : r.bank_hash).conflicts();
  }

  void report(const Found& found, const Accesses& one) {
    const AccessSet set = accesses_of(found.kernel, [&](const Accesses& other) { return &other == &one; });
    if (nothing_in(set)) return;
    Outcome outcome{one.trace, found.kernel, one.train, cost(set, found, false), cost(set, found, true), {}};
    if (arguments_.regret) outcome.alone = cost(set, find(found.kernel, set), true);
    outcomes_.push_back(std::move(outcome));
  }

  /// What was found, as one text for the GPU's parameter: that of the kernels, if each has its own.
  std::string hash_text(bool lock) const {
    const auto spec_of = [&](const Found& found) {
      return joint_ ? lock ? found.joint.lock_hash : found.joint.bank_hash : found.one.hash;
    };
    if (!arguments_.per_kernel) return spec_of(found_[0]);
    std::string all;
    for (const Found& found : found_) all += fmt::format("{}={} ", found.kernel, spec_of(found));
    return all + hash::KernelHashes(lock || arguments_.unit == "lock" ? spec_.sm.scratchpad.lock_hash
                                                                      : spec_.sm.scratchpad.bank_hash)
                     .spec_of("");
  }
  void add_result(stats::JsonWriter& json, const Found& found) const;
  std::string result_text(const Found& found) const;
  std::string outcomes_table() const;

  const HashSearchArguments& arguments_;
  const gpu::GpuSpec& spec_;
  bool joint_;
  SearchRequest request_;
  std::string bank_hash_, lock_hash_;  ///< In use, for a hash of all kernels.
  hash::LockCosts costs_;
  ProgressLine line_;
  std::vector<Accesses> all_;
  std::vector<Found> found_;
  std::vector<Outcome> outcomes_;
};

/// How the search ended, in words.
std::string ending(bool optimal, bool early, bool by_clock) {
  if (optimal) return "proven optimal";
  if (by_clock) return "stopped by the time limit; another run may find another hash";
  if (early) return "stopped by the step limit";
  return "not proven optimal";
}

void add_joint_cost(stats::JsonWriter& json, const char* name, const hash::JointCost& cost) {
  json.key(name).begin_object(true).field("retries", cost.retries).field("conflicts", cost.conflicts);
  json.field("cycles", cost.cost).end_object();
}

/// The fields of one result, into an object that is open.
void Command::add_result(stats::JsonWriter& json, const Found& found) const {
  if (joint_) {
    const hash::JointResult& r = found.joint;
    json.field("hash", r.bank_hash).field("lock_hash", r.lock_hash);
    json.field("conflicts_before", r.before.conflicts).field("conflicts_after", r.after.conflicts);
    json.field("lower_bound", r.lower_bound).field("optimal", r.optimal);
    add_joint_cost(json, "before", r.before);
    add_joint_cost(json, "after", r.after);
    add_joint_cost(json, "separate", r.separate);
    json.field("separate_hash", r.separate_bank_hash).field("separate_lock_hash", r.separate_lock_hash);
    json.field("gain_cycles", r.gain()).field("steps", r.steps);
    json.field("ended_early", r.ended_early).field("ended_by_clock", r.ended_by_clock);
    return;
  }
  const hash::SearchResult& r = found.one;
  json.field("hash", r.hash);
  json.field("conflicts_before", r.conflicts_before()).field("conflicts_after", r.conflicts_after());
  json.field("lower_bound", r.lower_bound - r.without_conflicts).field("optimal", r.optimal);
  json.field("any_mapping_lower_bound", r.least - r.without_conflicts);
  json.field("found", r.found).field("found_conflicts", r.found_cost - r.without_conflicts);
  json.field(found.request.unit == hash::Unit::lock ? "atomics" : "accesses", r.accesses);
  json.key("xor_gates");
  if (r.xor_gates) {
    json.value(*r.xor_gates);
  } else {
    json.null();
  }
  json.field("steps", r.steps).field("tried", r.tried);
  json.field("ended_early", r.ended_early).field("ended_by_clock", r.ended_by_clock);
}

std::string Command::json() const {
  stats::JsonWriter json;
  json.begin_object().field("schema", "lockstep.hash-search/1").field("gpu", spec_.name);
  json.field("unit", arguments_.unit).field("family", request_.family).field("method", request_.method);
  if (arguments_.per_kernel) {
    // Sums over the kernels, and each by itself.
    std::uint64_t before = 0, after = 0, bound = 0;
    bool optimal = true;
    for (const Found& found : found_) {
      before += joint_ ? found.joint.before.conflicts : found.one.conflicts_before();
      after += joint_ ? found.joint.after.conflicts : found.one.conflicts_after();
      bound += joint_ ? found.joint.lower_bound : found.one.lower_bound - found.one.without_conflicts;
      optimal = optimal && (joint_ ? found.joint.optimal : found.one.optimal);
    }
    json.field("hash", hash_text(false));
    if (joint_) json.field("lock_hash", hash_text(true));
    json.field("conflicts_before", before).field("conflicts_after", after);
    json.field("lower_bound", bound).field("optimal", optimal).key("kernels").begin_array();
    for (const Found& found : found_) {
      json.begin_object().field("kernel", found.kernel);
      add_result(json, found);
      json.end_object();
    }
    json.end_array();
  } else {
    add_result(json, found_[0]);
  }
  json.key("traces").begin_array();
  for (const Outcome& one : outcomes_) {
    json.begin_object(true).field("trace", one.trace);
    if (!one.kernel.empty()) json.field("kernel", one.kernel);
    json.field("searched", one.train).field(joint_ ? "cycles_before" : "conflicts_before", one.before);
    json.field(joint_ ? "cycles_after" : "conflicts_after", one.after);
    if (one.alone) {
      // A search with a limit may find less for the trace alone than for all.
      const std::uint64_t alone = std::min(*one.alone, one.after);
      json.field("alone", alone).field("regret", one.after - alone);
    }
    json.end_object();
  }
  json.end_array();
  return json.end_object().take();
}

std::string Command::result_text(const Found& found) const {
  std::string text = found.kernel.empty() ? "" : found.kernel + ": ";
  if (joint_) {
    const hash::JointResult& r = found.joint;
    text += fmt::format("banks {}, locks {}\n", r.bank_hash, r.lock_hash);
    const auto line = [&](const char* name, const hash::JointCost& cost) {
      text += fmt::format("  {}: {} retries, {} bank conflicts, {} cycles of lone warps\n", name,
                          stats::grouped(cost.retries), stats::grouped(cost.conflicts), stats::grouped(cost.cost));
    };
    line("before", r.before);
    line("searched separately", r.separate);
    line("together", r.after);
    return text + fmt::format("  at least {} cycles; {}\n", stats::grouped(r.lower_bound),
                              ending(r.optimal, r.ended_early, r.ended_by_clock));
  }
  const hash::SearchResult& r = found.one;
  const char* const what = found.request.unit == hash::Unit::lock ? "retries" : "conflicts";
  text += fmt::format("{}\n  {} {} before, {} after", r.hash, stats::grouped(r.conflicts_before()), what,
                      stats::grouped(r.conflicts_after()));
  if (r.conflicts_before() > 0)
    text += fmt::format(" ({:.1f} % removed)",
                        100 * static_cast<double>(r.before - r.after) / static_cast<double>(r.conflicts_before()));
  text +=
      fmt::format("; at least {} in this family, {} under any mapping\n",
                  stats::grouped(r.lower_bound - r.without_conflicts), stats::grouped(r.least - r.without_conflicts));
  if (r.found != r.hash)
    text += fmt::format("  found {}, {} {}: not better than the present hash\n", r.found,
                        stats::grouped(r.found_cost - r.without_conflicts), what);
  text += fmt::format("  {} by {}: {}", request_.family, request_.method,
                      ending(r.optimal, r.ended_early, r.ended_by_clock));
  if (r.xor_gates) text += fmt::format("; {} XOR gates", *r.xor_gates);
  return text + fmt::format("; {} steps\n", stats::grouped(r.steps));
}

std::string Command::outcomes_table() const {
  Table table;
  table.column("trace", Table::Align::left);
  if (arguments_.per_kernel) table.column("kernel", Table::Align::left);
  table.column("searched", Table::Align::left);
  const std::string unit = joint_ ? "cycles" : arguments_.unit == "lock" ? "retries" : "conflicts";
  table.column("before", Table::Align::right, unit);
  table.column("after", Table::Align::right, unit);
  if (arguments_.regret) {
    table.column("alone", Table::Align::right, unit);
    table.column("regret", Table::Align::right, unit);
  }
  for (const Outcome& one : outcomes_) {
    std::vector<std::string> row = {one.trace};
    if (arguments_.per_kernel) row.push_back(one.kernel);
    row.insert(row.end(), {one.train ? "yes" : "no", stats::grouped(one.before), stats::grouped(one.after)});
    if (one.alone) {
      const std::uint64_t alone = std::min(*one.alone, one.after);
      row.insert(row.end(), {stats::grouped(alone), stats::grouped(one.after - alone)});
    }
    table.row(row);
  }
  return table.text();
}

std::string Command::text() const {
  std::string text;
  for (const Found& found : found_) text += result_text(found);
  if (arguments_.per_kernel) {
    text += fmt::format("\n{}={}\n", arguments_.unit == "lock" ? "lock_hash" : "bank_hash", hash_text(false));
    if (joint_) text += fmt::format("lock_hash={}\n", hash_text(true));
  }
  if (!arguments_.quiet && (outcomes_.size() > 1 || arguments_.regret)) text += "\n" + outcomes_table();
  return text;
}

}  // namespace

int execute(const HashSearchArguments& arguments, const Invocation&) {
  const std::vector<config::Override> overrides = parse_overrides(arguments);
  for (const config::Override& given : overrides)
    if (given.path.starts_with("args."))
      throw InputError(given.value.where, "arguments are fixed in a trace; give them to `lockstep trace`");
  const gpu::GpuSpec spec = config::load_gpu(arguments.gpu, overrides);
  Command command(arguments, spec);
  const auto start = std::chrono::steady_clock::now();
  command.read();
  command.search();
  print(arguments.json ? command.json() : command.text());
  if (!arguments.quiet)
    note(fmt::format("{:.2f} s", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()));
  return exit_done;
}

}  // namespace lockstep::cli
