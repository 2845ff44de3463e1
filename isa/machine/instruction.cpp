#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

namespace {

struct OperationInfo {
  std::string_view name;
  Unit unit;
};

constexpr std::array<OperationInfo, operation_count> infos = {{
    {"integer", Unit::core},
    {"integer_multiply", Unit::core},
    {"wide_multiply", Unit::core},
    {"shift", Unit::core},
    {"compare", Unit::core},
    {"min_max", Unit::core},
    {"bit_count", Unit::core},
    {"bit_find", Unit::core},
    {"floating", Unit::core},
    {"floating_multiply", Unit::core},
    {"half_precision", Unit::core},
    {"double_precision", Unit::core},
    {"tensor", Unit::tensor},
    {"tensor_short", Unit::tensor},
    {"tensor_double", Unit::tensor},
    {"conversion", Unit::core},
    {"special_function", Unit::special_function},
    {"range_reduction", Unit::special_function},
    {"special_register", Unit::core},
    {"exchange", Unit::load_store},
    {"scratchpad_load", Unit::load_store},
    {"scratchpad_store", Unit::load_store},
    {"load_lock", Unit::load_store},
    {"store_unlock", Unit::load_store},
    {"scratchpad_atomic", Unit::load_store},
    {"scratchpad_reduction", Unit::load_store},
    {"global_load", Unit::load_store},
    {"global_store", Unit::load_store},
    {"global_atomic", Unit::load_store},
    {"global_reduction", Unit::load_store},
    {"constant_load", Unit::load_store},
    {"texture_load", Unit::texture},
    {"async_copy", Unit::load_store},
    {"mbarrier", Unit::load_store},
    {"copy_commit", Unit::control},
    {"copy_wait", Unit::control},
    {"branch", Unit::control},
    {"barrier", Unit::control},
    {"fence", Unit::control},
    {"exit", Unit::control},
}};

}  // namespace

std::string_view name_of(Operation operation) {
  return infos[static_cast<std::size_t>(operation)].name;
}
std::span<const Operation> arithmetic_operations() {
  static const auto all = [] {
    std::array<Operation, static_cast<std::size_t>(Operation::scratchpad_load)> some{};
    for (std::size_t n = 0; n < some.size(); ++n) some[n] = static_cast<Operation>(n);
    return some;
  }();
  return all;
}
Unit unit_of(Operation operation) {
  return infos[static_cast<std::size_t>(operation)].unit;
}

}  // namespace lockstep::machine
