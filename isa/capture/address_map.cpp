#include "isa/capture/address_map.hpp"

#include <algorithm>

#include "isa/capture/device_log.hpp"

namespace lockstep::capture {

void AddressRanges::add(std::uint64_t from, std::uint64_t bytes, std::uint64_t to) {
  ranges_.push_back({from, bytes == 0 ? ~from : bytes, to});
}

void AddressRanges::sort() {
  // An extern array begins where the last variable ends: what is sized comes first of those that begin together.
  std::stable_sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    return a.from != b.from ? a.from < b.from : a.bytes > b.bytes;
  });
}

std::optional<std::uint64_t> AddressRanges::find(std::uint64_t address) const {
  const auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                       [](std::uint64_t a, const Range& range) { return a < range.from; });
  if (behind == ranges_.begin()) return std::nullopt;
  const Range& range = *(behind - 1);
  if (address - range.from >= range.bytes) return std::nullopt;
  return range.to + (address - range.from);
}

LaunchAddresses::LaunchAddresses(const KernelCode& code, const LogLaunch& launch)
    : shared_window_(launch.header[shared_window_word]), local_window_(launch.header[local_window_word]) {
  for (std::size_t v = 0; v < code.logged->variables.size(); ++v) {
    const ptx::Variable& variable = *code.logged->variables[v];
    const auto place = code.places.of_module.find(variable.name);
    if (place == code.places.of_module.end()) continue;
    AddressRanges& ranges = variable.space == ptx::Space::shared   ? shared_
                            : variable.space == ptx::Space::global ? global_
                                                                   : constant_;
    // An empty variable that is not extern has nothing that could be accessed.
    if (variable.bytes == 0 && !variable.is_extern) continue;
    ranges.add(launch.header[fixed_header_words + v], variable.is_extern ? 0 : variable.bytes, place->second.address);
  }
  for (AddressRanges* ranges : {&shared_, &global_, &constant_}) ranges->sort();
}

std::optional<std::uint64_t> LaunchAddresses::find(ptx::Space space, std::uint64_t address) const {
  switch (space) {
    case ptx::Space::shared: return shared_.find(address);
    case ptx::Space::global: return global_.find(address);
    case ptx::Space::constant: return constant_.find(address);
    default: return std::nullopt;
  }
}

}  // namespace lockstep::capture
