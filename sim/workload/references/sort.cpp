#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

Elements sort_reference(const Elements& keys, const Elements& values, std::uint64_t first_bit, std::uint64_t bits,
                        ElementType type) {
  if (keys.count() != values.count()) {
    throw InputError(fmt::format("{} keys cannot sort {} values", keys.count(), values.count()));
  }
  if (bits == 0 || first_bit + bits > 64) {
    throw InputError(fmt::format("a key has no {} bits from bit {} on", bits, first_bit));
  }
  std::vector<std::uint64_t> part(keys.count()), order(keys.count());
  for (std::uint64_t i = 0; i < keys.count(); ++i) {
    const std::optional<Number> key = keys.number(i);
    const std::int64_t* whole = key ? std::get_if<std::int64_t>(&*key) : nullptr;
    if (whole == nullptr) throw InputError("keys are whole numbers");
    part[i] = static_cast<std::uint64_t>(*whole) >> first_bit;
    if (bits < 64) part[i] &= (std::uint64_t{1} << bits) - 1;
  }
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) { return part[a] < part[b]; });
  Elements result(type, values.count());
  for (std::uint64_t i = 0; i < values.count(); ++i) {
    const std::optional<Number> value = values.number(order[i]);
    if (!value) throw InputError(fmt::format("element {} does not fit into 63 bits", order[i]));
    result.set(i, *value);
  }
  return result;
}

}  // namespace lockstep::workload
