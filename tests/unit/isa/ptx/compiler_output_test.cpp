// What nvcc and clang really wrote, read whole: and the same text damaged in thousands of ways.

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "isa/ptx/static_program.hpp"

#include "tests/places.hpp"

using namespace lockstep;
using namespace lockstep::ptx;

namespace {

const std::vector<std::string> file_names{"nvcc_75.ptx", "nvcc_90_lineinfo.ptx", "nvcc_80_debug.ptx",
                                          "clang.ptx",   "clang_lines.ptx",      "clang_debug.ptx"};

std::string path_of(const std::string& name) {
  return source_dir() + "/tests/unit/isa/ptx/inputs/" + name;
}

std::string text_of(const std::string& name) {
  std::ifstream stream(path_of(name), std::ios::binary);
  REQUIRE(stream);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Instructions of a compiler's text: it ends each with ';' on a line of its own, directives begin with a dot, and the
/// ';' of a function that is only declared stands alone.
std::size_t count_instructions(const std::string& text) {
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" \t");
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (first == std::string::npos || first == last) continue;
    if (line[first] != '.' && line[first] != '/' && line[last] == ';') ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("every instruction of real compiler output is read") {
  for (const std::string& name : file_names) {
    INFO(name);
    const Module module = parse_file(path_of(name));
    std::size_t count = 0;
    for (const Function& function : module.functions) count += function.instructions.size();
    CHECK(count == count_instructions(text_of(name)));
  }
}

TEST_CASE("real kernels link, and their static programs fit them") {
  for (const std::string& name : file_names) {
    for (const char* entry : {"gather", "classify"}) {
      INFO(name << " " << entry);
      const Module module = parse_file(path_of(name));
      const Program program = link(module, entry);
      const program::Kernel kernel = to_static_program(program);
      REQUIRE(kernel.instructions.size() == program.instruction_count);
      const bool gathers = std::string(entry) == "gather";
      CHECK(kernel.static_shared_bytes == (gathers ? 512 : 0));
      CHECK((program.functions.size() >= 3) == gathers);
      CHECK(kernel.live_registers >= 4);
      CHECK(kernel.live_registers <= 64);
      std::uint32_t next = 0;
      for (const program::StaticBlock& block : kernel.blocks) {
        CHECK(block.first == next);
        CHECK(block.count > 0);
        next += block.count;
      }
      CHECK(next == kernel.instructions.size());
      std::size_t barriers = 0;
      std::size_t shared_atomics = 0;
      for (const program::StaticInstruction& instruction : kernel.instructions) {
        barriers += instruction.control == program::Control::barrier ? 1 : 0;
        shared_atomics += instruction.access == program::AccessKind::atomic ? 1 : 0;
        for (const auto* list : {&instruction.destinations, &instruction.sources}) {
          for (const std::uint32_t reg : *list) REQUIRE(reg < kernel.register_bits.size());
        }
        const bool accesses = instruction.access != program::AccessKind::none;
        CHECK(accesses == (instruction.element_bytes != 0));
      }
      if (gathers) CHECK(barriers >= 1);
      CHECK(shared_atomics == (gathers ? 1 : 0));
    }
  }
}

TEST_CASE("source lines of real compiler output point into its source") {
  for (const char* name : {"nvcc_90_lineinfo.ptx", "nvcc_80_debug.ptx", "clang_lines.ptx", "clang_debug.ptx"}) {
    INFO(name);
    const Module module = parse_file(path_of(name));
    const Program program = link(module, "classify");
    const program::Kernel kernel = to_static_program(program);
    // The kernel classify stands on lines 52 to 64 of kernels.cu; helpers that are inlined stand above.
    std::size_t known = 0;
    for (const program::StaticInstruction& instruction : kernel.instructions) {
      if (instruction.source_line == 0) continue;
      ++known;
      CHECK(kernel.strings.at(instruction.source_file) == "kernels.cu");
      CHECK(instruction.source_line <= 64);
    }
    CHECK(known * 2 > kernel.instructions.size());
  }
}

namespace {

/// One random edit of the text.
void damage(std::string& text, const std::string& donor, std::mt19937& random) {
  const auto place = [&](const std::string& in) { return in.empty() ? 0 : random() % in.size(); };
  const std::size_t at = place(text);
  switch (random() % 8) {
    case 0: text[at] = static_cast<char>(random() % 256); break;
    case 1: text[at] = ";,{}[]()<>@!%|.:-+0_\"/"[random() % 22]; break;
    case 2: text.erase(at, 1 + random() % 20); break;
    case 3: text.insert(at, donor.substr(place(donor), 1 + random() % 40)); break;
    case 4: text.resize(at); break;
    case 5: text.insert(at, std::to_string(random())); break;
    case 6: {  // swaps two words
      const std::size_t a = text.find_first_of(" \t\n", at);
      const std::size_t b = a == std::string::npos ? a : text.find_first_of(" \t\n", a + 1);
      if (b == std::string::npos) break;
      const std::string word = text.substr(a, b - a);
      text.erase(a, b - a);
      text.insert(place(text), word);
      break;
    }
    default: {  // repeats a line
      const std::size_t end = text.find('\n', at);
      if (end == std::string::npos) break;
      const std::size_t start = text.rfind('\n', end - 1) + 1;
      text.insert(end + 1, text.substr(start, end + 1 - start));
    }
  }
}

void read_damaged(std::size_t rounds) {
  std::mt19937 random(20);
  std::size_t refused = 0;
  std::size_t accepted = 0;
  std::vector<std::string> texts;
  for (const std::string& name : file_names) texts.push_back(text_of(name));
  for (std::size_t round = 0; round < rounds; ++round) {
    std::string text = texts[random() % texts.size()];
    const auto edits = 1 + random() % 4;
    for (unsigned i = 0; i < edits && !text.empty(); ++i) damage(text, texts[random() % texts.size()], random);
    try {
      const Module module = parse(text, "damaged.ptx");
      ++accepted;
      for (const Function& function : module.functions) {
        if (!function.is_entry) continue;
        try {
          to_static_program(link(module, function.name));
        } catch (const InputError&) {
        }
      }
    } catch (const InputError& error) {
      ++refused;
      // Every message begins with the name of the file.
      REQUIRE(std::string(error.what()).rfind("damaged.ptx", 0) == 0);
    }
  }
  CHECK(refused > rounds / 4);
  CHECK(accepted > rounds / 40);
}

}  // namespace

TEST_CASE("damaged compiler output is read or refused, never a crash") {
  read_damaged(800);
}

TEST_CASE("much damaged compiler output is read or refused, never a crash", "[long]") {
  read_damaged(4000);
}
