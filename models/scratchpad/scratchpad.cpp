#include "models/scratchpad/scratchpad.hpp"

#include <algorithm>
#include <bit>

#include "models/hash/kernel_hashes.hpp"

namespace lockstep::scratchpad {

Maps make_maps(const Spec& spec, std::uint64_t bytes, std::string_view kernel) {
  const hash::KernelHashes bank(spec.bank_hash), lock(spec.lock_hash);
  return {hash::make_address_map(bank.spec_of(kernel), spec.banks, bytes / spec.bank_bytes),
          hash::make_address_map(lock.spec_of(kernel), spec.locks, bytes / Scratchpad::lock_word_bytes)};
}

Scratchpad::Scratchpad(const Spec& spec, std::uint64_t bytes)
    : spec_(spec),
      shape_{spec.banks, spec.bank_bytes, spec.request_lanes, spec.neighbours_share},
      bank_shift_(shape_.bank_shift()),
      maps_(std::make_shared<const Maps>(make_maps(spec, bytes, ""))),
      locks_(spec.locks) {}

void Scratchpad::begin_kernel(std::shared_ptr<const Maps> maps) {
  maps_ = std::move(maps);
  locks_.clear();
}

/// of_request returns the passes of a request.
template <class OfRequest>
Passes Scratchpad::over_requests(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane,
                                 bool loads, OfRequest&& of_request) const {
  Passes passes;
  if (mask == 0) return passes;
  if (shape_.whole(bytes_per_lane)) [[likely]] {
    passes.all = passes.degree = of_request(address, mask, bank_shift_);
    if (spec_.ideal_banks) passes.all = passes.degree = 1;
    passes.further = passes.all - 1;
    return passes;
  }
  std::uint32_t requests = 0, without_width = 0;
  passes.all = 0;
  for_each_request(shape_, address, mask, bytes_per_lane, loads,
                   [&](const std::uint64_t* words, std::uint32_t items, std::uint32_t shift) {
                     const std::uint32_t passed = of_request(words, items, shift);
                     const std::uint32_t own = spec_.ideal_banks ? 1 : passed;
                     ++requests;
                     passes.all += own;
                     passes.degree = std::max(passes.degree, own);
                   });
  for (std::uint32_t first = 0; first < 32; first += spec_.request_lanes) {
    const std::uint32_t rest = mask >> first;
    if ((spec_.request_lanes == 32 ? rest : rest & ((1u << spec_.request_lanes) - 1)) != 0) ++without_width;
  }
  passes.further = passes.all - requests;
  passes.split = requests - std::min(requests, without_width);
  if (bytes_per_lane == 16) {
    passes.all += spec_.quad_word_passes;
    passes.split += spec_.quad_word_passes;
  }
  passes.parts = without_width - 1;
  return passes;
}

Passes Scratchpad::load_passes(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane) const {
  const auto every_word = [this](const std::uint64_t* words, std::uint32_t items, std::uint32_t shift) {
    return conflict_degree(maps_->banks, words, items, shift);
  };
  if (spec_.broadcast == Broadcast::every_word) [[likely]]
    return over_requests(address, mask, bytes_per_lane, true, every_word);
  return over_requests(address, mask, bytes_per_lane, true,
                       [this](const std::uint64_t* words, std::uint32_t items, std::uint32_t shift) {
                         return one_word_passes(maps_->banks, words, items, shift);
                       });
}

bool Scratchpad::keeps_free_of_conflicts(std::uint32_t bytes_per_lane) const {
  return spec_.broadcast == Broadcast::every_word && shape_.whole(bytes_per_lane);
}

Passes Scratchpad::store_passes(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane) const {
  return over_requests(address, mask, bytes_per_lane, false,
                       [this](const std::uint64_t* words, std::uint32_t items, std::uint32_t shift) {
                         return conflict_degree(maps_->banks, words, items, shift);
                       });
}

/// An H200's LDSM of 32 equal addresses takes four passes, LDS.128 one ([M] micro-matrix-load stride=0).
Passes Scratchpad::row_passes(const std::uint64_t* address, std::uint32_t mask) const {
  return store_passes(address, mask, 16);
}

Passes Scratchpad::atomic_passes(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes_per_lane,
                                 bool aggregated) const {
  if (aggregated) return store_passes(address, mask, bytes_per_lane);
  std::uint32_t further_lanes = 0;
  Passes passes = over_requests(address, mask, bytes_per_lane, false,
                                [&](const std::uint64_t* words, std::uint32_t items, std::uint32_t shift) {
                                  const Conflicts found = conflicts(maps_->banks, words, items, shift);
                                  further_lanes += found.most_lanes - 1;
                                  return found.degree;
                                });
  passes.further_lanes = spec_.ideal_atomics ? 0 : further_lanes;
  return passes;
}

LockOutcome Scratchpad::acquire(const std::uint64_t* address, std::uint32_t mask, std::uint32_t holder, Cycle now,
                                std::uint64_t base) {
  if (spec_.ideal_atomics) [[unlikely]]
    return {mask, 0, 0, 0};
  const std::uint16_t* const lock_of_word = maps_->locks.table();
  const std::uint64_t last = maps_->locks.entries() - 1;
  std::uint32_t acquired = 0, own = 0, own_word = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t word = (address[std::countr_zero(rest)] + base) / lock_word_bytes;
    const LockTable::Facts facts =
        locks_.take(lock_of_word[word & last], static_cast<std::uint32_t>(word), holder, now);
    acquired |= facts.acquired ? rest & -rest : 0;
    own += std::uint32_t{facts.own};
    own_word += std::uint32_t{facts.own_word};
  }
  const auto refused = static_cast<std::uint32_t>(std::popcount(mask & ~acquired));
  return {acquired, own_word, own - own_word, refused - own};
}

void Scratchpad::release(const std::uint64_t* address, std::uint32_t mask, Cycle at, std::uint64_t base) {
  if (spec_.ideal_atomics) return;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    locks_.release(maps_->locks[(address[lane] + base) / lock_word_bytes], at);
  }
}

}  // namespace lockstep::scratchpad
