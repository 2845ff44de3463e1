#pragma once
// A function of scratchpad addresses as a few integer instructions.

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::rewrite {

/// One instruction on 32-bit values. Value 0 is the byte address; step i makes value i + 1, of earlier ones.
struct AddressStep {
  enum class Operation : std::uint8_t {
    shift_right,         ///< x >> immediate
    shift_right_signed,  ///< The same of a signed number.
    shift_left,          ///< x << immediate
    bit_and,             ///< x & immediate
    bit_xor,             ///< x ^ y
    bit_or,              ///< x | y
    add,                 ///< x + y
    multiply,            ///< x * immediate, its low 32 bits
    multiply_high,       ///< x * immediate, its high 32 bits
    multiply_add,        ///< x * immediate + y
    insert_low           ///< y with its lowest `immediate` bits replaced by those of x
  };
  Operation operation = Operation::bit_xor;
  std::uint32_t x = 0, y = 0;
  std::uint32_t immediate = 0;
  friend bool operator==(const AddressStep&, const AddressStep&) = default;
};

/// The last step's value, or the address itself without any.
using AddressSteps = std::vector<AddressStep>;

/// What the steps make of a byte address.
std::uint32_t apply(const AddressSteps& steps, std::uint32_t byte_address);

/// One as PTX, `values` being the names of the values so far.
std::string text_of(const AddressStep& step, const std::string& result, const std::vector<std::string>& values);

}  // namespace lockstep::rewrite
