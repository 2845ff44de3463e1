#pragma once
// What the thread blocks of a launch have stored to its buffers: what loads that wait for a hit wait for, and what plain
// loads of later thread blocks must not read, since nothing orders them behind the store.

#include <cstdint>
#include <map>
#include <vector>

#include "isa/dataflow/access_stream.hpp"
#include "isa/dataflow/zeroed.hpp"

namespace lockstep::dataflow {

class LaunchStores {
 public:
  /// Of one buffer, by its bytes.
  struct Buffer {
    std::uint64_t bytes = 0;
    ByteSet earlier;    ///< Stored by thread blocks before the one that runs.
    ByteSet stored;     ///< Stored so far. Kept only once a load of the launch waits for hits in this buffer.
    ByteSet rewritten;  ///< Stored more than once.
    ByteSet awaited;    ///< Read by a load that waits for hits.
  };

  /// Thread block `number` runs a graph now; those before it, if they had another number, have ended.
  void begin(std::uint64_t number);
  /// The buffer's record, or null when nothing is known of it.
  Buffer* find(std::uint32_t buffer);
  /// The record of a buffer in which loads wait for hits: from now on every store must be told by store().
  Buffer& await(std::uint32_t buffer, std::uint64_t bytes);
  /// The addresses that one node has stored to during a run; kept until the thread block has ended.
  void add(std::uint32_t buffer, std::uint64_t bytes, std::uint64_t device_base, std::uint32_t element,
           const AddressStream& stream, std::uint64_t firings);

  /// A store, at once. False when the bytes have been read by a load that waited for an earlier store.
  static bool store(Buffer& buffer, std::uint64_t at, std::uint32_t bytes);

 private:
  struct Stream {
    std::uint32_t buffer = 0, element = 0;
    std::uint64_t device_base = 0, firings = 0;
    AddressStream addresses;
  };
  void mark(const Stream& stream, ByteSet Buffer::*set);

  std::uint64_t running_ = 0;
  std::vector<Stream> of_running_;
  std::map<std::uint32_t, Buffer> buffers_;
};

}  // namespace lockstep::dataflow
