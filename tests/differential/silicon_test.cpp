// Small kernels that an H200 executed otherwise than the functional machine: silicon/README.md.
#include <catch2/catch.hpp>

#include <algorithm>
#include <boost/crc.hpp>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/differential/compare.hpp"
#include "tests/differential/kernel_text.hpp"
#include "tests/differential/machine.hpp"
#include "tests/differential/oracle/oracle.hpp"
#include "tests/differential/values.hpp"

using namespace lockstep::differential;

namespace {

namespace fs = std::filesystem;

const fs::path silicon = LOCKSTEP_SOURCE_DIR "/tests/differential/silicon";

/// What a file says.
struct Record {
  fs::path file;
  std::set<unsigned> agrees;      ///< Levels of optimization at which the H200 leaves what the ISA says.
  std::uint32_t checksum = 0;     ///< Of input and data before the launch.
  std::size_t bytes = 0;          ///< Of the data.
  std::set<std::size_t> differs;  ///< Bytes of the data.
  std::map<std::size_t, std::vector<std::uint8_t>> left;  ///< By the H200, where it changed the data.
  Kernel kernel;
  std::string ptx;
};

std::vector<std::uint8_t> bytes_in(const std::string& digits) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(at, 2), nullptr, 16)));
  return bytes;
}

Record read(const fs::path& path) {
  Record record;
  record.file = path;
  std::ifstream file(path);
  std::string line, text;
  while (std::getline(file, line) && line != "kernel") {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "inputs") in >> std::hex >> record.checksum >> std::dec >> record.bytes;
    if (word == "agrees") {
      for (unsigned level = 0; in >> level;) record.agrees.insert(level);
    }
    if (word == "differs") {
      char dash = 0;
      for (std::size_t first = 0, last = 0; in >> first >> dash >> last;) {
        for (std::size_t at = first; at <= last; ++at) record.differs.insert(at);
      }
    }
    if (word == "left") {
      std::size_t at = 0;
      in >> at >> word;
      record.left[at] = bytes_in(word);
    }
  }
  while (std::getline(file, line) && line != "ptx") text += line + "\n";
  record.kernel = kernel_of(text);
  while (std::getline(file, line)) record.ptx += line + "\n";
  return record;
}

std::vector<Record> records() {
  std::vector<Record> all;
  for (const auto& entry : fs::recursive_directory_iterator(silicon)) {
    if (entry.path().extension() == ".txt") all.push_back(read(entry.path()));
  }
  return all;
}

/// What the H200 left of the data.
std::vector<std::uint8_t> left_by_gpu(const Record& record) {
  const Contents contents = contents_of(record.kernel);
  std::vector<std::uint8_t> bytes(contents.data.begin(),
                                  contents.data.begin() + static_cast<std::ptrdiff_t>(record.bytes));
  for (const auto& [at, changed] : record.left)
    std::copy(changed.begin(), changed.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
  return bytes;
}

}  // namespace

TEST_CASE("Each record has a cause in the README, and the inputs that the H200 had") {
  std::ifstream readme(silicon / "README.md");
  const std::string text{std::istreambuf_iterator<char>(readme), {}};
  const std::vector<Record> all = records();
  CHECK(all.size() >= 43);
  for (const Record& record : all) {
    INFO(record.file.string());
    CHECK(text.find("`" + record.file.parent_path().filename().string() + "/`") != std::string::npos);
    const Contents contents = contents_of(record.kernel);
    REQUIRE(record.bytes <= contents.data.size());
    boost::crc_32_type checksum;
    checksum.process_bytes(contents.input.data(), contents.input.size());
    checksum.process_bytes(contents.data.data(), record.bytes);
    CHECK(checksum.checksum() == record.checksum);
  }
}

TEST_CASE("The functional machine leaves the bytes of an H200 but where the record says otherwise") {
  for (const Record& record : records()) {
    INFO(record.file.string());
    const std::vector<std::uint8_t> gpu = left_by_gpu(record), machine = execute_ptx(record.kernel, record.ptx);
    std::set<std::size_t> differing;
    for (std::size_t at = 0; at < gpu.size(); ++at) {
      if (gpu[at] != machine[at]) differing.insert(at);
    }
    CHECK(differing == record.differs);
  }
}

TEST_CASE("The oracle leaves the bytes of the functional machine in kernels that ptxas compiles otherwise") {
  std::size_t compared = 0;
  for (const Record& record : records()) {
    if (!record.kernel.is_exact) continue;
    ++compared;
    const auto machine = [&](const Kernel& kernel) { return execute_ptx(kernel, record.ptx); };
    const std::string found = difference(record.kernel, machine, interpret);
    INFO(record.file.string() << ": " << found);
    CHECK(found.empty());
  }
  CHECK(compared >= 40);
}
