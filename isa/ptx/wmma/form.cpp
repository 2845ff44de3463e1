#include "isa/ptx/wmma/form.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "isa/error.hpp"
#include "isa/ptx/access.hpp"

namespace lockstep::ptx::wmma {

namespace {

std::optional<Elements> elements_named(std::string_view name) {
  constexpr std::string_view names[] = {"f16", "bf16", "tf32", "u8", "s8", "f64", "f32", "s32"};
  const auto* const found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<Elements>(found - std::begin(names));
}

Shape shape_of(const Instruction& instruction) {
  if (instruction.has("m32n8k16")) return {32, 8, 16};
  if (instruction.has("m8n32k16")) return {8, 32, 16};
  if (instruction.has("m16n16k8")) return {16, 16, 8};
  if (instruction.has("m8n8k4")) return {8, 8, 4};
  return {16, 16, 16};
}

/// The types, in the order written.
std::vector<Elements> types_of(const Instruction& instruction) {
  std::vector<Elements> all;
  for (const std::string& modifier : instruction.modifiers)
    if (const auto elements = elements_named(modifier)) all.push_back(*elements);
  if (all.empty()) throw Bug("a wmma without a type");
  return all;
}

}  // namespace

unsigned bytes_of(Elements elements) {
  switch (elements) {
    case Elements::u8:
    case Elements::s8: return 1;
    case Elements::f16:
    case Elements::bf16: return 2;
    case Elements::f64: return 8;
    default: return 4;
  }
}

unsigned Transfer::usual_stride() const {
  const unsigned rows = part == Part::b ? shape.k : shape.m;
  const unsigned of_row = part == Part::a ? shape.k : shape.n;
  return columns ? rows : of_row;
}

bool is_product(const Instruction& instruction) {
  return instruction.has("mma");
}

Transfer transfer_of(const Instruction& instruction) {
  Transfer transfer;
  transfer.shape = shape_of(instruction);
  transfer.part = instruction.has("a") ? Part::a : instruction.has("b") ? Part::b : Part::sums;
  transfer.elements = types_of(instruction).back();
  transfer.columns = instruction.has("col");
  transfer.stores = instruction.has("store");
  const NamedSpaces spaces(instruction);
  transfer.space = spaces.first_modifier();
  transfer.in_shared = spaces.has(Space::shared);
  return transfer;
}

Product product_of(const Instruction& instruction) {
  const std::vector<Elements> types = types_of(instruction);
  Product product;
  product.shape = shape_of(instruction);
  product.d = types.front();
  product.c = types.back();
  // Of f16, those of A and B are not written.
  if (types.size() == 4) product.factors = types[1];
  product.saturates = instruction.has("satfinite");
  return product;
}

unsigned registers_of(const Shape& shape, Part part, Elements elements) {
  const unsigned outer = part == Part::a ? shape.m : shape.n;
  if (elements == Elements::f64) return part == Part::sums ? 2 : 1;
  if (part == Part::sums) return elements == Elements::f16 ? 4 : 8;
  if (elements == Elements::f16) return 8;  // As many for every shape: the elements of small matrices repeat.
  return outer * shape.k * bytes_of(elements) / 128;
}

}  // namespace lockstep::ptx::wmma
