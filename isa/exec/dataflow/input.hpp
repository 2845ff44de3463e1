#pragma once
// An operand while its graph runs: a constant, a FIFO, or recirculating values.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "isa/dataflow/graph.hpp"
#include "isa/dataflow/instance.hpp"

namespace lockstep::dataflow {

/// Most firings of a node at a time, and the least room of a FIFO. FIFOs grow where a graph needs more to continue at all;
/// the capacity of real ones is the timing side's affair.
inline constexpr std::uint32_t batch = 256;

/// Values for successive firings. `voids`: which of them are void; null when none can be.
struct Values {
  const std::uint32_t* values = nullptr;
  const std::uint8_t* voids = nullptr;
};

class Input {
 public:
  enum class Form : std::uint8_t {
    constant,
    alternating,  ///< A constant with another value in the tail of each period.
    fifo,
    repeating,  ///< A FIFO with reuse or restart.
    ring,
    self  ///< The FIFO between a node and itself: exactly its initial values' number of results, in order.
  };

  /// `initial`: the initial values of an edge or ring. `voids`: void values can arrive.
  Input(const Operand& operand, const OperandValues& values, std::vector<std::uint32_t> initial, bool voids, bool self);

  Form form() const { return form_; }
  std::uint32_t source() const { return source_; }

  /// For how many firings values are there, `fired` of the node being done; at most `limit`.
  std::uint64_t ready(std::uint64_t fired, std::uint64_t limit) const {
    if (form_ == Form::fifo) return std::min(limit, tail_ - head_);
    return ready_otherwise(fired, limit);
  }
  /// How many of the next `count` values lie behind each other, so that they are read as they lie.
  std::uint32_t contiguous(std::uint32_t count) const {
    return form_ != Form::fifo
               ? count
               : static_cast<std::uint32_t>(std::min<std::uint64_t>(count, mask_ + 1 - (head_ & mask_)));
  }
  /// The values of the next `count` firings, at most `batch`.
  Values read(std::uint64_t fired, std::uint32_t count) {
    if (form_ == Form::constant) return {values_.data(), nullptr};
    if (form_ == Form::fifo) {
      const std::uint64_t at = head_ & mask_;
      return {values_.data() + at, voids_.empty() ? nullptr : voids_.data() + at};
    }
    return read_otherwise(fired, count);
  }
  /// The node has fired `count` times.
  void advance(std::uint64_t fired, std::uint32_t count) {
    if (form_ == Form::fifo) {
      head_ += count;
    } else if (form_ == Form::repeating) {
      head_ = (fired + count) / reuse_;
    }
  }

  /// Of an edge: how many values it can take before it is full.
  std::uint64_t room() const { return mask_ + 1 - (tail_ - head_); }
  std::uint64_t capacity() const { return mask_ + 1; }
  void push(const std::uint32_t* values, const std::uint8_t* voids, std::uint32_t count);
  void grow();

  /// Form::self: the operands of the next firings begin here, and the results go `initial` values further, so that each
  /// becomes the operand of a later one. Values are those of a restart where one is due.
  std::uint32_t* self_operands(std::uint64_t fired);
  std::uint32_t* self_results() { return values_.data() + initial_.size(); }
  void self_advance(std::uint32_t count);
  /// Firings up to the next restart.
  std::uint64_t self_limit(std::uint64_t fired) const;

  /// What is left when the node has ended.
  struct Left {
    std::vector<std::uint32_t> values;
    bool has_void = false;
  };
  Left left(std::uint64_t fired, std::uint32_t count) const;

 private:
  std::uint64_t ready_otherwise(std::uint64_t fired, std::uint64_t limit) const;
  Values read_otherwise(std::uint64_t fired, std::uint32_t count);

  Form form_ = Form::constant;
  std::uint32_t source_ = no_node;
  std::vector<std::uint32_t> values_;  ///< The constant, the FIFO, or the ring.
  std::vector<std::uint8_t> voids_;    ///< One per value of the FIFO; empty when none can be void.
  std::uint64_t head_ = 0, tail_ = 0, mask_ = 0;
  std::uint64_t reuse_ = 1, restart_ = 0;  ///< Restart in values.
  std::vector<std::uint32_t> initial_;
  std::uint32_t value_ = 0, tail_value_ = 0, period_ = 0, tail_of_period_ = 0;
  std::vector<std::uint32_t> gathered_;  ///< Values of a batch that do not lie behind each other.
  std::vector<std::uint8_t> gathered_voids_;
};

}  // namespace lockstep::dataflow
