#pragma once
// A graph while it runs: every node a process that reads its inputs in order, every edge a FIFO (Kahn, 1974). FIFOs are
// bounded, and grow only when nothing else can continue (Parks, 1995), so memory stays bounded wherever it can.

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/exec/dataflow/access_order.hpp"
#include "isa/exec/dataflow/arithmetic.hpp"
#include "isa/exec/dataflow/execution.hpp"
#include "isa/exec/dataflow/input.hpp"

namespace lockstep::dataflow {

/// The memory that a node accesses.
struct MemoryPort {
  std::byte* host = nullptr;      ///< Of the buffer, or of the scratchpad.
  std::uint64_t device_base = 0;  ///< Device address of the buffer; 0 of the scratchpad.
  std::uint64_t size = 0;
  std::int64_t start = 0;  ///< Byte that address operand 0 means.
  std::uint32_t bytes = 4;
  AddressStream* addresses = nullptr;

  bool checks = false;           ///< Any of the following.
  AccessOrder* order = nullptr;  ///< Loads and stores of this run meet here.
  /// A plain load of a buffer that earlier thread blocks have stored to; a store to one that they have accessed.
  LaunchStores::Buffer* earlier = nullptr;
  LaunchStores::Buffer* awaited = nullptr;  ///< A buffer in which loads wait for hits.
};

/// A node while its graph runs.
struct Process {
  const Node* node = nullptr;
  std::uint32_t number = 0;
  std::uint64_t iterations = 0, fired = 0;
  Compute compute = nullptr;  ///< Of a core.
  std::unique_ptr<MemoryPort> port;
  std::array<Input*, 4> inputs{};
  std::uint32_t input_count = 0;
  Input* self = nullptr;               ///< The input of Form::self.
  std::vector<Input*> receivers;       ///< Of other nodes.
  std::vector<Input*> own;             ///< Of this node, other than `self`.
  std::uint32_t period = 1, last = 1;  ///< Of `period` results the last `last` are sent to `receivers`.

  /// Why a memory operation whose operands are there did not fire.
  enum class Wait : std::uint8_t { none, lock, unwritten };
  Wait wait = Wait::none;
  std::uint64_t waits_at = 0;  ///< Byte of the buffer or scratchpad.

  bool done() const { return fired == iterations; }
};

/// How a store or reduction meets those of other thread blocks.
inline LaunchStores::Kind kind_of_store(const Node& node) {
  return node.op == Opcode::reduce ? node.reduction : node.op;
}

class Network {
 public:
  Network(const Graph& graph, const Instance& instance, const Memory& memory, GraphRun& run);
  /// Fires until every node has.
  void run();
  /// Stores what is left in FIFOs and tells the launch what was stored.
  void finish();

 private:
  void build_process(std::uint32_t number);
  std::vector<std::uint32_t> initial_words(std::uint32_t node, std::uint32_t operand);
  void build_port(Process& process);
  void build_orders();

  /// Fires a node as often as it can at once; returns how often. `again`: perhaps more is possible.
  std::uint32_t fire(Process& process, bool& again);
  bool fire_all(Process& process);
  std::uint64_t ready(const Process& process) const;
  void send(Process& process, const std::uint32_t* values, const std::uint8_t* voids, std::uint32_t count);
  void refuse_voids(const Process& process, const Values& values, std::uint32_t count) const;
  bool grow();

  // memory_access.cpp
  struct Accesses;
  std::uint32_t access(Process& process, const Accesses& accesses, std::uint32_t count);
  template <class T, bool checks>
  std::uint32_t load(Process& process, const Accesses& accesses, std::uint32_t count);
  template <class T, bool checks>
  std::uint32_t store(Process& process, const Accesses& accesses, std::uint32_t count);
  template <bool checks>
  std::uint32_t reduce(Process& process, const Accesses& accesses, std::uint32_t count);
  std::uint64_t place(const Process& process, std::uint64_t firing, std::uint32_t address) const;
  bool may_load(Process& process, std::uint64_t firing, std::uint64_t at);
  /// `changes`: the word does not have the value yet.
  void note_store(Process& process, std::uint64_t firing, std::uint64_t at, bool changes);
  /// What is wrong about a store to what earlier thread blocks have accessed; empty when nothing is.
  std::string unordered_store(const LaunchStores::Buffer& buffer, LaunchStores::Kind kind, bool changes,
                              std::uint64_t at, std::uint32_t bytes) const;
  std::string access_text(const Process& process, std::uint64_t at) const;
  /// The word of an initial value, which is loaded, or of a result, which becomes `value`.
  std::byte* resolve(const MemoryAddress& from, std::int64_t further, const std::uint32_t* value,
                     std::uint64_t& device_address, const std::string& what, const SourceLocation& where);

  // deadlock.cpp
  std::string waits_for(const Process& process, std::vector<std::uint32_t>& nodes) const;
  [[noreturn]] void report_deadlock() const;

  [[noreturn]] void fail(const Process& process, std::uint64_t firing, const std::string& what) const;
  std::string graph_name() const;

  const Graph& graph_;
  const Instance& instance_;
  const Memory& memory_;
  GraphRun& run_;
  LaunchStores own_stores_;  ///< When the caller gives none.
  LaunchStores& stores_;
  bool waits_ = false;  ///< A load waits for hits, and so, perhaps, for earlier thread blocks.
  std::deque<Input> inputs_;
  std::vector<std::uint32_t> first_input_;  ///< Of every node.
  std::vector<Process> processes_;
  std::vector<std::vector<std::uint32_t>> order_;  ///< Components of the graph, sources first.
  std::map<std::uint32_t, AccessOrder> orders_;    ///< By buffer.
  std::vector<std::uint32_t> locks_;               ///< Per scratchpad word: 1 + the node that holds its lock.
  std::array<std::uint32_t, batch> results_{};
  std::array<std::uint8_t, batch> void_results_{};
};

}  // namespace lockstep::dataflow
