#include "isa/rewrite/address_steps.hpp"

#include <fmt/format.h>

#include "isa/error.hpp"

namespace lockstep::rewrite {

std::uint32_t apply(const AddressSteps& steps, std::uint32_t byte_address) {
  std::vector<std::uint32_t> values{byte_address};
  for (const AddressStep& step : steps) {
    const std::uint32_t x = values.at(step.x), y = values.at(step.y), c = step.immediate;
    std::uint32_t result = 0;
    switch (step.operation) {
      case AddressStep::Operation::shift_right: result = c < 32 ? x >> c : 0; break;
      case AddressStep::Operation::shift_right_signed:
        result = static_cast<std::uint32_t>(static_cast<std::int32_t>(x) >> (c < 32 ? c : 31));
        break;
      case AddressStep::Operation::shift_left: result = c < 32 ? x << c : 0; break;
      case AddressStep::Operation::bit_and: result = x & c; break;
      case AddressStep::Operation::bit_xor: result = x ^ y; break;
      case AddressStep::Operation::bit_or: result = x | y; break;
      case AddressStep::Operation::add: result = x + y; break;
      case AddressStep::Operation::multiply: result = x * c; break;
      case AddressStep::Operation::multiply_high:
        result = static_cast<std::uint32_t>((std::uint64_t{x} * c) >> 32);
        break;
      case AddressStep::Operation::multiply_add: result = x * c + y; break;
      case AddressStep::Operation::insert_low: {
        const std::uint32_t low = c < 32 ? (std::uint32_t{1} << c) - 1 : ~std::uint32_t{0};
        result = (x & low) | (y & ~low);
        break;
      }
    }
    values.push_back(result);
  }
  return values.back();
}

std::string text_of(const AddressStep& step, const std::string& result, const std::vector<std::string>& values) {
  const std::string &x = values.at(step.x), &y = values.at(step.y);
  const std::uint32_t c = step.immediate;
  switch (step.operation) {
    case AddressStep::Operation::shift_right: return fmt::format("shr.u32 \t{}, {}, {};", result, x, c);
    case AddressStep::Operation::shift_right_signed: return fmt::format("shr.s32 \t{}, {}, {};", result, x, c);
    case AddressStep::Operation::shift_left: return fmt::format("shl.b32 \t{}, {}, {};", result, x, c);
    case AddressStep::Operation::bit_and: return fmt::format("and.b32 \t{}, {}, {};", result, x, c);
    case AddressStep::Operation::bit_xor: return fmt::format("xor.b32 \t{}, {}, {};", result, x, y);
    case AddressStep::Operation::bit_or: return fmt::format("or.b32 \t{}, {}, {};", result, x, y);
    case AddressStep::Operation::add: return fmt::format("add.u32 \t{}, {}, {};", result, x, y);
    case AddressStep::Operation::multiply: return fmt::format("mul.lo.u32 \t{}, {}, {};", result, x, c);
    case AddressStep::Operation::multiply_high: return fmt::format("mul.hi.u32 \t{}, {}, {};", result, x, c);
    case AddressStep::Operation::multiply_add: return fmt::format("mad.lo.u32 \t{}, {}, {}, {};", result, x, c, y);
    case AddressStep::Operation::insert_low: return fmt::format("bfi.b32 \t{}, {}, {}, 0, {};", result, x, y, c);
  }
  throw Bug("an address step of no known operation");
}

}  // namespace lockstep::rewrite
