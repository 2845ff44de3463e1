#include "isa/accelsim/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace lockstep::accelsim {

namespace {

using program::AccessKind;
using program::Control;
using program::MemorySpace;

std::string name_of_block(const KernelHeader& header, std::uint64_t number) {
  const std::uint64_t x = header.grid[0], y = header.grid[1];
  return fmt::format("{},{},{}", number % x, number / x % y, number / x / y);
}

/// What the first reading notes of the accesses of a launch.
class AccessNotes {
 public:
  AccessNotes(const TextFile& text, LaunchContents& contents, Summary& summary)
      : text_(text), contents_(contents), spaces_(contents.header), summary_(summary) {}

  void note(CodeInstruction& i, const Step& step) {
    const std::uint64_t bytes = sass::Mnemonic(i.mnemonic).access_bytes(*i.row);
    switch (i.row->space) {
      case MemorySpace::shared: return note_shared(step.access, bytes);
      case MemorySpace::local: return note_local(step.access, bytes);
      case MemorySpace::generic: return note_generic(i, step.access, bytes);
      case MemorySpace::constant:
      case MemorySpace::texture:
        if (!i.has_addresses) ++summary_.without_addresses;
        return;
      default: break;
    }
    if (i.row->access != AccessKind::copy) return;
    if (step.is_pair) {
      i.in_pairs = true;
      note_shared(step.written, bytes);
    } else if (step.mask != 0) {
      ++summary_.half_copies;
    }
  }

 private:
  void note_shared(const LaneAddresses& access, std::uint64_t bytes) {
    note_window(access, bytes, contents_.shared, &AddressSpaces::shared_byte, "scratchpad", "-shmem base_addr",
                contents_.header.shared_base);
  }
  void note_local(const LaneAddresses& access, std::uint64_t bytes) {
    note_window(access, bytes, contents_.local, &AddressSpaces::local_byte, "local", "-local mem base_addr",
                contents_.header.local_base);
  }
  /// Of a space that has a window among the generic addresses, at `base`.
  void note_window(const LaneAddresses& access, std::uint64_t bytes, ByteRange& range,
                   std::uint64_t (AddressSpaces::*byte_of)(std::uint64_t) const, const char* space, const char* field,
                   std::uint64_t base) {
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
      const std::uint64_t address = access.address[std::countr_zero(rest)], byte = (spaces_.*byte_of)(address);
      if (byte >= AddressSpaces::window_bytes)
        text_.fail(fmt::format("{} address {:#x} is neither below 2^24 nor in the window of 2^24 bytes at {:#x} ({})",
                               space, address, base, field));
      range.include(byte, bytes);
    }
  }
  void note_generic(CodeInstruction& i, const LaneAddresses& access, std::uint64_t bytes) {
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
      const std::uint64_t address = access.address[std::countr_zero(rest)];
      if (spaces_.is_shared(address)) {
        i.on_shared = true;
        contents_.shared.include(spaces_.shared_byte(address), bytes);
      } else if (spaces_.is_local(address)) {
        i.on_local = true;
        contents_.local.include(spaces_.local_byte(address), bytes);
      } else {
        i.on_global = true;
      }
    }
  }

  const TextFile& text_;
  LaunchContents& contents_;
  AddressSpaces spaces_;
  Summary& summary_;
};

void note_block(std::uint64_t number, KernelFile& file, LaunchContents& contents) {
  auto& runs = contents.runs;
  auto after = runs.upper_bound(number);
  if (after != runs.begin()) {
    const auto before = std::prev(after);
    if (number < before->first + before->second.blocks) {
      file.text().fail(fmt::format("thread block {} is in the file twice", name_of_block(contents.header, number)));
    }
  }
  runs[number] = {1, file.block_position()};
}

}  // namespace

std::uint32_t LaunchContents::scratchpad_bytes() const {
  const std::uint64_t accessed = shared.empty() ? 0 : shared.end - shared_shift();
  return std::max(header.scratchpad_bytes, static_cast<std::uint32_t>(accessed));
}

LaunchContents read_contents(const std::string& path, const std::function<Code&(const std::string&)>& code_of,
                             Summary& summary, const FileProgress& progress) {
  KernelFile file(path);
  LaunchContents contents;
  contents.header = file.header();
  Code& code = code_of(contents.header.name);
  AccessNotes notes(file.text(), contents, summary);
  WarpPath path_of_warp(code);
  std::vector<bool> seen(contents.header.warps());
  std::uint64_t number = 0, blocks = 0;
  auto run = contents.runs.end();
  Step step;
  while (file.next_thread_block(number)) {
    // Goes on with the run of the block before it, where it is the next one and no other has it.
    if (run != contents.runs.end() && number == run->first + run->second.blocks && !contents.runs.contains(number)) {
      ++run->second.blocks;
    } else {
      note_block(number, file, contents);
      run = contents.runs.find(number);
    }
    ++blocks;
    std::fill(seen.begin(), seen.end(), false);
    std::uint32_t warp = 0;
    std::uint64_t instructions = 0;
    while (file.next_warp(warp, instructions)) {
      if (seen[warp])
        file.text().fail(fmt::format("warp {} of thread block {} is in the file twice", warp,
                                     name_of_block(contents.header, number)));
      seen[warp] = true;
      WarpLines lines(file, code, instructions);
      while (lines.next(step)) {
        CodeInstruction& i = code[step.instruction];
        path_of_warp.step(step.instruction, step.mask);
        if (i.control() == Control::barrier && step.mask == 0) i.guarded = true;
        if (i.access() != AccessKind::none) notes.note(i, step);
      }
      path_of_warp.end();
      summary.instruction_lines += instructions;
    }
    if (progress) progress(file.text().bytes_read());
  }
  if (blocks != contents.header.thread_blocks()) {
    std::uint64_t missing = 0;
    for (const auto& [first, here] : contents.runs) {
      if (first != missing) break;
      missing += here.blocks;
    }
    throw InputError(SourceLocation{path, 0, 0},
                     fmt::format("has {} of the {} thread blocks of its grid; {} is the first that is missing", blocks,
                                 contents.header.thread_blocks(), name_of_block(contents.header, missing)));
  }
  ++summary.files;
  return contents;
}

LaunchReader::LaunchReader(const std::string& path, const LaunchContents& contents, Code& code,
                           const ImportedKernel& kernel)
    : file_(path), contents_(contents), spaces_(contents.header), code_(code), kernel_(kernel) {}

std::unique_ptr<trace::ThreadBlockStreams> LaunchReader::open(std::uint64_t number) {
  if (number != next_) file_.seek(contents_.runs.at(number).begin);
  std::uint64_t found = 0;
  if (!file_.next_thread_block(found) || found != number)
    file_.text().fail(fmt::format("expected thread block {}: the file has changed while it was read",
                                  name_of_block(contents_.header, number)));
  trace::Recorder recorder(contents_.header.warps());
  std::uint32_t warp = 0;
  std::uint64_t instructions = 0;
  Step step;
  while (file_.next_warp(warp, instructions)) {
    WarpLines lines(file_, code_, instructions);
    while (lines.next(step)) {
      const std::uint32_t place =
          step.instruction < kernel_.place.size() ? kernel_.place[step.instruction] : CodeInstruction::none;
      const bool follows =
          place != CodeInstruction::none &&
          (kernel_.block_at[place] != program::no_block || (block_ != program::no_block && place == last_place_ + 1));
      if (!follows) file_.text().fail("this instruction was not here before: the file has changed while it was read");
      if (kernel_.block_at[place] != program::no_block) {
        flush(warp, recorder);
        block_ = kernel_.block_at[place];
      }
      last_place_ = place;
      record(step);
    }
    flush(warp, recorder);
  }
  // Behind a run another part of the file may follow.
  next_ = number + 1;
  if (contents_.runs.contains(next_)) next_ = ~std::uint64_t{0};
  return recorder.finish();
}

void LaunchReader::record(const Step& step) {
  const CodeInstruction& i = code_[step.instruction];
  const program::StaticInstruction& s = kernel_.kernel.instructions[last_place_];
  if (i.access() == AccessKind::none) {
    lanes_known_ = true;
    lanes_ = step.mask;
  } else {
    access_lanes_ |= step.mask;
  }
  if (s.access == AccessKind::none) return;
  if (s.access == AccessKind::barrier) {  // Number 0, for all threads.
    LaneAddresses& entry = accesses_.emplace_back();
    entry.mask = step.mask;
    std::fill(std::begin(entry.address), std::end(entry.address), 0);
    return;
  }
  place(i, accesses_.emplace_back(step.access), s.space);
  if (s.access != AccessKind::copy) return;
  LaneAddresses& written = accesses_.emplace_back(step.written);
  if (!step.is_pair) written.mask = 0;
  place(i, written, MemorySpace::shared);
}

/// Addresses as a trace has them.
void LaunchReader::place(const CodeInstruction& i, LaneAddresses& access, MemorySpace space) const {
  constexpr program::AddressWindows windows;
  const bool generic = i.row->space == MemorySpace::generic;
  if (!generic && space != MemorySpace::shared && space != MemorySpace::local) return;
  const std::uint64_t shared_shift = contents_.shared_shift(), local_shift = contents_.local_shift();
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    std::uint64_t& address = access.address[std::countr_zero(rest)];
    if (space == MemorySpace::shared) {
      address = spaces_.shared_byte(address) - shared_shift;
    } else if (space == MemorySpace::local) {
      address = spaces_.local_byte(address) - local_shift;
    } else if (spaces_.is_shared(address)) {
      address = spaces_.shared_byte(address) - shared_shift + windows.shared_base;
    } else if (spaces_.is_local(address)) {
      address = spaces_.local_byte(address) - local_shift + windows.local_base;
    }
  }
}

void LaunchReader::flush(std::uint32_t warp, trace::Recorder& recorder) {
  if (block_ == program::no_block) return;
  recorder.block(warp, block_, lanes_known_ ? lanes_ : access_lanes_);
  for (const LaneAddresses& access : accesses_) recorder.access(warp, access.mask, access.address);
  accesses_.clear();
  block_ = program::no_block;
  lanes_known_ = false;
  lanes_ = access_lanes_ = 0;
}

}  // namespace lockstep::accelsim
