#include "models/dram/channel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lockstep::dram {

using clock::Ticks;

namespace {

/// Row-sized blocks that the bank hash distinguishes.
constexpr std::uint64_t hashed_rows = 1 << 16;

std::uint32_t bytes_of_burst(const Spec& spec) {
  const double bytes = spec.timing.ccd * spec.bytes_per_dram_cycle;
  return bytes < 1 ? 0 : static_cast<std::uint32_t>(bytes);
}

}  // namespace

Channel::Channel(const Spec& spec, double sm_mhz, double refresh_phase)
    : scheduling_(spec.scheduling),
      per_bank_(spec.refresh == Refresh::per_bank),
      capacity_(spec.queue),
      row_shift_(std::countr_zero(spec.row_bytes)),
      bank_map_(hash::shared_address_map(spec.bank_hash, spec.banks, hashed_rows)),
      burst_bytes_(bytes_of_burst(spec)),
      bus_(spec.bytes_per_dram_cycle, clock::period(sm_mhz, spec.clock_mhz)),
      latency_(clock::to_ticks(spec.latency)),
      banks_(spec.banks),
      bank_seen_(spec.banks) {
  const Ticks period = clock::period(sm_mhz, spec.clock_mhz);
  const Timing& t = spec.timing;
  cl_ = t.cl * period;
  wl_ = t.wl * period;
  rcd_ = t.rcd * period;
  rp_ = t.rp * period;
  ras_ = t.ras * period;
  rrd_ = t.rrd * period;
  ccd_ = t.ccd * period;
  wr_ = t.wr * period;
  wtr_ = t.wtr * period;
  rtp_ = t.rtp * period;
  refi_ = t.refi * period;
  rfc_ = t.rfc * period;
  first_refresh_ =
      refi_ == 0 ? clock::never : refi_ - static_cast<Ticks>(std::floor(refresh_phase * static_cast<double>(refi_)));
  age_limit_ = spec.age_limit * period;
  queue_.reserve(capacity_);
  reset();
}

void Channel::reset() {
  for (std::size_t b = 0; b < banks_.size(); ++b) {
    Bank& bank = banks_[b];
    bank.activate = bank.column = bank.precharge = 0;
    if (per_bank_ && refi_ != 0) bank.next_refresh = (first_refresh_ + b * refi_ / banks_.size()) % refi_;
  }
  now_ = next_column_ = next_activate_ = next_read_ = bus_free_ = 0;
  next_refresh_ = per_bank_ ? clock::never : first_refresh_;
  last_was_write_ = false;
  chosen_ = false;
}

void Channel::push(Ticks now, const Access& access) {
  const std::uint64_t row = access.address >> row_shift_;
  queue_.push_back({now, row, bank_map_[row], access.bytes, access.id, access.write, false});
  Bank& bank = banks_[queue_.back().bank];
  count(bank, bank.waiting + 1, bank.hits + (bank.row == row ? 1 : 0));
  now_ = std::max(now_, now);
  chosen_ = false;
}

/// When the column command of an access to the open row of its bank can be issued.
Ticks Channel::column_time(const Entry& entry) const {
  Ticks time = std::max({now_, banks_[entry.bank].column, next_column_});
  if (!entry.write) time = std::max(time, next_read_);
  const Ticks to_data = entry.write ? wl_ : cl_;
  return bus_free_ > time + to_data ? bus_free_ - to_data : time;
}

/// No column command is possible before.
Ticks Channel::earliest_column_time() const {
  const Ticks time = std::max(now_, next_column_), to_data = std::max(cl_, wl_);
  return bus_free_ > time + to_data ? bus_free_ - to_data : time;
}

void Channel::count(Bank& bank, std::uint32_t waiting, std::uint32_t hits) {
  const auto to_open = [](const Bank& b) { return b.waiting > 0 && b.hits == 0 ? 1u : 0u; };
  banks_to_open_ -= to_open(bank);
  hits_ += hits - bank.hits;
  bank.waiting = waiting;
  bank.hits = hits;
  banks_to_open_ += to_open(bank);
}

void Channel::open_row(Bank& bank, std::uint64_t row) {
  bank.row = row;
  // A row belongs to one bank.
  const auto hits = std::count_if(queue_.begin(), queue_.end(), [&](const Entry& entry) { return entry.row == row; });
  count(bank, bank.waiting, static_cast<std::uint32_t>(hits));
}

void Channel::close_row(Bank& bank) {
  bank.row = no_row;
  count(bank, bank.waiting, 0);
}

/// The earliest command wins; of several at one time the first that is proposed.
void Channel::propose(Command command, std::size_t index, Ticks time) {
  if (command_ != Command::none && time >= time_) return;
  command_ = command;
  entry_ = index;
  time_ = time;
}

/// What brings the bank of an access nearer to having its row open.
void Channel::consider_row_command(std::size_t index) {
  const Bank& bank = banks_[queue_[index].bank];
  if (bank.row == no_row) {
    propose(Command::activate, index, std::max({now_, bank.activate, next_activate_}));
  } else {
    propose(Command::precharge, index, std::max(now_, bank.precharge));
  }
}

void Channel::choose_first_come() {
  const Entry& first = queue_.front();
  if (banks_[first.bank].row == first.row) {
    propose(Command::column, 0, column_time(first));
  } else {
    consider_row_command(0);
  }
}

/// First ready, first come: whatever can move data first, and in the meantime rows are opened for those accesses whose bank
/// has no use for its open row any more. An access older than the age limit comes first in its bank, and once its row
/// is open, on the bus.
void Channel::choose_first_ready() {
  const Entry& oldest = queue_.front();
  const bool aged = now_ >= oldest.arrival + age_limit_;
  if (aged && banks_[oldest.bank].row == oldest.row) {
    propose(Command::column, 0, column_time(oldest));
    return;
  }
  std::uint32_t hits = hits_, banks = banks_to_open_;
  if (aged) {
    consider_row_command(0);
    if (time_ <= now_) return;
    hits -= banks_[oldest.bank].hits;
    banks -= banks_[oldest.bank].hits == 0 ? 1 : 0;
  }
  // Only what is earlier than all before it is chosen: the search ends where nothing earlier is possible.
  const Ticks earliest = earliest_column_time();
  for (std::size_t i = 0; hits > 0 && time_ > earliest; ++i) {
    const Entry& entry = queue_[i];
    if (banks_[entry.bank].row != entry.row || (aged && entry.bank == oldest.bank)) continue;
    --hits;
    propose(Command::column, i, column_time(entry));
  }
  if (banks == 0 || time_ <= now_) return;
  std::fill(bank_seen_.begin(), bank_seen_.end(), std::uint8_t{0});
  if (aged) bank_seen_[oldest.bank] = 1;
  for (std::size_t i = 0; banks > 0; ++i) {
    const std::uint32_t bank = queue_[i].bank;
    if (banks_[bank].hits > 0 || bank_seen_[bank] != 0) continue;
    bank_seen_[bank] = 1;
    --banks;
    consider_row_command(i);
  }
}

Ticks Channel::next_time() {
  while (!chosen_) {
    command_ = Command::none;
    time_ = clock::never;
    chosen_ = true;
    if (queue_.empty()) break;
    if (per_bank_) refresh_banks();
    if (scheduling_ == Scheduling::first_come) {
      choose_first_come();
    } else {
      choose_first_ready();
    }
    if (time_ >= next_refresh_) {
      refresh();
      chosen_ = false;
    }
  }
  return time_;
}

/// All rows are closed and all banks are taken for a while. Of refreshes that passed while nothing was asked for, only
/// the last can matter.
void Channel::refresh() {
  if (time_ - next_refresh_ > refi_) {
    const Ticks missed = (time_ - next_refresh_) / refi_ - 1;
    counters_.refreshes += missed;
    next_refresh_ += missed * refi_;
  }
  Ticks start = next_refresh_;
  for (Bank& bank : banks_) {
    if (bank.row != no_row) {
      bank.activate = std::max(bank.precharge, next_refresh_) + rp_;
      close_row(bank);
      ++counters_.precharges;
    }
    start = std::max(start, bank.activate);
  }
  for (Bank& bank : banks_) bank.activate = start + rfc_;
  next_refresh_ += refi_;
  ++counters_.refreshes;
}

/// The banks that are asked for, as far as their refreshes have begun. Of those that passed while a bank was not asked
/// for, only the last can matter.
void Channel::refresh_banks() {
  for (const Entry& entry : queue_) {
    Bank& bank = banks_[entry.bank];
    if (now_ < bank.next_refresh) continue;
    const Ticks passed = (now_ - bank.next_refresh) / refi_;
    Ticks start = bank.next_refresh + passed * refi_;
    if (bank.row != no_row) {
      start = std::max(start, bank.precharge) + rp_;
      close_row(bank);
      ++counters_.precharges;
    }
    bank.activate = std::max(start, bank.activate) + rfc_;
    bank.next_refresh += (passed + 1) * refi_;
    counters_.refreshes += passed + 1;
  }
}

bool Channel::step(Done& done) {
  const Ticks time = next_time();
  now_ = time;
  chosen_ = false;
  Entry& entry = queue_[entry_];
  Bank& bank = banks_[entry.bank];
  switch (command_) {
    case Command::none: return false;
    case Command::precharge:
      close_row(bank);
      bank.activate = std::max(bank.activate, time + rp_);
      ++counters_.precharges;
      return false;
    case Command::activate:
      open_row(bank, entry.row);
      bank.column = time + rcd_;
      bank.precharge = time + ras_;
      next_activate_ = time + rrd_;
      entry.opened_row = true;
      ++counters_.activates;
      return false;
    case Command::column: move_data(entry_, time, done); return true;
  }
  return false;
}

void Channel::move_data(std::size_t index, Ticks time, Done& done) {
  const Entry entry = queue_[index];
  queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(index));
  Bank& bank = banks_[entry.bank];
  count(bank, bank.waiting - 1, bank.hits - 1);
  const std::uint32_t bursts = burst_bytes_ == 0 ? 1 : std::max(1u, (entry.bytes + burst_bytes_ - 1) / burst_bytes_);
  const Ticks last_column = time + (bursts - 1) * ccd_;
  const Ticks taken = bus_.cost(entry.bytes);
  bus_free_ = time + (entry.write ? wl_ : cl_) + taken;
  next_column_ = last_column + ccd_;
  if (entry.write) {
    bank.precharge = std::max(bank.precharge, bus_free_ + wr_);
    next_read_ = bus_free_ + wtr_;
    ++counters_.writes;
    counters_.write_bytes += entry.bytes;
  } else {
    bank.precharge = std::max(bank.precharge, last_column + rtp_);
    ++counters_.reads;
    counters_.read_bytes += entry.bytes;
  }
  ++(entry.opened_row ? counters_.row_misses : counters_.row_hits);
  if (entry.write != last_was_write_) ++counters_.turnarounds;
  last_was_write_ = entry.write;
  counters_.bus_ticks += taken;
  counters_.queue_ticks += time - entry.arrival;
  done = {bus_free_ + latency_, entry.id};
}

}  // namespace lockstep::dram
