// Logs that are damaged, or of something else, are refused with the byte and what was expected.
#include <catch2/catch.hpp>

#include "isa/capture/device_log.hpp"
#include "isa/capture/source.hpp"
#include "isa/error.hpp"
#include "isa/trace/stream.hpp"
#include "tests/temporary_folder.hpp"

using namespace lockstep;
using Catch::Matchers::Contains;

namespace {

/// Blocks of the module: 0 up to the branch, 1 with the store, 2 the return.
constexpr const char* ptx =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b32 %r<4>; .reg .b64 "
    "%rd<4>;"
    " .reg .pred %p<2>;\nld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 0; @%p1 bra END;\n"
    "st.global.u32 [%rd1+8], %r1;\nEND: ret;\n}\n";
constexpr capture::LogVariable variable{0, 8 * capture::fixed_header_words, 256, capture::log_version};

/// The buffer of a launch of two threads: the first stores to 0x1000 + 8.
std::vector<std::uint64_t> buffer() {
  std::vector<std::uint64_t> words(capture::fixed_header_words + 2 * variable.chunk_bytes / 8);
  words[capture::next_chunk_word] = 8 * words.size();
  std::uint64_t* const first = words.data() + capture::fixed_header_words + capture::chunk_header_words;
  first[0] = capture::record_word(1, 0);
  first[1] = capture::record_word(2, 1);
  first[2] = 0x1000;
  first[3] = capture::record_word(1, 2);
  std::uint64_t* const second = first + variable.chunk_bytes / 8;
  second[0] = capture::record_word(1, 0);
  second[1] = capture::record_word(1, 2);
  return words;
}

std::string write_log(const test::TemporaryFolder& folder, const std::vector<std::uint64_t>& words,
                      const std::string& line = "workload w", const std::string& entry = "k") {
  const std::string path = folder / "log";
  capture::LogWriter writer(path);
  writer.line(line);
  writer.add_module("k.ptx", ptx);
  capture::LoggedLaunch launch;
  launch.entry = entry;
  launch.block[0] = 2;
  writer.add_launch(launch, capture::DeviceLog(words.data(), 8 * words.size(), variable), words.data(), variable);
  writer.finish();
  return path;
}

/// Of reading all of a log; "" when it is good.
std::string problem(const std::string& path) {
  try {
    capture::CaptureSource source(path);
    source.open(0, 0);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string problem_of(const std::vector<std::uint64_t>& words) {
  const test::TemporaryFolder folder;
  return problem(write_log(folder, words));
}

}  // namespace

TEST_CASE("A log becomes the blocks, masks and addresses of its threads") {
  const test::TemporaryFolder folder;
  capture::CaptureSource source(write_log(folder, buffer()), {"made by a test", {}});
  CHECK(source.header().workload == "w");
  CHECK(source.header().origin == "made by a test");
  const auto streams = source.open(0, 0);
  trace::StreamCursor cursor(streams->warp(0), 3);
  trace::BlockEntry block;
  trace::AccessEntry access;
  REQUIRE(cursor.next_block(block));
  CHECK(block.block == 0);
  CHECK(block.mask == 3);
  cursor.next_access(access);  // ld.param, of both lanes.
  CHECK(access.mask == 3);
  CHECK(access.address[1] == 0);
  REQUIRE(cursor.next_block(block));
  CHECK(block.block == 1);
  CHECK(block.mask == 1);
  cursor.next_access(access);
  CHECK(access.mask == 1);
  CHECK(access.address[0] == 0x1008);
  REQUIRE(cursor.next_block(block));
  CHECK(block.block == 2);
  CHECK(block.mask == 3);
  CHECK_FALSE(cursor.next_block(block));
  CHECK(source.summary().records == 5);
}

TEST_CASE("Lines of a log say where its trace comes from") {
  const test::TemporaryFolder folder;
  capture::CaptureSource source(write_log(folder, buffer(), "gpu H100"), {"lockstep", {}});
  CHECK(source.header().origin == "lockstep\ngpu: H100");
}

TEST_CASE("Records that no execution leaves are refused with thread and block") {
  const std::size_t first = capture::fixed_header_words + capture::chunk_header_words;
  auto words = buffer();
  words[first + 1] = capture::record_word(2, 2);
  CHECK_THAT(problem_of(words), Contains("thread block 0, thread 0: expected 1 words of basic block 2, not 2"));
  words = buffer();
  words[first + 3] = capture::record_word(1, 0);
  CHECK_THAT(problem_of(words), Contains("expected basic block 2 of kernel 'k' as the successor, not basic block 0"));
  words = buffer();
  words[first + 3] = 0;
  CHECK_THAT(problem_of(words), Contains("thread 0: expected basic block 2") && Contains("not the end of its log"));
  words = buffer();
  words[first] = capture::record_word(1, 7);
  CHECK_THAT(problem_of(words), Contains("byte ") && Contains("expected the record of a basic block of kernel 'k'"));
  words = buffer();
  words[first + 4] = capture::record_word(1, 2);
  CHECK_THAT(problem_of(words), Contains("expected the end of the log behind basic block 2"));
  words = buffer();
  words[first + variable.chunk_bytes / 8 + 1] = capture::record_word(1, 0);
  CHECK_THAT(problem_of(words),
             Contains("thread 1: expected a basic block to which block 0 of kernel 'k' branches, not block 0"));
}

TEST_CASE("Files that are no whole log are refused with the byte") {
  const test::TemporaryFolder folder;
  const std::string path = write_log(folder, buffer());
  const std::string good = test::contents(path);
  REQUIRE(problem(path) == "");
  // Every cut and every changed byte is found.
  for (std::size_t bytes = 0; bytes < good.size(); bytes += 7)
    CHECK_THAT(problem(folder.write("cut", good.substr(0, bytes))), Contains("byte "));
  for (std::size_t at = 0; at < good.size(); at += 3) {
    std::string changed = good;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    CHECK_THAT(problem(folder.write("changed", changed)), Contains("byte "));
  }
  CHECK_THAT(problem(folder.write("other", std::string(100, 'x'))),
             Contains("byte 0: expected \"lockstep-capture 1\""));
  CHECK_THAT(problem(write_log(folder, buffer(), "what is this")),
             Contains("expected a line that begins with workload"));
  CHECK_THAT(problem(write_log(folder, buffer(), "workload w", "other")), Contains("expected a kernel of 'k.ptx'"));
  CHECK_THAT(problem(write_log(folder, buffer(), "placed 0 x 5")), Contains("of a module above"));
}
