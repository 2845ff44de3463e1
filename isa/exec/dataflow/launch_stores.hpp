#pragma once
// What the thread blocks of a launch have stored to its buffers, and loaded: what loads that wait for a hit wait for, and
// what thread blocks must not do to the same bytes, since nothing orders them.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "isa/dataflow/access_stream.hpp"
#include "isa/exec/dataflow/zeroed.hpp"

namespace lockstep::dataflow {

class LaunchStores {
 public:
  /// Accesses that may meet in any order: loads, stores (of the same value), or reductions by the same operation.
  /// Opcode::load, Opcode::store, or the reduction's operation.
  using Kind = Opcode;
  struct Earlier {
    Kind kind = Opcode::store;
    ByteSet bytes;
  };
  /// Of one buffer, by its bytes.
  struct Buffer {
    std::uint64_t bytes = 0;
    ByteSet earlier;  ///< Stored by thread blocks before the one that runs.
    /// Their accesses by kind: loads that do not wait for hits, stores and each reduction.
    std::vector<Earlier> earlier_kinds;
    ByteSet loaded;  ///< By the thread block that runs, between `loaded_from` and `loaded_to`.
    std::uint64_t loaded_from = 0, loaded_to = 0;
    ByteSet stored;     ///< Stored so far. Kept only once a load of the launch waits for hits in this buffer.
    ByteSet rewritten;  ///< Stored more than once.
    ByteSet awaited;    ///< Read by a load that waits for hits.
  };

  /// Thread block `number` runs a graph now; those before it, if they had another number, have ended.
  void begin(std::uint64_t number);
  /// The buffer's record, or null when nothing is known of it.
  Buffer* find(std::uint32_t buffer);
  /// The record of a buffer in which loads wait for hits: from now on every store must be reported by store().
  Buffer& await(std::uint32_t buffer, std::uint64_t bytes);
  /// The addresses that one node has loaded from during a run, without waiting for hits.
  void add_loads(std::uint32_t buffer, std::uint64_t bytes, std::uint64_t device_base, std::uint32_t element,
                 const AddressStream& stream);
  /// The addresses that one node has stored to or reduced during a run; kept until the thread block has ended.
  void add(Kind kind, std::uint32_t buffer, std::uint64_t bytes, std::uint64_t device_base, std::uint32_t element,
           const AddressStream& stream, std::uint64_t firings);
  /// What an earlier thread block has done to the bytes that a store (`changes`: to another value than they have) or a
  /// reduction must not meet; null: nothing. `waits`: the thread block waits for earlier ones, so that it may come behind
  /// their loads.
  static const Earlier* unordered(const Buffer& buffer, Kind kind, bool changes, bool waits, std::uint64_t at,
                                  std::uint32_t bytes);

  /// A store, at once. False when the bytes have been read by a load that waited for an earlier store.
  static bool store(Buffer& buffer, std::uint64_t at, std::uint32_t bytes);

 private:
  struct Stream {
    Kind kind = Opcode::store;
    std::uint32_t buffer = 0, element = 0;
    std::uint64_t device_base = 0, firings = 0;
    AddressStream addresses;
  };
  void mark(const Stream& stream, ByteSet Buffer::*set);
  void mark_kind(const Stream& stream);
  static ByteSet& of_kind(Buffer& buffer, Kind kind);

  std::uint64_t running_ = 0;
  std::vector<Stream> of_running_;
  std::map<std::uint32_t, Buffer> buffers_;
};

}  // namespace lockstep::dataflow
