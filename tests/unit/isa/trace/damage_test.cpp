// Damaged, truncated and foreign trace files: a clear input error or the right content, never anything else.

#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "isa/error.hpp"
#include "isa/trace/bytes.hpp"
#include "isa/trace/file.hpp"
#include "isa/trace/file_layout.hpp"
#include "isa/trace/header_codec.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/unit/isa/trace/sample.hpp"

namespace lockstep::damage_test {

using namespace lockstep::trace;
using Catch::Contains;

namespace {

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  REQUIRE(file.good());
}

/// The message of the InputError of reading everything, or "" when all of it equals `expected`.
std::string problem(const std::string& path, const std::vector<std::uint64_t>& expected) {
  try {
    const auto source = open_file(path);
    if (entries_of(*source) != expected) return "WRONG CONTENT";
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

/// Changes each byte of a small file in `count` of three ways.
void change_each_byte(std::size_t count) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "t";
  SampleSource small({sample_launch(0, 3, 64), sample_launch(1, 1, 32)}, 6);
  write_file(path, small);
  const std::string good = test::contents(path);
  const std::vector<std::uint64_t> expected = entries_of(small);
  REQUIRE(problem(path, expected).empty());
  int found = 0;
  for (std::size_t offset = 0; offset < good.size(); ++offset) {
    for (std::size_t n = 0; n < count; ++n) {
      const int change = std::array{0x01, 0x80, 0xff}.at((offset + n) % 3);
      std::string bad = good;
      bad[offset] = static_cast<char>(bad[offset] ^ change);
      write_bytes(path, bad);
      const std::string message = problem(path, expected);
      if (!message.empty()) {
        ++found;
        if (message.find(path + ": ") != 0) FAIL("offset " << offset << ": " << message);
      }
    }
  }
  // Only a few bits of a zstd frame's header mean nothing.
  CHECK(static_cast<std::size_t>(found) > good.size() * count * 99 / 100);
}

}  // namespace

TEST_CASE("A trace file with any byte changed is an input error or has the same content") {
  change_each_byte(1);
}

TEST_CASE("So has one with any byte changed in several ways", "[long]") {
  change_each_byte(3);
}

TEST_CASE("A trace file cut at any length is an input error") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "t";
  SampleSource small({sample_launch(0, 3, 64)}, 6);
  write_file(path, small);
  const std::string good = test::contents(path);
  const std::vector<std::uint64_t> expected = entries_of(small);
  for (std::size_t size = 0; size < good.size(); ++size) {
    write_bytes(path, good.substr(0, size));
    const std::string message = problem(path, expected);
    CAPTURE(size, message);
    REQUIRE(message.find(size == 0 ? "the file is empty" : "truncated") != std::string::npos);
  }
  write_bytes(path, good.substr(0, good.size() - 1));
  CHECK(problem(path, expected) == path + ": truncated: expected " + std::to_string(good.size()) + " bytes, found " +
                                       std::to_string(good.size() - 1));
  write_bytes(path, good + "x");
  CHECK(problem(path, expected) == path + ": damaged: expected " + std::to_string(good.size()) + " bytes, found " +
                                       std::to_string(good.size() + 1));
}

TEST_CASE("Damage in a large thread block is found when its stream is read, and named") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "t";
  SampleSource source({sample_launch(0, 2, 32 * 4)}, 9000);
  write_file(path, source);
  const std::string good = test::contents(path);
  const std::vector<std::uint64_t> expected = entries_of(source);
  REQUIRE(problem(path, expected).empty());
  int named = 0;
  const std::size_t step = good.size() / 37;
  for (std::size_t offset = 64; offset < good.size(); offset += step) {
    std::string bad = good;
    bad[offset] = static_cast<char>(bad[offset] ^ 0x10);
    write_bytes(path, bad);
    const std::string message = problem(path, expected);
    CAPTURE(offset, message);
    REQUIRE(message != "WRONG CONTENT");
    REQUIRE_FALSE(message.empty());
    named += message.find("launch 0, thread block ") != std::string::npos && message.find("warp ") != std::string::npos;
  }
  CHECK(named > 30);
}

TEST_CASE("Files that are no traces are told apart") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "t";
  const auto message = [&](const std::string& bytes) {
    write_bytes(path, bytes);
    return problem(path, {});
  };
  CHECK(message("") == path + ": not a Lockstep trace: the file is empty");
  CHECK(message("hello\nworld") == path + ": not a Lockstep trace: it starts with \"hello\"");
  CHECK_THAT(message("// Generated by LLVM NVPTX Back-End and more"), Contains("it starts with \"// Generated by \""));
  CHECK_THAT(message(std::string("\x1f\x8b\x08\x00", 4)),
             Contains("not a Lockstep trace: it is compressed by gzip: 1f 8b 08 00"));
  CHECK_THAT(message("\x28\xb5\x2f\xfd\x24"), Contains("compressed by zstd"));
  CHECK_THAT(message("\xfd"
                     "7zXZ"),
             Contains("compressed by xz"));
  CHECK_THAT(message("\x89PNG\r\n"), Contains("it starts with 89 50 4e 47 0d"));
  CHECK_THAT(message(std::string(100, '\0')), Contains("not a Lockstep trace"));
  CHECK_THAT(message("Lock"), Contains("truncated"));
  CHECK_THAT(message("Locksmith"), Contains("it starts with \"Locksmith\""));
  CHECK_THROWS_WITH(open_file(folder / "absent"), folder / "absent" + ": there is no such file");
  CHECK_THROWS_AS(open_file(folder / "absent"), InputError);
  CHECK_THROWS_WITH(open_file(folder / ""), Contains("not a regular file"));
  CHECK_THROWS_AS(open_file("/dev/zero"), InputError);
}

TEST_CASE("A trace of another version says what to do") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "t";
  SampleSource source({}, 1);
  write_file(path, source);
  std::string bytes = test::contents(path);
  bytes[8] = 9;
  write_bytes(path, bytes);
  CHECK(problem(path, {}) == path + ": trace of format version 9; this program reads versions " +
                                 std::to_string(oldest_version) + " to " + std::to_string(format_version) +
                                 ": trace the workload again");
}

TEST_CASE("A kernel or instruction that there is not cannot depend on the order of thread blocks") {
  const test::TemporaryFolder folder;
  for (const OrderDependence& wrong : {OrderDependence{2, 1, 0, 0}, OrderDependence{1, 1, 0, 5}}) {
    SampleSource source({sample_launch(0, 1, 32)}, 1);
    source.dependences = {wrong};
    write_file(folder / "t", source);
    CHECK_THROWS_WITH(open_file(folder / "t"), Contains("order of thread blocks") && Contains("that there is not"));
  }
}

TEST_CASE("A stream that does not fit its kernel is an input error that names file, thread block and warp") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "t";
  class Misfit final : public Source {
   public:
    Misfit() {
      header_.kernels = {sample_kernel("k")};
      header_.launches = {sample_launch(0, 2, 64)};
    }
    const Header& header() const override { return header_; }
    std::unique_ptr<ThreadBlockStreams> open(std::uint32_t, std::uint64_t number) override {
      Recorder recorder(2);
      recorder.block(1, number == 1 ? 3 : 2, ~0u);
      if (number == 0) {
        const std::uint64_t address[32] = {};
        recorder.access(1, ~0u, address);
        recorder.access(1, ~0u, address);
      }
      return recorder.finish();
    }

   private:
    Header header_;
  } source;
  write_file(path, source);
  CHECK_THROWS_WITH(summarize_file(path), Contains(path + ": launch 0, thread block 1, warp 1: ") &&
                                              Contains("enters a basic block that the kernel does not have"));
  CHECK_THROWS_AS(summarize_file(path), InputError);
}

TEST_CASE("A header whose numbers are out of range is refused, whatever the checksums say") {
  SampleSource source({sample_launch(0, 3, 64), sample_launch(1, 1, 32)}, 6);
  Header header = source.header();
  REQUIRE(header_problem(header).empty());
  program::StaticInstruction& load = header.kernels[1].instructions[1];
  program::Kernel& kernel = header.kernels[1];
  Launch& launch = header.launches[1];
  SECTION("mnemonic") {
    load.mnemonic = 5;
  }
  SECTION("source file") {
    load.source_file = 5;
  }
  SECTION("guard") {
    load.guard = 4;
  }
  SECTION("address register") {
    load.address_register = 4;
  }
  SECTION("destination") {
    load.destinations = {0, 4};
  }
  SECTION("source") {
    load.sources = {program::no_register};
  }
  SECTION("control") {
    load.control = static_cast<program::Control>(8);
  }
  SECTION("access") {
    load.access = static_cast<program::AccessKind>(static_cast<int>(program::AccessKind::mbarrier) + 1);
  }
  SECTION("space") {
    load.space = static_cast<program::MemorySpace>(8);
  }
  SECTION("access without a space") {
    load.space = program::MemorySpace::none;
  }
  SECTION("element size 0") {
    load.element_bytes = 0;
  }
  SECTION("element size 3") {
    load.element_bytes = 3;
  }
  SECTION("vector of 3") {
    load.vector_elements = 3;
  }
  SECTION("vector of 0") {
    load.vector_elements = 0;
  }
  SECTION("block beyond the instructions") {
    kernel.blocks[2].count = 4;
  }
  SECTION("block that wraps around") {
    kernel.blocks[2] = {0xffff'ffff, 2};
  }
  SECTION("register bits") {
    kernel.register_bits[2] = 24;
  }
  SECTION("no strings") {
    kernel.strings.clear();
  }
  SECTION("first string not empty") {
    kernel.strings[0] = "x";
  }
  SECTION("live registers") {
    kernel.live_registers = max_registers + 1;
  }
  SECTION("scratchpad") {
    kernel.static_shared_bytes = max_memory_bytes + 1;
  }
  SECTION("local memory") {
    kernel.local_bytes = max_memory_bytes + 1;
  }
  SECTION("kernel of a launch") {
    launch.kernel = 2;
  }
  SECTION("empty grid") {
    launch.grid = {1, 0, 1};
  }
  SECTION("grid that overflows") {
    launch.grid = {0x8000'0000, 0x8000'0000, 4};
  }
  SECTION("thread blocks of all launches") {
    launch.grid = {1u << 31, 1u << 17, 1};
  }
  SECTION("empty block") {
    launch.block = {0, 1, 1};
  }
  SECTION("block too large") {
    launch.block = {256, 256, 2};
  }
  SECTION("block that overflows") {
    launch.block = {1u << 31, 2, 1};
  }
  SECTION("successor of a basic block") {
    header.kernels[0].blocks[1].successors = {2, 3};
  }
  SECTION("where lanes of a basic block meet") {
    header.kernels[0].blocks[1].reconvergence = 3;
  }
  SECTION("dynamic scratchpad") {
    launch.dynamic_shared_bytes = max_memory_bytes + 1;
  }
  SECTION("registers per thread") {
    launch.registers_per_thread = max_registers + 1;
  }
  SECTION("window") {
    header.windows.shared_size = ~std::uint64_t{0};
  }
  CHECK_FALSE(header_problem(header).empty());
}

TEST_CASE("A header with everything at its limits is valid") {
  SampleSource source({sample_launch(0, 3, 64)}, 6);
  Header header = source.header();
  program::Kernel& kernel = header.kernels[0];
  kernel.register_bits = {1, 16, 32, 64, 128};
  kernel.instructions[1].destinations = {4};
  kernel.instructions[1].element_bytes = 16;
  kernel.instructions[1].vector_elements = 8;
  kernel.instructions[1].mnemonic = 4;
  kernel.blocks = {{0, 5}, {5, 0}, {4, 1}};
  kernel.static_shared_bytes = kernel.local_bytes = max_memory_bytes;
  kernel.instructions[2].access = program::AccessKind::prefetch;
  kernel.instructions[2].element_bytes = 0;
  header.launches[0].grid = {1u << 31, 1u << 16, 2};
  header.launches[0].block = {1024, 8, 8};
  CHECK(header_problem(header).empty());
}

TEST_CASE("The bytes of a header, changed or cut anywhere, decode to something or are malformed") {
  SampleSource source({sample_launch(0, 3, 64), sample_launch(1, 1, 32)}, 6);
  ByteWriter writer;
  encode_header(source.header(), writer);
  const std::vector<std::byte> good(writer.bytes().begin(), writer.bytes().end());
  REQUIRE(header_problem(decode_header(good)).empty());
  std::size_t malformed = 0, decoded = 0;
  const auto attempt = [&](std::span<const std::byte> bytes) {
    try {
      const std::string problem = header_problem(decode_header(bytes));
      ++decoded;
    } catch (const MalformedBytes&) {
      ++malformed;
    }
  };
  for (std::size_t offset = 0; offset < good.size(); ++offset) {
    for (const int change : {0x01, 0x7f, 0x80, 0xff}) {
      std::vector<std::byte> bad = good;
      bad[offset] ^= static_cast<std::byte>(change);
      attempt(bad);
    }
  }
  CHECK(malformed > 0);
  CHECK(decoded > 0);
  for (std::size_t size = 0; size < good.size(); ++size) {
    CHECK_THROWS_AS(decode_header(std::span(good).first(size)), MalformedBytes);
  }
}

}  // namespace lockstep::damage_test
