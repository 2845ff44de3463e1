#include "tests/differential/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/differential/machine.hpp"
#include "tests/differential/oracle/oracle.hpp"

namespace lockstep::differential {

std::string difference(const Kernel& kernel) {
  return difference(kernel, execute, interpret);
}

std::string difference(const Kernel& kernel, const Result& machine, const Result& oracle) {
  const std::vector<std::uint8_t> got = machine(kernel), expected = oracle(kernel);
  const auto first = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end()).first;
  if (first == got.end()) return {};
  const auto at = static_cast<std::size_t>(first - got.begin());
  const std::size_t counters = bytes_of(Area::counters), own = counters + kernel.threads() * bytes_of(Area::own);
  const auto word = [&](const std::vector<std::uint8_t>& bytes) {
    std::string text;
    for (std::size_t i = std::min(at / 8 * 8 + 8, bytes.size()); i-- > at / 8 * 8;)
      text += fmt::format("{:02x}", bytes[i]);
    return text;
  };
  const std::string where = at >= kernel.data_bytes() ? fmt::format("texel byte {}", at - kernel.data_bytes())
                            : at < counters           ? fmt::format("counter byte {}", at)
                            : at < own
                                ? fmt::format("thread {}, byte {} of its own", (at - counters) / bytes_of(Area::own),
                                              (at - counters) % bytes_of(Area::own))
                                : fmt::format("thread {}, byte {} of its results", (at - own) / bytes_of(Area::results),
                                              (at - own) % bytes_of(Area::results));
  return fmt::format("{}: {}, the oracle has {}", where, word(got), word(expected));
}

}  // namespace lockstep::differential
