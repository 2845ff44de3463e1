#pragma once
// How the changed addresses of arrays are computed: at the access, or where the register changes that the address is in.
//
// A place register of register r and an array holds, wherever r has been written, the address of the place of what r
// points to. It is computed behind every instruction that writes r: from r itself, or in fewer instructions from the place
// register of what r was computed from, where ArrayLayout proves that this gives the same. So a loop that moves a pointer
// on by whole rows adds a constant to its place register. Internal to this folder.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "isa/analysis/control_flow.hpp"
#include "isa/analysis/possible_bits.hpp"
#include "isa/ptx/program.hpp"
#include "isa/rewrite/array_accesses.hpp"
#include "isa/rewrite/array_layout.hpp"

namespace lockstep::rewrite {

/// Which place register: of what register, and what that holds of an array.
struct PlaceKey {
  enum class Kind : std::uint8_t {
    address,  ///< An address in scratchpad memory.
    generic,  ///< A generic address; its place is none.
    offset    ///< A byte offset in the array; its place is one, too.
  };
  ptx::RegisterId reg = ptx::no_index;  ///< no_index: the array's address itself, or 0.
  std::uint32_t array = 0;
  Kind kind = Kind::address;
  friend auto operator<=>(const PlaceKey&, const PlaceKey&) = default;
};

/// How a place register follows from what an instruction has written.
struct Derivation {
  enum class Kind : std::uint8_t {
    whole,         ///< The layout's function of the register itself.
    constant,      ///< The array's address (of an offset, 0) and `displacement.add`.
    displaced,     ///< The place register `from`, by `displacement`.
    added,         ///< `from` plus the register `term`.
    exclusive_or,  ///< `from` XOR `term`, which is multiplied by `factor` where that is not 0.
    scaled,        ///< `from` plus `term` times `factor`.
    offset         ///< `from` plus the place register of `offset`.
  };
  Kind kind = Kind::whole;
  PlaceKey from;
  Displacement displacement;
  ptx::RegisterId term = ptx::no_index;
  std::uint32_t factor = 0;
  PlaceKey offset;
};

class AddressPlan {
 public:
  /// For the entry of a program. `layouts` is per array of `accesses`; `executions` per block of the program, of which
  /// the costs are sums; `block` as of PossibleBits.
  AddressPlan(const ptx::Program& program, const ArrayAccesses& accesses, const std::vector<ArrayLayout>& layouts,
              const std::vector<std::uint64_t>& executions, const std::optional<program::Dim3>& block);

  /// Place registers that are kept, and how each instruction that writes the register goes on to make them.
  const std::map<PlaceKey, std::map<std::uint32_t, Derivation>>& kept() const { return kept_; }
  /// What an access of this register and offset adds to the place of the register; nothing where that is not proved.
  std::optional<Displacement> displacement_of(std::uint32_t instruction) const;
  /// Of an access of a register.
  PlaceKey key_of(std::uint32_t instruction) const;
  /// Executed instructions, as estimated.
  std::uint64_t cost() const { return cost_; }

 private:
  using Plans = std::map<PlaceKey, std::map<std::uint32_t, Derivation>>;
  struct Priced {
    Derivation derivation;
    std::uint64_t cost = 0;
  };

  std::uint64_t executed(std::uint32_t instruction) const;
  std::uint64_t whole_cost(const PlaceKey& key) const;
  /// Of a place register with all that it needs and that is not in `plans` yet, to which they are added.
  std::uint64_t price(const PlaceKey& key, Plans& plans, std::uint32_t depth) const;
  /// What an operand holds that a place register would be of, and its ones.
  struct Base {
    PlaceKey key;
    std::uint32_t ones = 0;
    std::uint32_t constant = 0;  ///< To be added to it, where it has no register.
  };
  std::optional<Base> base_of(const PlaceKey& key, std::uint32_t instruction, const ptx::Operand& operand,
                              PlaceKey::Kind kind) const;
  void add_sums(const PlaceKey& key, std::uint32_t instruction, const Base& base, const ptx::Operand& term,
                std::vector<Derivation>& found) const;
  std::vector<Derivation> derivations(const PlaceKey& key, std::uint32_t instruction) const;
  /// The factor of a register that an instruction in front of `instruction` multiplied by a constant to make `term`.
  std::optional<std::pair<ptx::RegisterId, std::uint32_t>> product(std::uint32_t instruction,
                                                                   ptx::RegisterId term) const;
  /// The 32-bit register that a 64-bit one is a copy of, or that itself.
  ptx::RegisterId narrow(ptx::RegisterId index, std::uint32_t instruction) const;
  /// On every way to `then`.
  bool comes_first(std::uint32_t first, std::uint32_t then) const;
  std::uint32_t ones_of(const PlaceKey& key, const analysis::KnownValue& value) const;
  void choose();

  const ptx::Program& program_;
  const ptx::Function& function_;
  const ArrayAccesses& accesses_;
  const std::vector<ArrayLayout>& layouts_;
  const std::vector<std::uint64_t>& executions_;
  analysis::PossibleBits bits_;
  analysis::ControlFlow flow_;
  std::vector<std::vector<std::uint32_t>> writers_;  ///< Per register of the entry.
  std::map<std::uint32_t, std::optional<Displacement>> displacements_;
  Plans kept_;
  std::uint64_t cost_ = 0;
};

}  // namespace lockstep::rewrite
