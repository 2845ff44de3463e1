// init and bounds: memory of malloc and free.
#include <fmt/format.h>

#include "isa/exec/checks/heap_record.hpp"
#include "tests/unit/isa/exec/checks/planted.hpp"

namespace lockstep::heap_memory_test {

using namespace lockstep::exec;
using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

const std::string declared =
    ".extern .func (.reg .b64 r) malloc (.reg .b64 bytes);\n.extern .func free (.reg .b64 address);\n";

/// What one thread does with 20 bytes at %rd4, which malloc has given at line 5; the rest stands at line 9.
std::vector<Finding> found(Check check, const std::string& body) {
  return findings_of(check, "mov.u64 %rd3, 20;\n.loc 1 5 0\ncall (%rd4), malloc, (%rd3);\n.loc 1 9 0\n" + body,
                     declared + ".shared .align 16 .b8 s[16];\n", {1, 1, 0});
}

std::vector<Finding> init(const std::string& body) {
  return found(Check::init, body);
}

std::vector<Finding> bounds(const std::string& body) {
  return found(Check::bounds, body);
}

}  // namespace

TEST_CASE("init finds reads of what malloc gave that nothing has written, and says where it was given", "[checks]") {
  const Finding finding = only(init("st.global.u32 [%rd4], 1; ld.global.u32 %r1, [%rd4+4];"));
  CHECK(finding.check == Check::init);
  CHECK(finding.place.source.line == 9);
  CHECK_THAT(finding.what, Contains("load of 4 bytes reads memory of malloc") && Contains("byte 4 of 20"));
  REQUIRE(finding.other);
  CHECK(finding.other->source.line == 5);
  CHECK(finding.other->target == "gives these 20 bytes");
  CHECK(init("st.global.u32 [%rd4], 1; ld.global.u32 %r1, [%rd4];").empty());
}

TEST_CASE("init knows each byte that malloc gave, by global and generic addresses", "[checks]") {
  CHECK_THAT(only(init("st.u16 [%rd4], %h0; ld.u32 %r1, [%rd4];")).what, Contains("byte 2 of 20"));
  CHECK(init("st.u16 [%rd4], %h0; st.u16 [%rd4+2], %h0; ld.global.u32 %r1, [%rd4];").empty());
  // An atomic reads before it writes.
  CHECK(only(init("red.global.add.u32 [%rd4], 1; red.global.add.u32 [%rd4], 1;")).count == 1);
}

TEST_CASE("init knows how much of what malloc gave an asynchronous copy reads", "[checks]") {
  const auto copies = [](const std::string& bytes) {
    return init("st.global.u32 [%rd4], 1; mov.u32 %r2, " + bytes +
                "; cp.async.ca.shared.global [s], [%rd4], 8, %r2; cp.async.wait_all;");
  };
  CHECK(copies("4").empty());
  CHECK_THAT(only(copies("8")).what, Contains("byte 4 of 20"));
}

TEST_CASE("init takes memory that was freed and is given again as unwritten", "[checks]") {
  const std::string again =
      "st.global.u32 [%rd4], 1; call free, (%rd4);\n.loc 1 12 0\ncall (%rd5), malloc, (%rd3);\n.loc 1 13 0\n";
  const Finding finding = only(init(again + "ld.global.u32 %r1, [%rd5];"));
  CHECK(finding.place.source.line == 13);
  REQUIRE(finding.other);
  CHECK(finding.other->source.line == 12);
  CHECK(init(again + "st.global.u32 [%rd5], 2; ld.global.u32 %r1, [%rd5];").empty());
}

TEST_CASE("bounds finds accesses behind the bytes that malloc was asked for", "[checks]") {
  const Finding finding = only(bounds("st.global.u32 [%rd4+20], 1;"));
  CHECK(finding.check == Check::bounds);
  CHECK(finding.place.source.line == 9);
  CHECK_THAT(finding.what, Contains("store of 4 bytes leaves what malloc has given: it begins at byte 20 of 20"));
  CHECK_THAT(finding.place.target, Contains("byte 20 of buffer 'heap of malloc'"));
  REQUIRE(finding.other);
  CHECK(finding.other->source.line == 5);
  CHECK_THAT(only(bounds("ld.global.u64 %rd6, [%rd4+16];")).what, Contains("begins at byte 16 of 20"));
  CHECK(bounds("st.global.u64 [%rd4+8], %rd3; ld.global.u32 %r1, [%rd4+16]; ld.u8 %h1, [%rd4+19];").empty());
}

TEST_CASE("bounds finds what leaves an allocation towards the next one or the one before", "[checks]") {
  // Of 32 bytes each, in turn.
  const std::string two = "mov.u64 %rd3, 32; call (%rd5), malloc, (%rd3); call (%rd6), malloc, (%rd3);\n.loc 1 20 0\n";
  CHECK_THAT(only(bounds(two + "ld.global.u32 %r1, [%rd5+32];")).what, Contains("begins at byte 32 of 32"));
  CHECK_THAT(only(bounds(two + "ld.global.u8 %h1, [%rd6+-1];")).what,
             Contains("begins 1 bytes before the first byte of 32"));
  CHECK(bounds(two + "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd5+16]; ld.global.u8 %h1, [%rd6];").empty());
}

TEST_CASE("bounds finds accesses to memory that was freed, and says where", "[checks]") {
  for (const std::string access :
       {"ld.global.u32 %r1, [%rd4];", "st.u32 [%rd4], 1;", "red.global.add.u32 [%rd4], 1;"}) {
    INFO(access);
    const Finding finding = only(bounds(fmt::format("{0}\n.loc 1 30 0\ncall free, (%rd4);\n.loc 1 31 0\n{0}", access)));
    CHECK(finding.place.source.line == 31);
    CHECK_THAT(finding.what, Contains("accesses memory that was freed: byte 0 of 20"));
    REQUIRE(finding.other);
    CHECK(finding.other->source.line == 30);
    CHECK(finding.other->target == "frees these 20 bytes");
  }
  // The next one stays.
  CHECK(bounds("call (%rd5), malloc, (%rd3); call free, (%rd4); st.global.u32 [%rd5+16], 1;").empty());
}

TEST_CASE("bounds finds an access to the heap before malloc has given any of it", "[checks]") {
  // It lies 1 MiB behind the buffer of 256 bytes. The address comes from memory, so that nothing else is known of it.
  const Finding finding =
      only(findings_of(Check::bounds,
                       "add.s64 %rd2, %rd0, 1048832; st.global.u64 [%rd1], %rd2; ld.global.u64 %rd3, [%rd1];\n"
                       "ld.global.u32 %r1, [%rd3]; setp.ne.u32 %p1, %r0, %r0; mov.u64 %rd3, 8;\n"
                       "@%p1 call (%rd4), malloc, (%rd3);",
                       declared));
  CHECK_THAT(finding.what, Contains("before malloc has given any"));
  CHECK_THAT(finding.place.target, Contains("byte 0 of buffer 'heap of malloc'"));
  CHECK(!finding.other);
}

TEST_CASE("What one launch has allocated and written, others may use", "[checks]") {
  const auto launches = [](const std::string& first, const std::string& second) {
    Program p;
    p.ptx = ".file 1 \"k.cu\"\n" + kernel(
                                       "ld.global.u64 %rd4, [%rd0]; setp.ne.u64 %p1, %rd4, 0;\n@%p1 bra SECOND;\n"
                                       "mov.u64 %rd3, 16;\n.loc 1 5 0\ncall (%rd4), malloc, (%rd3);\n"
                                       "st.global.u64 [%rd0], %rd4; " +
                                           first + "\nbra END;\nSECOND:\n.loc 1 9 0\n" + second + "\nEND:",
                                       declared);
    p.block = {1, 1, 1};
    p.launches = 2;
    p.buffers.push_back({"out", std::vector<std::uint8_t>(8)});
    p.checks = CheckSet().with(Check::init).with(Check::bounds);
    const auto machine = p.machine();
    machine->finish();
    return machine->findings();
  };
  CHECK(launches("st.global.u32 [%rd4], 1;", "ld.global.u32 %r1, [%rd4];").empty());
  const Finding unwritten = only(launches("st.global.u32 [%rd4], 1;", "ld.global.u32 %r1, [%rd4+4];"));
  CHECK(unwritten.check == Check::init);
  CHECK(unwritten.place.source.line == 9);
  REQUIRE(unwritten.other);
  CHECK(unwritten.other->source.line == 5);
  CHECK(only(launches("call free, (%rd4);", "st.global.u32 [%rd4], 1;")).check == Check::bounds);
}

TEST_CASE("What a kernel writes whose module knows no malloc counts as written", "[checks]") {
  const auto found_with = [](bool writes_between) {
    Program p;
    p.ptx = kernel(
        "ld.global.u64 %rd4, [%rd0]; setp.ne.u64 %p1, %rd4, 0;\n@%p1 bra SECOND;\n"
        "mov.u64 %rd3, 16; call (%rd4), malloc, (%rd3); st.global.u64 [%rd0], %rd4; bra END;\n"
        "SECOND: ld.global.u32 %r1, [%rd4];\nEND:",
        declared);
    p.block = {1, 1, 1};
    p.launches = 2;
    p.buffers.push_back({"out", std::vector<std::uint8_t>(8)});
    p.checks = CheckSet().with(Check::init).with(Check::bounds);
    std::unique_ptr<Task> task = p.task();
    if (writes_between) {
      const std::string other = ptx_head + kernel("ld.global.u64 %rd4, [%rd0]; st.global.u32 [%rd4], 1;");
      task->modules.push_back(std::make_unique<const ptx::Module>(ptx::parse(other, "other.ptx")));
      KernelLaunch launch = task->launches[0];
      launch.module = task->modules.back().get();
      task->launches.insert(task->launches.begin() + 1, launch);
    }
    Machine machine(std::move(task));
    machine.finish();
    return machine.findings();
  };
  CHECK(found_with(true).empty());
  CHECK(only(found_with(false)).check == Check::init);
}

TEST_CASE("Threads that write what malloc gave them, share it behind a barrier and free it are clean", "[checks]") {
  CHECK(findings_of(all_checks,
                    ".shared .align 8 .b64 at; setp.eq.u32 %p1, %r0, 0; mov.u32 %r1, 0; mul.wide.u32 %rd6, %r0, 8;\n"
                    "LOOP: mov.u64 %rd3, 24; call (%rd4), malloc, (%rd3); st.global.v2.u64 [%rd4], {%rd3, %rd3};\n"
                    "ld.global.u64 %rd5, [%rd4+8]; call free, (%rd4);\n"
                    "mov.u64 %rd3, 512;\n@%p1 call (%rd4), malloc, (%rd3);\n@%p1 st.shared.u64 [at], %rd4;\n"
                    "bar.sync 0; ld.shared.u64 %rd4, [at]; add.s64 %rd5, %rd4, %rd6; st.u64 [%rd5], %rd6;\n"
                    "bar.sync 0; ld.global.u64 %rd7, [%rd4+504]; ld.u64 %rd7, [%rd5];\n"
                    "bar.sync 0;\n@%p1 call free, (%rd4);\n"
                    "add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 3;\n@%p2 bra LOOP;",
                    declared, {64, 1, 0})
            .empty());
}

TEST_CASE("The record of a heap that is in use begins with all that is allocated as written", "[checks]") {
  DeviceMemory memory;
  Heap heap(memory);
  const std::uint64_t address = heap.allocate(20);
  HeapRecord& record = HeapRecord::of(heap, 3);
  const std::uint64_t offset = address - record.base();
  CHECK(record.bits(offset)[19] == (HeapRecord::allocated_byte | HeapRecord::written_byte));
  CHECK(record.bits(offset)[20] == 0);
  CHECK(&HeapRecord::of(heap, 4) == &record);
  REQUIRE(record.nearest(offset + 40) != nullptr);
  CHECK(record.nearest(offset + 40)->bytes == 20);
}

}  // namespace lockstep::heap_memory_test
