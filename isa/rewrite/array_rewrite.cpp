#include "isa/rewrite/array_rewrite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "isa/ptx/program.hpp"
#include "isa/ptx/register_use.hpp"
#include "isa/rewrite/access_kind.hpp"
#include "isa/rewrite/address_plan.hpp"
#include "isa/rewrite/declarations.hpp"
#include "isa/rewrite/edited_text.hpp"

namespace lockstep::rewrite {

namespace {

using ptx::Instruction;
using ptx::no_index;
using ptx::Operand;

/// A kernel's arrays with their layouts to be, and how addresses will be computed.
class ChangedArrays {
 public:
  ChangedArrays(const ptx::Module& module, const ArraysRequest& request)
      : program(ptx::link(module, request.kernel, ptx::WmmaAs::written)),
        accesses(find_array_accesses(program)),
        layouts(accesses.arrays.size()) {
    for (const ArrayChange& change : request.changes) take(change, request.kernel);
    // The size of the thread block is used where that saves instructions.
    plan = make_plan(request, std::nullopt);
    if (!request.block || program.functions[0]->required_threads[0] != 0) return;
    auto with_block = make_plan(request, request.block);
    if (with_block->cost() >= plan->cost()) return;
    plan = std::move(with_block);
    requires_block = true;
  }

  ptx::Program program;
  ArrayAccesses accesses;
  std::vector<ArrayLayout> layouts;  ///< Per array.
  std::unique_ptr<AddressPlan> plan;
  bool requires_block = false;

 private:
  std::unique_ptr<AddressPlan> make_plan(const ArraysRequest& request, const std::optional<program::Dim3>& block) {
    return std::make_unique<AddressPlan>(program, accesses, layouts, request.executions, block);
  }
  void take(const ArrayChange& change, const std::string& kernel) {
    const auto array = std::find_if(accesses.arrays.begin(), accesses.arrays.end(),
                                    [&](const auto& one) { return one.variable->name == change.array; });
    if (array == accesses.arrays.end())
      throw InputError(fmt::format("kernel '{}' has no scratchpad array '{}'", kernel, change.array));
    if (!change.layout.is_unchanged() && !array->fixed.empty())
      throw InputError(array->variable->where, fmt::format("array '{}' has to stay: {}", change.array, array->fixed));
    if (array->widest_access > change.layout.contiguous_bytes())
      throw InputError(array->variable->where,
                       fmt::format("array '{}' is accessed in pieces of {} bytes, which the layout {} does not keep "
                                   "together",
                                   change.array, array->widest_access, change.layout.name()));
    layouts[static_cast<std::size_t>(array - accesses.arrays.begin())] = change.layout;
  }
};

class ArraysRewrite {
 public:
  ArraysRewrite(std::string_view text, const ptx::Module& module, const ArraysRequest& request, Lines lines)
      : module_(module),
        changed_(module, request),
        function_(*changed_.program.functions[0]),
        text_(text),
        separator_(lines == Lines::kept ? " " : "\n\t"),
        prefix_(text_.unused_prefix("%place")) {
    if (!changed_.requires_block) return;
    result_.requires_block = true;
    const std::size_t name = text_.token_at(function_.where.line, function_.where.column);
    const program::Dim3& block = *request.block;
    text_.insert(text_.begin_of(text_.find(name, '{')),
                 fmt::format(".reqntid {}, {}, {}{}", block[0], block[1], block[2], separator_));
  }

  RewrittenArrays rewrite() {
    for (std::uint32_t n = 0; n < function_.instructions.size(); ++n) {
      if (changed_.program.blocks[changed_.program.block_at(n)].first == n) computed_.clear();
      if (changed_.accesses.array_of[n] != no_index && !changed_.layouts[changed_.accesses.array_of[n]].is_unchanged())
        rewrite_access(n);
      follow(n);
    }
    declare();
    for (Edit& edit : edits_) text_.replace(edit.begin, edit.end, std::move(edit.text));
    for (std::size_t a = 0; a < changed_.layouts.size(); ++a) {
      if (changed_.layouts[a].is_unchanged()) continue;
      const ptx::Variable& variable = *changed_.accesses.arrays[a].variable;
      align_variable(text_, variable, changed_.layouts[a].alignment());
      const std::uint64_t needed = changed_.layouts[a].bytes_needed(variable.bytes);
      if (needed > variable.bytes) grow_variable(text_, module_, variable, needed - variable.bytes);
    }
    result_.text = text_.result();
    return std::move(result_);
  }

 private:
  /// Of the instructions; they go into the text behind what stands in front of all.
  struct Edit {
    std::size_t begin, end;
    std::string text;
  };

  std::string new_word() { return fmt::format("{}_{}", prefix_, words_++); }
  void emit(std::string instruction) {
    emitted_ += instruction + std::string(separator_);
    ++result_.added_instructions;
  }
  void insert(std::size_t at, std::string text) { edits_.push_back({at, at, std::move(text)}); }
  std::string take_emitted() { return std::exchange(emitted_, {}); }

  /// The register's name, if it is that of no other.
  const std::string& spelled(ptx::RegisterId reg) const {
    const std::string& name = function_.registers[reg].name;
    const auto same = std::count_if(function_.registers.begin(), function_.registers.end(),
                                    [&](const ptx::Register& one) { return one.name == name; });
    if (same > 1)
      throw InputError(function_.where, fmt::format("kernel '{}' has several registers '{}': its addresses cannot be "
                                                    "followed",
                                                    function_.name, name));
    return name;
  }
  /// A register that holds the array's address, from the beginning of the kernel on.
  const std::string& array_address(std::uint32_t array) {
    std::string& own = array_addresses_[array];
    if (own.empty()) own = new_word();
    return own;
  }
  bool is_long(ptx::RegisterId reg) const { return ptx::bits_of(function_.registers[reg].type) == 64; }

  /// A register of the kernel in 32 bits.
  std::string in_word(ptx::RegisterId reg, PlaceKey::Kind kind = PlaceKey::Kind::address) {
    std::string from = spelled(reg);
    if (kind == PlaceKey::Kind::generic) {
      const std::string offset = is_long(reg) ? fmt::format("{}_long_{}", prefix_, longs_++) : new_word();
      emit(fmt::format("cvta.to.shared.u{} \t{}, {};", is_long(reg) ? 64 : 32, offset, from));
      from = offset;
    }
    if (!is_long(reg)) return from;
    const std::string low = new_word();
    emit(fmt::format("cvt.u32.u64 \t{}, {};", low, from));
    return low;
  }

  /// The place of an address in an array, or of an offset.
  std::string place_of(const std::string& address, std::uint32_t array, PlaceKey::Kind kind) {
    std::string offset = address;
    if (kind != PlaceKey::Kind::offset) {
      offset = new_word();
      emit(fmt::format("sub.s32 \t{}, {}, {};", offset, address, array_address(array)));
    }
    std::vector<std::string> values{offset, address};
    for (const AddressStep& step : changed_.layouts[array].steps()) {
      const std::string result = new_word();
      emit(text_of(step, result, values));
      values.push_back(result);
    }
    return values.back();
  }

  /// The place register of what is kept, or what has been computed in this block.
  std::string place_of(const PlaceKey& key) {
    if (changed_.plan->kept().contains(key)) return kept_name(key);
    const auto found = computed_.find(key);
    if (found != computed_.end()) return found->second;
    return computed_[key] = place_of(in_word(key.reg, key.kind), key.array, key.kind);
  }
  const std::string& kept_name(const PlaceKey& key) {
    std::string& own = kept_names_[key];
    if (own.empty()) own = new_word();
    return own;
  }

  static std::string with_offset(const std::string& reg, std::uint32_t offset) {
    const auto distance = static_cast<std::int32_t>(offset);
    return distance == 0 ? reg : fmt::format("{}{:+}", reg, distance);
  }

  void rewrite_access(std::uint32_t n) {
    const Instruction& instruction = function_.instructions[n];
    const Operand& address = *instruction.address();
    const std::uint32_t array = changed_.accesses.array_of[n];
    std::string place;
    if (address.index == no_index) {
      place = with_offset(address.symbol, changed_.layouts[array].place(static_cast<std::uint32_t>(address.offset)));
    } else {
      const PlaceKey key = changed_.plan->key_of(n);
      if (const auto displacement = changed_.plan->displacement_of(n)) {
        std::string base = place_of(key);
        if (displacement->exclusive_or != 0) {
          const std::string other = new_word();
          emit(fmt::format("xor.b32 \t{}, {}, {};", other, base, displacement->exclusive_or));
          base = other;
        }
        place = with_offset(base, displacement->add);
      } else {
        const std::string sum = new_word();
        emit(fmt::format("add.s32 \t{}, {}, {};", sum, in_word(key.reg, key.kind), address.offset));
        place = place_of(sum, array, PlaceKey::Kind::address);
      }
    }
    ++result_.accesses;
    const std::size_t start = text_.token_at(instruction.line, instruction.column);
    const std::size_t open = text_.find(start, '['), close = text_.find(open, ']');
    insert(text_.begin_of(start), take_emitted());
    if (access_kind(instruction).treatment == AccessKind::Treatment::generic) {
      const std::size_t opcode =
          instruction.guard == no_index ? start : start + (text_.tokens()[start + 1].is('!') ? 3 : 2);
      std::size_t end = opcode;
      while (text_.tokens()[end + 1].kind == ptx::TokenKind::dotted) ++end;
      edits_.push_back({text_.begin_of(opcode), text_.end_of(end), in_scratchpad(instruction).mnemonic()});
    }
    edits_.push_back({text_.end_of(open), text_.begin_of(close), place});
  }

  /// Goes on with the place registers of what an instruction writes.
  void follow(std::uint32_t n) {
    const Instruction& instruction = function_.instructions[n];
    for (const auto& [key, derivations] : changed_.plan->kept()) {
      const auto own = derivations.find(n);
      if (own != derivations.end()) derive(key, own->second);
    }
    for (const ptx::RegisterId reg : ptx::register_use(instruction).destinations)
      std::erase_if(computed_, [&](const auto& one) { return one.first.reg == reg; });
    if (emitted_.empty()) return;
    const std::size_t end = text_.find(text_.token_at(instruction.line, instruction.column), ';');
    std::string behind = std::string(separator_) + take_emitted();
    behind.resize(behind.size() - separator_.size());
    insert(text_.end_of(end), behind);
  }

  void derive(const PlaceKey& key, const Derivation& one) {
    using Kind = Derivation::Kind;
    const std::string& to = kept_name(key);
    switch (one.kind) {
      case Kind::whole:
        emit(fmt::format("mov.b32 \t{}, {};", to, place_of(in_word(key.reg, key.kind), key.array, key.kind)));
        break;
      case Kind::constant: {
        const bool is_offset = key.kind == PlaceKey::Kind::offset;
        const std::string& variable = changed_.accesses.arrays[key.array].variable->name;
        emit(fmt::format(
            "mov.u32 \t{}, {};", to,
            is_offset ? fmt::format("{}", one.displacement.add) : with_offset(variable, one.displacement.add)));
        break;
      }
      case Kind::displaced: {
        std::string from = kept_name(one.from);
        if (one.displacement.exclusive_or != 0) {
          emit(fmt::format("xor.b32 \t{}, {}, {};", to, from, one.displacement.exclusive_or));
          from = to;
        }
        if (one.displacement.add != 0) {
          emit(fmt::format("add.s32 \t{}, {}, {};", to, from, static_cast<std::int32_t>(one.displacement.add)));
        } else if (from != to) {
          emit(fmt::format("mov.b32 \t{}, {};", to, from));
        }
        break;
      }
      case Kind::added: emit_sum(to, base_name(one.from), in_word(one.term)); break;
      case Kind::offset: emit_sum(to, base_name(one.from), kept_name(one.offset)); break;
      case Kind::exclusive_or: {
        std::string term = in_word(one.term);
        if (one.factor != 0) {
          const std::string product = new_word();
          emit(fmt::format("mul.lo.s32 \t{}, {}, {};", product, term, one.factor));
          term = product;
        }
        emit(fmt::format("xor.b32 \t{}, {}, {};", to, base_name(one.from), term));
        break;
      }
      case Kind::scaled: {
        const std::string base = base_name(one.from), term = in_word(one.term);
        emit(base.empty() ? fmt::format("mul.lo.s32 \t{}, {}, {};", to, term, one.factor)
                          : fmt::format("mad.lo.s32 \t{}, {}, {}, {};", to, term, one.factor, base));
        break;
      }
    }
  }
  /// Of a place register, of the array's address, or nothing for an offset of 0.
  std::string base_name(const PlaceKey& key) {
    if (key.reg != no_index) return kept_name(key);
    return key.kind == PlaceKey::Kind::offset ? "" : array_address(key.array);
  }
  void emit_sum(const std::string& to, const std::string& base, const std::string& term) {
    emit(base.empty() ? fmt::format("mov.b32 \t{}, {};", to, term)
                      : fmt::format("add.s32 \t{}, {}, {};", to, base, term));
  }

  void declare() {
    std::string head;
    for (const auto& [array, name] : array_addresses_) {
      head += fmt::format("{}mov.u32 \t{}, {};", separator_, name, changed_.accesses.arrays[array].variable->name);
      ++result_.added_instructions;
    }
    if (words_ == 0) return;
    std::string registers = fmt::format("{}.reg .b32 \t{}_<{}>;", separator_, prefix_, words_);
    if (longs_ > 0) registers += fmt::format("{}.reg .b64 \t{}_long_<{}>;", separator_, prefix_, longs_);
    const std::size_t name = text_.token_at(function_.where.line, function_.where.column);
    text_.insert(text_.end_of(text_.find(name, '{')), registers);
    if (head.empty()) return;
    // Behind the declarations: in front of the first instruction.
    const Instruction& first = function_.instructions.front();
    const std::size_t start = text_.token_at(first.line, first.column);
    text_.insert(text_.begin_of(start), head.substr(separator_.size()) + std::string(separator_));
  }

  const ptx::Module& module_;
  ChangedArrays changed_;
  const ptx::Function& function_;
  EditedText text_;
  std::string_view separator_;
  std::string prefix_;
  std::uint32_t words_ = 0, longs_ = 0;
  std::string emitted_;
  std::vector<Edit> edits_;
  std::map<PlaceKey, std::string> computed_;  ///< Since the block began.
  std::map<PlaceKey, std::string> kept_names_;
  std::map<std::uint32_t, std::string> array_addresses_;
  RewrittenArrays result_;
};

}  // namespace

std::uint64_t address_cost(const ptx::Module& module, const ArraysRequest& request) {
  return ChangedArrays(module, request).plan->cost();
}

RewrittenArrays rewrite_arrays(std::string_view text, const ptx::Module& module, const ArraysRequest& request,
                               Lines lines) {
  return ArraysRewrite(text, module, request, lines).rewrite();
}

}  // namespace lockstep::rewrite
