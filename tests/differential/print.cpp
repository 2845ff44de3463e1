#include "tests/differential/print.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "tests/differential/print_instruction.hpp"
#include "tests/differential/types.hpp"
#include "tests/differential/values.hpp"

namespace lockstep::differential {

namespace {

/// Everything that a body mentions, so that only this is declared and set.
struct Mentioned {
  std::set<std::pair<unsigned, unsigned>> registers;  ///< Bits and number.
  std::set<Area> areas;
  std::set<unsigned> functions;
  bool calls_through_register = false, hints = false;
  unsigned masks = 1, loops = 0;

  void add(Register reg) { registers.emplace(reg.bits, reg.number); }
  void add(const Operand& operand) {
    if (operand.kind == Operand::Kind::reg) add(operand.reg);
  }
  void add(const Place& place) {
    areas.insert(place.area);
    if (place.index) add(*place.index);
  }
  void add(const Instruction& instruction) {
    for (const Register reg : instruction.writes) add(reg);
    for (const Operand& operand : instruction.reads) add(operand);
    if (instruction.guard) add(*instruction.guard);
    hints |= instruction.has("L2::cache_hint");
  }
  void add(const Masks& used) { masks = std::max({masks, used.inside + 1, used.otherwise + 1}); }

  void operator()(const Compute& one) {
    for (const Instruction& instruction : one.chain) add(instruction);
  }
  void operator()(const Access& one) { add(one.instruction), add(one.place); }
  void operator()(const ImageAccess& one) {
    add(one.instruction);
    for (const Coordinate& coordinate : one.at) add(coordinate.from);
  }
  void operator()(const Copy& one) { add(one.instruction), add(one.from), add(one.to); }
  void operator()(const Exchange& one) { add(one.instruction); }
  void operator()(const Barrier& one) { add(one.instruction); }
  void operator()(const NoEffect& one) {
    if (one.instruction.has("range")) areas.insert(Area::input);
  }
  void operator()(const Branch& one) {
    add(one.condition);
    if (one.masks) add(*one.masks);
  }
  void operator()(const Loop& one) {
    if (one.trips_of) add(*one.trips_of);
    loops = std::max(loops, one.number + 1);
  }
  void operator()(const Selection& one) {
    if (one.selector) add(*one.selector);
  }
  void operator()(const Call& one) {
    add(one.a), add(one.b), add(one.result);
    functions.insert(one.function);
    if (!one.other) return;
    add(one.condition);
    functions.insert(*one.other);
    calls_through_register = true;
  }
  void operator()(const Exit& one) { add(one.condition), add(one.masks); }
  void operator()(const Group&) {}
};

Mentioned mentioned_in(const Block& block) {
  Mentioned all;
  for_each_statement(block, [&](const Statement& statement) { std::visit(all, statement.is); });
  return all;
}

class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel) {}

  std::string text() {
    const std::set<unsigned> called = mentioned_in(kernel_.body).functions;
    for (unsigned f = 0; f < kernel_.functions.size(); ++f) {
      if (called.contains(f)) print_function(f);
    }
    print_entry();
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }
  /// The space of what calls pass, by either name.
  std::string_view passing() const { return kernel_.seed % 2 == 0 ? "param" : "param::func"; }
  std::string function(std::size_t number) const { return fmt::format("f{}_{}", number, kernel_.seed); }

  void declare(const Mentioned& used, const RegisterCounts& counts) {
    line(".reg .pred %p<{}>, %z; .reg .b16 %h<{}>; .reg .b32 %r<{}>, %t<4>, %m<{}>, %c<{}>;", counts.predicates,
         counts.halves, counts.words, used.masks, used.loops + 1);
    line(".reg .b64 %d<{}>, %a<11>; .reg .b128 %q<3>;", counts.wides);
  }

  void print_function(std::size_t number) {
    const Function& one = kernel_.functions[number];
    Mentioned used = mentioned_in(one.body);
    used.add(Register{64, 0});  // The result, and with the first word what a recursive call passes.
    used.add(Register{32, 0});
    line(".func (.param .b64 result) {}(.param .b32 depth, .param .b32 a, .param .b64 b)", function(number));
    line("{{");
    declare(used, function_registers);
    line("ld.{0}.b32 %t0, [depth]; ld.{0}.b32 %t1, [a]; ld.{0}.b64 %a0, [b];", passing());
    for (const auto& [bits, n] : used.registers) {
      const Register reg{bits, n};
      if (bits == 1) line("and.b32 %t2, %t1, {}; setp.ne.u32 {}, %t2, 0;", 1u << n, name_of(reg));
      if (bits == 16) line("add.u32 %t2, %t1, {}; cvt.u16.u32 {}, %t2;", n * word_step, name_of(reg));
      if (bits == 32) line("add.u32 {}, %t1, {};", name_of(reg), n * word_step);
      if (bits == 64) line("xor.b64 {}, %a0, {:#x};", name_of(reg), n * wide_step);
    }
    print(one.body);
    if (one.recursive) {
      line("setp.eq.u32 %z, %t0, 0; @%z bra DONE; sub.u32 %t0, %t0, 1;");
      print_call(function(number), "%t0", Call{}, false);
      line("DONE:");
    }
    line("st.{}.b64 [result], %d0; ret;", passing());
    line("}}");
  }

  void print_call(const std::string& target, const std::string& depth, const Call& one, bool indirect) {
    line("{{ .param .b32 depth_; .param .b32 a_; .param .b64 b_; .param .b64 r_;");
    line("st.{0}.b32 [depth_], {1}; st.{0}.b32 [a_], {2}; st.{0}.b64 [b_], {3};", passing(), depth, name_of(one.a),
         name_of(one.b));
    line("call{} (r_), {}, (depth_, a_, b_){}; ld.{}.b64 {}, [r_]; }}", one.is_uniform ? ".uni" : "", target,
         indirect ? ", prototype" : "", passing(), name_of(one.result));
  }

  void print_entry() {
    const Mentioned used = mentioned_in(kernel_.body);
    const auto has = [&](Area area) { return used.areas.contains(area); };
    const std::uint64_t seed = kernel_.seed;
    if (has(Area::constants)) {
      const Contents contents = contents_of(kernel_);
      std::vector<std::string> words;
      for (std::size_t at = 0; at < contents.constants.size(); at += 8) {
        std::uint64_t word;
        std::memcpy(&word, contents.constants.data() + at, sizeof word);
        words.push_back(fmt::format("{:#x}", word));
      }
      line(".const .align 16 .b64 constants_{}[{}] = {{{}}};", seed, words.size(), fmt::join(words, ", "));
    }
    std::string images;
    for (std::size_t n = 0; n < kernel_.images.size(); ++n) images += fmt::format(", .param .u64 image_{}", n);
    line(".visible .entry {}(.param .u64 input, .param .u64 data, .param .align 16 .b8 parameters[{}]{})",
         entry_of(kernel_), bytes_of(Area::parameters), images);
    line("{{");
    declare(used, kernel_registers);
    if (!images.empty()) line(".reg .b32 %x<4>; .reg .b64 %i<{}>;", kernel_.images.size());
    const unsigned threads = kernel_.threads_per_block();
    if (has(Area::scratchpad)) line(".shared .align 16 .b8 scratchpad[{}];", threads * bytes_of(Area::scratchpad));
    if (has(Area::shared_counters)) line(".shared .align 16 .b8 counters[{}];", bytes_of(Area::shared_counters));
    if (has(Area::stack)) line(".local .align 16 .b8 stack[{}];", bytes_of(Area::stack));
    if (used.calls_through_register) {
      line("prototype: .callprototype (.param .b64 _) _ (.param .b32 _, .param .b32 _, .param .b64 _);");
    }
    print_thread_numbers();
    print_addresses(used);
    print_initial_registers(used);
    print(kernel_.body);
    line("ret{};", seed % 2 == 0 ? ".uni" : "");
    line("}}");
  }

  /// %t0: the thread's number in its block; %t1: in the grid; %m0: the lanes of its warp.
  void print_thread_numbers() {
    const unsigned threads = kernel_.threads_per_block();
    line("mov.u32 %t0, %tid.z; mov.u32 %t1, %tid.y; mad.lo.u32 %t0, %t0, {}, %t1;", kernel_.block[1]);
    line("mov.u32 %t1, %tid.x; mad.lo.u32 %t0, %t0, {}, %t1;", kernel_.block[0]);
    line("mov.u32 %t1, %ctaid.z; mov.u32 %t2, %ctaid.y; mad.lo.u32 %t1, %t1, {}, %t2;", kernel_.grid[1]);
    line("mov.u32 %t2, %ctaid.x; mad.lo.u32 %t1, %t1, {}, %t2; mad.lo.u32 %t1, %t1, {}, %t0;", kernel_.grid[0],
         threads);
    line("and.b32 %t2, %t0, 0xffffffe0; sub.u32 %t2, {}, %t2; shl.b32 %m0, 1, %t2; sub.u32 %m0, %m0, 1;", threads);
  }

  void print_addresses(const Mentioned& used) {
    const auto has = [&](Area area) { return used.areas.contains(area); };
    line("ld.param.u64 %a0, [input]; ld.param.u64 %a3, [data];");
    for (std::size_t n = 0; n < kernel_.images.size(); ++n) line("ld.param.u64 %i{0}, [image_{0}];", n);
    if (has(Area::own)) {
      line("mad.wide.u32 %a1, %t1, {}, %a3; add.u64 %a1, %a1, {};", bytes_of(Area::own), bytes_of(Area::counters));
    }
    if (has(Area::results)) {
      line("mad.wide.u32 %a2, %t1, {}, %a3; add.u64 %a2, %a2, {};", bytes_of(Area::results),
           bytes_of(Area::counters) + kernel_.threads() * bytes_of(Area::own));
    }
    if (has(Area::constants)) line("mov.u64 %a4, constants_{};", kernel_.seed);
    const bool shares = has(Area::scratchpad) || has(Area::shared_counters);
    if (has(Area::scratchpad)) {
      line("mov.u64 %a5, scratchpad; mad.wide.u32 %a8, %t0, {}, %a5;", bytes_of(Area::scratchpad));
      line("mov.u64 %a9, 0; st.shared.v2.b64 [%a8], {{%a9, %a9}}; st.shared.v2.b64 [%a8+16], {{%a9, %a9}};");
    }
    if (has(Area::shared_counters)) {
      line("mov.u64 %a6, counters; mov.u64 %a9, 0;");
      for (unsigned at = 0; at < bytes_of(Area::shared_counters); at += 16) {
        line("st.shared.v2.b64 [%a6+{}], {{%a9, %a9}};", at);
      }
    }
    if (has(Area::stack)) {
      line("mov.u64 %a7, stack; mov.u64 %a9, 0;");
      for (unsigned at = 0; at < bytes_of(Area::stack); at += 16) line("st.local.v2.b64 [%a7+{}], {{%a9, %a9}};", at);
    }
    if (shares) line("bar.sync 0;");
    if (used.hints) line("createpolicy.fractional.L2::evict_first.b64 %a10, 0f3F800000;");
  }

  void print_initial_registers(const Mentioned& used) {
    for (const auto& [bits, number] : used.registers) {
      const Register reg{bits, number};
      if (bits == 1) {
        line("and.b32 %t2, %t1, {}; setp.ne.u32 {}, %t2, 0;", 1u << initial_bit(number), name_of(reg));
        continue;
      }
      const unsigned count = bytes_of(Area::input) * 8 / bits;
      line("mad.lo.u32 %t2, %t1, 5, {}; and.b32 %t2, %t2, {}; mad.wide.u32 %a8, %t2, {}, %a0; ld.global.b{} {}, [%a8];",
           number * 3 + bits, count - 1, bits / 8, bits, name_of(reg));
    }
  }

  void print(const Block& block) {
    for (const Statement& statement : block) std::visit([&](const auto& one) { print(one); }, statement.is);
  }

  void print(const Compute& one) {
    for (const Instruction& instruction : one.chain) line("{}", printed(instruction));
  }
  void print(const Access& one) {
    const std::string address = print_address(one.instruction, one.place);
    line("{}", printed_access(one.instruction, address));
  }
  void print(const ImageAccess& one) {
    const Image& image = kernel_.images[one.image];
    const Instruction& instruction = one.instruction;
    if (instruction.has("level") || instruction.has("grad")) line("mov.b32 %x3, 0;");
    if (image.use == Image::Use::own_surface) {
      print_own_coordinates(one, image.texture);
    } else if (!is_query(instruction.opcode)) {
      for (unsigned d = 0; d < 3; ++d) {
        const bool is_layer = d == 2 && image.texture.layers != 0;
        if (d < image.texture.dimensions() || is_layer) print_coordinate(one, image, d, is_layer);
      }
    }
    line("{}", printed_image_access(one, image));
  }
  void print_coordinate(const ImageAccess& one, const Image& image, unsigned d, bool is_layer) {
    const Coordinate& coordinate = one.at[d];
    const bool counts_bytes = image.is_surface() && d == 0;
    const unsigned bytes = counts_bytes ? moved_bytes(one.instruction) : 1;
    line("add.u32 %x{}, {}, {};", d, name_of(coordinate.from), coordinate.first);
    if (coordinate.is_inside) {
      line("rem.u32 %x{0}, %x{0}, {1};", d, counts_bytes ? image.texture.row_bytes() / bytes : image.extent()[d]);
    } else {
      line("and.b32 %x{0}, %x{0}, 63; sub.u32 %x{0}, %x{0}, 16;", d);
    }
    if (bytes > 1) line("mul.lo.u32 %x{0}, %x{0}, {1};", d, bytes);
    if (is_layer || image.is_surface() || types_of(one.instruction.modifiers)[1] != "f32") return;
    line("cvt.rn.f32.s32 %x{0}, %x{0}; mul.rn.f32 %x{0}, %x{0}, 0f{1:08X};", d, (127 - one.scale) << 23);
  }
  /// A slot of the thread's part.
  void print_own_coordinates(const ImageAccess& one, const exec::Texture& texture) {
    const unsigned bytes = moved_bytes(one.instruction);
    line("add.u32 %x0, {}, {}; rem.u32 %x0, %x0, {}; mul.lo.u32 %x0, %x0, {};", name_of(one.at[0].from),
         one.at[0].first, own_surface_bytes / bytes, bytes);
    if (texture.height == own_surface_rows && (texture.depth != 0 || texture.layers != 0)) {
      line("and.b32 %x1, %t1, {}; div.u32 %x2, %t1, {};", own_surface_rows - 1, own_surface_rows);
    } else if (texture.height != 0) {
      line("mov.b32 %x1, %t1;");
    } else if (texture.layers != 0) {
      line("mov.b32 %x2, %t1;");
    } else {
      line("mad.lo.u32 %x0, %t1, {}, %x0;", own_surface_bytes);
    }
  }
  void print(const Copy& one) {
    const std::string to = print_address(one.instruction, one.to, "%a9");
    const std::string from = print_address(one.instruction, one.from);
    line("{} {}, {}, {}{};", form_text(one.instruction), to, from, one.to.bytes,
         one.instruction.has("L2::cache_hint") ? ", %a10" : "");
    line("{}", one.grouped ? "cp.async.commit_group; cp.async.wait_group 0;" : "cp.async.wait_all;");
  }
  void print(const Exchange& one) {
    if (one.from_mask) {
      line("and.b32 %t2, {}, %m{}; setp.eq.u32 %z, %t2, 0;", printed(one.instruction.reads[1]), one.mask);
      line("@%z mov.b32 %t2, %m{}; bfind.u32 %t2, %t2;", one.mask);
    }
    line("{}", printed_exchange(one, one.from_mask ? "%t2" : ""));
  }
  void print(const Barrier& one) {
    const unsigned threads = kernel_.threads_per_block();
    if (!one.instruction.has("arrive")) {
      line("{}", printed_barrier(one, threads));
      return;
    }
    Barrier waiting = one;
    std::replace(waiting.instruction.modifiers.begin(), waiting.instruction.modifiers.end(), std::string_view("arrive"),
                 std::string_view("sync"));
    line("setp.lt.u32 %z, %t0, {};", threads / 64 * 32);
    line("@%z {}", printed_barrier(one, threads));
    line("@!%z {}", printed_barrier(waiting, threads));
  }
  void print(const NoEffect& one) { line("{}", printed_no_effect(one)); }

  void print(const Branch& one) {
    const unsigned label = labels_++;
    const std::string condition = printed(one.condition);
    if (one.masks) {
      line("vote.sync.ballot.b32 %m{1}, {3}, %m{0}; not.b32 %m{2}, %m{1}; and.b32 %m{2}, %m{2}, %m{0};",
           one.masks->outside, one.masks->inside, one.masks->otherwise, name_of(one.condition.reg));
      if (one.condition.negated) {
        line("xor.b32 %m{1}, %m{1}, %m{0}; xor.b32 %m{2}, %m{2}, %m{0};", one.masks->outside, one.masks->inside,
             one.masks->otherwise);
      }
    }
    line("@{} bra INSIDE{};", condition, label);
    print(one.otherwise);
    line("bra BEHIND{};", label);
    line("INSIDE{}:", label);
    print(one.inside);
    line("BEHIND{}:", label);
  }
  void print(const Loop& one) {
    const unsigned label = labels_++;
    if (one.trips_of) {
      line("and.b32 %c{}, {}, 3;", one.number, name_of(*one.trips_of));
    } else {
      line("mov.u32 %c{}, {};", one.number, one.trips);
    }
    line("LOOP{}:", label);
    line("setp.eq.u32 %z, %c{}, 0; @%z bra BEHIND{};", one.number, label);
    print(one.body);
    line("sub.u32 %c{0}, %c{0}, 1; bra{2} LOOP{1};", one.number, label, one.trips_of ? "" : ".uni");
    line("BEHIND{}:", label);
  }
  void print(const Selection& one) {
    const unsigned label = labels_++;
    line("{}and.b32 %t2, {}, 3;", one.selector ? "" : "mov.u32 %t2, %ctaid.x; ",
         one.selector ? name_of(*one.selector) : "%t2");
    line("TARGETS{0}: .branchtargets CASE{0}_0, CASE{0}_1, CASE{0}_2, CASE{0}_3;", label);
    line("brx.idx{} %t2, TARGETS{};", one.selector ? "" : ".uni", label);
    for (std::size_t n = 0; n < one.cases.size(); ++n) {
      line("CASE{}_{}:", label, n);
      print(one.cases[n]);
      line("bra BEHIND{};", label);
    }
    line("BEHIND{}:", label);
  }
  void print(const Call& one) {
    if (!one.other) return print_call(function(one.function), std::to_string(one.depth), one, false);
    line("mov.u64 %a8, {}; mov.u64 %a9, {}; selp.b64 %a8, %a9, %a8, {};", function(one.function), function(*one.other),
         name_of(one.condition));
    print_call("%a8", std::to_string(one.depth), one, true);
  }
  void print(const Exit& one) {
    line("vote.sync.ballot.b32 %m{}, {}, %m{};", one.masks.otherwise, name_of(one.condition.reg), one.masks.outside);
    if (one.condition.negated) {
      line("mov.b32 %m{}, %m{};", one.masks.inside, one.masks.otherwise);
    } else {
      line("xor.b32 %m{}, %m{}, %m{};", one.masks.inside, one.masks.otherwise, one.masks.outside);
    }
    line("@{} exit;", printed(one.condition));
  }
  void print(const Group& one) { print(one.body); }

  /// The address in [ ] for an instruction, in its state space, or generic where it names none.
  std::string print_address(const Instruction& instruction, const Place& place, const char* into = "%a8") {
    const std::string space = space_of(instruction, place.area);
    const std::string_view own_space = plain_space_of(place.area);
    const unsigned elements = bytes_of(place.area) / place.bytes;
    const unsigned offset = place.first % elements * place.bytes;
    const bool is_generic = space.empty();
    // Some addresses go to a generic one and back, or come from a register though they could stand in the instruction.
    const bool round_trip = place.first % 4 == 3;
    if (place.area == Area::parameters) {
      if (!is_generic && !round_trip) return fmt::format("[parameters+{}]", offset);
      line("mov.b64 {0}, parameters; cvta.{1}.u64 {0}, {0};", into, is_generic ? "param" : space);
      if (!is_generic) line("cvta.to.{1}.u64 {0}, {0};", into, space);
      line("add.u64 {0}, {0}, {1};", into, offset);
      return fmt::format("[{}]", into);
    }
    std::string base = base_of(place.area);
    if (place.area == Area::scratchpad) {
      line("add.u32 %t2, %t0, {0}; rem.u32 %t2, %t2, {1}; mad.wide.u32 {2}, %t2, {3}, {4};", place.neighbour,
           kernel_.threads_per_block(), into, bytes_of(Area::scratchpad), base);
      base = into;
    }
    if (place.index) {
      line("add.u32 %t2, {}, {}; and.b32 %t2, %t2, {};", name_of(*place.index), place.first, elements - 1);
      line("mad.wide.u32 {}, %t2, {}, {};", into, place.bytes, base);
      base = into;
    }
    if (is_generic || round_trip) {
      line("cvta.{}.u64 {}, {};", is_generic ? own_space : space, into, base);
      if (!is_generic) line("cvta.to.{1}.u64 {0}, {0};", into, space);
      base = into;
    }
    if (instruction.opcode == ptx::Opcode::isspacep && !place.index) {
      line("add.u64 {}, {}, {};", into, base, offset);
      return fmt::format("[{}]", into);
    }
    return place.index || offset == 0 ? fmt::format("[{}]", base) : fmt::format("[{}+{}]", base, offset);
  }

  const Kernel& kernel_;
  std::string text_;
  unsigned labels_ = 0;
};

}  // namespace

std::string module_head() {
  return ".version 9.0\n.target sm_90\n.address_size 64\n";
}

std::string entry_of(const Kernel& kernel) {
  return fmt::format("kernel_{}", kernel.seed);
}

std::string printed(const Kernel& kernel) {
  return Printer(kernel).text();
}

}  // namespace lockstep::differential
