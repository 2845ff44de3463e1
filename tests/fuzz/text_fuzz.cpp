// Any text as one of the short texts of the command line and of GPU files: the SPEC of a hash, hashes by kernel, a PATTERN
// of lanes, a replacement policy, an expression, an override. Each is taken or refused with an InputError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "models/cache/replacement.hpp"
#include "models/hash/address_map.hpp"
#include "models/hash/kernel_hashes.hpp"
#include "sim/config/parameter.hpp"
#include "sim/probe/lane_pattern.hpp"
#include "sim/workload/expression/expression.hpp"

namespace {

using namespace lockstep;

/// Every name is a number.
class Numbers final : public workload::Scope {
 public:
  workload::Number value_of(std::string_view name) const override { return static_cast<std::int64_t>(name.size()); }
  workload::Number element(std::string_view, std::int64_t index) const override { return static_cast<double>(index); }
  std::vector<std::string> names() const override { return {}; }
};

void evaluate(std::string_view text) {
  try {
    workload::Expression(text).evaluate(Numbers());
  } catch (const workload::ExpressionError&) {
  }
}

/// A map whose every target is one of those that it may have.
void read_hash(std::string_view text) {
  constexpr std::uint32_t targets[] = {1, 16, 32, 30};
  const std::uint32_t count = targets[text.size() % 4];
  const hash::AddressMap map = hash::make_address_map(text, count, 1024);
  for (std::uint64_t word = 0; word < 2048; ++word)
    if (map[word] >= count) std::abort();
}

/// A pattern that is taken is written as one that reads back as itself.
void read_pattern(std::string_view text) {
  const std::string written = probe::to_text(probe::parse_lane_pattern(text, 12288));
  if (probe::to_text(probe::parse_lane_pattern(written, 12288)) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0]) {
      case 'h': read_hash(text); break;
      case 'k': hash::KernelHashes{text}; break;
      case 'p': read_pattern(text); break;
      case 'r': cache::check_replacement(text); break;
      case 'e': evaluate(text); break;
      default: config::parse_override(std::string(text)); break;
    }
  } catch (const InputError&) {
  }
  return 0;
}
