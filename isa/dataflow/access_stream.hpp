#pragma once
// What a run of a graph did to memory: the addresses of every memory node in order of its firings. Together with the
// numbers of firings it is all that the timing side needs.

#include <cstdint>
#include <memory>
#include <vector>

#include "isa/dataflow/graph.hpp"
#include "isa/dataflow/instance.hpp"

namespace lockstep::dataflow {

/// Of a firing that does not access memory.
inline constexpr std::uint64_t no_access = ~std::uint64_t{0};

/// `count` addresses from `first` on, `step` apart; first == no_access: none of them accesses memory.
struct AddressRun {
  std::uint64_t first = 0;
  std::int64_t step = 0;
  std::uint32_t count = 0;
};

/// The addresses of one node, compact where they follow a line.
class AddressStream {
 public:
  void append(std::uint64_t address) {
    if (!runs_.empty()) {
      AddressRun& run = runs_.back();
      if (run.first != no_access && address != no_access && run.count < ~std::uint32_t{0}) {
        if (run.count == 1) run.step = static_cast<std::int64_t>(address - run.first);
        if (run.first + static_cast<std::uint64_t>(run.step) * run.count == address) {
          ++run.count;
          return;
        }
      } else if (run.first == address && run.count < ~std::uint32_t{0}) {
        ++run.count;
        return;
      }
    }
    runs_.push_back({address, 0, 1});
  }
  const std::vector<AddressRun>& runs() const { return runs_; }

 private:
  std::vector<AddressRun> runs_;
};

/// Reads a stream from its beginning.
class AddressCursor {
 public:
  AddressCursor() = default;
  explicit AddressCursor(const AddressStream& stream) : run_(stream.runs().data()) {}
  /// The next address. The caller knows how many there are.
  std::uint64_t next() {
    while (at_ == run_->count) {
      ++run_;
      at_ = 0;
    }
    const std::uint64_t offset = static_cast<std::uint64_t>(run_->step) * at_++;
    return run_->first == no_access ? no_access : run_->first + offset;
  }

 private:
  const AddressRun* run_ = nullptr;
  std::uint32_t at_ = 0;
};

/// One execution of a graph by one thread block.
struct GraphRun {
  std::shared_ptr<const Graph> graph;
  /// Numbers that decide time: iterations, emit, reuse, restart. Addresses in it are as the workload knows them.
  std::shared_ptr<const Instance> instance;
  std::vector<AddressStream> accesses;     ///< Per node; empty of cores. Device addresses, or scratchpad byte offsets.
  std::vector<std::uint64_t> setup_loads;  ///< Device addresses of loaded initial values, in order of nodes.
  std::vector<std::uint64_t> result_stores;  ///< Device addresses, in order of Graph::results.
};

}  // namespace lockstep::dataflow
