// Kernels that hash their scratchpad addresses themselves: every committed workload with scratchpad memory.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>

#include "isa/exec/machine.hpp"
#include "isa/trace/stream.hpp"
#include "models/hash/address_map.hpp"
#include "sim/workload/workload.hpp"

#include "tests/places.hpp"
#include "tests/system/small_sizes.hpp"

namespace lockstep::software_hash_test {

namespace {

struct Outcome {
  std::uint64_t accesses = 0;
  std::vector<std::uint64_t> passes;  ///< Per hash in hardware.
  bool uses_scratchpad = false;
  workload::CheckResult check;
};

/// Words of each bank that the lanes name, at the most: what one pass serves is one word of every bank.
std::uint64_t passes(const trace::AccessEntry& access, const hash::AddressMap& banks) {
  std::array<std::uint64_t, 32> words;
  std::array<std::uint8_t, 32> of_bank{};
  std::size_t distinct = 0;
  std::uint8_t most = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((access.mask >> lane & 1) == 0) continue;
    const std::uint64_t word = access.address[lane] / 4;
    if (std::find(words.begin(), words.begin() + distinct, word) != words.begin() + distinct) continue;
    words[distinct++] = word;
    most = std::max(most, ++of_bank[banks[word]]);
  }
  return most;
}

/// Executes a workload with one hash in software, unless it has no scratchpad, and counts passes as if the hardware had each of
/// the others.
Outcome run(const std::string& name, bool small, const std::string& software,
            const std::vector<std::string>& hardware) {
  const workload::Workload workload = workload::Workload::load(name);
  workload::ArgumentOverrides arguments = {{"software_hash", software}};
  if (small) {
    const system_test::Sizes& sizes = system_test::small_sizes(name);
    arguments.insert(arguments.end(), sizes.begin(), sizes.end());
  }
  exec::Machine machine(workload.build(arguments));
  const trace::Header& header = machine.header();
  std::vector<hash::AddressMap> banks;
  for (const std::string& spec : hardware) banks.push_back(hash::make_address_map(spec, 32, 1 << 14));
  Outcome outcome;
  outcome.passes.resize(hardware.size());
  outcome.uses_scratchpad = std::any_of(header.launches.begin(), header.launches.end(), [&](const auto& launch) {
    return header.kernels[launch.kernel].static_shared_bytes + launch.dynamic_shared_bytes > 0;
  });
  if (!outcome.uses_scratchpad) return outcome;
  for (std::uint32_t launch = 0; launch < header.launches.size(); ++launch) {
    const program::Kernel& kernel = header.kernels[header.launches[launch].kernel];
    for (std::uint64_t block = 0; block < header.launches[launch].thread_blocks(); ++block) {
      const auto streams = machine.open(launch, block);
      if (block >= 8) continue;  // Executed all the same.
      for (std::uint32_t warp = 0; warp < header.launches[launch].warps_per_block(); ++warp) {
        trace::StreamCursor cursor(streams->warp(warp));
        trace::BlockEntry entry;
        while (cursor.next_block(entry)) {
          const program::StaticBlock& range = kernel.blocks[entry.block];
          for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
            const program::StaticInstruction& instruction = kernel.instructions[i];
            for (std::uint32_t n = 0; n < program::access_entries(instruction); ++n) {
              trace::AccessEntry access;
              cursor.next_access(access);
              if (instruction.space != program::MemorySpace::shared || access.mask == 0) continue;
              ++outcome.accesses;
              for (std::size_t h = 0; h < banks.size(); ++h) outcome.passes[h] += passes(access, banks[h]);
            }
          }
        }
      }
    }
  }
  machine.finish();
  outcome.check = workload.check(arguments, machine);
  return outcome;
}

std::vector<std::string> workloads() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() + "/traces/workloads")) {
    // A hash moves single words; ldmatrix takes rows of four, an mbarrier has two, and so have the 64-bit atomics of kmeans: such
    // kernels are refused (isa/rewrite/README.md).
    const std::string name = entry.path().stem();
    const bool takes_rows = entry.path().parent_path().filename() == "matrix" || name == "micro-matrix-load";
    if (entry.path().extension() == ".yaml" && !takes_rows && name != "micro-mbarrier" && name != "kmeans")
      names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Every `step`-th workload by name.
void check_all(const std::vector<std::string>& hashes, bool small = true, std::size_t step = 1) {
  setenv("LOCKSTEP_HOME", source_dir().c_str(), 1);
  std::size_t kernels = 0, whole = 0;
  const std::vector<std::string> names = workloads();
  for (std::size_t n = 0; n < names.size(); n += step) {
    const std::string& name = names[n];
    const Outcome plain = run(name, small, "mod", hashes);
    if (!plain.uses_scratchpad) continue;
    ++kernels;
    for (std::size_t h = 0; h < hashes.size(); ++h) {
      INFO(name << " with " << hashes[h]);
      const Outcome software = run(name, small, hashes[h], {"mod"});
      CHECK(software.check.message == "");
      CHECK(software.check.passed == plain.check.passed);
      CHECK(software.check.checked == plain.check.checked);
      // Where an access of several words became several accesses, conflicts are not those of the one.
      CHECK(software.accesses >= plain.accesses);
      if (software.accesses != plain.accesses) continue;
      ++whole;
      CHECK(software.passes[0] == plain.passes[h]);
    }
  }
  CHECK(kernels >= 30 / step);
  CHECK(whole >= 25 / step * hashes.size());
}

}  // namespace

TEST_CASE("Every sixth workload computes the same with a hash in software, and conflicts as with it in hardware",
          "[software-hash]") {
  check_all({"bitvector-xor:k1=0,k2=5,mask=31"}, true, 6);
}

TEST_CASE("Every workload does so", "[software-hash][nightly]") {
  check_all({"bitvector-xor:k1=0,k2=5,mask=31"});
}

TEST_CASE("So it does with hashes of every kind", "[software-hash][nightly]") {
  check_all({"xor", "add", "bits:5,6,7,8,9", "bits-xor:0^6,1^5,2^8,3^7,4^9", "modulus:31", "modulus:16"});
}

TEST_CASE("So it does in the sizes that workloads have by themselves", "[software-hash][nightly]") {
  check_all({"bitvector-xor:k1=0,k2=5,mask=31"}, false);
}

}  // namespace lockstep::software_hash_test
