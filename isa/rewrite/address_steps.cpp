#include "isa/rewrite/address_steps.hpp"

namespace lockstep::rewrite {

std::uint32_t apply(const AddressSteps& steps, std::uint32_t byte_address) {
  std::vector<std::uint32_t> values{byte_address};
  for (const AddressStep& step : steps) {
    const std::uint32_t x = values.at(step.x), y = values.at(step.y), c = step.immediate;
    std::uint32_t result = 0;
    switch (step.operation) {
      case AddressStep::Operation::shift_right: result = c < 32 ? x >> c : 0; break;
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

}  // namespace lockstep::rewrite
