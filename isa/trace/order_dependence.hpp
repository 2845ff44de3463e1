#pragma once
// That an execution is one of several possible ones.

#include <cstdint>
#include <string>

#include "isa/trace/header.hpp"

namespace lockstep::trace {

/// Control flow or addresses of a kernel depended on the order in which its thread blocks executed atomics: on values that
/// one has read from words that another one had written atomically. isa/exec/order_dependence.hpp says how that is found.
struct OrderDependence {
  std::uint32_t kernel = 0;     ///< Index into Header::kernels.
  std::uint32_t branches = 0;   ///< Instructions of which it decides whether or where to a thread goes on.
  std::uint32_t addresses = 0;  ///< Memory instructions of which it decides addresses, or which lanes take part.
  std::uint32_t first = 0;      ///< The first of these instructions in the kernel.
  friend bool operator==(const OrderDependence&, const OrderDependence&) = default;
};

/// One line for the user.
std::string describe(const Header& header, const OrderDependence& dependence);

}  // namespace lockstep::trace
