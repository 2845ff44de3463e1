#pragma once
// What the modifiers of a wmma say.

#include <cstdint>
#include <string_view>

#include "isa/ptx/module.hpp"

namespace lockstep::ptx::wmma {

/// Of the elements of a matrix. tf32 stands in 32 bits.
enum class Elements : std::uint8_t { f16, bf16, tf32, u8, s8, f64, f32, s32 };
unsigned bytes_of(Elements elements);

/// Matrices A and B, and C or D.
enum class Part : std::uint8_t { a, b, sums };

/// An MxNxK product.
struct Shape {
  unsigned m = 16, n = 16, k = 16;
  /// m8n32k16: the hardware multiplies the transposed matrices, B' with A', which have the shape m32n8k16.
  bool flipped() const { return n > m; }
};

/// A wmma.load or wmma.store.
struct Transfer {
  Shape shape;
  Part part = Part::a;
  Elements elements = Elements::f16;
  bool columns = false;  ///< Columns are contiguous in memory, not rows.
  bool stores = false;
  bool in_shared = false;       ///< The state space is .shared; otherwise .global, or none.
  std::string_view space = {};  ///< The modifier of the state space, or "".

  /// Elements from one row, or column, to the next where the instruction does not say it.
  unsigned usual_stride() const;
};

/// A wmma.mma.
struct Product {
  Shape shape;
  Elements factors = Elements::f16, c = Elements::f16, d = Elements::f16;
  bool saturates = false;
};

/// Of an instruction with modifiers that the opcode takes.
bool is_product(const Instruction& instruction);
Transfer transfer_of(const Instruction& instruction);
Product product_of(const Instruction& instruction);

/// 32-bit registers, 64-bit ones of f64, that hold a part of a product, in each lane.
unsigned registers_of(const Shape& shape, Part part, Elements elements);

}  // namespace lockstep::ptx::wmma
