#pragma once
// Changes of how scratchpad variables are declared. Internal to this folder.

#include <cstdint>

#include "isa/ptx/module.hpp"
#include "isa/rewrite/edited_text.hpp"

namespace lockstep::rewrite {

/// So many bytes more, or a little more than that: elements in the variable's first dimension, or an array where it was none.
void grow_variable(EditedText& text, const ptx::Module& module, const ptx::Variable& variable, std::uint64_t bytes);

/// An alignment of at least so many bytes, a power of two.
void align_variable(EditedText& text, const ptx::Variable& variable, std::uint32_t bytes);

}  // namespace lockstep::rewrite
