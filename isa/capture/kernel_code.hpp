#pragma once
// A kernel as the reader of its log needs it: its static program, what its records hold, and where its variables lie in a
// trace.

#include <cstdint>
#include <memory>
#include <vector>

#include "isa/capture/log_plan.hpp"
#include "isa/exec/memory/variables.hpp"
#include "isa/program/static_program.hpp"
#include "isa/ptx/program.hpp"

namespace lockstep::capture {

/// How an access entry comes from a record.
struct CodeAccess {
  LoggedAccess::Value value = LoggedAccess::Value::fixed;
  bool has_word = false;
  /// Base and offset add up modulo 2^32.
  bool narrow = false;
  ptx::Space space = ptx::Space::generic;  ///< Of an address that the GPU has chosen.
  std::uint64_t offset = 0;                ///< Added to the base; of a fixed address, all of it.
  bool in_frame = false;                   ///< A fixed address counts from the frame of a recursive function.
};

struct CodeBlock {
  std::uint32_t function = 0;
  std::uint32_t words = 0;   ///< Of its record.
  std::uint32_t places = 0;  ///< Words of the function's places, behind the first.
  const ptx::Instruction* last = nullptr;
  std::vector<std::uint32_t> targets;  ///< Of its branch: blocks, in the order of the table.
  std::vector<CodeAccess> accesses;
};

/// A variable that a function logs the address of, when it begins.
struct CodePlace {
  const ptx::Variable* variable = nullptr;
  exec::Place place;  ///< Where it lies in the trace.
  bool in_frame = false;
};

struct KernelCode {
  /// `kernel` is one of the module. InputError as ptx::link says. Refers to the module and the plan.
  KernelCode(const ptx::Module& module, const LogPlan& plan, const std::string& kernel,
             const exec::ModuleVariables& placed, std::uint32_t call_depth);

  ptx::Program program;
  program::Kernel statics;
  exec::VariablePlaces places;
  std::vector<CodeBlock> blocks;                      ///< As in the program.
  std::vector<std::uint32_t> block_in_program;        ///< Of a module's block, or ptx::no_index.
  std::vector<std::vector<CodePlace>> logged_places;  ///< Per function of the program.
  const LoggedKernel* logged = nullptr;
};

}  // namespace lockstep::capture
