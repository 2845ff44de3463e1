#pragma once
// Rewrites the accesses of one function. Internal to this folder.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "isa/error.hpp"
#include "isa/ptx/program.hpp"
#include "isa/rewrite/access_kind.hpp"
#include "isa/rewrite/edited_text.hpp"
#include "isa/rewrite/generic_accesses.hpp"
#include "isa/rewrite/scratchpad_addresses.hpp"

namespace lockstep::rewrite {

/// How an access that is rewritten names scratchpad memory: by its state space; without one, but nothing else is possible;
/// or only the address tells at run time.
enum class AddressSpace : std::uint8_t { named, proven, open };

class FunctionRewrite {
 public:
  /// `generic` is per instruction of the program.
  FunctionRewrite(EditedText& text, const ptx::Program& program, std::uint32_t function, const KernelRewrite& kernel,
                  const std::vector<GenericAccess>& generic, Lines lines, Diagnostics& diagnostics);
  /// Edits the text, adds to the report, and to the diagnostics what cannot be rewritten.
  void rewrite(KernelReport& report);

 private:
  /// A register that was computed, and the one of the kernel that it depends on.
  struct Computed {
    std::string result;
    ptx::RegisterId base;
  };

  void rewrite_access(const ptx::Instruction& instruction, const AccessKind& kind, AddressSpace space);
  /// Replaces an access of several words, whose tokens begin at `start` with its '[' at `open`, by one for each, at
  /// `places`.
  void split(const ptx::Instruction& instruction, const AccessKind& kind, std::size_t start, std::size_t open,
             const std::vector<std::string>& places);
  /// The register that holds the address as written, in 32 bits, and the one that takes its place.
  std::string address_register(const ptx::Operand& address, std::string_view written, bool is_generic);
  /// What was computed under this key since the block began, or `compute()`, which emits that.
  template <class Compute>
  std::string once(const std::string& key, ptx::RegisterId base, Compute&& compute);
  std::string hashed(const Computed& address);
  /// The places of so many words from the address on.
  std::vector<std::string> hashed_words(const Computed& address, std::uint32_t words);
  /// For words from the address on, whose places these are: generic addresses of the places, or, when a word lies
  /// elsewhere, its own.
  std::vector<std::string> chosen_at_run_time(const ptx::Operand& address, std::string_view written,
                                              const std::vector<std::string>& places);
  void refuse(const ptx::Instruction& instruction, const std::string& reason);
  void refuse_grown_sizes(const ptx::Instruction& instruction);

  std::string new_word();  ///< A new 32-bit register.
  std::string new_long();  ///< A new 64-bit register.
  std::string new_predicate();
  void emit(const std::string& instruction);
  void forget(ptx::RegisterId written);
  void declare();

  EditedText& text_;
  const ptx::Program& program_;
  const ptx::Function& function_;
  std::uint32_t first_instruction_;
  const KernelRewrite& kernel_;
  const std::vector<GenericAccess>& generic_;
  std::string_view separator_;  ///< Behind every new instruction.
  Diagnostics& diagnostics_;
  std::string prefix_;
  std::uint32_t words_ = 0, longs_ = 0, predicates_ = 0;
  std::string emitted_;  ///< Instructions that go before the access.
  std::uint32_t emitted_instructions_ = 0;
  /// What was computed since the block began, by what it was computed from; forgotten when its base is written.
  std::map<std::string, Computed> computed_;
  KernelReport* report_ = nullptr;
};

}  // namespace lockstep::rewrite
