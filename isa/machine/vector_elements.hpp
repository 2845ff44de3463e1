#pragma once
// What puts the elements of a vector access in their places.
//
// A load or store of several elements takes one register, or neighbouring ones in order; the elements of a program go by names of
// their own. The rules are those that ptxas 13.0 was seen to follow for sm_90:
// - an element of less than four bytes is taken out of its word by one instruction (PRMT), with the widening to 32 bits that is
//   written behind the load; not the low half of a word for operations that ignore the high one, and no half for what takes
//   halves as operands: half precision and the packing of two registers by mov;
// - elements of less than four bytes are put into their word one by one, but two results of half precision by what makes them;
// - a word that is stored twice by one instruction has to be copied, zeros beside other words are made anew, two of them at once
//   where they are an aligned pair; literals else stay in their registers;
// - what is stored as it was loaded stays as it is.

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/machine/selection/selection.hpp"
#include "isa/program/data_flow.hpp"
#include "isa/program/static_program.hpp"

namespace lockstep::machine {

/// The vector accesses of one kernel in PTX. All arguments must outlive it.
class VectorElements {
 public:
  VectorElements(const program::Kernel& kernel, const Selection& selection, const program::DataFlow& flow);

  /// Of the destinations of a load, those that an instruction of their own takes out of a word.
  std::vector<std::uint32_t> taken_out(std::uint32_t load) const;
  /// An instruction that puts elements of a store in their places.
  struct Placement {
    bool permutes = false;                 ///< A byte permutation (PRMT), else a move.
    bool continues = false;                ///< Reads also the result of the placement before it.
    std::vector<std::uint32_t> registers;  ///< Of the kernel, that it reads.
  };
  std::vector<Placement> put_together(std::uint32_t store) const;

 private:
  bool needs_it_alone(std::uint32_t element, unsigned bytes, bool lowest) const;
  bool is_as_loaded(std::uint32_t store) const;
  bool is_half_result(std::uint32_t element) const;
  std::optional<std::uint64_t> literal(const program::SourceOperand& element) const;
  std::vector<Placement> packed(const std::vector<program::SourceOperand>& elements, unsigned bytes) const;
  std::vector<Placement> copied(const std::vector<program::SourceOperand>& elements, unsigned bytes) const;

  const program::Kernel& kernel_;
  const Selection& selection_;
  const program::DataFlow& flow_;
};

}  // namespace lockstep::machine
