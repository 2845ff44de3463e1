#include "models/hash/address_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/error.hpp"

namespace lockstep::hash {

AddressMap::AddressMap(std::vector<std::uint16_t> table, std::uint32_t targets)
    : table_(std::move(table)), targets_(targets) {
  if (!std::has_single_bit(table_.size()) || targets == 0)
    throw Bug(fmt::format("address map of {} entries onto {} targets", table_.size(), targets));
  for (const std::uint16_t target : table_)
    if (target >= targets) throw Bug(fmt::format("address map names target {} of {}", target, targets));
  // A table that repeats itself is kept once: most maps then fit into the first-level cache.
  while (table_.size() > 1) {
    const auto half = table_.begin() + static_cast<std::ptrdiff_t>(table_.size() / 2);
    if (!std::equal(table_.begin(), half, half)) break;
    table_.erase(half, table_.end());
  }
}

}  // namespace lockstep::hash
