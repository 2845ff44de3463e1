#include "isa/rewrite/function_rewrite.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/ptx/register_use.hpp"

namespace lockstep::rewrite {

using ptx::Instruction;
using ptx::no_index;
using ptx::Operand;

namespace {

constexpr std::uint32_t word_bytes = 4;

/// That of an address as written: in an inner scope it may be another than that of the register's first use.
std::string_view register_name(std::string_view written) {
  std::string_view name = written.substr(std::min(written.find_first_not_of(" \t"), written.size()));
  return name.substr(0, name.find_first_of("+- \t"));
}

}  // namespace

FunctionRewrite::FunctionRewrite(EditedText& text, const ptx::Program& program, std::uint32_t function,
                                 const KernelRewrite& kernel, const std::vector<GenericAccess>& generic, Lines lines,
                                 Diagnostics& diagnostics)
    : text_(text),
      program_(program),
      function_(*program.functions[function]),
      first_instruction_(program.first_instruction[function]),
      kernel_(kernel),
      generic_(generic),
      separator_(lines == Lines::kept ? " " : "\n\t"),
      diagnostics_(diagnostics),
      prefix_(text.unused_prefix("%hashed")) {}

void FunctionRewrite::rewrite(KernelReport& report) {
  report_ = &report;
  const std::size_t count = function_.instructions.size();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t number = first_instruction_ + i;
    if (program_.blocks[program_.block_at(number)].first == number) computed_.clear();
    const Instruction& instruction = function_.instructions[i];
    refuse_grown_sizes(instruction);
    const AccessKind kind = access_kind(instruction);
    using Treatment = AccessKind::Treatment;
    if (kind.treatment == Treatment::refused) {
      refuse(instruction, kind.reason);
    } else if (kind.treatment == Treatment::generic) {
      if (generic_[number] != GenericAccess::elsewhere)
        rewrite_access(instruction, kind,
                       generic_[number] == GenericAccess::scratchpad ? AddressSpace::proven : AddressSpace::open);
    } else if (kind.treatment != Treatment::none) {
      rewrite_access(instruction, kind, AddressSpace::named);
    }
    for (const ptx::RegisterId id : ptx::register_use(instruction).destinations) forget(id);
  }
  declare();
}

void FunctionRewrite::refuse_grown_sizes(const Instruction& instruction) {
  using ptx::SpecialRegister;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind != Operand::Kind::special) continue;
    // What a launch gives is known only when it is made.
    const bool dynamic = operand.special == SpecialRegister::dynamic_smem_size && report_->has_dynamic;
    const bool all = operand.special == SpecialRegister::total_smem_size ||
                     (operand.special == SpecialRegister::unmodelled && operand.symbol.ends_with("aggr_smem_size"));
    if (ptx::is_of_reserved_scratchpad(operand.special))
      refuse(instruction,
             "it asks for the scratchpad memory that is reserved for system software, whose addresses stay");
    if (dynamic || (all && (report_->has_dynamic || report_->added_static_bytes > 0)))
      refuse(instruction, "it reads the size of the scratchpad memory, which grows");
  }
}

void FunctionRewrite::refuse(const Instruction& instruction, const std::string& reason) {
  const std::string source =
      instruction.source_line == 0
          ? ""
          : fmt::format(" ({}:{})", program_.module->source_files[instruction.source_file], instruction.source_line);
  diagnostics_.add({program_.module->file, instruction.line, instruction.column},
                   fmt::format("{} cannot be applied to {} in '{}'{}: {}", kernel_.what, instruction.mnemonic(),
                               function_.name, source, reason));
}

void FunctionRewrite::rewrite_access(const Instruction& instruction, const AccessKind& kind, AddressSpace space) {
  const std::uint32_t words = (kind.bytes() + word_bytes - 1) / word_bytes;
  const bool parts = words > kernel_.contiguous_words;
  if (!kind.reason.empty()) return refuse(instruction, kind.reason);
  const bool elements = instruction.opcode == ptx::Opcode::ld || instruction.opcode == ptx::Opcode::st;
  if (parts && (!elements || !kind.divisible)) {
    return refuse(instruction,
                  fmt::format("it accesses {} bytes at once, and their {} words part", kind.bytes(), words));
  }
  const std::size_t start = text_.token_at(instruction.line, instruction.column);
  const std::size_t open = text_.find(start, '['), close = text_.find(open, ']');
  const Operand* const operand = instruction.address();
  const std::string_view written = text_.between(text_.end_of(open), text_.begin_of(close));
  if (space == AddressSpace::open && operand->index == no_index)
    return refuse(instruction, "it names no state space, and nothing proves where its address lies");
  const std::string address = address_register(*operand, written, space != AddressSpace::named);
  ++report_->accesses;
  std::vector<std::string> places = hashed_words({address, operand->index}, parts ? words : 1);
  if (space == AddressSpace::open) places = chosen_at_run_time(*operand, written, places);
  const Instruction in_space = space == AddressSpace::proven ? in_scratchpad(instruction) : instruction;
  if (parts) {
    split(in_space, kind, start, open, places);
  } else {
    text_.insert(text_.begin_of(start), emitted_);
    if (space == AddressSpace::proven) {
      const std::size_t opcode =
          instruction.guard == no_index ? start : start + (text_.tokens()[start + 1].is('!') ? 3 : 2);
      std::size_t end = opcode;
      while (text_.tokens()[end + 1].kind == ptx::TokenKind::dotted) ++end;
      text_.replace(text_.begin_of(opcode), text_.end_of(end), in_space.mnemonic());
    }
    text_.replace(text_.end_of(open), text_.begin_of(close), places[0]);
  }
  report_->added_instructions += emitted_instructions_;
  emitted_.clear();
  emitted_instructions_ = 0;
}

template <class Compute>
std::string FunctionRewrite::once(const std::string& key, ptx::RegisterId base, Compute&& compute) {
  const auto found = computed_.find(key);
  if (found != computed_.end()) return found->second.result;
  const std::string result = compute();
  computed_.emplace(key, Computed{result, base});
  return result;
}

std::string FunctionRewrite::address_register(const Operand& address, std::string_view written, bool is_generic) {
  if (address.index == no_index) {
    return once(std::string(written), no_index, [&] {
      const std::string result = new_word();
      emit(fmt::format("mov.u32 \t{}, {};", result, written));
      return result;
    });
  }
  const std::string_view name = register_name(written);
  const bool is_long = ptx::bits_of(function_.registers[address.index].type) == 64;
  const std::string base = once(fmt::format("{}{}", is_generic ? "@" : "", address.index), address.index, [&] {
    std::string from(name);
    if (is_generic) {
      const std::string offset = is_long ? new_long() : new_word();
      emit(fmt::format("cvta.to.shared.u{} \t{}, {};", is_long ? 64 : 32, offset, from));
      from = offset;
    }
    if (!is_long) return from;
    const std::string low = new_word();
    emit(fmt::format("cvt.u32.u64 \t{}, {};", low, from));
    return low;
  });
  if (address.offset == 0) return base;
  return once(fmt::format("{}{}+{}", is_generic ? "@" : "", address.index, address.offset), address.index, [&] {
    const std::string sum = new_word();
    emit(fmt::format("add.s32 \t{}, {}, {};", sum, base, address.offset));
    return sum;
  });
}

std::string FunctionRewrite::hashed(const Computed& address) {
  return once("hash of " + address.result, address.base, [&] {
    std::vector<std::string> values{address.result};
    for (const AddressStep& step : kernel_.steps) {
      const std::string result = new_word();
      emit(text_of(step, result, values));
      values.push_back(result);
    }
    return values.back();
  });
}

std::vector<std::string> FunctionRewrite::hashed_words(const Computed& address, std::uint32_t words) {
  std::vector<std::string> places{hashed(address)};
  for (std::uint32_t word = 1; word < words; ++word) {
    if (kernel_.linear) {
      // The address is a multiple of the bytes accessed, so that adding the offset is an XOR.
      places.push_back(new_word());
      emit(fmt::format("xor.b32 \t{}, {}, {};", places.back(), places[0], apply(kernel_.steps, word * word_bytes)));
    } else {
      const std::string further = new_word();
      emit(fmt::format("add.s32 \t{}, {}, {};", further, address.result, word * word_bytes));
      places.push_back(hashed({further, address.base}));
    }
  }
  return places;
}

std::vector<std::string> FunctionRewrite::chosen_at_run_time(const Operand& address, std::string_view written,
                                                             const std::vector<std::string>& places) {
  const bool is_long = ptx::bits_of(function_.registers[address.index].type) == 64;
  const int bits = is_long ? 64 : 32;
  const auto new_address = [&] { return is_long ? new_long() : new_word(); };
  std::vector<std::string> chosen;
  for (std::size_t word = 0; word < places.size(); ++word) {
    const std::int64_t offset = address.offset + static_cast<std::int64_t>(word * word_bytes);
    const std::string key = fmt::format("{}+{} at run time", address.index, offset);
    const std::string original =
        offset == 0 ? std::string(register_name(written)) : once("@" + key, address.index, [&] {
          const std::string sum = new_address();
          emit(fmt::format("add.s{} \t{}, {}, {};", bits, sum, register_name(written), offset));
          return sum;
        });
    chosen.push_back(once(key, address.index, [&] {
      const std::string in_scratchpad = new_predicate(), generic = new_address(), result = new_address();
      emit(fmt::format("isspacep.shared \t{}, {};", in_scratchpad, original));
      std::string place = places[word];
      if (is_long) {
        place = new_long();
        emit(fmt::format("cvt.u64.u32 \t{}, {};", place, places[word]));
      }
      emit(fmt::format("cvta.shared.u{} \t{}, {};", bits, generic, place));
      emit(fmt::format("selp.b{} \t{}, {}, {}, {};", bits, result, generic, original, in_scratchpad));
      return result;
    }));
  }
  return chosen;
}

void FunctionRewrite::split(const Instruction& instruction, const AccessKind& kind, std::size_t start, std::size_t open,
                            const std::vector<std::string>& places) {
  // All addresses stand before the first access: a load may write the register that its address comes from.
  const std::size_t end = text_.find(open, ';');
  const auto& tokens = text_.tokens();
  std::string guard;
  if (instruction.guard != no_index) {
    guard = std::string(tokens[start + 1].is('!') ? "@!" : "@") +
            std::string(tokens[start + (tokens[start + 1].is('!') ? 2 : 1)].text) + " ";
  }
  // The elements as written: those of a vector between braces, or the other operand.
  std::vector<std::string> elements;
  const bool loads = instruction.opcode == ptx::Opcode::ld;
  const Operand& value = instruction.operands[loads ? 0 : 1];
  std::size_t from = 0, to = 0;
  if (value.kind == Operand::Kind::vector) {
    from = text_.find(start, '{') + 1;
    to = text_.find(from, '}');
  } else if (loads) {
    to = open - 1;
    from = to - 1;
  } else {
    from = text_.find(text_.find(open, ']'), ',') + 1;
    to = end;
  }
  for (std::size_t token = from; token < to;) {
    std::size_t next = token;
    while (next < to && !tokens[next].is(',')) ++next;
    elements.emplace_back(text_.between(text_.begin_of(token), text_.end_of(next - 1)));
    token = next + 1;
  }
  const auto access = [&](const std::string& mnemonic, const std::string& what, const std::string& place) {
    emit(loads ? fmt::format("{}{} \t{}, [{}];", guard, mnemonic, what, place)
               : fmt::format("{}{} \t[{}], {};", guard, mnemonic, place, what));
  };
  if (kind.element_bytes == 2 * word_bytes) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Operand& operand = value.kind == Operand::Kind::vector ? value.elements[i] : value;
      const std::string mnemonic = mnemonic_of_piece(instruction, 1, "b32");
      std::string low = new_word(), high = new_word();
      if (!loads) {
        if (operand.kind == Operand::Kind::reg) {
          emit(fmt::format("{}mov.b64 \t{{{}, {}}}, {};", guard, low, high, elements[i]));
        } else {
          low = fmt::format("{}", operand.bits & 0xffffffff);
          high = fmt::format("{}", operand.bits >> 32);
        }
      }
      access(mnemonic, low, places[2 * i]);
      access(mnemonic, high, places[2 * i + 1]);
      if (loads && operand.kind == Operand::Kind::reg)
        emit(fmt::format("{}mov.b64 \t{}, {{{}, {}}};", guard, elements[i], low, high));
    }
  } else {
    const std::size_t each = word_bytes / kind.element_bytes;
    const std::string mnemonic =
        mnemonic_of_piece(instruction, static_cast<std::uint32_t>(each), instruction.modifiers.back());
    for (std::size_t i = 0; i < elements.size(); i += each) {
      const auto first = elements.begin() + static_cast<std::ptrdiff_t>(i);
      // A piece of which nothing is kept is not loaded: ptxas takes no vector of sinks alone.
      if (std::all_of(first, first + static_cast<std::ptrdiff_t>(each), [](const auto& e) { return e == "_"; }))
        continue;
      const std::string what =
          each == 1 ? elements[i]
                    : fmt::format("{{{}}}", fmt::join(first, first + static_cast<std::ptrdiff_t>(each), ", "));
      access(mnemonic, what, places[i / each]);
    }
  }
  // The last of these takes the place of the access itself, whose ";" stays.
  while (!emitted_.empty() && emitted_.back() != ';') emitted_.pop_back();
  emitted_.pop_back();
  --emitted_instructions_;
  text_.replace(text_.begin_of(start), text_.begin_of(end), emitted_);
  ++report_->split;
}

std::string FunctionRewrite::new_word() {
  return fmt::format("{}_{}", prefix_, words_++);
}

std::string FunctionRewrite::new_long() {
  return fmt::format("{}_long_{}", prefix_, longs_++);
}

std::string FunctionRewrite::new_predicate() {
  return fmt::format("{}_choice_{}", prefix_, predicates_++);
}

void FunctionRewrite::emit(const std::string& instruction) {
  emitted_ += instruction;
  emitted_ += separator_;
  ++emitted_instructions_;
}

void FunctionRewrite::forget(ptx::RegisterId written) {
  for (auto one = computed_.begin(); one != computed_.end();) {
    one = one->second.base == written ? computed_.erase(one) : std::next(one);
  }
}

void FunctionRewrite::declare() {
  if (words_ == 0) return;
  const std::size_t name = text_.token_at(function_.where.line, function_.where.column);
  std::string registers = fmt::format("{}.reg .b32 \t{}_<{}>;", separator_, prefix_, words_);
  if (longs_ > 0) registers += fmt::format("{}.reg .b64 \t{}_long_<{}>;", separator_, prefix_, longs_);
  if (predicates_ > 0) registers += fmt::format("{}.reg .pred \t{}_choice_<{}>;", separator_, prefix_, predicates_);
  text_.insert(text_.end_of(text_.find(name, '{')), registers);
}

}  // namespace lockstep::rewrite
