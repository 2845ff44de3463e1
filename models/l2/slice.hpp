#pragma once
// One slice of the L2 cache: its crossbar port, tags, misses in flight, atomic unit, and the path to its DRAM
// channel. A slice without a cache passes requests on to the channel.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/cache/mshrs.hpp"
#include "models/cache/tag_array.hpp"
#include "models/clock/ticks.hpp"
#include "models/dram/channel.hpp"
#include "models/l2/atomic_unit.hpp"
#include "models/l2/counters.hpp"
#include "models/l2/dirty_lines.hpp"
#include "models/l2/distance.hpp"
#include "models/l2/partial_sectors.hpp"
#include "models/l2/spec.hpp"
#include "models/noc/counters.hpp"
#include "models/noc/message.hpp"
#include "models/noc/port.hpp"
#include "models/noc/slice_map.hpp"
#include "models/noc/spec.hpp"

namespace lockstep::l2 {

/// A message that leaves a slice for an SM. A credit has no bytes and passes no port.
struct Outgoing {
  clock::Ticks time = 0;
  std::uint32_t sm = 0, token = 0, bytes = 0;
  bool credit = false;
  std::uint32_t words = 0;  ///< noc::Reply::words.
};

/// The slice takes requests in order. One that it cannot take blocks those behind it, and the credits that they would
/// give back.
///
/// A request that waits for a word recirculates until the word has been written: it takes one of Spec::wait_queue places
/// of the access queue, and an access, each time it has passed all places. Others pass it; when all places are taken, a
/// further one blocks those behind it. Rounds in which no word is written cost no time of the host, and are no events.
class Slice {
 public:
  /// `place` is its number among the `neighbours` slices of the channel. The channel's accesses get ids that are `place`
  /// modulo `neighbours`. `among_all`: which slice of the GPU it is.
  Slice(const Spec& spec, const noc::Spec& noc, const noc::SliceMap& map, double sm_mhz, dram::Channel& channel,
        std::uint32_t place, std::uint32_t neighbours, const Place& among_all = {});

  /// A request whose last byte will reach the slice's port at `arrival` when the port is idle.
  void send(clock::Ticks arrival, std::uint32_t sm, const noc::Request& request);
  /// Everything that reaches the port before `horizon` is known.
  void accept(clock::Ticks horizon);
  /// When it tries to take the next request; never when there is none or it waits for wake().
  clock::Ticks next_time() const;
  /// At next_time().
  void take();
  /// The channel has finished the access with this id.
  void arrive(clock::Ticks time, std::uint32_t id);
  /// Something that a request may wait for has become free.
  void wake(clock::Ticks time);
  /// Lets what is ready before `horizon` pass the port to the crossbar.
  void reply(clock::Ticks horizon);
  /// Calls f(Outgoing) for all that leaves before `horizon`: credits and replies, each in order of time.
  template <class F>
  void drain(clock::Ticks horizon, F&& f) {
    for (const Outgoing& credit : credits_) f(credit);
    credits_.clear();
    std::size_t n = 0;
    for (; n < departing_.size() && departing_[n].time < horizon; ++n) f(departing_[n]);
    crossbar_.replies += n;
    departing_.erase(departing_.begin(), departing_.begin() + static_cast<std::ptrdiff_t>(n));
  }
  /// The earliest time at which anything happens without a new request; never when it is at rest.
  clock::Ticks next_event() const;

  /// Time begins at 0 again; what the cache holds stays. The slice must be at rest. No word counts as written.
  void reset();
  /// The cache holds nothing, and what was written to it is in memory. At rest only.
  void clear();
  /// The cache holds what it would hold after a request of this SM: no time passes, nothing is counted or answered, and what
  /// has to go for it is in memory.
  void warm(std::uint32_t sm, const noc::Request& request);
  /// A line for each request that waits for a word, and one when they block another.
  std::string describe_waits() const;
  const Counters& counters() const { return counters_; }
  /// Of the slice's ends of the crossbar.
  noc::Counters crossbar_counters() const;

 private:
  struct Input {
    clock::Ticks time = 0;  ///< At the port, and behind it.
    std::uint64_t order = 0;
    std::uint32_t sm = 0;
    noc::Request request;
  };
  /// A request that waits for the channel.
  struct Waiter {
    std::uint64_t line = 0;
    std::uint32_t sm = 0, token = 0, bytes = 0, lanes = 0, same_word = 0, operations = 0;
    std::uint32_t sectors = 0;  ///< Of the cache's line.
    noc::RequestKind kind = noc::RequestKind::read;
    bool cached = true;       ///< The cache is looked up for it.
    bool floating = false;    ///< Of an atomic, as noc::Request has them:
    bool whole = false;       ///< whole_sectors.
    std::uint32_t words = 0;  ///< Of a wait: what is known to be written.
  };
  enum class TransferKind : std::uint8_t { fill, direct_read, acknowledged_write, silent_read, silent_write };
  struct Transfer {
    Waiter waiter;  ///< Of a fill, only line and sectors.
    TransferKind kind = TransferKind::fill;
    std::uint32_t next_free = 0;
  };
  struct Ready {
    clock::Ticks time = 0;
    std::uint64_t order = 0;
    std::uint32_t sm = 0, token = 0, bytes = 0;
    std::uint32_t words = 0;
  };
  /// A recirculating request.
  struct Circling {
    clock::Ticks back = 0;  ///< When it has passed all places.
    bool written = false;   ///< Its word is: its next access serves it.
    std::uint32_t sm = 0;
    noc::Request request;
  };
  struct WriteBack {
    std::uint64_t line = 0;
    std::uint32_t sectors = 0;
    std::uint32_t in_part = 0;  ///< Those of which the rest must be read first.
  };
  enum class Stall : std::uint8_t { none, mshr, channel, atomic, wait };

  // slice_waits.cpp
  const Circling* next_written() const;
  bool is_written(const noc::Request& request) const;
  noc::Request as_read(const noc::Request& request) const;
  void mark_written(const noc::Request& request);
  Stall go_round(clock::Ticks time, const Input& input);
  bool takes_written_first() const;
  void circle(clock::Ticks time, clock::Ticks since);
  void skip_rounds(clock::Ticks time);
  void take_written(clock::Ticks time);

  // slice_writes.cpp
  std::uint32_t words_of(const noc::Request& request) const;
  std::uint32_t whole_sectors(const noc::Request& request) const;
  Stall serve_write(clock::Ticks time, const Waiter& waiter, const noc::Request& request);
  void put_back(std::uint64_t line, std::uint32_t sectors, std::uint32_t in_part = 0);
  void put_back(const cache::TagArray::Victim& victim) {
    if (victim.dirty != 0) put_back(victim.line, victim.dirty, victim.dirty & ~victim.valid);
  }
  void mark_written(std::uint32_t entry, std::uint32_t known, std::uint32_t in_part, bool hit,
                    const noc::Request& request);
  WriteBack clean_oldest_beyond(std::uint32_t entry);
  void clean_beyond(std::uint32_t entry);
  void flush_write_backs();

  // slice_warming.cpp
  void warm_read(std::uint32_t sm, std::uint64_t line, std::uint32_t sectors, noc::RequestKind kind);
  void warm_write(std::uint32_t sm, std::uint64_t line, std::uint32_t sectors, const noc::Request& request);

  void account_stall(clock::Ticks time, Stall stall);
  Stall serve(clock::Ticks time, std::uint32_t sm, const noc::Request& request);
  Stall serve_uncached(const Waiter& waiter);
  Stall serve_read(clock::Ticks time, const Waiter& waiter);
  Stall wait_for_fill(const Waiter& waiter, std::uint32_t missing);
  void finish(clock::Ticks time, const Waiter& waiter);
  void perform_atomic(clock::Ticks time, const Waiter& waiter);
  void answer(clock::Ticks time, const Waiter& waiter);
  clock::Ticks use_data(clock::Ticks time, std::uint32_t bytes);
  bool serve_copy(clock::Ticks time, const Waiter& waiter);
  void copy(const Waiter& waiter, std::uint32_t sectors);
  void forget_copies(std::uint64_t line, std::uint32_t sectors);
  std::uint32_t fetched_with(std::uint64_t line, std::uint32_t missing) const;
  void push(const Waiter& waiter, TransferKind kind, bool write);
  std::uint32_t sectors_of(const noc::Request& request) const;
  std::uint32_t bytes_of(std::uint32_t sectors) const;
  std::uint64_t first_sector(std::uint64_t line) const { return line << (line_shift_ - sector_shift_); }
  std::uint64_t channel_address(std::uint64_t line) const;

  const noc::SliceMap& map_;
  dram::Channel& channel_;
  std::uint32_t place_, neighbours_;
  bool cached_;
  cache::WritePolicy write_policy_;
  int line_shift_, sector_shift_, piece_shift_;
  std::uint32_t fetch_sectors_;
  noc::Spec noc_;
  bool texture_only_;
  clock::Ticks latency_, request_interval_;
  clock::Rate data_;
  cache::TagArray tags_;
  PartialSectors parts_;
  Distance distance_;
  DirtyLines dirty_;
  cache::Mshrs<Waiter> mshrs_;
  clock::Ticks partial_write_;
  AtomicUnit atomics_;
  noc::Port request_port_, reply_port_;

  std::vector<Input> incoming_;  ///< Not yet at the port.
  std::vector<Input> input_;     ///< In order, from input_head_ on.
  std::size_t input_head_ = 0;
  std::uint64_t order_ = 0;
  clock::Ticks now_ = 0;  ///< Of the event in hand.
  clock::Ticks taken_until_ = 0, data_free_ = 0, retry_ = 0;
  bool blocked_ = false;
  clock::Ticks trip_;               ///< Through all places of the access queue.
  std::uint32_t places_;            ///< For recirculating requests.
  std::vector<Circling> circling_;  ///< In order of Circling::back.
  /// Words that have been written in this launch, by block: looked up, never gone through.
  std::unordered_map<std::uint64_t, std::uint32_t> written_;
  Stall stall_ = Stall::none;
  clock::Ticks stalled_since_ = 0;
  std::vector<Transfer> transfers_;
  std::uint32_t free_transfer_ = ~0u;
  std::vector<WriteBack> write_backs_;  ///< That found the channel's queue full.
  std::vector<Ready> ready_;            ///< A heap: the next reply first.
  std::vector<Outgoing> credits_, departing_;
  Counters counters_;
  noc::Counters crossbar_;  ///< Without the time of the ports, which they count.
};

}  // namespace lockstep::l2
