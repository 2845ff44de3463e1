#include <algorithm>
#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "isa/machine/lowering.hpp"
#include "isa/machine/tables/lowering_table.hpp"
#include "isa/ptx/opcode_syntax.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/ptx/text.hpp"

namespace lockstep::lowering_test {

using machine::Operation;
using program::AccessKind;
using program::MemorySpace;

namespace {

struct OneBlock {
  program::Kernel kernel;
  OneBlock() {
    kernel.name = "k";
    kernel.strings = {""};
    kernel.register_bits.assign(16, 32);
    kernel.blocks.push_back({0, 0});
  }
  program::StaticInstruction& add(const std::string& mnemonic, std::vector<std::uint32_t> destinations,
                                  std::vector<std::uint32_t> sources) {
    kernel.strings.push_back(mnemonic);
    program::StaticInstruction s;
    s.mnemonic = static_cast<std::uint32_t>(kernel.strings.size() - 1);
    s.destinations = std::move(destinations);
    s.sources = std::move(sources);
    kernel.instructions.push_back(s);
    kernel.blocks[0].count = static_cast<std::uint32_t>(kernel.instructions.size());
    return kernel.instructions.back();
  }
  machine::Program lowered(machine::ScratchpadAtomics atomics = machine::ScratchpadAtomics::lock_loop) const {
    return machine::lower(kernel, {"fermi", atomics});
  }
  machine::Program lowered(const std::string& instruction_set) const {
    return machine::lower(kernel, {instruction_set, machine::ScratchpadAtomics::lock_loop});
  }
};

std::vector<Operation> operations(const machine::Program& program) {
  std::vector<Operation> all;
  for (const machine::Instruction& i : program.instructions) all.push_back(i.operation);
  return all;
}

std::vector<Operation> last_operations(const machine::Program& program, std::size_t count) {
  const std::vector<Operation> all = operations(program);
  return {all.end() - static_cast<std::ptrdiff_t>(std::min(count, all.size())), all.end()};
}

}  // namespace

TEST_CASE("A shared-memory atomic becomes the loop of Listing 3.5: LDSLK, IADD, STSUL, BRA") {
  OneBlock one;
  auto& s = one.add("atom.shared.add.u32", {1}, {2, 3});
  s.access = AccessKind::atomic;
  s.space = MemorySpace::shared;
  s.element_bytes = 4;
  const machine::Program program = one.lowered();
  CHECK(operations(program) ==
        std::vector<Operation>{Operation::load_lock, Operation::integer, Operation::store_unlock, Operation::branch});
  CHECK(program.instructions[0].takes_access);
  CHECK_FALSE(program.instructions[2].takes_access);
  CHECK(program.instructions[3].closes_lock_loop);
  CHECK(program.instructions[3].loop_start == 0);
}

TEST_CASE("The update of a lock loop is what the atomic computes") {
  const auto update = [](const std::string& mnemonic, std::uint8_t bytes) {
    OneBlock one;
    auto& s = one.add(mnemonic, {1}, {2, 3});
    s.access = AccessKind::atomic;
    s.space = MemorySpace::shared;
    s.element_bytes = bytes;
    auto all = operations(one.lowered());
    return std::vector<Operation>(all.begin() + 1, all.end() - 2);
  };
  CHECK(update("atom.shared.add.f32", 4) == std::vector<Operation>{Operation::floating});
  CHECK(update("atom.shared.add.u64", 8) == std::vector<Operation>(2, Operation::integer));
  CHECK(update("atom.shared.min.s32", 4) == std::vector<Operation>(2, Operation::integer));
  CHECK(update("atom.shared.cas.b64", 8) == std::vector<Operation>(4, Operation::integer));
  CHECK(update("atom.shared.exch.b128", 16) == std::vector<Operation>(4, Operation::integer));
}

TEST_CASE("A generic atomic has a part for each space, and both use one access entry") {
  OneBlock one;
  auto& s = one.add("atom.add.u32", {1}, {2, 3});
  s.access = AccessKind::atomic;
  s.space = MemorySpace::generic;
  s.element_bytes = 4;
  const machine::Program program = one.lowered();
  REQUIRE(operations(program).back() == Operation::global_reduction);
  int taking = 0;
  for (const machine::Instruction& i : program.instructions) {
    taking += i.takes_access;
    CHECK(i.only_own_space);
  }
  CHECK(taking == 1);
}

TEST_CASE("A generic atomic of a vector goes to global memory, with every element in the scoreboard") {
  OneBlock one;
  auto& s = one.add("atom.add.noftz.v8.f16", {1, 2, 3, 4, 5, 6, 7, 8}, {9, 1, 2, 3, 4, 5, 6, 7, 8});
  s.access = AccessKind::atomic;
  s.space = MemorySpace::generic;
  s.element_bytes = 2;
  s.vector_elements = 8;
  const machine::Program program = one.lowered();
  REQUIRE(operations(program) == std::vector<Operation>{Operation::global_atomic});
  CHECK(program.instructions[0].takes_access);
  CHECK_FALSE(program.instructions[0].only_own_space);
  CHECK(program.instructions[0].vector_elements == 8);
  CHECK(program.instructions[0].destination_count == 8);
  CHECK(program.instructions[0].source_count == 9);
}

TEST_CASE("An atomic that a generation lacks is timed like the others, and named") {
  // CUDA C Programming Guide, atomic functions: of single-precision numbers, and of 64 bits in shared memory, with
  // compute capability 2.x; min, max and logic of 64 bits with 3.5; of double-precision numbers with 6.0.
  const auto lacks = [](const std::string& mnemonic, const std::string& instruction_set) {
    OneBlock one;
    auto& s = one.add(mnemonic, {1}, {2, 3});
    s.access = mnemonic.starts_with("red") ? AccessKind::reduction : AccessKind::atomic;
    s.space = mnemonic.find("shared") != std::string::npos ? MemorySpace::shared : MemorySpace::global;
    s.element_bytes = mnemonic.ends_with("64") ? 8 : 4;
    const machine::Program program = one.lowered(instruction_set);
    CHECK(program.instructions.front().operation == (s.space == MemorySpace::shared      ? Operation::load_lock
                                                     : s.access == AccessKind::reduction ? Operation::global_reduction
                                                     : mnemonic.find("cas") != std::string::npos
                                                         ? Operation::global_atomic
                                                         : Operation::global_reduction));
    const bool named = program.later_instructions == std::vector<std::string>{mnemonic};
    CHECK((named || program.later_instructions.empty()));
    return named;
  };
  for (const char* old : {"atom.shared.add.u32", "red.global.add.u32", "atom.global.cas.b64", "red.global.add.u64"})
    CHECK_FALSE(lacks(old, "tesla"));
  for (const char* later : {"atom.shared.add.f32", "red.shared.add.u64", "atom.shared.cas.b64", "red.global.add.f32"}) {
    CHECK(lacks(later, "tesla"));
    CHECK_FALSE(lacks(later, "fermi"));
  }
  CHECK(lacks("atom.shared.max.s64", "fermi"));
  CHECK_FALSE(lacks("atom.shared.max.s64", "kepler"));
  CHECK(lacks("red.global.add.f64", "kepler"));
  CHECK_FALSE(lacks("red.global.add.f64", "maxwell"));
}

TEST_CASE("An asynchronous copy is a load and a scratchpad store of its value, each with an access entry") {
  OneBlock one;
  auto& s = one.add("cp.async.cg.shared.global", {1}, {2, 3});
  s.access = AccessKind::copy;
  s.space = MemorySpace::global;
  s.element_bytes = 16;
  one.add("cp.async.wait_all", {}, {1});
  const machine::Program program = one.lowered();
  REQUIRE(operations(program) ==
          std::vector<Operation>{Operation::global_load, Operation::scratchpad_store, Operation::integer});
  const machine::Instruction &load = program.instructions[0], &store = program.instructions[1];
  CHECK(load.takes_access);
  CHECK(store.takes_access);
  CHECK(load.space == MemorySpace::global);
  CHECK(store.space == MemorySpace::shared);
  CHECK(load.element_bytes == 16);
  CHECK(store.element_bytes == 16);
  REQUIRE(load.destination_count == 1);
  CHECK(store.sources[0] == load.destinations[0]);
  REQUIRE(store.destination_count == 1);
  CHECK(program.instructions[2].sources[0] == store.destinations[0]);
  CHECK(program.later_instructions == std::vector<std::string>{"cp.async.cg.shared.global", "cp.async.wait_all"});
}

TEST_CASE("On Hopper an asynchronous copy is one instruction with two access entries, and writes no register") {
  OneBlock one;
  auto& s = one.add("cp.async.cg.shared.global", {1}, {2, 3});
  s.access = AccessKind::copy;
  s.space = MemorySpace::global;
  s.element_bytes = 16;
  one.add("cp.async.commit_group", {}, {});
  one.add("cp.async.wait_group", {}, {1}).operands.push_back({program::SourceOperand::Kind::literal, 3, 0});
  one.add("cp.async.wait_all", {}, {1});
  auto& load = one.add("ld.global.u32", {4}, {2});
  load.access = AccessKind::load;
  load.space = MemorySpace::global;
  const machine::Program program = one.lowered(std::string("hopper"));
  const std::size_t first = program.instructions.size() - 5;  // Behind the prologue.
  REQUIRE(last_operations(program, 5) == std::vector<Operation>{Operation::async_copy, Operation::copy_commit,
                                                                Operation::copy_wait, Operation::copy_wait,
                                                                Operation::global_load});
  const machine::Instruction& copy = program.instructions[first];
  CHECK(copy.destination_count == 0);
  CHECK(copy.access_entry == 0);
  CHECK(machine::access_entries(copy) == 2);
  CHECK(program.instructions[first + 4].access_entry == 2);
  CHECK(program.blocks[0].access_entries == 3);
  CHECK(program.instructions[first + 2].copy_groups == 3);
  CHECK(program.instructions[first + 3].copy_groups == machine::Instruction::all_copies);
  CHECK(program.later_instructions.empty());
}

TEST_CASE("Only a generation that has mbarriers lowers them; others name the architecture that is needed") {
  const auto lowered = [](const std::string& set) {
    OneBlock one;
    one.add("mbarrier.try_wait.parity.shared::cta.b64", {1}, {2}).access = AccessKind::mbarrier;
    one.add("cp.async.mbarrier.arrive.noinc.shared.b64", {}, {2}).access = AccessKind::mbarrier;
    return one.lowered(set);
  };
  const machine::Program program = lowered("hopper");
  REQUIRE(last_operations(program, 2) == std::vector<Operation>{Operation::mbarrier, Operation::mbarrier});
  CHECK(program.instructions.end()[-2].mbarrier == program::MbarrierAction::wait);
  CHECK(program.instructions.end()[-2].destination_count == 1);
  CHECK(program.instructions.end()[-1].mbarrier == program::MbarrierAction::copies_arrive);
  for (const std::string set : {"fermi", "kepler", "maxwell", "volta"})
    CHECK_THROWS_WITH(lowered(set), Catch::Contains("mbarrier.try_wait") && Catch::Contains("compute capability 8.0") &&
                                        Catch::Contains(set));
}

TEST_CASE("A GPU without scratchpad atomics refuses one, naming the instruction") {
  OneBlock one;
  auto& s = one.add("red.shared.add.u32", {}, {2, 3});
  s.access = AccessKind::reduction;
  s.space = MemorySpace::shared;
  CHECK_THROWS_WITH(one.lowered(machine::ScratchpadAtomics::none), Catch::Contains("red.shared.add.u32"));
}

TEST_CASE("A chain links its operations: first reads the sources, last writes the destination") {
  OneBlock one;
  one.add("mad.wide.s32", {1}, {2, 3});
  const machine::Program program = one.lowered();
  REQUIRE(operations(program) == std::vector<Operation>(2, Operation::integer_multiply));
  const auto& [first, last] = std::tie(program.instructions[0], program.instructions[1]);
  CHECK(first.source_count == 2);
  REQUIRE(first.destination_count == 1);
  REQUIRE(last.source_count == 1);
  CHECK(last.sources[0] == first.destinations[0]);
  CHECK(last.destinations[0] == 1);
}

TEST_CASE("An operation beside the chain reads what the chain's next one reads, and nothing waits for it") {
  OneBlock one;
  one.add("mul.lo.s32", {1}, {2, 3});
  const machine::Program program = one.lowered("maxwell");
  // XMAD and XMAD.MRG read the factors; XMAD.PSL.CBCC waits for both, of which the later one is enough.
  REQUIRE(operations(program) == std::vector<Operation>(3, Operation::integer_multiply));
  CHECK(program.instructions[0].source_count == 2);
  CHECK(program.instructions[0].destination_count == 0);
  CHECK(program.instructions[1].source_count == 2);
  CHECK(program.instructions[2].sources[0] == program.instructions[1].destinations[0]);
  CHECK(program.instructions[2].destinations[0] == 1);
}

TEST_CASE("Conversions differ by where they come from and where they go") {
  const auto of = [](const std::string& mnemonic) {
    OneBlock one;
    one.add(mnemonic, {1}, {2});
    one.add("add.u32", {3}, {1});
    return operations(one.lowered("volta")).size() - 1;
  };
  CHECK(of("cvt.u32.u64") == 0);  // The lower word is the value.
  CHECK(of("cvt.s64.s32") == 1);  // The upper word is the sign.
  CHECK(of("cvt.rn.f32.u32") == 1);
}

TEST_CASE("A generic address of global memory is a renaming where its register stays as it is until it is read") {
  OneBlock one;
  one.add("mov.u64", {1}, {}).has_immediate = true;
  one.add("cvta.to.global.u64", {2}, {1});
  one.add("add.s64", {3}, {2});
  const machine::Program program = one.lowered();
  CHECK(program.instructions.size() == 2 + 2);
  CHECK(program.instructions[2].sources[0] == 1);

  one.add("add.s64", {1}, {1});  // Register 1 changes behind the reader.
  CHECK(one.lowered().instructions.size() == 2 + 2 + 2);
  one.add("add.s64", {4}, {2});  // Now the copy must be made.
  CHECK(one.lowered().instructions.size() == 2 + 1 + 2 + 2 + 2);
}

TEST_CASE("Kernel parameters are operands and cost a move") {
  OneBlock one;
  auto& s = one.add("ld.param.u64", {1}, {});
  s.access = AccessKind::load;
  s.space = MemorySpace::param;
  const machine::Program program = one.lowered();
  REQUIRE(operations(program) == std::vector<Operation>{Operation::integer});
  CHECK(program.instructions[0].takes_access);
}

TEST_CASE("Every form of an opcode that only computes has a row in every table") {
  for (const ptx::OpcodeRow& row : ptx::opcode_table) {
    if (row.subject != ptx::OpcodeClass::arithmetic) continue;
    OneBlock one;
    const std::uint64_t count = ptx::form_count(row.opcode);
    for (std::uint64_t number = 0; number < count; number += count / 1000 + 1) {
      std::string mnemonic(row.name);
      for (const std::string_view modifier : ptx::form(row.opcode, number)) mnemonic.append(".").append(modifier);
      one.add(mnemonic, {1}, {2, 3});
    }
    REQUIRE_FALSE(one.kernel.instructions.empty());
    for (const std::string& set : machine::instruction_sets()) {
      CAPTURE(set, row.name);
      CHECK_NOTHROW(one.lowered(set));
    }
  }
}

TEST_CASE("What works on other lanes, addresses or nothing has a row in every table") {
  // Memory accesses and control flow lower by what they do.
  for (const std::string& set : machine::instruction_sets()) {
    for (const char* mnemonic :
         {"activemask.b32", "bar.warp.sync", "brkpt", "cvta.shared.u64", "elect.sync", "isspacep.shared",
          "ld.param.b32", "match.any.sync.b32", "nanosleep.u32", "redux.sync.add.s32", "shfl.sync.bfly.b32",
          "st.param.b32", "st.param::func.b32", "vote.sync.ballot.b32"}) {
      OneBlock one;
      one.add(mnemonic, {1}, {2, 3});
      CAPTURE(set, mnemonic);
      CHECK_FALSE(one.lowered(set).instructions.empty());
    }
  }
}

TEST_CASE("An unknown machine instruction set names those that exist") {
  OneBlock one;
  CHECK_THROWS_WITH(machine::lower(one.kernel, {"fermy", machine::ScratchpadAtomics::lock_loop}),
                    Catch::Contains("fermy") && Catch::Contains("fermi"));
}

TEST_CASE("Every row of every lowering table names operations that exist") {
  for (const machine::LoweringTable& table : machine::lowering_tables()) {
    OneBlock empty;
    empty.kernel.instruction_set = table.program;
    CHECK_NOTHROW(machine::lower(empty.kernel, {std::string(table.machine), machine::ScratchpadAtomics::lock_loop}));
  }
}

TEST_CASE("The reciprocal of a divisor does not wait for the dividend") {
  for (const bool turned : {false, true}) {  // Sources stand in the order of their numbers.
    OneBlock one;
    const std::uint32_t dividend = turned ? 3 : 2, divisor = turned ? 2 : 3;
    auto& s = one.add("div.approx.f32", {1}, {2, 3});
    s.operands = {{program::SourceOperand::Kind::reg, dividend}, {program::SourceOperand::Kind::reg, divisor}};
    const machine::Program program = one.lowered();
    REQUIRE(operations(program) == std::vector<Operation>{Operation::special_function, Operation::floating_multiply});
    const machine::Instruction &reciprocal = program.instructions[0], &product = program.instructions[1];
    REQUIRE(reciprocal.source_count == 1);
    CHECK(reciprocal.sources[0] == divisor);
    REQUIRE(product.source_count == 2);
    CHECK(product.sources[0] == reciprocal.destinations[0]);
    CHECK(product.sources[1] == dividend);
  }
}

TEST_CASE("A matrix product is one instruction of the tensor cores where there is one, by the length of its rows") {
  const auto of = [](const std::string& set, const std::string& mnemonic) {
    OneBlock one;
    one.add("mma.sync.aligned." + mnemonic, {1}, {2, 3});
    const machine::Program program = one.lowered(set);
    std::vector<Operation> all = operations(program);
    const Operation last = all.back();
    // Hopper's kernels begin with instructions of their own.
    std::erase_if(all, [&](Operation operation) { return operation != last; });
    return std::pair{last, std::pair{all.size(), program.later_instructions.size()}};
  };
  const auto one = [](Operation operation) { return std::pair{operation, std::pair{std::size_t{1}, std::size_t{0}}}; };
  CHECK(of("hopper", "m16n8k16.row.col.f32.f16.f16.f32") == one(Operation::tensor));
  CHECK(of("hopper", "m16n8k16.row.col.f16.f16.f16.f16") == one(Operation::tensor));
  CHECK(of("hopper", "m16n8k16.row.col.f32.bf16.bf16.f32") == one(Operation::tensor));
  CHECK(of("hopper", "m16n8k8.row.col.f32.tf32.tf32.f32") == one(Operation::tensor));
  CHECK(of("hopper", "m16n8k32.row.col.s32.s8.u8.s32") == one(Operation::tensor));
  CHECK(of("hopper", "m16n8k8.row.col.f32.f16.f16.f32") == one(Operation::tensor_short));
  CHECK(of("hopper", "m16n8k8.row.col.f32.bf16.bf16.f32") == one(Operation::tensor_short));
  CHECK(of("hopper", "m16n8k4.row.col.f32.tf32.tf32.f32") == one(Operation::tensor_short));
  CHECK(of("hopper", "m16n8k16.row.col.satfinite.s32.s8.s8.s32") == one(Operation::tensor_short));
  CHECK(of("hopper", "m8n8k4.row.col.f64.f64.f64.f64") == one(Operation::tensor_double));
  CHECK(of("volta", "m16n8k8.row.col.f32.f16.f16.f32") == one(Operation::tensor_short));
  // Twice as many products of f16 take two instructions; those of bytes are made twice as fast.
  const auto later = [](std::size_t count) {
    return std::pair{Operation::tensor_short, std::pair{count, std::size_t{1}}};
  };
  CHECK(of("volta", "m16n8k16.row.col.f32.f16.f16.f32") == later(2));
  CHECK(of("volta", "m16n8k16.row.col.s32.s8.s8.s32") == later(1));
  CHECK(of("volta", "m16n8k32.row.col.s32.s8.s8.s32") == later(2));
}

TEST_CASE("Matrix products of machine code are those of the tensor cores by the length of their rows, too") {
  const auto of = [](const std::string& set, const std::string& mnemonic) {
    OneBlock one;
    one.kernel.instruction_set = "sass";
    one.add(mnemonic, {1}, {2, 3});
    const machine::Program program = one.lowered(set);
    REQUIRE(program.instructions.size() == 1);
    return std::pair{program.instructions[0].operation, program.later_instructions.empty()};
  };
  CHECK(of("hopper", "HMMA.16816.F32.BF16") == std::pair{Operation::tensor, true});
  CHECK(of("hopper", "HMMA.1688.F32.TF32") == std::pair{Operation::tensor, true});
  CHECK(of("hopper", "HMMA.1688.F32") == std::pair{Operation::tensor_short, true});
  CHECK(of("hopper", "IMMA.16832.S8.S8") == std::pair{Operation::tensor, true});
  CHECK(of("hopper", "IMMA.16816.S8.S8") == std::pair{Operation::tensor_short, true});
  CHECK(of("hopper", "DMMA.884") == std::pair{Operation::tensor_double, true});
  CHECK(of("volta", "HMMA.1688.F32") == std::pair{Operation::tensor_short, true});
  CHECK(of("volta", "HMMA.16816.F32") == std::pair{Operation::tensor, false});
  CHECK(of("volta", "HMMA.884.F32.F32.STEP0") == std::pair{Operation::half_precision, false});
  CHECK(of("maxwell", "HMMA.16816.F32") == std::pair{Operation::half_precision, false});
}

TEST_CASE("A matrix product is refused where there is no tensor core for it, and the message says where there is one") {
  const auto refusal_of = [](const std::string& set, const std::string& mnemonic) -> std::string {
    OneBlock one;
    one.add("mma.sync.aligned." + mnemonic, {1}, {2, 3}).source_line = 7;
    one.kernel.strings[0] = "products.cu";
    try {
      one.lowered(set);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  using Catch::Contains;
  for (const std::string set : {"tesla", "fermi", "kepler", "maxwell"}) {
    const std::string refusal = refusal_of(set, "m16n8k8.row.col.f32.f16.f16.f32");
    CHECK_THAT(refusal, Contains("products.cu:7") && Contains("kernel k") && Contains(set) &&
                            Contains("mma.sync.aligned.m16n8k8") && Contains("volta or hopper"));
  }
  for (const std::string mnemonic :
       {"m16n8k8.row.col.f32.bf16.bf16.f32", "m16n8k8.row.col.f32.tf32.tf32.f32", "m8n8k4.row.col.f64.f64.f64.f64"})
    CHECK_THAT(refusal_of("volta", mnemonic), Contains("the instruction set hopper"));
}

TEST_CASE("ldmatrix and stmatrix are scratchpad accesses of rows, and on older generations said to be later") {
  for (const bool loads : {true, false}) {
    OneBlock one;
    auto& s = one.add(loads ? "ldmatrix.sync.aligned.m8n8.x2.shared.b16" : "stmatrix.sync.aligned.m8n8.x2.shared.b16",
                      loads ? std::vector<std::uint32_t>{1, 4} : std::vector<std::uint32_t>{},
                      loads ? std::vector<std::uint32_t>{2} : std::vector<std::uint32_t>{2, 1, 4});
    s.access = loads ? AccessKind::load : AccessKind::store;
    s.space = MemorySpace::shared;
    s.element_bytes = 16;
    for (const std::string set : {"fermi", "volta", "hopper"}) {
      const machine::Program program = one.lowered(set);
      const machine::Instruction& i = program.instructions.back();
      CAPTURE(set, loads);
      CHECK(i.operation == (loads ? Operation::scratchpad_load : Operation::scratchpad_store));
      CHECK(i.takes_access);
      CHECK(i.matrix_rows);
      CHECK(i.destination_count == (loads ? 2 : 0));
      CHECK(program.later_instructions.empty() == (set == "hopper" || (set == "volta" && loads)));
    }
  }
}

TEST_CASE("A division's branch skips the code for rare operands, whose lanes it takes from its access entry") {
  OneBlock one;
  one.add("div.rn.f32", {1}, {2, 3}).has_rare_operands = true;
  const machine::Program program = one.lowered("hopper");
  const auto skip = std::find_if(program.instructions.begin(), program.instructions.end(),
                                 [](const machine::Instruction& i) { return i.takes_access; });
  REQUIRE(skip != program.instructions.end());
  CHECK(skip->operation == Operation::branch);
  CHECK(skip->skips);
  // ptxas' subroutine executes 34 instructions of 0 / 7; only the wait for its lanes stands behind them.
  CHECK(skip->skipped == 34);
  CHECK(program.instructions.end() - skip == 1 + 34 + 1);
  CHECK(program.blocks[0].access_entries == 1);
}

TEST_CASE("The access entry of a division is read on generations that do not tell rare operands apart") {
  for (const std::string set : {"tesla", "fermi", "kepler", "maxwell", "volta"}) {
    OneBlock one;
    one.add("div.rn.f32", {1}, {2, 3}).has_rare_operands = true;
    const machine::Program program = one.lowered(set);
    CHECK(std::count_if(program.instructions.begin(), program.instructions.end(),
                        [](const machine::Instruction& i) { return i.takes_access; }) == 1);
    CHECK(program.blocks[0].access_entries == 1);
  }
}

}  // namespace lockstep::lowering_test
