#include "isa/analysis/control_flow.hpp"

#include <algorithm>

namespace lockstep::analysis {

using ptx::no_index;

ControlFlow::ControlFlow(const ptx::Program& program, std::uint32_t function) {
  first = program.first_block[function];
  const std::uint32_t end = function + 1 < program.functions.size() ? program.first_block[function + 1]
                                                                    : static_cast<std::uint32_t>(program.blocks.size());
  count = end - first;
  predecessors.resize(count);
  successors.resize(count);
  for (std::uint32_t block = 0; block < count; ++block) {
    for (const std::uint32_t next : program.blocks[first + block].successors) successors[block].push_back(next - first);
  }
  number_blocks();
  for (const std::uint32_t block : order) {
    for (const std::uint32_t next : successors[block]) predecessors[next].push_back(block);
  }
  find_dominators();
  find_loops();
  find_deciders(program);
}

void ControlFlow::number_blocks() {
  position_.assign(count, no_index);
  if (count == 0) return;
  std::vector<std::pair<std::uint32_t, std::size_t>> path{{0, 0}};
  std::vector<bool> seen(count, false);
  seen[0] = true;
  while (!path.empty()) {
    auto& [block, next] = path.back();
    if (next == successors[block].size()) {
      order.push_back(block);
      path.pop_back();
      continue;
    }
    const std::uint32_t to = successors[block][next++];
    if (seen[to]) continue;
    seen[to] = true;
    path.emplace_back(to, 0);
  }
  std::reverse(order.begin(), order.end());
  for (std::uint32_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
}

/// Cooper, Harvey and Kennedy: "A simple, fast dominance algorithm" (2001).
void ControlFlow::find_dominators() {
  dominator.assign(count, no_index);
  if (count == 0) return;
  dominator[0] = 0;
  const auto meet = [&](std::uint32_t x, std::uint32_t y) {
    while (x != y) {
      while (position_[x] > position_[y]) x = dominator[x];
      while (position_[y] > position_[x]) y = dominator[y];
    }
    return x;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t block : order) {
      if (block == 0) continue;
      std::uint32_t found = no_index;
      for (const std::uint32_t before : predecessors[block]) {
        if (dominator[before] == no_index) continue;
        found = found == no_index ? before : meet(found, before);
      }
      changed = changed || dominator[block] != found;
      dominator[block] = found;
    }
  }
}

bool ControlFlow::dominates(std::uint32_t above, std::uint32_t block) const {
  while (block != above && block != 0) block = dominator[block];
  return block == above;
}

void ControlFlow::find_loops() {
  loop_of_header.assign(count, no_index);
  irreducible.assign(count, false);
  for (const std::uint32_t header : order) {
    Loop loop{header, std::vector<bool>(count, false), {}};
    std::vector<std::uint32_t> pending;
    for (const std::uint32_t before : predecessors[header]) {
      if (position_[before] < position_[header]) continue;
      if (!dominates(header, before)) {
        irreducible[header] = true;
        continue;
      }
      pending.push_back(before);
    }
    if (pending.empty()) continue;
    loop.blocks[header] = true;
    while (!pending.empty()) {
      const std::uint32_t block = pending.back();
      pending.pop_back();
      if (loop.blocks[block]) continue;
      loop.blocks[block] = true;
      for (const std::uint32_t before : predecessors[block]) pending.push_back(before);
    }
    loop_of_header[header] = static_cast<std::uint32_t>(loops.size());
    loops.push_back(std::move(loop));
  }
}

void ControlFlow::find_deciders(const ptx::Program& program) {
  const auto meeting_place = [&](std::uint32_t block) {
    const std::uint32_t found = program.blocks[first + block].reconvergence;
    return found == no_index ? no_index : found - first;
  };
  for (Loop& loop : loops) {
    for (std::uint32_t block = 0; block < count; ++block) {
      if (!loop.blocks[block]) continue;
      const std::uint32_t meets = meeting_place(block);
      if (meets == no_index || meets == loop.header || !loop.blocks[meets]) loop.deciders.push_back(block);
    }
  }
  deciders_.resize(count);
  std::vector<std::uint32_t> visited(count, no_index);
  for (const std::uint32_t block : order) {
    std::vector<std::uint32_t> pending;
    for (const std::uint32_t before : predecessors[block]) {
      if (!dominates(block, before)) pending.push_back(before);
    }
    if (pending.size() < 2) continue;
    while (!pending.empty()) {
      const std::uint32_t one = pending.back();
      pending.pop_back();
      if (one == block || visited[one] == block) continue;
      visited[one] = block;
      deciders_[block].push_back(one);
      if (one == dominator[block]) continue;
      for (const std::uint32_t before : predecessors[one]) pending.push_back(before);
    }
    std::vector<std::uint32_t>& all = deciders_[block];
    const std::vector<std::uint32_t> on_the_way = all;
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](std::uint32_t one) {
                               const std::uint32_t meets = meeting_place(one);
                               return std::find(on_the_way.begin(), on_the_way.end(), meets) != on_the_way.end();
                             }),
              all.end());
  }
}

}  // namespace lockstep::analysis
