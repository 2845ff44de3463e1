#include "tests/differential/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <iterator>
#include <sstream>

#include "isa/error.hpp"
#include "tests/differential/kernel_text.hpp"
#include "tests/differential/machine.hpp"
#include "tests/differential/values.hpp"

namespace lockstep::differential {

namespace {

/// The data before the launch.
std::vector<std::uint8_t> data_before(const Kernel& kernel, std::size_t bytes) {
  std::vector<std::uint8_t> data = contents_of(kernel).data;
  if (bytes > data.size())
    throw InputError(
        fmt::format("a record of {} bytes of data, but kernel {} has {}", bytes, kernel.seed, data.size()));
  data.resize(bytes);
  return data;
}

std::vector<std::uint8_t> bytes_in(const std::string& digits) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(at, 2), nullptr, 16)));
  return bytes;
}

}  // namespace

std::uint32_t checksum_of_inputs(const Kernel& kernel, std::size_t bytes) {
  const Contents contents = contents_of(kernel);
  const std::vector<std::uint8_t> data = data_before(kernel, bytes);
  boost::crc_32_type checksum;
  for (const auto* all : {&contents.input, &data, &contents.texels}) checksum.process_bytes(all->data(), all->size());
  return checksum.checksum();
}

Record record_of(const Kernel& kernel, const std::string& ptx, const std::vector<std::uint8_t>& data,
                 const std::set<unsigned>& agrees) {
  if (data.size() != kernel.data_bytes())
    throw InputError(fmt::format("{} bytes of data; kernel {} has {}", data.size(), kernel.seed, kernel.data_bytes()));
  Record record{agrees, checksum_of_inputs(kernel, data.size()), data.size(), {}, {}, kernel, ptx};
  const std::vector<std::uint8_t> machine = execute_ptx(kernel, ptx), before = data_before(kernel, data.size());
  bool continues = false;
  for (std::size_t at = 0; at < data.size(); ++at) {
    if (data[at] != machine[at]) record.differs.insert(at);
    const bool is_changed = data[at] != before[at];
    if (is_changed && !continues) record.left[at] = {};
    if (is_changed) std::prev(record.left.end())->second.push_back(data[at]);
    continues = is_changed;
  }
  return record;
}

std::vector<std::uint8_t> left_by_gpu(const Record& record) {
  std::vector<std::uint8_t> data = data_before(record.kernel, record.bytes);
  for (const auto& [at, changed] : record.left)
    std::copy(changed.begin(), changed.end(), data.begin() + static_cast<std::ptrdiff_t>(at));
  return data;
}

std::string text_of(const Record& record) {
  std::string text = record.agrees.empty() ? "agrees -" : "agrees";
  for (const unsigned level : record.agrees) text += fmt::format(" {}", level);
  text += fmt::format("\ninputs {:08x} {}\ndiffers", record.checksum, record.bytes);
  for (const std::size_t first : record.differs) {
    if (first != 0 && record.differs.contains(first - 1)) continue;
    std::size_t last = first;
    while (record.differs.contains(last + 1)) ++last;
    text += fmt::format(" {}-{}", first, last);
  }
  text += '\n';
  for (const auto& [at, changed] : record.left) {
    text += fmt::format("left {} ", at);
    for (const std::uint8_t byte : changed) text += fmt::format("{:02x}", byte);
    text += '\n';
  }
  return text + "kernel\n" + text_of(record.kernel) + "ptx\n" + record.ptx;
}

Record record_in(const std::string& text) {
  Record record;
  std::istringstream file(text);
  std::string line, kernel;
  while (std::getline(file, line) && line != "kernel") {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "inputs") {
      in >> std::hex >> record.checksum >> std::dec >> record.bytes;
    } else if (word == "agrees") {
      for (unsigned level = 0; in >> level;) record.agrees.insert(level);
    } else if (word == "differs") {
      char dash = 0;
      for (std::size_t first = 0, last = 0; in >> first >> dash >> last;) {
        for (std::size_t at = first; at <= last; ++at) record.differs.insert(at);
      }
    } else if (word == "left") {
      std::size_t at = 0;
      in >> at >> word;
      record.left[at] = bytes_in(word);
    } else {
      throw InputError(
          fmt::format("a record has a line '{}'; 'agrees', 'inputs', 'differs', 'left' or 'kernel' is right", line));
    }
  }
  while (std::getline(file, line) && line != "ptx") kernel += line + "\n";
  record.kernel = kernel_of(kernel);
  while (std::getline(file, line)) record.ptx += line + "\n";
  return record;
}

}  // namespace lockstep::differential
