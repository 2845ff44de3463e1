#pragma once
// What a workload's thread blocks do to the scratchpad memory, access by access, from its execution.

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "isa/exec/machine.hpp"
#include "isa/trace/stream.hpp"
#include "sim/workload/workload.hpp"

#include "tests/places.hpp"

namespace lockstep::test {

struct ScratchpadAccess {
  std::uint32_t line = 0, warp = 0, mask = 0;
  program::AccessKind kind = program::AccessKind::none;
  std::vector<std::uint64_t> words;  ///< Word addresses of the active lanes, in lane order.
};

/// The scratchpad accesses of one thread block, warp after warp.
inline std::vector<ScratchpadAccess> scratchpad_accesses(const std::string& name,
                                                         const workload::ArgumentOverrides& overrides = {},
                                                         std::uint32_t launch = 0, std::uint64_t block = 0) {
  const workload::Workload workload = workload::Workload::load(name);
  exec::Machine machine(workload.build(overrides));
  const trace::Header& header = machine.header();
  REQUIRE(launch < header.launches.size());
  // Blocks execute in order as they are opened.
  for (std::uint32_t before = 0; before <= launch; ++before) {
    const std::uint64_t blocks = before == launch ? block : header.launches[before].thread_blocks();
    for (std::uint64_t b = 0; b < blocks; ++b) machine.open(before, b);
  }
  const trace::Launch& shape = header.launches[launch];
  const program::Kernel& kernel = header.kernels[shape.kernel];
  const auto streams = machine.open(launch, block);
  std::vector<ScratchpadAccess> result;
  for (std::uint32_t warp = 0; warp < shape.warps_per_block(); ++warp) {
    trace::StreamCursor cursor(streams->warp(warp));
    trace::BlockEntry entry;
    while (cursor.next_block(entry)) {
      const program::StaticBlock& basic = kernel.blocks[entry.block];
      for (std::uint32_t i = basic.first; i < basic.first + basic.count; ++i) {
        const program::StaticInstruction& instruction = kernel.instructions[i];
        for (std::uint32_t n = 0; n < program::access_entries(instruction); ++n) {
          trace::AccessEntry access;
          cursor.next_access(access);
          if (instruction.space != program::MemorySpace::shared || access.mask == 0) continue;
          CHECK(instruction.element_bytes * instruction.vector_elements == 4);
          ScratchpadAccess& found = result.emplace_back();
          found.line = instruction.source_line, found.warp = warp, found.mask = access.mask,
          found.kind = instruction.access;
          for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
            found.words.push_back(access.address[std::countr_zero(rest)] / 4);
          }
        }
      }
    }
  }
  return result;
}

/// The largest number of distinct words in one of 32 banks.
inline std::size_t degree(const ScratchpadAccess& access, const std::function<std::uint64_t(std::uint64_t)>& bank) {
  std::map<std::uint64_t, std::set<std::uint64_t>> of_bank;
  for (const std::uint64_t word : access.words) of_bank[bank(word)].insert(word);
  std::size_t largest = 0;
  for (const auto& words : of_bank) largest = std::max(largest, words.second.size());
  return largest;
}
inline std::size_t degree(const ScratchpadAccess& access) {
  return degree(access, [](std::uint64_t word) { return word % 32; });
}

/// The bank of the bit-vector XOR hash (thesis, section 6.3.2) with five bits.
inline auto bitvector_xor(unsigned k1, unsigned k2, std::uint64_t mask) {
  return [=](std::uint64_t word) { return ((word >> k1) ^ (word >> k2 & mask)) % 32; };
}

/// The bank whose bits are each the XOR of these bits of the word address, the lowest first.
inline auto bitwise_xor(const std::vector<std::vector<unsigned>>& bits) {
  return [bits](std::uint64_t word) {
    std::uint64_t bank = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) {
      for (const unsigned bit : bits[i]) bank ^= (word >> bit & 1) << i;
    }
    return bank;
  };
}

/// The number of the line of a kernel file that holds this text; it stands there once.
inline std::uint32_t line_of(const std::string& file, const std::string& text) {
  std::ifstream stream(source_dir() + "/traces/kernels/bank_conflicts/" + file);
  std::uint32_t found = 0, number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.find(text) == std::string::npos) continue;
    CAPTURE(file, text, found, number);
    REQUIRE(found == 0);
    found = number;
  }
  INFO("no line of " << file << " holds " << text);
  REQUIRE(found != 0);
  return found;
}

/// Those of a warp, a line and a kind.
inline std::vector<ScratchpadAccess> chosen(const std::vector<ScratchpadAccess>& accesses, std::uint32_t line,
                                            program::AccessKind kind, std::uint32_t warp = 0) {
  std::vector<ScratchpadAccess> result;
  std::copy_if(accesses.begin(), accesses.end(), std::back_inserter(result), [&](const ScratchpadAccess& access) {
    return access.line == line && access.kind == kind && access.warp == warp;
  });
  return result;
}

inline std::vector<std::size_t> degrees(const std::vector<ScratchpadAccess>& accesses) {
  std::vector<std::size_t> result;
  for (const ScratchpadAccess& access : accesses) result.push_back(degree(access));
  return result;
}

/// first, first + stride, ... `count` of them.
inline std::vector<std::uint64_t> strided(std::int64_t first, std::int64_t stride, std::size_t count) {
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(static_cast<std::uint64_t>(first + stride * static_cast<std::int64_t>(i)));
  }
  return result;
}

}  // namespace lockstep::test
