#include "sim/explain/padding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "models/hash/kernel_hashes.hpp"
#include "models/scratchpad/scratchpad.hpp"
#include "sim/explain/collision.hpp"

namespace lockstep::explain {

namespace {

/// Rows that are tried: those of the lines that lose most passes.
constexpr std::size_t most_paddings = 4;

/// The SPECs of all kernels with another one for `kernel`.
std::string with_spec(const std::string& text, const std::string& kernel, const std::string& spec) {
  std::string result = fmt::format("{}={}", kernel, spec), otherwise = "mod";
  const hash::KernelHashes hashes(text);
  for (const auto& [name, own] : hashes.all()) {
    if (name.empty()) otherwise = own;
    if (!name.empty() && name != kernel) result += fmt::format(" {}={}", name, own);
  }
  return result + " " + otherwise;
}

/// The table of a map of `words` words whose word w has the target that `map` gives padded word w.
std::string table_of(const hash::AddressMap& map, std::uint64_t words, const Padding& padding) {
  std::string text = "table:";
  for (std::uint64_t word = 0; word < std::bit_ceil(words); ++word)
    text += fmt::format("{}{}", word == 0 ? "" : ",", map[padding.word(word)]);
  return text;
}

class PaddedSource final : public trace::Source {
 public:
  PaddedSource(std::unique_ptr<trace::Source> source, const Padding& padding, std::uint32_t bank_bytes)
      : source_(std::move(source)), header_(source_->header()) {
    const auto larger = [&](std::uint32_t bytes) {
      const std::uint64_t words = (std::uint64_t{bytes} + bank_bytes - 1) / bank_bytes;
      return static_cast<std::uint32_t>(bytes + words / padding.row * padding.pad * bank_bytes);
    };
    program::Kernel& kernel = header_.kernels[padding.kernel];
    kernel.static_shared_bytes = larger(kernel.static_shared_bytes);
    for (trace::Launch& launch : header_.launches)
      if (launch.kernel == padding.kernel) launch.dynamic_shared_bytes = larger(launch.dynamic_shared_bytes);
  }
  const trace::Header& header() const override { return header_; }
  std::unique_ptr<trace::ThreadBlockStreams> open(std::uint32_t launch, std::uint64_t number) override {
    return source_->open(launch, number);
  }

 private:
  std::unique_ptr<trace::Source> source_;
  trace::Header header_;
};

}  // namespace

std::vector<Padding> worthwhile_paddings(const gpu::GpuSpec& spec, const trace::Header& header,
                                         const std::vector<LineCosts>& lines) {
  const scratchpad::Spec& scratchpad = spec.sm.scratchpad;
  std::vector<const LineCosts*> conflicting;
  for (const LineCosts& line : lines)
    if (line.accesses.bank_conflicts > 0) conflicting.push_back(&line);
  std::stable_sort(conflicting.begin(), conflicting.end(), [](const LineCosts* a, const LineCosts* b) {
    return a->accesses.bank_conflicts > b->accesses.bank_conflicts;
  });
  std::vector<Padding> all;
  for (const LineCosts* line : conflicting) {
    const program::Kernel& kernel = header.kernels[line->kernel];
    const scratchpad::Maps maps = make_maps(scratchpad, spec.sm.occupancy.scratchpad_bytes, kernel.name);
    std::uint32_t widest = scratchpad.bank_bytes;
    bool locks = false;
    for (const program::StaticInstruction& i : kernel.instructions) {
      const bool may_be_shared = i.space == program::MemorySpace::shared || i.space == program::MemorySpace::generic;
      if (!may_be_shared || i.access == program::AccessKind::none) continue;
      locks = locks || i.access == program::AccessKind::atomic || i.access == program::AccessKind::reduction;
      widest = std::max(widest, std::uint32_t{i.element_bytes} * i.vector_elements);
    }
    if (locks && spec.target.scratchpad_atomics == machine::ScratchpadAtomics::lock_loop) continue;
    const std::uint64_t pad = widest / scratchpad.bank_bytes;
    for (const LineAccess& access : line->examples) {
      const std::optional<Collision> collision = collision_of(access.example, scratchpad, maps);
      if (!collision || collision->degree < 2) continue;
      const std::uint64_t row = collision->stride();
      const Padding padding{line->kernel, row, pad};
      const bool known = std::find(all.begin(), all.end(), padding) != all.end();
      if (row <= pad || row % pad != 0 || known || all.size() == most_paddings) continue;
      all.push_back(padding);
    }
  }
  return all;
}

gpu::GpuSpec padded(const gpu::GpuSpec& spec, const trace::Header& header, const Padding& padding) {
  gpu::GpuSpec result = spec;
  scratchpad::Spec& scratchpad = result.sm.scratchpad;
  const program::Kernel& kernel = header.kernels[padding.kernel];
  const scratchpad::Maps maps = make_maps(scratchpad, spec.sm.occupancy.scratchpad_bytes, kernel.name);
  scratchpad.bank_hash_origin = scratchpad::HashOrigin::block;
  const std::uint64_t words = spec.sm.occupancy.scratchpad_bytes / scratchpad.bank_bytes;
  scratchpad.bank_hash = with_spec(scratchpad.bank_hash, kernel.name, table_of(maps.banks, words, padding));
  return result;
}

std::unique_ptr<trace::Source> padded(std::unique_ptr<trace::Source> source, const Padding& padding,
                                      std::uint32_t bank_bytes) {
  return std::make_unique<PaddedSource>(std::move(source), padding, bank_bytes);
}

}  // namespace lockstep::explain
