// Which operands a wmma has.

#include <fmt/format.h>

#include "isa/ptx/wmma/expansion.hpp"
#include "isa/ptx/wmma/form.hpp"

namespace lockstep::ptx::wmma {

namespace {

using Kind = Operand::Kind;

/// What is wrong with a list of registers, or "".
std::string wrong_list(const Function& function, const Operand& operand, std::size_t number, unsigned count,
                       unsigned bits) {
  const bool is_list = operand.kind == Kind::vector;
  const std::size_t found = is_list ? operand.elements.size() : 1;
  if (found != count)
    return fmt::format("operand {} must have {} register{}, not {}", number + 1, count, count == 1 ? "" : "s", found);
  for (std::size_t i = 0; i < count; ++i) {
    const Operand& one = is_list ? operand.elements[i] : operand;
    if (one.kind != Kind::reg || one.negated) return fmt::format("operand {} must be registers", number + 1);
    const Register& reg = function.registers[one.index];
    if (bits_of(reg.type) != bits)
      return fmt::format("the register {} has {} bits, but {} are needed", reg.name, bits_of(reg.type), bits);
  }
  return "";
}

std::string wrong_transfer(const Function& function, const Instruction& instruction) {
  const Transfer transfer = transfer_of(instruction);
  const auto& operands = instruction.operands;
  if (operands.size() < 2 || operands.size() > 3) return fmt::format("takes 2 or 3 operands, not {}", operands.size());
  const std::size_t address = transfer.stores ? 0 : 1, list = transfer.stores ? 1 : 0;
  if (operands[address].kind != Kind::address || !operands[address].elements.empty())
    return fmt::format("operand {} must be an address in [ ]", address + 1);
  const unsigned count = registers_of(transfer.shape, transfer.part, transfer.elements);
  const unsigned bits = transfer.elements == Elements::f64 ? 64 : 32;
  if (std::string wrong = wrong_list(function, operands[list], list, count, bits); !wrong.empty()) return wrong;
  if (operands.size() == 2) return "";
  const Operand& stride = operands[2];
  const bool is_register =
      stride.kind == Kind::reg && !stride.negated && bits_of(function.registers[stride.index].type) == 32;
  return is_register || stride.kind == Kind::integer ? "" : "the stride must be a number or a register of 32 bits";
}

}  // namespace

std::string wrong_operands(const Function& function, const Instruction& instruction) {
  if (!is_product(instruction)) return wrong_transfer(function, instruction);
  const Product product = product_of(instruction);
  if (instruction.operands.size() != 4) return fmt::format("takes 4 operands, not {}", instruction.operands.size());
  const unsigned bits = product.factors == Elements::f64 ? 64 : 32;
  const unsigned counts[] = {
      registers_of(product.shape, Part::sums, product.d), registers_of(product.shape, Part::a, product.factors),
      registers_of(product.shape, Part::b, product.factors), registers_of(product.shape, Part::sums, product.c)};
  for (std::size_t i = 0; i < 4; ++i)
    if (std::string wrong = wrong_list(function, instruction.operands[i], i, counts[i], bits); !wrong.empty())
      return wrong;
  return "";
}

}  // namespace lockstep::ptx::wmma
