#include "tests/differential/generate.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tests/differential/draw.hpp"

namespace lockstep::differential {

namespace {

using ptx::Opcode;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {
    kernel_.seed = seed;
    kernel_.is_exact = seed % 5 != 0;
  }

  Kernel generate() {
    draw_shape();
    Draw draw(random_, kernel_);
    draw_ = &draw;
    if (draw.chance(3)) draw.images();
    kernel_.functions.resize(random_.below(3));
    for (Function& one : kernel_.functions) one.recursive = draw.chance(3);
    const bool recurs = std::any_of(kernel_.functions.begin(), kernel_.functions.end(),
                                    [](const Function& one) { return one.recursive; });
    for (Function& one : kernel_.functions) {
      Context context;
      context.registers = &function_registers;
      context.mask.reset();
      context.is_uniform = context.is_full = false;
      context.in_function = true;
      context.depth = 2;
      if (recurs) context.conditions.emplace();
      one.body = block(context, 3 + draw.below(5));
    }
    Context context;
    if (recurs) context.conditions.emplace();
    context.is_full = kernel_.threads_per_block() % 32 == 0;
    kernel_.body = block(context, 12 + draw.below(16));
    add_results();
    return std::move(kernel_);
  }

  Kernel generate_form(const Instruction& form) {
    kernel_.is_exact = !is_approximate(form);
    Draw draw(random_, kernel_);
    draw_ = &draw;
    // The last word tells the threads' elements of the input.
    constexpr Register index{32, kernel_registers.words - 1};
    RegisterCounts registers = kernel_registers;
    --registers.words;
    Context context;
    context.registers = &registers;
    constexpr unsigned bytes_of_results = 16;
    for (unsigned at = 0; at < bytes_of(Area::results); at += bytes_of_results) {
      const Statement statement = draw.compute(form, context);
      for (const Instruction& one : std::get<Compute>(statement.is).chain) {
        for (const Operand& operand : one.reads) {
          if (operand.kind != Operand::Kind::reg || operand.reg.bits == 1) continue;
          Statement load = draw.load_input(operand.reg);
          std::get<Access>(load.is).place.index = index;
          kernel_.body.push_back(load);
        }
      }
      kernel_.body.push_back(statement);
      unsigned offset = at;
      for (const Register written : results_of(std::get<Compute>(statement.is).chain, form.opcode)) {
        add_result(written, offset);
        offset += bytes_of_results / 2;
      }
    }
    return std::move(kernel_);
  }

 private:
  void draw_shape() {
    constexpr auto blocks = std::to_array<std::array<unsigned, 3>>({{32, 1, 1},
                                                                    {64, 1, 1},
                                                                    {32, 1, 1},
                                                                    {48, 1, 1},
                                                                    {16, 4, 1},
                                                                    {8, 4, 3},
                                                                    {33, 1, 1},
                                                                    {5, 3, 2},
                                                                    {4, 4, 2},
                                                                    {96, 1, 1}});
    constexpr auto grids =
        std::to_array<std::array<unsigned, 3>>({{1, 1, 1}, {2, 1, 1}, {1, 1, 1}, {1, 2, 1}, {1, 1, 2}, {3, 1, 1}});
    kernel_.block = blocks[random_.below(blocks.size())];
    kernel_.grid = grids[random_.below(grids.size())];
  }

  Block block(Context& context, unsigned statements) {
    Block result;
    for (unsigned i = 0; i < statements; ++i) add_statement(result, context);
    return result;
  }
  Block inner(Context context, unsigned most) {
    ++context.depth;
    return block(context, 1 + draw_->below(most));
  }

  void add_statement(Block& to, Context& context) {
    const unsigned kind = draw_->below(100);
    const bool may_nest = context.depth < 3;
    if (kind < 56 || context.in_function) {
      if (may_nest && context.in_function && draw_->chance(5)) return to.push_back(branch(context));
      return add_compute(to, context);
    }
    if (kind < 72) return to.push_back(draw_->access(context));
    if (kind < 75) return add(to, draw_->count(context));
    if (kind < 81) return add(to, draw_->exchange(context));
    if (kind < 82) return to.push_back(draw_->no_effect());
    if (kind < 87 && !kernel_.images.empty() && draw_->chance(2)) return to.push_back(draw_->image_access(context));
    if (kind < 84 && (context.is_uniform || context.mask)) return to.push_back(draw_->barrier(context));
    if (kind < 86 && context.is_uniform) return to.push_back(draw_->neighbour(context));
    if (kind < 87) return add(to, draw_->copy(context));
    if (kind < 89 && !kernel_.functions.empty()) return to.push_back(call(context));
    const bool may_exit = !(context.conditions && draw_->has_exited);  // Leaves conditions for three branches.
    if (kind < 90 && context.is_uniform && context.depth == 0 && may_exit) return to.push_back(exit(context));
    if (!may_nest) return add_compute(to, context);
    if (kind < 95) return to.push_back(branch(context));
    if (kind < 98) return to.push_back(loop(context));
    to.push_back(selection(context));
  }
  static void add(Block& to, std::optional<Statement> statement) {
    if (statement) to.push_back(std::move(*statement));
  }

  /// Now and then a source gets a value from the input first, so that not all values come from other results.
  void add_compute(Block& to, const Context& context) {
    Statement statement = draw_->compute(context);
    if (!context.in_function && draw_->chance(3)) {
      const auto& first = std::get<Compute>(statement.is).chain.front();
      for (const Operand& operand : first.reads) {
        if (operand.kind != Operand::Kind::reg || operand.reg.bits == 1) continue;
        to.push_back(draw_->load_input(operand.reg));
        if (draw_->chance(2)) break;
      }
    }
    to.push_back(std::move(statement));
  }

  Statement branch(const Context& context) {
    Branch result;
    result.condition = draw_->predicate(context);
    Context inside = context, otherwise = context;
    inside.is_uniform = otherwise.is_uniform = false;
    inside.is_full = otherwise.is_full = false;
    inside.read_condition(result.condition.reg);
    otherwise.read_condition(result.condition.reg);
    if (context.mask && draw_->chance(2)) {
      result.masks = Masks{*context.mask, next_mask_, next_mask_ + 1};
      next_mask_ += 2;
      inside.mask = result.masks->inside;
      otherwise.mask = result.masks->otherwise;
    } else {
      inside.mask.reset();
      otherwise.mask.reset();
    }
    result.inside = inner(inside, 4);
    if (draw_->chance(2)) result.otherwise = inner(otherwise, 4);
    return {result};
  }

  Statement loop(const Context& context) {
    Loop result;
    result.number = next_loop_++;
    Context body = context;
    if (draw_->chance(2)) {
      result.trips = 1 + draw_->below(4);
    } else {
      result.trips_of = draw_->condition(32, context);
      body.read_condition(*result.trips_of);
      body.is_uniform = body.is_full = false;
      body.mask.reset();
    }
    result.body = inner(body, 4);
    return {result};
  }

  Statement selection(const Context& context) {
    Selection result;
    Context body = context;
    if (context.conditions || !draw_->chance(4)) {
      result.selector = draw_->condition(32, context);
      body.read_condition(*result.selector);
    }
    body.is_uniform = body.is_full = false;
    body.mask.reset();
    for (Block& one : result.cases) one = inner(body, 2);
    return {result};
  }

  Statement call(const Context& context) {
    Call result;
    const std::size_t count = kernel_.functions.size();
    result.function = draw_->below(count);
    if (count > 1 && draw_->chance(3)) result.other = 1 - result.function;
    result.condition = draw_->reg(1, context);
    result.a = draw_->reg(32, context);
    result.b = draw_->reg(64, context);
    result.result = draw_->reg(64, context);
    result.depth = draw_->below(4);
    result.is_uniform = context.is_uniform && !result.other && draw_->chance(2);
    return {result};
  }

  /// Not in a loop: a second trip would find the masks of the first.
  Statement exit(Context& context) {
    Exit result;
    result.condition = draw_->predicate(context);
    result.masks = {*context.mask, next_mask_, next_mask_ + 1};
    next_mask_ += 2;
    context.mask = result.masks.inside;
    context.is_full = false;
    context.read_condition(result.condition.reg);
    draw_->has_exited = true;
    return {result};
  }

  /// What the last instruction of the opcode writes.
  static std::vector<Register> results_of(const std::vector<Instruction>& chain, Opcode opcode) {
    std::vector<Register> results;
    for (const Instruction& one : chain) {
      if (one.opcode == opcode) results = one.writes;
    }
    return results;
  }

  /// Every register at the end.
  void add_results() {
    unsigned at = 0;
    for (const unsigned bits : {64u, 32u, 16u, 1u}) {
      for (unsigned n = 0; n < kernel_registers.of(bits); ++n) at += add_result({bits, n}, at);
    }
  }

  /// Stores a register at a byte of the thread's results, a predicate as a word. How many bytes these are.
  unsigned add_result(Register reg, unsigned at) {
    if (reg.bits == 1) {
      Instruction select{Opcode::selp, {"b32"}, {{32, 0}}, {}, {}};
      for (const std::uint64_t value : {1, 0}) {
        select.reads.push_back({Operand::Kind::integer, {32, 0}, false, value, {}});
      }
      select.reads.push_back({Operand::Kind::reg, reg, false, 0, {}});
      kernel_.body.push_back({Compute{{select}}});
      reg = {32, 0};
    }
    const unsigned size = reg.bits / 8;
    const std::string_view type = size == 8 ? "b64" : size == 4 ? "b32" : "b16";
    Access one;
    one.instruction = {Opcode::st, {"global", type}, {}, {{Operand::Kind::reg, reg, false, 0, {}}}, {}};
    one.place = {Area::results, std::nullopt, at / size, size, 0};
    kernel_.body.push_back({one});
    return size;
  }

  Random random_;
  Kernel kernel_;
  Draw* draw_ = nullptr;
  unsigned next_mask_ = 1, next_loop_ = 0;
};

}  // namespace

Kernel generate(std::uint64_t seed) {
  return Generator(seed).generate();
}

Kernel generate_form(std::size_t number) {
  const auto& [exact, other] = arithmetic_forms();
  return Generator(number).generate_form(number < exact.size() ? exact[number] : other.at(number - exact.size()));
}

std::size_t forms_to_generate() {
  return arithmetic_forms().exact.size() + arithmetic_forms().other.size();
}

}  // namespace lockstep::differential
