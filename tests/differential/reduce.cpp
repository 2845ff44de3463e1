#include "tests/differential/reduce.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "isa/error.hpp"

namespace lockstep::differential {

namespace {

/// Whether every mask is set before it is used, by a branch around it or an exit before it.
bool masks_are_set(const Block& block, std::set<unsigned> set) {
  for (const Statement& statement : block) {
    if (const auto* exchange = std::get_if<Exchange>(&statement.is)) {
      if (!set.contains(exchange->mask)) return false;
    }
    if (const auto* barrier = std::get_if<Barrier>(&statement.is)) {
      if (!set.contains(barrier->mask)) return false;
    }
    if (const auto* exit = std::get_if<Exit>(&statement.is)) {
      if (!set.contains(exit->masks.outside)) return false;
      set.insert(exit->masks.inside);
    }
    std::set<unsigned> below = set;
    if (const auto* branch = std::get_if<Branch>(&statement.is); branch != nullptr && branch->masks) {
      if (!set.contains(branch->masks->outside)) return false;
      below.insert({branch->masks->inside, branch->masks->otherwise});
    }
    for (const Block* inner : blocks_of(statement)) {
      if (!masks_are_set(*inner, below)) return false;
    }
  }
  return true;
}

bool is_block_barrier(const Statement& statement) {
  const auto* barrier = std::get_if<Barrier>(&statement.is);
  return barrier != nullptr && !barrier->instruction.has("warp");
}

/// Whether every load of what other threads write stands between two barriers.
bool reads_others_between_barriers(const Block& block) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    for (const Block* inner : blocks_of(block[i])) {
      if (!reads_others_between_barriers(*inner)) return false;
    }
    const auto* access = std::get_if<Access>(&block[i].is);
    if (access == nullptr || access->instruction.opcode != ptx::Opcode::ld) continue;
    if (access->place.neighbour == 0 && access->place.area != Area::shared_counters) continue;
    if (i == 0 || i + 1 == block.size() || !is_block_barrier(block[i - 1]) || !is_block_barrier(block[i + 1]))
      return false;
  }
  return true;
}

class Reduction {
 public:
  Reduction(Kernel kernel, const Shows& shows) : kernel_(std::move(kernel)), shows_(shows) {}

  Kernel run() {
    bool smaller = true;
    while (smaller) {
      smaller = make_launch_smaller();
      smaller |= leave_out_statements();
      smaller |= unwrap_statements();
      smaller |= simplify_instructions();
    }
    return std::move(kernel_);
  }

 private:
  bool keep_if_shown(Kernel candidate) {
    try {
      if (!masks_are_set(candidate.body, {0}) || !reads_others_between_barriers(candidate.body)) return false;
      if (!shows_(candidate)) return false;
    } catch (const InputError&) {
      return false;
    }
    kernel_ = std::move(candidate);
    return true;
  }

  bool make_launch_smaller() {
    bool smaller = false;
    if (kernel_.blocks() > 1) {
      Kernel candidate = kernel_;
      candidate.grid = {1, 1, 1};
      smaller |= keep_if_shown(std::move(candidate));
    }
    for (const unsigned threads : {1u, 32u}) {
      if (kernel_.threads_per_block() <= threads) continue;
      Kernel candidate = kernel_;
      candidate.block = {threads, 1, 1};
      smaller |= keep_if_shown(std::move(candidate));
    }
    bool uses_images = false;
    for_each_statement(kernel_.body, [&](const Statement& statement) {
      uses_images |= std::holds_alternative<ImageAccess>(statement.is);
    });
    if (!kernel_.images.empty() && !uses_images) {
      Kernel candidate = kernel_;
      candidate.images.clear();
      smaller |= keep_if_shown(std::move(candidate));
    }
    return smaller;
  }

  static std::vector<Block*> blocks_in(Kernel& kernel) {
    std::vector<Block*> all;
    for_each_block(kernel, [&](Block& block) { all.push_back(&block); });
    return all;
  }

  /// Ever smaller runs of statements of every block (delta debugging: Zeller and Hildebrandt, TSE 2002).
  bool leave_out_statements() {
    bool smaller = false;
    for (std::size_t b = 0; b < blocks_in(kernel_).size(); ++b) {
      std::size_t run = blocks_in(kernel_)[b]->size();
      while (run > 0) {
        for (std::size_t at = 0; b < blocks_in(kernel_).size() && at < blocks_in(kernel_)[b]->size();) {
          Kernel candidate = kernel_;
          Block& block = *blocks_in(candidate)[b];
          const std::size_t end = std::min(at + run, block.size());
          block.erase(block.begin() + static_cast<std::ptrdiff_t>(at),
                      block.begin() + static_cast<std::ptrdiff_t>(end));
          if (keep_if_shown(std::move(candidate))) {
            smaller = true;
          } else {
            at += run;
          }
        }
        run /= 2;
      }
    }
    return smaller;
  }

  /// A block takes the place of the branch, loop, selection or group around it, where no masks depend on that.
  bool unwrap_statements() {
    bool smaller = false;
    for (std::size_t b = 0; b < blocks_in(kernel_).size(); ++b) {
      for (std::size_t s = 0; s < blocks_in(kernel_)[b]->size(); ++s) {
        const std::size_t choices = blocks_of((*blocks_in(kernel_)[b])[s]).size();
        for (std::size_t c = 0; c < choices; ++c) {
          Kernel candidate = kernel_;
          Block& block = *blocks_in(candidate)[b];
          if (const auto* branch = std::get_if<Branch>(&block[s].is); branch != nullptr && branch->masks) break;
          Block inner = *blocks_of(block[s])[c];
          block.erase(block.begin() + static_cast<std::ptrdiff_t>(s));
          block.insert(block.begin() + static_cast<std::ptrdiff_t>(s), inner.begin(), inner.end());
          if (keep_if_shown(std::move(candidate))) {
            smaller = true;
            break;
          }
        }
      }
    }
    return smaller;
  }

  /// Tries a change of every instruction of the registers' own lane.
  template <class Change>
  bool change_instructions(Change change) {
    bool smaller = false;
    for (std::size_t b = 0; b < blocks_in(kernel_).size(); ++b) {
      for (std::size_t s = 0; s < blocks_in(kernel_)[b]->size(); ++s) {
        Kernel candidate = kernel_;
        auto* compute = std::get_if<Compute>(&(*blocks_in(candidate)[b])[s].is);
        if (compute != nullptr && change(*compute)) smaller |= keep_if_shown(std::move(candidate));
      }
    }
    return smaller;
  }

  bool simplify_instructions() {
    bool smaller = change_instructions([](Compute& one) {
      const bool guarded = one.chain.front().guard.has_value();
      one.chain.front().guard.reset();
      return guarded;
    });
    smaller |= change_instructions([](Compute& one) {
      if (one.chain.size() < 3 || !one.chain[one.chain.size() - 2].has("cc")) return false;
      one.chain.erase(one.chain.end() - 2);
      return true;
    });
    return smaller;
  }

  Kernel kernel_;
  const Shows& shows_;
};

}  // namespace

Kernel reduce(Kernel kernel, const Shows& shows) {
  return Reduction(std::move(kernel), shows).run();
}

}  // namespace lockstep::differential
