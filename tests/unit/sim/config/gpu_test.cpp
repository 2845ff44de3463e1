#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

#include "sim/config/parameter.hpp"

#include "tests/places.hpp"

namespace lockstep::gpu_test {

using namespace lockstep::config;
using Catch::Matchers::Contains;

namespace {

gpu::GpuSpec read(const std::string& yaml, const std::vector<std::string>& options = {}) {
  std::vector<Override> overrides;
  for (const std::string& option : options) overrides.push_back(parse_override(option));
  return read_gpu(parse_yaml(yaml, "gpu.yaml"), overrides, "default name");
}

std::string mistake(const std::string& yaml, const std::vector<std::string>& options = {}) {
  try {
    read(yaml, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A valid text for a parameter that differs from `now`, or "" when there is no other.
std::string other_value(const Parameter& parameter, const std::string& now) {
  std::vector<std::string> candidates = parameter.choice_names();
  if (parameter.type == Parameter::Type::whole) {
    candidates = {std::to_string(parameter.minimum), std::to_string(parameter.maximum)};
  }
  if (parameter.type == Parameter::Type::number) candidates = {"0.1", "1.25"};
  if (parameter.type == Parameter::Type::number && parameter.number_minimum >= 1) candidates = {"1234.1"};
  if (parameter.type == Parameter::Type::text) candidates = {"x: \"y\" # z"};
  if (parameter.path.ends_with(".replacement")) candidates = {"srrip:3"};
  if (parameter.path == "dispatch.gpcs") candidates = {"16 18"};
  for (const std::string& candidate : candidates) {
    if (candidate != now) return candidate;
  }
  return "";
}

}  // namespace

TEST_CASE("The default GPU holds every rule and its declared defaults") {
  const gpu::GpuSpec spec = read("");
  CHECK(spec.name == "default name");
  CHECK(spec.sms == 16);
  CHECK(spec.sm.scratchpad.banks == 32);
  CHECK(spec.sm.scratchpad.locks == 1024);
  for (const Parameter& parameter : gpu_parameters()) {
    if (parameter.path != "name") CHECK(parameter.get(spec) == parameter.default_value);
  }
}

TEST_CASE("Every parameter is declared once, with a text, and its default lies in its range") {
  std::set<std::string> paths;
  for (const Parameter& parameter : gpu_parameters()) {
    INFO(parameter.path);
    CHECK(paths.insert(parameter.path).second);
    CHECK_FALSE(parameter.text.empty());
    CHECK_FALSE(parameter.range().empty());
    if (parameter.path == "name") continue;
    Value value;
    value.kind = Value::Kind::scalar;
    value.text = to_text(parameter.default_value);
    CHECK(parameter.read(value) == parameter.default_value);
  }
}

TEST_CASE("Every name of every choice sets a value of its own, which has that name and a place in the range") {
  for (const Parameter& parameter : gpu_parameters()) {
    if (parameter.type != Parameter::Type::choice) continue;
    INFO(parameter.path);
    REQUIRE(parameter.choices.size() >= 2);
    std::set<std::string> names;
    for (const Parameter::Choice& choice : parameter.choices) {
      INFO(choice.name);
      gpu::GpuSpec spec = default_gpu();
      parameter.set(spec, choice.name);
      CHECK(to_text(parameter.get(spec)) == choice.name);
      CHECK(names.insert(choice.name).second);
      CHECK_THAT(parameter.range(), Contains(choice.name));
    }
  }
}

TEST_CASE("A choice's names mean what the enumeration says, in whatever order they stand") {
  CHECK(read("target: {scratchpad_atomics: native}").target.scratchpad_atomics == machine::ScratchpadAtomics::native);
  CHECK(read("memory: {l2: {write: through}}").memory.l2.write == cache::WritePolicy::through);
  CHECK(read("sm: {l1: {local_write: evict}}").sm.l1.local_write == cache::WritePolicy::evict);
  CHECK(read("sm: {coalescer: half_warp_segments}").sm.coalescer == coalescer::Rule::half_warp_segments);
  CHECK(read("memory: {dram: {scheduling: first_come}}").memory.dram.scheduling == dram::Scheduling::first_come);
  CHECK(read("sm: {exchange: {unit: special_function_units}}").sm.operations[machine::Operation::exchange].unit ==
        machine::Unit::special_function);
  CHECK(read("sm: {warp_assignment: least_loaded}").sm.warp_assignment == gpu::WarpAssignment::least_loaded);
  CHECK(read("sm: {occupancy: {register_allocation: per_block}}").sm.occupancy.register_allocation ==
        gpu::RegisterAllocation::per_block);
  CHECK(read("sm: {scratchpad: {broadcast: one_word}}").sm.scratchpad.broadcast == scratchpad::Broadcast::one_word);
  CHECK(read("sm: {scratchpad: {bank_hash_origin: memory}}").sm.scratchpad.bank_hash_origin ==
        scratchpad::HashOrigin::memory);
}

TEST_CASE("The replacement policy of every cache and translation buffer is a SPEC that is checked where it stands") {
  for (const char* path : {"sm.l1.cache", "sm.constant.l1", "sm.constant.l15", "sm.texture.cache", "sm.fetch.cache",
                           "memory.l2.cache", "sm.tlb", "memory.tlb", "memory.page_table"}) {
    INFO(path);
    const Parameter* parameter = find_gpu_parameter(std::string(path) + ".replacement");
    REQUIRE(parameter != nullptr);
    CHECK(to_text(parameter->default_value) == "lru");
    CHECK_THAT(parameter->text, Contains("plru") && Contains("srrip[:BITS]"));
  }
  CHECK(read("sm: {l1: {cache: {replacement: \"random:7\"}}}").sm.l1.cache.replacement == "random:7");
  CHECK_THAT(mistake("sm:\n  tlb:\n    replacement: lur\n"),
             Contains("gpu.yaml:3:18: sm.tlb.replacement: unknown replacement policy 'lur' (did you mean 'lru'?)"));
}

TEST_CASE("Setting one parameter changes that one alone") {
  const gpu::GpuSpec base = default_gpu();
  for (const Parameter& parameter : gpu_parameters()) {
    INFO(parameter.path);
    Value value;
    value.kind = Value::Kind::scalar;
    value.text = other_value(parameter, to_text(parameter.get(base)));
    if (value.text.empty()) continue;
    gpu::GpuSpec spec = base;
    parameter.set(spec, parameter.read(value));
    for (const Parameter& other : gpu_parameters()) {
      INFO(other.path);
      CHECK((other.get(spec) == other.get(base)) == (other.path != parameter.path));
    }
    CHECK(to_text(parameter.get(spec)) == value.text);
  }
}

TEST_CASE("Nested maps, sizes and choices are read") {
  const gpu::GpuSpec spec = read(
      "name: My GPU\nclock_mhz: 1401.5\nsm:\n  policy: greedy_then_oldest\n  scratchpad: {banks: 16, load_latency: "
      "0x20}\n"
      "  occupancy:\n    scratchpad_bytes: 64 KiB\n  integer:\n    latency: 7\nmemory:\n");
  CHECK(spec.name == "My GPU");
  CHECK(spec.clock_mhz == 1401.5);
  CHECK(spec.sm.policy == "greedy_then_oldest");
  CHECK(spec.sm.scratchpad.banks == 16);
  CHECK(spec.sm.scratchpad.load_latency == 32);
  CHECK(spec.sm.occupancy.scratchpad_bytes == 65536);
  CHECK(spec.sm.operations[machine::Operation::integer].latency == 7);
  CHECK(spec.sm.operations[machine::Operation::integer].interval == 2);
}

TEST_CASE("All errors of a file and of the options are reported together") {
  const std::string message = mistake(
      "clock_mhz: fast\nsm:\n  scratchpad:\n    bnaks: 16\n    locks: 0\n  policy: gredy_then_oldest\nmemory: 7\n"
      "smm: {x: 1}\n",
      {"sm.scratchpad.bank=3", "sms=4096"});
  CHECK_THAT(message, Contains("gpu.yaml:1:12: expected a finite number (like 12, 0.5 or 1e6), found 'fast'"));
  CHECK_THAT(message, Contains("gpu.yaml:4:5: unknown parameter 'bnaks'; did you mean 'banks'?"));
  CHECK_THAT(message, Contains("gpu.yaml:5:12: sm.scratchpad.locks is 0, but must be 1 to 65535"));
  CHECK_THAT(message, Contains("gpu.yaml:6:11: sm.policy cannot be 'gredy_then_oldest'") &&
                          Contains("did you mean 'greedy_then_oldest'?"));
  CHECK_THAT(message, Contains("gpu.yaml:7:9: memory is a section"));
  CHECK_THAT(message, Contains("gpu.yaml:8:1: unknown parameter 'smm'; did you mean 'sm"));
  CHECK_THAT(message, Contains("-s sm.scratchpad.bank=3: unknown parameter 'sm.scratchpad.bank'; did you mean "
                               "'sm.scratchpad.banks'?"));
  CHECK_THAT(message, Contains("-s sms=4096: sms is 4096, but must be 1 to 1024"));
}

TEST_CASE("Values at the edge of a range are taken, one beyond is refused") {
  CHECK(read("sms: 1024").sms == 1024);
  CHECK_THAT(mistake("sms: 1025"), Contains("gpu.yaml:1:6"));
  CHECK_THAT(mistake("sms: 0"), Contains("1 to 1024"));
  CHECK_THAT(mistake("sms: -1"), Contains("sms is -1"));
  CHECK(read("memory: {dram: {bytes_per_dram_cycle: 0.001}}").memory.dram.bytes_per_dram_cycle == 0.001);
  CHECK_THAT(mistake("memory: {dram: {bytes_per_dram_cycle: 0}}"), Contains("0.001 to 1000000"));
}

TEST_CASE("An L0 instruction cache has more groups than come with each other") {
  CHECK(read("sm: {fetch: {l0_groups: 3, l0_prefetch: 2}}").sm.fetch.l0_groups == 3);
  CHECK(read("sm: {fetch: {l0_groups: 0, l0_prefetch: 2}}").sm.fetch.l0_groups == 0);
  CHECK_THAT(mistake("sm: {fetch: {l0_groups: 2, l0_prefetch: 2}}"),
             Contains("gpu.yaml:1:25: sm.fetch.l0_groups is 2, but must be 0 or more than sm.fetch.l0_prefetch = 2"));
}

TEST_CASE("An option overrides the file and must be well formed") {
  CHECK(read("sms: 8", {"sms=4"}).sms == 4);
  CHECK(read("", {"sm.scratchpad.bank_hash=mod"}).sm.scratchpad.bank_hash == "mod");
  CHECK_THROWS_WITH(parse_override("sms"), Contains("-s sms: ") && Contains("PATH=VALUE"));
  CHECK_THROWS_AS(parse_override("=4"), InputError);
  CHECK_THAT(mistake("", {"sms="}), Contains("-s sms=: "));
  CHECK_THAT(mistake("", {"sms=4", "sms=5"}), Contains("set twice"));
  CHECK_THAT(mistake("", {"sm.scratchpad=5"}), Contains("sm.scratchpad is a section"));
}

TEST_CASE("Rules between parameters name both") {
  CHECK_THAT(mistake("sm:\n  occupancy: {warps: 16}\n"),
             Contains("threads_per_block is 1024") && Contains("512 threads") && Contains("warps = 16"));
  CHECK(mistake("sm:\n  occupancy: {warps: 32}\n").empty());
  CHECK_THAT(mistake("sm:\n  occupancy: {scratchpad_bytes_per_block: 49153}\n"), Contains("gpu.yaml:2:43"));
  CHECK_THAT(mistake("sm:\n  occupancy: {scratchpad_unit: 100}\n"), Contains("is not a multiple"));
  CHECK_THAT(mistake("sm: {occupancy: {threads: 992}}"), Contains("more than sm.occupancy.threads = 992"));
  CHECK_THAT(mistake("sm: {l1: {cache: {line_bytes: 96}}}"), Contains("power of two"));
  CHECK(mistake("sm: {address_lines: 4, address_hash: xor}").empty());
  CHECK(mistake("sm: {address_lines: 3}").empty());  // Without a hash, any number of lines may go together.
  CHECK_THAT(mistake("sm: {address_lines: 3, address_hash: xor}"),
             Contains("sm.address_hash: ") && Contains("power of two of banks, up to 32, not 3"));
  CHECK_THAT(mistake("sm: {address_lines: 4, address_hash: 'modulus:3'}"), Contains("'modulus:3' is not linear"));
  CHECK_THAT(mistake("sm: {address_lines: 8, address_hash: 'matrix:1,2'}"), Contains("3 are needed"));
  CHECK_THAT(mistake("sm: {l1: {cache: {line_bytes: 128, sector_bytes: 256}}}"), Contains("1 to 32 sectors"));
  CHECK_THAT(mistake("sm: {texture: {cache: {line_bytes: 1024, sector_bytes: 16}}}"), Contains("1 to 32 sectors"));
  CHECK_THAT(mistake("sm: {fetch: {cache: {bytes: 1 GiB}}}"), Contains("sm.fetch.cache has 2097152 sets"));
  CHECK_THAT(mistake("sm: {fetch: {cache: {line_bytes: 64, sector_bytes: 128}}}"), Contains("1 to 32 sectors"));
  CHECK_THAT(mistake("sm: {constant: {l1: {sector_bytes: 48}}}"), Contains("power of two"));
  CHECK_THAT(mistake("sm: {constant: {l1: {set_hash: nonsense}}}"), Contains("sm.constant.l1.set_hash"));
  CHECK_THAT(mistake("memory: {l2: {interleave_bytes: 100}}"), Contains("power of two"));
  CHECK_THAT(mistake("memory: {l2: {interleave_bytes: 32}}"), Contains("must lie in one slice"));
  CHECK_THAT(mistake("memory: {noc: {flit_bytes: 31}}"),
             Contains("flit_bytes is 31") && Contains("sector of 32 bytes"));
  CHECK(mistake("memory: {noc: {flit_bytes: 0}}").empty());
  CHECK(mistake("memory: {noc: {flit_bytes: 32}}").empty());
  // With the default rp and ras of 12 and 28.
  CHECK_THAT(mistake("memory: {dram: {timing: {refi: 130, rcd: 80, rfc: 10}}}"),
             Contains("refi is 130") && Contains("= 130 DRAM cycles"));
  CHECK(mistake("memory: {dram: {timing: {refi: 131, rcd: 80, rfc: 10}}}").empty());
  CHECK(mistake("memory: {dram: {timing: {refi: 0, rcd: 4000}}}").empty());
  CHECK_THAT(mistake("sm: {l1: {unified_bytes: 32 KiB}}"), Contains("less than sm.occupancy.scratchpad_bytes"));
  CHECK_THAT(mistake("sm: {scratchpad: {bank_bytes: 12}}"), Contains("4, 8 or 16"));
  CHECK_THAT(mistake("sm: {scratchpad: {lock_hash: nonsense}}"), Contains("sm.scratchpad.lock_hash"));
}

TEST_CASE("Units of the R-GPU fabric stand beside its cores") {
  CHECK(read("sm: {rgpu: {cores: 16, load_store_units: 16}}").sm.rgpu.load_store_units == 16);
  CHECK_THAT(mistake("sm: {rgpu: {cores: 16, load_store_units: 17}}"),
             Contains("sm.rgpu.load_store_units is 17") && Contains("sm.rgpu.cores = 16"));
  CHECK_THAT(mistake("sm: {rgpu: {cores: 3, load_store_units: 1}}"), Contains("sm.rgpu.special_function_units is 4"));
  CHECK(mistake("sm: {rgpu: {load_store_units: 17}}").empty());  // No R-GPU mode.
}

TEST_CASE("The effective configuration reads back to the same configuration") {
  const gpu::GpuSpec spec =
      read("name: 'odd: \"name\" # 1'\nclock_mhz: 0.1e4\nmemory: {dram: {bytes_per_dram_cycle: 124.6113}}",
           {"sm.policy=greedy_then_oldest", "sm.scratchpad.banks=16"});
  const std::string yaml = effective_yaml(spec);
  const gpu::GpuSpec again = read(yaml);
  for (const Parameter& parameter : gpu_parameters()) {
    INFO(parameter.path);
    CHECK(parameter.get(again) == parameter.get(spec));
  }
  CHECK(effective_yaml(again) == yaml);
}

TEST_CASE("The GTX 580 is read from its file, in any case of its name") {
  setenv("LOCKSTEP_HOME", source_dir().c_str(), 1);
  const gpu::GpuSpec spec = load_gpu("GTX580");
  unsetenv("LOCKSTEP_HOME");
  CHECK(spec.name == "GTX 580");
  CHECK(spec.sms == 16);
  CHECK(spec.clock_mhz == 1544);
  // 192.4 GB/s from the data sheet.
  const dram::Spec& dram = spec.memory.dram;
  CHECK(dram.channels * dram.bytes_per_dram_cycle * dram.clock_mhz * 1e6 == Approx(192.4e9).epsilon(1e-3));
  CHECK(spec.sm.occupancy.scratchpad_bytes == 49152);
}

TEST_CASE("A hash can be given by kernel, as a text or as a map, in a file or beside it") {
  const auto hash = [](const std::string& yaml, const std::vector<std::string>& options = {}) {
    return read(yaml, options).sm.scratchpad.bank_hash;
  };
  CHECK(hash("sm: {scratchpad: {bank_hash: xor}}") == "xor");
  CHECK(hash("sm: {scratchpad: {bank_hash: 'a=xor add'}}") == "a=xor add");
  const std::string map =
      "sm:\n  scratchpad:\n    bank_hash:\n      rows: bits:3,4,0,1,2\n      otherwise: xor\n      b: add\n";
  CHECK(hash(map) == "rows=bits:3,4,0,1,2 b=add xor");
  CHECK(hash("sm: {scratchpad: {bank_hash: {rows: xor}}}") == "rows=xor");
  CHECK(hash("", {"sm.scratchpad.bank_hash={rows: xor, otherwise: bitvector:k=3}"}) == "rows=xor bitvector:k=3");
  CHECK(hash("", {"sm.scratchpad.bank_hash=rows=bitvector:k=3 xor"}) == "rows=bitvector:k=3 xor");
  CHECK(hash("", {"sm.scratchpad.bank_hash={rows: \"bits:3,4,0,1,2\"}"}) == "rows=bits:3,4,0,1,2");
}

TEST_CASE("Errors in hashes by kernel say which kernel and where") {
  CHECK_THAT(mistake("sm:\n  scratchpad:\n    lock_hash:\n      rows: xorr\n"),
             Contains("gpu.yaml:4:7") && Contains("sm.scratchpad.lock_hash") && Contains("kernel rows") &&
                 Contains("did you mean 'xor'?"));
  CHECK_THAT(mistake("", {"sm.scratchpad.bank_hash=a=xor a=add"}), Contains("kernel a has two hashes"));
  CHECK_THAT(mistake("", {"sm.scratchpad.bank_hash={a: bits:3,4,0,1,2}"}), Contains("quotes"));
  CHECK_THAT(mistake("sm: {scratchpad: {bank_hash: {a b: xor}}}"), Contains("'a b' is not a kernel's name"));
  CHECK_THAT(mistake("sm: {scratchpad: {bank_hash: {a: }}}"), Contains("'a' needs one SPEC"));
  CHECK_THAT(mistake("sm: {scratchpad: {bank_hash: {}}}"), Contains("no hash"));
  CHECK_THAT(mistake("sm: {scratchpad: {bank_hash: [xor]}}"), Contains("[VALUE, WORD: TEXT]"));
  // 48 KiB in banks of 8 bytes have 13 bits, and the lock hash counts words of 4 bytes all the same.
  CHECK_THAT(mistake("sm: {scratchpad: {bank_bytes: 8, bank_hash: 'bits:13,1,2,3,4'}}"), Contains("13 bits: 0 to 12"));
  CHECK(mistake("sm: {scratchpad: {bank_bytes: 8, lock_hash: 'bits:13,1,2,3,4,5,6,7,8,9'}}").empty());
  CHECK_THAT(mistake("sm: {l1: {cache: {set_hash: 'a=xor'}}}"), Contains("set_hash"));
}

}  // namespace lockstep::gpu_test
