#include "models/hash/address_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "isa/error.hpp"

namespace lockstep::hash {

AddressMap::AddressMap(std::vector<std::uint16_t> table, std::uint32_t targets) : targets_(targets) {
  if (!std::has_single_bit(table.size()) || targets == 0)
    throw Bug(fmt::format("address map of {} entries onto {} targets", table.size(), targets));
  for (const std::uint16_t target : table)
    if (target >= targets) throw Bug(fmt::format("address map names target {} of {}", target, targets));
  // A table that repeats itself is kept once: most maps then fit into the first-level cache.
  while (table.size() > 1) {
    const auto half = table.begin() + static_cast<std::ptrdiff_t>(table.size() / 2);
    if (!std::equal(table.begin(), half, half)) break;
    table.erase(half, table.end());
  }
  owned_ = std::make_shared<const std::vector<std::uint16_t>>(std::move(table));
  table_ = owned_->data();
  last_ = owned_->size() - 1;
}

/// The maps that are in use, by what they were made from.
class SharedMaps {
 public:
  AddressMap get(std::string_view spec, std::uint32_t targets, std::uint64_t words) {
    const std::lock_guard lock(mutex_);
    const auto known = maps_.find({std::string(spec), targets, words});
    if (known != maps_.end()) {
      if (auto table = known->second.lock()) {
        AddressMap map;
        map.owned_ = std::move(table);
        map.table_ = map.owned_->data();
        map.last_ = map.owned_->size() - 1;
        map.targets_ = targets;
        return map;
      }
    }
    AddressMap map = make_address_map(spec, targets, words);
    std::erase_if(maps_, [](const auto& entry) { return entry.second.expired(); });
    maps_[{std::string(spec), targets, words}] = map.owned_;
    return map;
  }

 private:
  using Key = std::tuple<std::string, std::uint32_t, std::uint64_t>;
  std::mutex mutex_;
  std::map<Key, std::weak_ptr<const std::vector<std::uint16_t>>> maps_;
};

AddressMap shared_address_map(std::string_view spec, std::uint32_t targets, std::uint64_t words) {
  static SharedMaps maps;
  return maps.get(spec, targets, words);
}

}  // namespace lockstep::hash
