// Trace files: what is written comes back, by one thread or several, and failures leave nothing behind.

#include <sys/resource.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "isa/error.hpp"
#include "isa/trace/file.hpp"
#include "isa/trace/file_layout.hpp"
#include "tests/places.hpp"
#include "tests/unit/isa/trace/sample.hpp"

namespace lockstep::file_test {

using namespace lockstep::trace;

namespace {

/// A source whose third thread block cannot be executed.
class FailingSource final : public Source {
 public:
  const Header& header() const override { return inner_.header(); }
  std::unique_ptr<ThreadBlockStreams> open(std::uint32_t launch, std::uint64_t number) override {
    if (number == 2) throw InputError("kernel.cu:7: out of bounds");
    return inner_.open(launch, number);
  }

 private:
  SampleSource inner_{{sample_launch(0, 5, 64)}, 10};
};

std::atomic<std::uint64_t> progress_calls{0}, progress_done{0}, progress_all{0};

}  // namespace

TEST_CASE("A trace file gives back the header it was written with") {
  const test::TemporaryFolder folder;
  SampleSource source({sample_launch(0, 2, 33), sample_launch(1, 3, 1)}, 5);
  Header& header = source.mutable_header();
  header.workload = "name with \"quotes\", a \n line break and \xc3\xa9";
  header.windows = {0x1000, 0x2000, 0xffff'ffff'ffff'0000, 0xffff};
  header.kernels[0].instructions[3].guard = 0;
  header.kernels[0].instructions[3].sources = {1, 2, 0};
  header.kernels[0].instructions[3].reads_clock = true;
  header.kernels[0].instructions[3].control = program::Control::call;
  header.kernels[0].instructions[3].callees = {1, 2};
  header.kernels[0].instructions[2].reads_special_register = true;
  header.kernels[0].instructions[1].has_immediate = true;
  header.kernels[0].instructions[1].vector_elements = 4;
  header.kernels[0].instructions[0].control = program::Control::barrier;
  header.kernels[1].local_bytes = 77;
  header.launches[1].dynamic_shared_bytes = 12345;
  header.launches[1].registers_per_thread = 63;
  header.launches[1].grid = {1, 3, 1};
  write_file(folder / "t", source);

  const auto file = open_file(folder / "t");
  const Header& read = file->header();
  CHECK(read.workload == header.workload);
  CHECK(read.origin == header.origin);
  CHECK(read.arguments == header.arguments);
  CHECK(read.windows.shared_base == 0x1000);
  CHECK(read.windows.shared_size == 0x2000);
  CHECK(read.windows.local_base == 0xffff'ffff'ffff'0000);
  CHECK(read.windows.local_size == 0xffff);
  REQUIRE(read.kernels.size() == 2);
  for (std::size_t k = 0; k < 2; ++k) {
    const program::Kernel &a = read.kernels[k], &b = header.kernels[k];
    CHECK(a.name == b.name);
    CHECK(a.instruction_set == "ptx");
    CHECK(a.strings == b.strings);
    CHECK(a.register_bits == b.register_bits);
    CHECK(a.live_registers == b.live_registers);
    CHECK(a.static_shared_bytes == b.static_shared_bytes);
    CHECK(a.local_bytes == b.local_bytes);
    REQUIRE(a.blocks.size() == 3);
    for (std::size_t n = 0; n < 3; ++n) {
      CHECK(a.blocks[n].first == b.blocks[n].first);
      CHECK(a.blocks[n].count == b.blocks[n].count);
      CHECK(a.blocks[n].successors == b.blocks[n].successors);
      CHECK(a.blocks[n].reconvergence == b.blocks[n].reconvergence);
      CHECK(a.blocks[n].nounroll == b.blocks[n].nounroll);
    }
    REQUIRE(a.instructions.size() == b.instructions.size());
    for (std::size_t n = 0; n < a.instructions.size(); ++n) {
      const program::StaticInstruction &i = a.instructions[n], &j = b.instructions[n];
      CHECK(i.mnemonic == j.mnemonic);
      CHECK(i.control == j.control);
      CHECK(i.access == j.access);
      CHECK(i.space == j.space);
      CHECK(i.element_bytes == j.element_bytes);
      CHECK(i.vector_elements == j.vector_elements);
      CHECK(i.reads_special_register == j.reads_special_register);
      CHECK(i.reads_clock == j.reads_clock);
      CHECK(i.has_immediate == j.has_immediate);
      CHECK(i.guard == j.guard);
      CHECK(i.destinations == j.destinations);
      CHECK(i.sources == j.sources);
      CHECK((i.operands == j.operands));
      CHECK(i.address_register == j.address_register);
      CHECK(i.address_offset == j.address_offset);
      CHECK(i.source_file == j.source_file);
      CHECK(i.source_line == j.source_line);
      CHECK(i.call_file == j.call_file);
      CHECK(i.call_line == j.call_line);
      CHECK(i.callees == j.callees);
    }
  }
  REQUIRE(read.launches.size() == 2);
  CHECK(read.launches[1].kernel == 1);
  CHECK(read.launches[1].grid == program::Dim3{1, 3, 1});
  CHECK(read.launches[0].block == program::Dim3{33, 1, 1});
  CHECK(read.launches[1].dynamic_shared_bytes == 12345);
  CHECK(read.launches[1].registers_per_thread == 63);
}

TEST_CASE(
    "A trace file says what depended on the order of thread blocks, or that nothing did, or that it does not know") {
  const test::TemporaryFolder folder;
  using Dependences = std::optional<std::vector<OrderDependence>>;
  const Dependences unknown, none = std::vector<OrderDependence>(),
                             two = std::vector<OrderDependence>{{0, 1, 2, 4}, {1, 3, 0, 0}};
  for (const Dependences& given : {unknown, none, two}) {
    SampleSource source({sample_launch(0, 3, 32), sample_launch(1, 3, 32)}, 5);
    source.dependences = given;
    write_file(folder / "t", source);
    const auto file = open_file(folder / "t");
    CHECK(file->order_dependences() == given);
    CHECK(entries_of(*file) == entries_of(source));
  }
}

TEST_CASE("What depended on the order of thread blocks is one line with the first place") {
  SampleSource source({sample_launch(0, 3, 32)}, 5);
  CHECK(
      describe(source.header(), {1, 1, 2, 4}) ==
      "kernel 'second': 1 branch and 2 memory accesses depended on the order in which thread blocks executed atomics, "
      "first at sample.cu:14 (atom.shared.add.u32); a replay is that of one possible execution");
}

TEST_CASE("Trace files of versions 2 and 3, which had no control flow, are read") {
  const test::TemporaryFolder folder;
  for (const char version : {3, 2}) {
    // A vector addition with one warp, as the program wrote it when that was its version; version 2 had the same header.
    std::filesystem::copy_file(source_dir() + "/tests/unit/isa/trace/version_3.trace", folder / "t",
                               std::filesystem::copy_options::overwrite_existing);
    constexpr std::streamoff version_offset = 8;
    std::fstream bytes(folder / "t", std::ios::binary | std::ios::in | std::ios::out);
    bytes.seekg(version_offset);
    REQUIRE(bytes.get() == 3);
    bytes.seekp(version_offset);
    bytes.put(version);
    bytes.close();
    const auto file = open_file(folder / "t");
    REQUIRE(file->header().kernels.size() == 1);
    const program::Kernel& kernel = file->header().kernels[0];
    REQUIRE(kernel.blocks.size() > 1);
    for (const program::StaticBlock& block : kernel.blocks) {
      CHECK(block.successors.empty());
      CHECK(block.reconvergence == program::no_block);
    }
    CHECK(std::any_of(kernel.instructions.begin(), kernel.instructions.end(),
                      [](const auto& i) { return i.access == program::AccessKind::load && i.address_offset == 0; }));
    CHECK(file->open(0, 0) != nullptr);
  }
}

TEST_CASE("A trace file of version 4, which said nothing of loops that stay, is read") {
  // The same vector addition, as the program wrote it when that was its version.
  const auto file = open_file(source_dir() + "/tests/unit/isa/trace/version_4.trace");
  REQUIRE(file->header().kernels.size() == 1);
  const program::Kernel& kernel = file->header().kernels[0];
  REQUIRE(kernel.blocks.size() > 1);
  CHECK_FALSE(kernel.blocks[0].successors.empty());
  CHECK(std::none_of(kernel.blocks.begin(), kernel.blocks.end(), [](const auto& block) { return block.nounroll; }));
  CHECK(file->open(0, 0) != nullptr);
}

TEST_CASE("A trace file of version 5, which said nothing of inlined functions, is read") {
  // The same vector addition, as the program wrote it when that was its version.
  const auto file = open_file(source_dir() + "/tests/unit/isa/trace/version_5.trace");
  REQUIRE(file->header().kernels.size() == 1);
  const program::Kernel& kernel = file->header().kernels[0];
  CHECK(std::any_of(kernel.instructions.begin(), kernel.instructions.end(),
                    [](const auto& i) { return i.source_line != 0; }));
  CHECK(std::all_of(kernel.instructions.begin(), kernel.instructions.end(),
                    [](const auto& i) { return i.call_line == 0 && i.call_file == 0; }));
  CHECK(file->open(0, 0) != nullptr);
}

TEST_CASE("A trace file of version 7, which did not say what calls call, is read") {
  // The same vector addition, as the program wrote it when that was its version.
  const auto file = open_file(source_dir() + "/tests/unit/isa/trace/version_7.trace");
  REQUIRE(file->header().kernels.size() == 1);
  const auto& instructions = file->header().kernels[0].instructions;
  CHECK(instructions.size() == 27);
  CHECK(std::all_of(instructions.begin(), instructions.end(), [](const auto& i) { return i.callees.empty(); }));
  CHECK(file->open(0, 0) != nullptr);
}

TEST_CASE("A trace file gives back every entry of small thread blocks") {
  const test::TemporaryFolder folder;
  SampleSource source({sample_launch(0, 7, 100), sample_launch(1, 3, 256), sample_launch(0, 1, 1)}, 40);
  write_file(folder / "t", source);
  const auto file = open_file(folder / "t");
  CHECK(entries_of(*file) == entries_of(source));
}

TEST_CASE("A trace file gives back large thread blocks, piece by piece") {
  const test::TemporaryFolder folder;
  // A warp's 9000 entries have about 3000 scattered accesses of at least 62 bytes: 190 kB, 10 such warps per block.
  SampleSource source({sample_launch(0, 2, 15 * 32)}, 9000);
  write_file(folder / "t", source);
  const auto file = open_file(folder / "t");
  CHECK(entries_of(*file) == entries_of(source));
  std::uint64_t pieces = 0, bytes = 0;
  const auto streams = file->open(0, 1);
  for (std::uint32_t warp = 0; warp < 15; ++warp) {
    for (auto piece = streams->warp(warp).next_piece(); !piece.empty(); piece = streams->warp(warp).next_piece()) {
      CHECK(piece.size() < piece_bytes + 1024);
      ++pieces;
      bytes += piece.size();
    }
    CHECK(streams->warp(warp).next_piece().empty());
  }
  CHECK(bytes > 4 * small_block_bytes);
  CHECK(pieces > 40);
}

TEST_CASE("A trace file keeps small and large thread blocks side by side at the limit between them") {
  // One warp of one-byte block entries (5 bytes at the beginning of each piece), just below and above the limit.
  const std::size_t per_piece = piece_bytes - 4;
  for (const std::size_t entries : {8 * per_piece - 1, 8 * per_piece, 8 * per_piece + 1}) {
    CAPTURE(entries);
    class OneWarp final : public Source {
     public:
      explicit OneWarp(std::size_t entries) : entries_(entries) {
        header_.kernels = {sample_kernel("k")};
        header_.launches = {sample_launch(0, 3, 32)};
      }
      const Header& header() const override { return header_; }
      std::unique_ptr<ThreadBlockStreams> open(std::uint32_t, std::uint64_t number) override {
        Recorder recorder(1);
        for (std::size_t i = 0; i < (number == 1 ? entries_ : 2); ++i) recorder.block(0, 0, 0xf0f0'f0f0);
        return recorder.finish();
      }

     private:
      std::size_t entries_;
      Header header_;
    } source(entries);
    const test::TemporaryFolder folder;
    write_file(folder / "t", source);
    const auto file = open_file(folder / "t");
    CHECK(entries_of(*file) == entries_of(source));
  }
}

TEST_CASE("A trace file finds thread blocks in any order, in every part of the index") {
  const test::TemporaryFolder folder;
  const std::uint32_t blocks = 2 * index_chunk_blocks + 1;
  SampleSource source({sample_launch(0, 5, 32), sample_launch(1, blocks, 32)}, 2);
  write_file(folder / "t", source);
  const auto file = open_file(folder / "t");
  for (const std::uint64_t number :
       {std::uint64_t{blocks - 1}, std::uint64_t{0}, index_chunk_blocks - 1 - 5, index_chunk_blocks - 5,
        index_chunk_blocks, 2 * index_chunk_blocks - 6, 2 * index_chunk_blocks - 5}) {
    CAPTURE(number);
    CHECK(entries_of(*file->open(1, number), 1) == entries_of(*source.open(1, number), 1));
    CHECK(entries_of(*file->open(0, 3), 1) == entries_of(*source.open(0, 3), 1));
  }
  CHECK_THROWS_AS(file->open(1, blocks), Bug);
}

TEST_CASE("A trace file without launches, and one without entries, are read back") {
  const test::TemporaryFolder folder;
  SampleSource nothing({}, 1);
  write_file(folder / "nothing", nothing);
  CHECK(open_file(folder / "nothing")->header().launches.empty());
  CHECK(summarize_file(folder / "nothing").thread_blocks == 0);
  SampleSource idle({sample_launch(0, 3, 64)}, 0);
  write_file(folder / "idle", idle);
  CHECK(entries_of(*open_file(folder / "idle")) == entries_of(idle));
  CHECK(summarize_file(folder / "idle").stream_bytes == 0);
}

TEST_CASE("A trace file holds thread blocks of thousands of warps") {
  const test::TemporaryFolder folder;
  SampleSource source({sample_launch(0, 1, 65536)}, 3);
  write_file(folder / "t", source);
  CHECK(entries_of(*open_file(folder / "t")) == entries_of(source));
}

TEST_CASE("Thread blocks of a trace file can be read on several threads at once, after the source is gone") {
  const test::TemporaryFolder folder;
  SampleSource source({sample_launch(0, 8, 320)}, 2500);
  write_file(folder / "t", source);
  std::vector<std::unique_ptr<ThreadBlockStreams>> open;
  {
    const auto file = open_file(folder / "t");
    for (std::uint64_t number = 0; number < 8; ++number) open.push_back(file->open(0, number));
  }
  std::vector<std::vector<std::uint64_t>> read(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t number = t; number < 8; number += 2) read[number] = entries_of(*open[number], 10);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint64_t number = 0; number < 8; ++number) {
    CHECK(read[number] == entries_of(*source.open(0, number), 10));
  }
}

TEST_CASE("A summary counts what the streams hold") {
  const test::TemporaryFolder folder;
  SampleSource source({sample_launch(0, 4, 96), sample_launch(1, 2, 32)}, 500);
  write_file(folder / "t", source);
  FileSummary expected;
  BlockEntry block;
  AccessEntry access;
  const std::uint32_t instructions[3] = {1, 1, 3};
  for (std::uint32_t launch = 0; launch < 2; ++launch) {
    for (std::uint64_t number = 0; number < source.header().launches[launch].thread_blocks(); ++number) {
      const auto streams = source.open(launch, number), again = source.open(launch, number);
      for (std::uint32_t warp = 0; warp < source.header().launches[launch].warps_per_block(); ++warp) {
        StreamCursor cursor(streams->warp(warp));
        while (cursor.next_block(block)) {
          ++expected.block_entries;
          expected.warp_instructions += instructions[block.block];
          expected.access_entries += sample_accesses[block.block];
          for (std::uint32_t n = 0; n < sample_accesses[block.block]; ++n) cursor.next_access(access);
        }
        for (auto piece = again->warp(warp).next_piece(); !piece.empty(); piece = again->warp(warp).next_piece()) {
          expected.stream_bytes += piece.size();
        }
      }
    }
  }
  const FileSummary summary = summarize_file(folder / "t");
  CHECK(summary.thread_blocks == 6);
  CHECK(summary.block_entries == (4 * 2 + 2) * 500);
  CHECK(summary.block_entries == expected.block_entries);
  CHECK(summary.access_entries == expected.access_entries);
  CHECK(summary.warp_instructions == expected.warp_instructions);
  CHECK(summary.stream_bytes == expected.stream_bytes);
  CHECK(summary.file_bytes == std::filesystem::file_size(folder / "t"));
}

TEST_CASE("Writing a trace file tells its progress after each thread block") {
  const test::TemporaryFolder folder;
  SampleSource source({sample_launch(0, 4, 32), sample_launch(1, 2, 32)}, 1);
  progress_calls = 0;
  write_file(folder / "t", source, [](std::uint64_t done, std::uint64_t all) {
    ++progress_calls;
    progress_done = done;
    progress_all = all;
  });
  CHECK(progress_calls == 6);
  CHECK(progress_done == 6);
  CHECK(progress_all == 6);
}

TEST_CASE("A trace file replaces an older one, also behind a symbolic link") {
  const test::TemporaryFolder folder;
  SampleSource older({sample_launch(0, 1, 32)}, 5, 1), newer({sample_launch(0, 2, 32)}, 5, 2);
  write_file(folder / "t", older);
  std::filesystem::create_symlink(folder / "t", folder / "link");
  write_file(folder / "link", newer);
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(entries_of(*open_file(folder / "t")) == entries_of(newer));
  CHECK(folder.files() == 2);
}

TEST_CASE("A trace file that cannot be completed leaves nothing, and an older one untouched") {
  const test::TemporaryFolder folder;
  SECTION("because the execution fails") {
    FailingSource failing;
    CHECK_THROWS_WITH(write_file(folder / "t", failing), "kernel.cu:7: out of bounds");
    CHECK(folder.files() == 0);
    SampleSource older({sample_launch(0, 1, 32)}, 5);
    write_file(folder / "t", older);
    CHECK_THROWS_AS(write_file(folder / "t", failing), InputError);
    CHECK(folder.files() == 1);
    CHECK(entries_of(*open_file(folder / "t")) == entries_of(older));
  }
  SECTION("because the disk is full") {
    SampleSource source({sample_launch(0, 4, 32 * 32)}, 4000);
    struct rlimit before {};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    struct rlimit low = before;
    low.rlim_cur = 64 << 10;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &low) == 0);
    CHECK_THROWS_AS(write_file(folder / "t", source), ResourceError);
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK(folder.files() == 0);
  }
  SECTION("because the folder does not exist") {
    SampleSource source({}, 1);
    CHECK_THROWS_WITH(write_file(folder / "no/such/folder/t", source),
                      Catch::Contains("no/such/folder/t: cannot create"));
    CHECK_THROWS_AS(write_file(folder / "no/such/folder/t", source), ResourceError);
  }
  SECTION("because the name belongs to a folder or a device") {
    SampleSource source({}, 1);
    std::filesystem::create_directory(folder / "t");
    CHECK_THROWS_AS(write_file(folder / "t", source), ResourceError);
    CHECK_THROWS_AS(write_file("/dev/null", source), InputError);
    CHECK(folder.files() == 1);
  }
  SECTION("because the header is not valid") {
    SampleSource source({sample_launch(7, 1, 32)}, 1);
    CHECK_THROWS_WITH(write_file(folder / "t", source), Catch::Contains("kernel 7 of 2"));
    CHECK_THROWS_AS(write_file(folder / "t", source), InputError);
    CHECK(folder.files() == 0);
  }
}

}  // namespace lockstep::file_test
