#include "isa/accelsim/addresses.hpp"

#include <fmt/format.h>

#include <bit>

namespace lockstep::accelsim {

namespace {

std::uint64_t expect_address(const TextFile& text, Tokens& tokens) {
  const std::string_view word = tokens.next();
  const auto address = hexadecimal(word);
  if (!address) text.fail(word, "expected a hexadecimal address");
  return *address;
}

std::uint64_t expect_difference(const TextFile& text, Tokens& tokens, const char* what) {
  const std::string_view word = tokens.next();
  const auto value = decimal(word);
  if (!value) text.fail(word, fmt::format("expected {}, decimal", what));
  return static_cast<std::uint64_t>(*value);
}

}  // namespace

void read_addresses(const TextFile& text, Tokens& tokens, std::uint32_t mask, LaneAddresses& to) {
  to.mask = mask;
  const std::string_view mode = tokens.next();
  const auto lanes = [&](auto&& address) {
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) to.address[std::countr_zero(rest)] = address();
  };
  if (mode == "0") return lanes([&] { return expect_address(text, tokens); });
  if (mode == "1") {
    std::uint64_t next = expect_address(text, tokens);
    const std::uint64_t stride = expect_difference(text, tokens, "the stride of mode 1");
    const std::uint32_t run = mask >> (mask == 0 ? 0 : std::countr_zero(mask));
    if ((run & (run + 1)) != 0)
      text.fail(mode, fmt::format("mode 1 is of lanes side by side; the mask is {:08x}", mask));
    return lanes([&] {
      const std::uint64_t address = next;
      next += stride;
      return address;
    });
  }
  if (mode != "2")
    text.fail(mode, "expected the mode of the addresses: 0 (each), 1 (base, stride) or 2 (base, differences)");
  std::uint64_t next = expect_address(text, tokens);
  std::uint32_t left = static_cast<std::uint32_t>(std::popcount(mask));
  lanes([&] {
    const std::uint64_t address = next;
    if (--left > 0) next += expect_difference(text, tokens, "the difference to the next active lane's address");
    return address;
  });
}

}  // namespace lockstep::accelsim
