#pragma once
// One DRAM channel: banks with open rows behind a common data bus, and the scheduler that orders its commands.

#include <cstdint>
#include <vector>

#include "models/clock/ticks.hpp"
#include "models/dram/counters.hpp"
#include "models/dram/spec.hpp"
#include "models/hash/address_map.hpp"

namespace lockstep::dram {

/// A read or write of successive bytes of one row.
struct Access {
  std::uint64_t address = 0;  ///< Within the channel.
  std::uint32_t bytes = 0;
  std::uint32_t id = 0;  ///< Returned when it is done.
  bool write = false;
};

/// An access whose data has been moved over the bus, and passed controller and physical interface.
struct Done {
  clock::Ticks time = 0;
  std::uint32_t id = 0;
};

/// Advances from command to command: whoever drives it calls step() at next_time(), and push() at any time not before
/// the last step. Commands of one channel do not contend for a command bus; data contends for the data bus.
class Channel {
 public:
  /// InputError when the bank hash is malformed. `refresh_phase`, from 0 to below 1, is the part of the refresh interval
  /// by which the first refresh is early.
  Channel(const Spec& spec, double sm_mhz, double refresh_phase = 0);

  bool has_room() const { return queue_.size() < capacity_; }
  std::size_t waiting() const { return queue_.size(); }
  /// Puts an access into the queue; has_room() must hold.
  void push(clock::Ticks now, const Access& access);
  /// When the next command will be issued if nothing is pushed before; never when the queue is empty.
  clock::Ticks next_time();
  /// Issues the command of next_time(). True when it moves an access's data, which leaves the queue: `done` tells when
  /// it is done.
  bool step(Done& done);

  /// Time begins at 0 again with every bank at rest; rows stay open. The queue must be empty.
  void reset();
  const Counters& counters() const { return counters_; }

 private:
  static constexpr std::uint64_t no_row = ~std::uint64_t{0};
  enum class Command : std::uint8_t { none, precharge, activate, column };
  struct Entry {
    clock::Ticks arrival = 0;
    std::uint64_t row = 0;  ///< Number of the row-sized piece of the channel, which names row and bank.
    std::uint32_t bank = 0, bytes = 0, id = 0;
    bool write = false;
    bool opened_row = false;  ///< An activate was issued for it.
  };
  struct Bank {
    std::uint64_t row = no_row;
    clock::Ticks activate = 0, column = 0, precharge = 0;  ///< The earliest command of each kind.
    clock::Ticks next_refresh = clock::never;              ///< Of this bank alone.
    std::uint32_t waiting = 0;                             ///< Entries of the queue.
    std::uint32_t hits = 0;                                ///< Those for the open row.
  };

  clock::Ticks column_time(const Entry& entry) const;
  clock::Ticks earliest_column_time() const;
  void open_row(Bank& bank, std::uint64_t row);
  void close_row(Bank& bank);
  void count(Bank& bank, std::uint32_t waiting, std::uint32_t hits);
  void choose_first_come();
  void choose_first_ready();
  void consider_row_command(std::size_t index);
  void propose(Command command, std::size_t index, clock::Ticks time);
  void refresh();
  void refresh_banks();
  void move_data(std::size_t index, clock::Ticks time, Done& done);

  Scheduling scheduling_;
  bool per_bank_;
  std::size_t capacity_;
  int row_shift_;
  hash::AddressMap bank_map_;
  std::uint32_t burst_bytes_;  ///< That a column command moves.
  clock::Rate bus_;
  clock::Ticks cl_, wl_, rcd_, rp_, ras_, rrd_, ccd_, wr_, wtr_, rtp_, refi_, rfc_, first_refresh_;
  clock::Ticks latency_, age_limit_;

  std::vector<Entry> queue_;  ///< In order of arrival.
  std::vector<Bank> banks_;
  std::uint32_t hits_ = 0;           ///< Entries for an open row.
  std::uint32_t banks_to_open_ = 0;  ///< Those with entries, none of them for the open row.
  clock::Ticks now_ = 0;             ///< Of the last command or arrival.
  clock::Ticks next_column_ = 0, next_activate_ = 0, next_read_ = 0, bus_free_ = 0, next_refresh_ = 0;
  bool last_was_write_ = false;

  bool chosen_ = false;  ///< The next command is known.
  Command command_ = Command::none;
  std::size_t entry_ = 0;
  clock::Ticks time_ = clock::never;
  std::vector<std::uint8_t> bank_seen_;
  Counters counters_;
};

}  // namespace lockstep::dram
