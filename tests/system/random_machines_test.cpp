// GPUs whose parameters are drawn from the ranges that their declarations give: whatever is legal is simulated without a hang or
// a bug, and what is counted adds up.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "isa/random.hpp"
#include "sim/config/parameter.hpp"
#include "tests/system/program.hpp"

namespace lockstep::random_machines_test {

using namespace lockstep::system_test;
using lockstep::Random;
using lockstep::config::Parameter;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

double real(Random& random) {
  return static_cast<double>(random.next() >> 11) * 0x1p-53;
}

/// Between two numbers that are not negative, so that every order of magnitude is as likely.
double spread(Random& random, double low, double high) {
  return std::exp2(std::log2(low + 1) + real(random) * (std::log2(high + 1) - std::log2(low + 1))) - 1;
}

/// An end of the range, near the default, or anything between.
double drawn(Random& random, double low, double high, double usual) {
  switch (random.below(6)) {
    case 0: return low;
    case 1: return random.below(4) == 0 ? high : low;
    case 2:
    case 3: return std::clamp(usual * std::exp2(static_cast<double>(random.below(5)) - 2), low, high);
    default: return spread(random, low, std::min(high, 16 * usual + 64));
  }
}

std::string value_of(Random& random, const Parameter& parameter) {
  const auto& usual = parameter.default_value;
  switch (parameter.type) {
    case Parameter::Type::flag: return random.below(2) == 0 ? "false" : "true";
    case Parameter::Type::whole: {
      const double number =
          drawn(random, static_cast<double>(parameter.minimum), static_cast<double>(parameter.maximum),
                static_cast<double>(std::get<std::uint64_t>(usual)));
      auto whole = static_cast<std::uint64_t>(number);
      if (random.below(2) == 0 && whole > 0) whole = std::uint64_t{1} << static_cast<unsigned>(std::log2(number));
      return std::to_string(std::clamp(whole, parameter.minimum, parameter.maximum));
    }
    case Parameter::Type::number:
      return fmt::format("{}",
                         drawn(random, parameter.number_minimum, parameter.number_maximum, std::get<double>(usual)));
    case Parameter::Type::choice: return parameter.choices[random.below(parameter.choices.size())].name;
    case Parameter::Type::text: break;
  }
  if (parameter.path.ends_with("_hash")) return std::vector{"mod", "xor", "add", "ipoly"}[random.below(4)];
  return lockstep::config::to_text(usual);
}

Settings machine(Random& random) {
  const auto& all = lockstep::config::gpu_parameters();
  Settings settings{{"sms", std::to_string(1 + random.below(4))}};
  for (unsigned n = 1 + random.below(12); n > 0; --n) {
    const Parameter& one = all[random.below(all.size())];
    const auto same = [&](const auto& setting) { return setting.first == one.path; };
    if (one.path != "name" && std::none_of(settings.begin(), settings.end(), same))
      settings.emplace_back(one.path, value_of(random, one));
  }
  return settings;
}

struct Replay {
  int code = 0;
  std::string out, err;
  Json json;
  std::uint64_t count(const std::string& name) const { return value<std::uint64_t>(at(json, "stats"), name); }
};

Replay replay(const TemporaryFolder& folder, const std::string& trace, const std::string& gpu, const Settings& settings,
              const std::string& jobs) {
  std::vector<std::string> words{"replay", trace, "--gpu", gpu, "-j", jobs, "--json", "--quiet"};
  for (const auto& [path, text] : settings) words.insert(words.end(), {"-s", path + "=" + text});
  const std::string out = folder / "out", err = folder / "err";
  const int code = exit_code(start(words, [&] {
    const rlimit seconds{120, 120}, bytes{rlim_t{6} << 30, rlim_t{6} << 30};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_AS, &bytes);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
  }));
  Replay result{code, contents(out), contents(err), {}};
  if (code == 0) {
    result.json = parse_json(result.out);
    const std::size_t wall = result.out.find("\"wall_s\"");  // Is the only line that differs from run to run.
    if (wall != std::string::npos) result.out.erase(wall, result.out.find('\n', wall) - wall);
  }
  return result;
}

/// `has_l2`: for all of global memory. Otherwise there is none, or only what goes through the texture cache looks there.
void check_sums(const Replay& run, const Replay& usual, bool has_l2) {
  std::uint64_t slots = 0;
  for (const auto& [name, counted] : at(run.json, "stats")) {
    if (name.starts_with("sm.issue.") && name != "sm.issue.slots") slots += counted.get_value<std::uint64_t>();
  }
  CHECK(slots == run.count("sm.issue.slots"));
  // What is executed does not depend on the machine.
  for (const char* name : {"sm.warp_instructions", "sm.thread_instructions", "sm.thread_blocks", "sm.scratchpad.loads",
                           "sm.scratchpad.stores", "sm.global.loads", "sm.global.stores", "sm.global.atomics"})
    CHECK(run.count(name) == usual.count(name));
  // Nothing is lost between the SMs, the L2 cache and DRAM.
  const std::uint64_t left = run.count("sm.port.l2_read_requests") + run.count("sm.port.l2_write_requests") +
                             run.count("sm.port.l2_atomic_requests");
  CHECK(run.count("memory.transactions") == left);
  CHECK(run.count("memory.replies") == left);
  CHECK(run.count("sm.tlb.hit") + run.count("sm.tlb.miss") == left);
  CHECK(run.count("memory.tlb.lookups") == run.count("sm.tlb.miss"));
  for (const std::string kind : {"read", "write", "atomic"}) {
    const std::uint64_t all = run.count("memory.l2." + kind + "s");
    CHECK(run.count("sm.port.l2_" + kind + "_requests") == all);
    const std::uint64_t looked_up =
        run.count("memory.l2." + kind + "_hits") + run.count("memory.l2." + kind + "_misses");
    CHECK((has_l2 ? looked_up == all : looked_up <= all));
  }
  const std::uint64_t fills = run.count("memory.l2.fills"), reads = run.count("memory.dram.reads");
  CHECK((has_l2 ? fills == reads : fills <= reads));
  CHECK(run.count("memory.dram.row_hits") + run.count("memory.dram.row_misses") ==
        run.count("memory.dram.reads") + run.count("memory.dram.writes"));
  CHECK(run.count("sm.scratchpad.load_passes") >= run.count("sm.scratchpad.loads"));
}

std::uint64_t passes(const Replay& run) {
  return run.count("sm.scratchpad.load_passes") + run.count("sm.scratchpad.store_passes");
}

/// Draws machines and replays a kernel on each.
void check_machines(std::uint64_t seed, unsigned machines) {
  const TemporaryFolder folder;
  const std::vector<std::string> gpus = {"gtx280", "gtx580", "k20", "gtx750ti", "p100", "v100", "h200"};
  std::vector<std::string> traces;
  for (const std::vector<std::string>& kernel :
       {std::vector<std::string>{"vector-add", "args.length=2048", "args.blocks=4"},
        {"histogram", "args.input=uniform", "args.length=4096", "args.blocks=2", "args.threads=128"},
        {"reduction", "args.length=4096"},
        {"micro-constant", "args.length=64"}}) {
    std::vector<std::string> words{"trace", kernel[0], "-o", folder / (kernel[0] + ".trace"), "--quiet"};
    for (std::size_t i = 1; i < kernel.size(); ++i) words.insert(words.end(), {"-s", kernel[i]});
    const Outcome traced = run(words);
    INFO(traced.err);
    REQUIRE(traced.code == 0);
    traces.push_back(folder / (kernel[0] + ".trace"));
  }
  std::map<std::string, Replay> usual;
  for (const std::string& trace : traces) usual[trace] = replay(folder, trace, "gtx580", {}, "1");
  Random random(seed);
  unsigned simulated = 0;
  for (unsigned number = 0; number < machines; ++number) {
    const std::string gpu = gpus[random.below(gpus.size())], trace = traces[random.below(traces.size())];
    Settings settings = machine(random);
    std::string shown = fmt::format("replay {} --gpu {}", trace, gpu);
    for (const auto& [path, text] : settings) shown += fmt::format(" -s {}='{}'", path, text);
    const Replay one = replay(folder, trace, gpu, settings, "1");
    INFO(shown << "\n" << one.err);
    CHECK((one.code == 0 || one.code == 2));
    if (one.code != 0) continue;
    ++simulated;
    const bool l2_taken_away = std::any_of(settings.begin(), settings.end(), [](const auto& setting) {
      return setting == std::pair<std::string, std::string>{"memory.l2.cache.bytes", "0"} ||
             setting == std::pair<std::string, std::string>{"memory.l2.texture_only", "true"};
    });
    check_sums(one, usual[trace], gpu != "gtx280" && !l2_taken_away);
    CHECK(replay(folder, trace, gpu, settings, "2").out == one.out);
    std::erase_if(settings, [](const auto& setting) { return setting.first.starts_with("sm.scratchpad.bank"); });
    settings.emplace_back("sm.scratchpad.bank_hash", "mod");
    settings.emplace_back("sm.scratchpad.banks", "8");
    const Replay few = replay(folder, trace, gpu, settings, "1");
    settings.back().second = "16";
    const Replay many = replay(folder, trace, gpu, settings, "1");
    if (few.code == 0 && many.code == 0) CHECK(passes(many) <= passes(few));
  }
  CHECK(simulated > machines / 4);
}

}  // namespace

TEST_CASE("Some dozen machines that are drawn at random lose nothing, and run the same on any number of threads") {
  check_machines(1, 40);
}

TEST_CASE("A thousand and a half machines that are drawn at random lose nothing", "[nightly]") {
  check_machines(2, 1500);
}

}  // namespace lockstep::random_machines_test
