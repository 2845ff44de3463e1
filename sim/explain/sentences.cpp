// What is to be said of one source line.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/explain/collision.hpp"
#include "sim/explain/output.hpp"
#include "sim/stats/table.hpp"

namespace lockstep::explain {

using stats::grouped;

namespace {

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

std::string words_text(const std::vector<std::uint64_t>& words) {
  constexpr std::size_t shown = 4;
  std::string text;
  for (std::size_t n = 0; n < std::min(shown, words.size()); ++n)
    text += fmt::format("{}{}", n == 0 ? "" : ", ", words[n]);
  return words.size() > shown ? fmt::format("{}, ... {}", text, words.back()) : text;
}

std::string thread_place(const gpu::AccessExample& example) {
  return fmt::format("thread block {}, warp {}", example.thread_block, example.warp);
}

void add_scratchpad(const Explanation& all, const LineCosts& line, std::vector<std::string>& sentences) {
  const gpu::AccessCounters& c = line.accesses;
  if (c.scratchpad_accesses == 0) return;
  std::string text = fmt::format("scratchpad: {} accesses, {:.2f} passes each", grouped(c.scratchpad_accesses),
                                 ratio(c.scratchpad_passes, c.scratchpad_accesses));
  if (c.bank_conflicts > 0) text += fmt::format(", {} passes added by bank conflicts", grouped(c.bank_conflicts));
  sentences.push_back(text);
  const program::Kernel& kernel = all.header.kernels[line.kernel];
  const scratchpad::Maps maps = make_maps(all.spec.sm.scratchpad, all.spec.sm.occupancy.scratchpad_bytes, kernel.name);
  for (const LineAccess& access : line.examples) {
    const auto collision = collision_of(access.example, all.spec.sm.scratchpad, maps);
    if (!collision) continue;
    if (collision->degree > 1) {
      sentences.push_back(
          fmt::format("conflict degree {}: {} of {}: lanes {} access {} words of bank {}: {} ({} apart)",
                      collision->degree, access.mnemonic, thread_place(access.example), ranges(collision->lanes),
                      collision->words.size(), collision->bank, words_text(collision->words), collision->stride()));
      break;
    }
  }
  if (c.further_lanes + c.refused_position == 0) return;
  for (const LineAccess& access : line.examples) {
    const auto collision = collision_of(access.example, all.spec.sm.scratchpad, maps);
    if (!collision || collision->shared_lanes.size() < 2) continue;
    sentences.push_back(fmt::format("same word: {} of {}: lanes {} update word {}", access.mnemonic,
                                    thread_place(access.example), ranges(collision->shared_lanes),
                                    collision->shared_word));
    return;
  }
}

void add_retries(const LineCosts& line, std::vector<std::string>& sentences) {
  const gpu::AccessCounters& c = line.accesses;
  if (c.atomics == 0) return;
  if (c.lock_iterations > 0) {
    sentences.push_back(
        fmt::format("atomics: {} accesses, {:.2f} iterations each; lanes that retry: {} for another lane's same word, "
                    "{} for another word of the same lock, {} for another warp",
                    grouped(c.atomics), ratio(c.lock_iterations, c.atomics), grouped(c.refused_position),
                    grouped(c.refused_alias), grouped(c.refused_warp)));
  } else if (c.further_lanes > 0) {
    sentences.push_back(fmt::format("atomics: {} accesses, {:.2f} lanes each wait for another of the same word",
                                    grouped(c.atomics), ratio(c.further_lanes, c.atomics)));
  }
}

/// The distance of neighbouring lanes where it is the same for all.
std::string distance_text(const gpu::AccessExample& example) {
  std::vector<std::uint64_t> addresses;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    if ((example.lanes >> lane & 1) != 0) addresses.push_back(example.address[lane]);
  if (addresses.size() < 2) return "";
  const std::uint64_t distance = addresses[1] - addresses[0];
  for (std::size_t n = 1; n < addresses.size(); ++n)
    if (addresses[n] - addresses[n - 1] != distance) return "scattered";
  return fmt::format("{} bytes apart", static_cast<std::int64_t>(distance));
}

void add_memory(const LineCosts& line, std::vector<std::string>& sentences) {
  const gpu::AccessCounters& c = line.accesses;
  if (c.memory_accesses == 0) return;
  std::string text = fmt::format("memory: {} requests", grouped(c.memory_accesses));
  if (c.transactions > 0)  // Texture fetches make none.
    text += fmt::format(", {:.2f} transactions each", ratio(c.transactions, c.memory_accesses));
  if (c.moved_bytes > 0)
    text += fmt::format(", {:.1f} sectors per request, of which lanes use {:.0f} %",
                        ratio(c.moved_bytes, 32 * c.memory_accesses), 100 * ratio(c.requested_bytes, c.moved_bytes));
  const std::uint64_t lookups = c.cache_hits + c.cache_misses;
  if (lookups > 0)
    text += fmt::format("; {:.1f} % of {} cache lookups hit", 100 * ratio(c.cache_hits, lookups), grouped(lookups));
  sentences.push_back(text);
  const bool spread = 2 * c.requested_bytes < c.moved_bytes || c.transactions > 2 * c.memory_accesses;
  for (const LineAccess& access : line.examples) {
    if (access.example.scratchpad || !spread || access.example.cost < 2) continue;
    sentences.push_back(fmt::format("{} transactions: {} of {}: {} bytes of each of {} lanes, {}", access.example.cost,
                                    access.mnemonic, thread_place(access.example), access.example.bytes_per_lane,
                                    std::popcount(access.example.lanes), distance_text(access.example)));
    return;
  }
}

}  // namespace

std::string ranges(const std::vector<std::uint32_t>& lanes) {
  std::string text;
  for (std::size_t n = 0; n < lanes.size();) {
    std::size_t end = n + 1;
    while (end < lanes.size() && lanes[end] == lanes[end - 1] + 1) ++end;
    if (!text.empty()) text += ",";
    text += end - n == 1 ? fmt::format("{}", lanes[n]) : fmt::format("{}-{}", lanes[n], lanes[end - 1]);
    n = end;
  }
  return text;
}

std::vector<std::string> access_sentences(const Explanation& explanation, const LineCosts& line) {
  std::vector<std::string> sentences;
  add_scratchpad(explanation, line, sentences);
  add_retries(line, sentences);
  add_memory(line, sentences);
  return sentences;
}

std::string lost_text(const LineCosts& line) {
  std::string text;
  for (const auto& [slot, count] : line.reasons())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", gpu::name_of(slot), grouped(count));
  return text;
}

std::string place_of(const LineCosts& line) {
  if (line.block_start) return "start of thread blocks";
  if (!line.instruction.empty()) return line.instruction;
  if (line.number == 0) return "no source line (added or moved by the compiler)";
  const auto place = [](const std::string& file, std::uint32_t number) {
    return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), number);
  };
  std::string text = place(line.file, line.number);
  if (line.call_number != 0) text += fmt::format(" inlined at {}", place(line.call_file, line.call_number));
  return text;
}

}  // namespace lockstep::explain
