#pragma once
// What a thread block executes, as its streams say, without replaying them: how much work it is, of which kind, and which
// requests it sends to the memory.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/trace/header.hpp"
#include "isa/trace/source.hpp"
#include "isa/trace/stream.hpp"
#include "models/coalescer/coalescer.hpp"
#include "sim/gpu/memory/memory_system.hpp"
#include "sim/gpu/spec.hpp"

namespace lockstep::gpu::sampled {

/// Measures of work; any of them may be what the time of a thread block is proportional to.
enum class Measure : std::uint8_t { thread_blocks, warp_instructions, longest_warp, sectors };
inline constexpr std::size_t measure_count = 4;

/// Of one thread block, or of several together.
struct Work {
  /// By Measure: thread blocks; executed warp instructions; those of the warp that executes most, summed over thread blocks;
  /// sectors of 32 bytes of global memory that are named, each time a warp instruction names them.
  std::array<double, measure_count> measures{};
  double operator[](Measure measure) const { return measures[static_cast<std::size_t>(measure)]; }
};

/// A thread block: its work, and its class. Thread blocks of a class execute the same basic blocks, and numbers of warp instructions
/// between two successive powers of the square root of 2.
struct BlockWork {
  Work work;
  std::uint64_t warp_instructions = 0;
  std::uint64_t kind = 0;  ///< The class.
};

/// Reads streams of one kernel on one GPU.
class WorkReader {
 public:
  WorkReader(const GpuSpec& spec, const trace::Header& header, std::uint32_t launch);

  /// Work under way: warps of one thread block, one after the other or by turns.
  class Progress {
   public:
    Progress(const WorkReader& reader, std::uint32_t warps) : entered_(reader.blocks_.size()), warps_(warps) {}
    /// When all warps have been read.
    BlockWork total() const;

   private:
    friend class WorkReader;
    std::vector<bool> entered_;         ///< Basic blocks.
    std::vector<std::uint64_t> warps_;  ///< Warp instructions of each.
    std::uint64_t sectors_ = 0;
  };
  /// Adds a piece of a warp's stream.
  void read_piece(std::span<const std::byte> piece, std::uint32_t warp, Progress& to) const;
  /// What is read; Measure::sectors stays 0 where only instructions are.
  enum class Depth : std::uint8_t { instructions, sectors, requests };
  /// Reads a whole thread block. With Depth::requests, the requests of each warp are appended, as SM `sm` would send them.
  BlockWork read(trace::ThreadBlockStreams& streams, std::uint32_t sm, Depth depth,
                 std::vector<std::vector<UntimedRequest>>& requests) const;

 private:
  /// An access entry of a basic block.
  struct Entry {
    noc::RequestKind kind = noc::RequestKind::read;
    program::MemorySpace space = program::MemorySpace::none;  ///< none: it does not concern memory behind the SMs.
    std::uint32_t bytes = 0;                                  ///< Per lane.
  };
  struct Block {
    std::uint32_t instructions = 0, first = 0, count = 0;  ///< Of entries_.
  };
  template <class Touch>
  void read_stream(trace::WarpStream& stream, std::uint32_t warp, Progress& to, Touch&& touch) const;
  template <class Each>
  void coalesce(const Entry& entry, const trace::AccessEntry& access, Each&& each) const;
  void request(const Entry& entry, const coalescer::Transaction& transaction, std::uint32_t sm,
               std::vector<UntimedRequest>& requests) const;
  std::uint32_t global_lanes(const Entry& entry, const trace::AccessEntry& access) const;

  coalescer::Rule rule_;
  std::uint32_t transaction_bytes_, piece_bytes_, warps_;
  program::AddressWindows windows_;
  std::vector<Block> blocks_;
  std::vector<Entry> entries_;
};

}  // namespace lockstep::gpu::sampled
