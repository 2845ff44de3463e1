#pragma once
// What the instrumented kernels of a module log: a record per basic block that a thread executes. The rewriter and the reader
// of logs both follow it.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/error.hpp"
#include "isa/ptx/module.hpp"

namespace lockstep::capture {

/// One access entry of an instruction, and what the log says of it.
struct LoggedAccess {
  enum class Value : std::uint8_t {
    fixed,    ///< The text of the program says the address.
    base,     ///< The base register, to which the text adds an offset.
    barrier,  ///< Number and thread count, as in the trace.
  };
  std::uint32_t instruction = 0;  ///< Of its function.
  std::uint32_t operand = 0;      ///< That has the address.
  Value value = Value::fixed;
  /// A lane of the block may not take part: a guard, or an asynchronous copy that reads nothing. Its word is
  /// `not_taking_part`.
  bool conditional = false;

  bool has_word() const { return value != Value::fixed || conditional; }
};

struct LoggedBlock {
  std::uint32_t first = 0, count = 0;  ///< Instructions of its function.
  std::vector<LoggedAccess> accesses;
  std::uint32_t words = 0;  ///< Of a record: its first, the function's places in its first block, those of accesses.
};

/// A variable whose address the GPU chooses.
struct LoggedPlace {
  const ptx::Variable* variable = nullptr;
  std::string name;  ///< As its function calls it.
};

/// One that a kernel reaches, with its blocks as ptx::link cuts them.
struct LoggedFunction {
  const ptx::Function* function = nullptr;
  std::uint32_t first_block = 0;    ///< In the module's count of blocks, which records name.
  std::vector<LoggedPlace> places;  ///< Variables of the function whose addresses it takes: logged when it begins.
  std::vector<LoggedBlock> blocks;
};

/// What the first thread of a launch writes once: addresses of variables of the module, those that the kernel names.
struct LoggedKernel {
  std::string name;
  std::vector<const ptx::Variable*> variables;
};

/// Outlived by its module.
class LogPlan {
 public:
  /// InputError for addresses of 32 bits, and where there is no kernel that can be logged.
  explicit LogPlan(const ptx::Module& module);

  const std::vector<LoggedFunction>& functions() const { return functions_; }
  /// Kernels that are not logged, with what is in the way: accesses to textures and surfaces, or that they cannot be linked.
  const std::vector<std::pair<std::string, InputError>>& refused() const { return refused_; }
  /// nullptr when the module has no such kernel, or it is refused.
  const LoggedKernel* find_kernel(std::string_view name) const;
  const LoggedFunction* find_function(const ptx::Function* function) const;
  /// The largest number of words of a record.
  std::uint32_t most_words() const;
  /// Addresses of variables that a kernel of the module logs, at most.
  std::uint32_t most_variables() const;

 private:
  std::vector<LoggedFunction> functions_;
  std::vector<LoggedKernel> kernels_;
  std::vector<std::pair<std::string, InputError>> refused_;
};

}  // namespace lockstep::capture
