// Graphs in launches of the functional machine.
#include <catch2/catch.hpp>
#include <filesystem>

#include "isa/dataflow/standard_kernel.hpp"
#include "isa/trace/file.hpp"
#include "tests/unit/isa/dataflow/graph.hpp"
#include "tests/unit/isa/exec/run.hpp"

using namespace lockstep;
using namespace lockstep::dataflow;
using namespace lockstep::dataflow::test;

namespace {

/// A task with one launch of `ptx`, whose argument is buffer 0 when the kernel takes one.
struct GraphLaunch {
  std::string ptx = standard_kernel_text(15);
  std::string entry = standard_kernel_entry;
  std::uint32_t blocks = 1, threads = 32, shared = 0, launches = 1;
  bool argument = false;
  std::vector<exec::Buffer> buffers;
  std::shared_ptr<Program> program = std::make_shared<Program>();
  std::shared_ptr<Program> second = nullptr;  ///< Of another launch behind these.

  void graph(const Sketch& sketch) {
    program->parts = {std::make_shared<Graph>(sketch.graph)};
    program->instance = [instance = sketch.instance](std::uint64_t) { return instance; };
  }
  std::unique_ptr<exec::Machine> machine() const {
    auto task = std::make_unique<exec::Task>();
    task->name = "test";
    task->modules.push_back(std::make_unique<const ptx::Module>(ptx::parse(ptx, "test.ptx")));
    task->buffers = buffers;
    for (std::uint32_t i = 0; i < launches; ++i) {
      exec::KernelLaunch launch;
      launch.module = task->modules.back().get();
      launch.entry = entry;
      launch.grid = {blocks, 1, 1};
      launch.block = {threads, 1, 1};
      launch.dynamic_shared_bytes = shared;
      if (argument) launch.arguments.push_back(exec::BufferAddress{0, 0});
      launch.graph = program;
      task->launches.push_back(launch);
    }
    if (second != nullptr) {
      task->launches.push_back(task->launches.back());
      task->launches.back().graph = second;
    }
    return std::make_unique<exec::Machine>(std::move(task));
  }
  std::string error() const {
    try {
      machine()->finish();
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
};

std::vector<std::uint32_t> words(const exec::Machine& machine, std::uint32_t buffer) {
  return exec::test::values_of<std::uint32_t>(machine.buffer(buffer));
}

/// Adds 100 to each of the `n` words of the scratchpad, and stores them in buffer 0 from `to` on.
Sketch add_to_scratchpad(std::uint32_t n, std::uint32_t to) {
  Sketch g;
  const auto where = g.increment("where", 4, n);
  const auto load = g.load("load", scratchpad, edge(where), n);
  const auto sum = g.add("sum", Opcode::add, {edge(load), 100}, n);
  g.store("back", scratchpad, edge(where), edge(sum), n);
  g.numbers(g.store("out", 0, edge(where), edge(sum), n)).base.offset = to;
  return g;
}

}  // namespace

TEST_CASE("a graph works on the scratchpad between what a kernel does before and after it") {
  constexpr std::uint32_t n = 64;
  GraphLaunch launch;
  launch.ptx = exec::test::ptx_head + exec::test::kernel(R"(
    .shared .align 4 .b32 cells[64];
    mov.u32 %r1, cells;
    mad.lo.u32 %r1, %r0, 4, %r1;
    mul.lo.u32 %r2, %r0, %r0;
    st.shared.u32 [%r1], %r2;
    bar.sync 3;
    ld.shared.u32 %r3, [%r1];
    add.u32 %r3, %r3, 1;
    mul.wide.u32 %rd2, %r0, 4;
    add.s64 %rd2, %rd0, %rd2;
    st.global.u32 [%rd2], %r3;
  )");
  launch.entry = "k";
  launch.threads = n;
  launch.argument = true;
  launch.buffers.push_back({"out", exec::test::bytes_of(std::vector<std::uint32_t>(2 * n))});
  launch.graph(add_to_scratchpad(n, 4 * n));
  launch.program->barrier = 3;
  const auto machine = launch.machine();
  machine->finish();
  std::vector<std::uint32_t> expected(2 * n);
  for (std::uint32_t i = 0; i < n; ++i) {
    expected[i] = i * i + 101;
    expected[n + i] = i * i + 100;
  }
  CHECK(words(*machine, 0) == expected);
}

TEST_CASE("the streams hand out a run for each time that the warps met at the graph's barrier") {
  GraphLaunch launch;
  launch.ptx = exec::test::ptx_head + exec::test::kernel(R"(
    .shared .align 4 .b32 cells[64];
    bar.sync 15;
    bar.sync 1;
    bar.sync 15;
    bar.sync 15;
  )");
  launch.entry = "k";
  launch.threads = 64;
  launch.blocks = 2;
  launch.argument = true;
  launch.buffers.push_back({"out", exec::test::bytes_of(std::vector<std::uint32_t>(128))});
  const Sketch sketch = add_to_scratchpad(64, 0);
  launch.graph(sketch);
  int instances = 0;
  launch.program->instance = [&](std::uint64_t block) {
    ++instances;
    Instance instance = sketch.instance;
    instance.nodes.back().base.offset = static_cast<std::int64_t>(256 * block);
    return instance;
  };
  const auto machine = launch.machine();
  REQUIRE(machine->header().kernels.size() == 1);
  CHECK(machine->header().kernels[0].graphs == launch.program->parts);
  CHECK(machine->header().kernels[0].graph_barrier == 15);
  for (std::uint64_t block = 0; block < 2; ++block) {
    const auto streams = machine->open(0, block);
    for (int i = 0; i < 3; ++i) {
      const auto run = streams->next_graph_run();
      REQUIRE(run != nullptr);
      CHECK(run->graph == launch.program->parts[0]);
      CHECK(addresses(*run, 1, 64)[63] == 63 * 4);
      CHECK(addresses(*run, 4, 64)[63] == machine->buffer_address(0) + 256 * block + 63 * 4);
    }
    CHECK(streams->next_graph_run() == nullptr);
  }
  CHECK(words(*machine, 0) == std::vector<std::uint32_t>(128, 300));
  CHECK(instances == 2);
}

TEST_CASE("a graph without a kernel of its own runs in the standard kernel, once for each thread block") {
  GraphLaunch launch;
  launch.ptx = standard_kernel_text(7);
  launch.program->barrier = 7;
  launch.blocks = 5;
  launch.buffers.push_back({"out", exec::test::bytes_of(std::vector<std::uint32_t>(5))});
  Sketch g;
  g.store("out", 0, 0, 1, 1);
  launch.graph(g);
  launch.program->barrier = 7;
  launch.program->instance = [&](std::uint64_t block) {
    Instance instance = g.instance;
    instance.nodes[0].base.offset = static_cast<std::int64_t>(4 * block);
    instance.nodes[0].operands[1].value = static_cast<std::uint32_t>(10 + block);
    return instance;
  };
  const auto machine = launch.machine();
  machine->finish();
  CHECK(words(*machine, 0) == std::vector<std::uint32_t>{10, 11, 12, 13, 14});
}

TEST_CASE("a thread block waits for words of an earlier one") {
  // Each thread block adds 1 to what the one before has stored, word by word.
  constexpr std::uint32_t n = 400, blocks = 4;
  GraphLaunch launch;
  launch.blocks = blocks;
  launch.buffers.push_back({"rows", exec::test::bytes_of(std::vector<std::uint32_t>(n * blocks))});
  Sketch g;
  const auto where = g.increment("where", 4, n);
  const auto load = g.load("above", 0, edge(where), n);
  g.node(load).cache_operator = CacheOperator::wait_for_hit;
  g.node(load).predicated = true;
  g.node(load).operands.push_back(In(1).operand);
  g.numbers(load).operands.push_back(In(1).values);
  const auto sum = g.add("sum", Opcode::add, {edge(load), 1}, n);
  const auto store = g.store("row", 0, edge(where), edge(sum), n);
  g.node(store).cache_operator = CacheOperator::write_through;
  launch.graph(g);
  launch.program->instance = [&](std::uint64_t block) {
    Instance instance = g.instance;
    instance.nodes[load].base.offset = 4 * static_cast<std::int64_t>(n) * (static_cast<std::int64_t>(block) - 1);
    instance.nodes[load].operands[1].value = block > 0;
    instance.nodes[store].base.offset = 4 * static_cast<std::int64_t>(n * block);
    return instance;
  };
  {
    const auto machine = launch.machine();
    machine->finish();
    for (std::uint32_t i = 0; i < n * blocks; ++i) REQUIRE(words(*machine, 0)[i] == i / n + 1);
  }
  SECTION("plain loads of those words are an error") {
    Graph plain = *launch.program->parts[0];
    plain.nodes[load].cache_operator = CacheOperator::l1;
    launch.program->parts = {std::make_shared<Graph>(plain)};
    // Block 1 loads what it does not store itself, and block 0 has stored.
    CHECK_THAT(launch.error(), Catch::Contains("thread block 1, node 'above', firing 0") &&
                                   Catch::Contains("an earlier thread block") && Catch::Contains("wait_for_hit would"));
  }
  SECTION("so are initial values that are loaded from them") {
    Sketch first, then;
    first.store("out", 0, 0, 1, 1);
    then.add("set", Opcode::move, {loaded(ring({}), 1, {0, 0})}, 1);
    launch.blocks = 2;
    launch.program->parts = {std::make_shared<Graph>(first.graph), std::make_shared<Graph>(then.graph)};
    launch.program->instance = [&](std::uint64_t block) { return block == 0 ? first.instance : then.instance; };
    CHECK_THAT(launch.error(), Catch::Contains("node 'set', operand 0: load of initial value 0") &&
                                   Catch::Contains("an earlier thread block of the launch has stored"));
  }
  SECTION("what an earlier launch has written is no longer waited for") {
    Sketch only;
    const auto waits = only.load("waits", 0, edge(only.increment("where", 4, n)), n);
    only.node(waits).cache_operator = CacheOperator::wait_for_hit;
    GraphLaunch second;
    second.graph(only);
    launch.second = second.program;
    CHECK_THAT(launch.error(), Catch::Contains("thread block 0: deadlock") && Catch::Contains("node 'waits'") &&
                                   Catch::Contains("never written"));
  }
}

TEST_CASE("thread block b runs part b modulo their number") {
  GraphLaunch launch;
  launch.blocks = 4;
  launch.buffers.push_back({"out", exec::test::bytes_of(std::vector<std::uint32_t>(4))});
  Sketch add, multiply;
  add.graph.name = "add";
  add.store("out", 0, 0, edge(1), 1);
  add.add("sum", Opcode::add, {0, 5}, 1);
  multiply.graph.name = "multiply";
  multiply.store("out", 0, 0, edge(1), 1);
  multiply.add("product", Opcode::mul, {0, 5}, 1);
  launch.program->parts = {std::make_shared<Graph>(add.graph), std::make_shared<Graph>(multiply.graph)};
  launch.program->instance = [&](std::uint64_t block) {
    Instance instance = add.instance;
    instance.nodes[0].base.offset = static_cast<std::int64_t>(4 * block);
    instance.nodes[1].operands[0].value = static_cast<std::uint32_t>(block);
    return instance;
  };
  {
    const auto machine = launch.machine();
    machine->finish();
    CHECK(words(*machine, 0) == std::vector<std::uint32_t>{5, 5, 7, 15});
  }
  launch.blocks = 3;
  CHECK_THAT(launch.error(), Catch::Contains("3 thread blocks") && Catch::Contains("2 parts"));
}

TEST_CASE("launches with the same graph share a kernel, others do not") {
  GraphLaunch launch;
  launch.launches = 2;
  launch.buffers.push_back({"out", exec::test::bytes_of(std::vector<std::uint32_t>(1))});
  Sketch g;
  g.store("out", 0, 0, 1, 1);
  launch.graph(g);
  CHECK(launch.machine()->header().kernels.size() == 1);

  auto task = std::make_unique<exec::Task>();
  task->modules.push_back(std::make_unique<const ptx::Module>(ptx::parse(standard_kernel_text(15), "test.ptx")));
  task->buffers.push_back({"out", exec::test::bytes_of(std::vector<std::uint32_t>(1))});
  for (const std::int32_t offset : {0, 0, 4}) {
    auto program = std::make_shared<Program>(*launch.program);
    Graph graph = g.graph;
    graph.nodes[0].offset = offset;
    program->parts = {std::make_shared<Graph>(graph)};
    exec::KernelLaunch one;
    one.module = task->modules.back().get();
    one.entry = standard_kernel_entry;
    one.block = {32, 1, 1};
    one.graph = program;
    task->launches.push_back(one);
  }
  const exec::Machine machine(std::move(task));
  CHECK(machine.header().kernels.size() == 2);
  CHECK(machine.header().launches[1].kernel == 0);
  CHECK(machine.header().launches[2].kernel == 1);
}

TEST_CASE("what cannot be right about a launch with a graph is said") {
  Sketch g;
  g.store("out", 0, 0, 1, 1);
  GraphLaunch launch;
  launch.buffers.push_back({"out", exec::test::bytes_of(std::vector<std::uint32_t>(1))});
  launch.graph(g);
  SECTION("no barrier in the kernel") {
    launch.ptx = standard_kernel_text(14);
    CHECK_THAT(launch.error(),
               Catch::Contains("kernel 'rgpu'") && Catch::Contains("barrier 15") && Catch::Contains("bar.sync 15;"));
  }
  SECTION("a buffer that does not exist") {
    g.numbers(0).base.buffer = 3;
    launch.graph(g);
    CHECK_THAT(launch.error(), Catch::Contains("node 'out': there is no buffer 3; the task has 1"));
  }
  SECTION("a warp that does not wait") {
    launch.threads = 64;
    launch.ptx = exec::test::ptx_head + std::string(".entry k() { bar.arrive 15, 64; ret; }");
    launch.entry = "k";
    CHECK_THAT(launch.error(), Catch::Contains("this warp continues without waiting"));
  }
  SECTION("not all warps") {
    launch.threads = 96;
    launch.ptx = exec::test::ptx_head + std::string(".entry k() { bar.sync 15, 64; ret; }");
    launch.entry = "k";
    CHECK_THAT(launch.error(), Catch::Contains("all of its 3 warps must wait there; here 2 do"));
  }
  SECTION("a barrier beyond 15") {
    launch.program->barrier = 16;
    CHECK_THAT(launch.error(), Catch::Contains("barrier 16; they are 0 to 15"));
  }
  SECTION("a trace file") {
    const auto machine = launch.machine();
    const auto path = (std::filesystem::temp_directory_path() / "lockstep-graph-test.trace").string();
    REQUIRE_THROWS_WITH(trace::write_file(path, *machine),
                        Catch::Contains("graphs are replayed live") && Catch::Contains("lockstep rgpu run"));
    CHECK_FALSE(std::filesystem::exists(path));
  }
  SECTION("warps that have exited are not waited for") {
    launch.threads = 96;
    launch.ptx = exec::test::ptx_head +
                 std::string(
                     ".entry k() { .reg .pred %p; .reg .b32 %r; mov.u32 %r, %tid.x; setp.gt.u32 %p, %r, 63; "
                     "@%p exit; bar.sync 15; ret; }");
    launch.entry = "k";
    const auto machine = launch.machine();
    machine->finish();
    CHECK(words(*machine, 0)[0] == 1);
  }
}
