// Small kernels that an H200 executed otherwise than the functional machine: silicon/README.md.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/differential/compare.hpp"
#include "tests/differential/machine.hpp"
#include "tests/differential/oracle/oracle.hpp"
#include "tests/differential/record.hpp"
#include "tests/places.hpp"

using namespace lockstep;
using namespace lockstep::differential;

namespace {

namespace fs = std::filesystem;

const fs::path silicon = source_dir() + "/tests/differential/silicon";

struct Named {
  fs::path file;
  Record record;
};

std::vector<Named> records() {
  std::vector<Named> all;
  for (const auto& entry : fs::recursive_directory_iterator(silicon)) {
    if (entry.path().extension() != ".txt") continue;
    std::ifstream file(entry.path());
    all.push_back({entry.path(), record_in({std::istreambuf_iterator<char>(file), {}})});
  }
  return all;
}

}  // namespace

TEST_CASE("Each record has a cause in the README, and the inputs that the H200 had") {
  std::ifstream readme(silicon / "README.md");
  const std::string text{std::istreambuf_iterator<char>(readme), {}};
  const std::vector<Named> all = records();
  CHECK(all.size() >= 80);
  for (const auto& [file, record] : all) {
    INFO(file.string());
    CHECK(text.find("`" + file.parent_path().filename().string() + "/`") != std::string::npos);
    CHECK(checksum_of_inputs(record.kernel, record.bytes) == record.checksum);
  }
}

TEST_CASE("The functional machine leaves the bytes of an H200 but where the record says otherwise") {
  for (const auto& [file, record] : records()) {
    INFO(file.string());
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
  for (const auto& [file, record] : records()) {
    if (!record.kernel.is_exact) continue;
    ++compared;
    const std::string& ptx = record.ptx;
    const auto machine = [&](const Kernel& kernel) { return execute_ptx(kernel, ptx); };
    const std::string found = difference(record.kernel, machine, interpret);
    INFO(file.string() << ": " << found);
    CHECK(found.empty());
  }
  CHECK(compared >= 67);
}

TEST_CASE("A record of what a GPU left of a kernel says what differs and can be read again, with textures too") {
  for (const auto& [file, record] : records()) {
    INFO(file.string());
    // Older records have no bytes behind the last result.
    if (record.bytes != record.kernel.data_bytes()) continue;
    const Record again = record_in(text_of(record_of(record.kernel, record.ptx, left_by_gpu(record), record.agrees)));
    CHECK(text_of(again) == text_of(record));
    CHECK(again.differs == record.differs);
    CHECK(left_by_gpu(again) == left_by_gpu(record));
  }
  CHECK_THROWS_WITH(record_in("agrees 0\nleft 0 00\nleaves 1 01\n"), Catch::Contains("'leaves 1 01'"));
}
