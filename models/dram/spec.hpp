#pragma once

#include <cstdint>
#include <string>

#include "isa/cycle.hpp"

namespace lockstep::dram {

enum class Scheduling : std::uint8_t {
  first_come,             ///< In order of arrival.
  first_ready_first_come  ///< Requests to open rows first, then in order of arrival (FR-FCFS).
};

enum class Refresh : std::uint8_t {
  all_banks,  ///< Of a channel at once.
  per_bank    ///< One after the other: the others go on.
};

/// Timing of one bank or channel, in cycles of the DRAM's command clock, under the names of the JEDEC standards.
struct Timing {
  std::uint32_t cl{};    ///< Read command to first data.
  std::uint32_t wl{};    ///< Write command to first data.
  std::uint32_t rcd{};   ///< Activate to read or write.
  std::uint32_t rp{};    ///< Precharge to activate.
  std::uint32_t ras{};   ///< Activate to precharge.
  std::uint32_t rrd{};   ///< Activate to activate of another bank.
  std::uint32_t ccd{};   ///< Column command to column command.
  std::uint32_t wr{};    ///< Last written data to precharge.
  std::uint32_t wtr{};   ///< Last written data to read command.
  std::uint32_t rtp{};   ///< Read to precharge.
  std::uint32_t refi{};  ///< Refresh to refresh; 0: never refreshed.
  std::uint32_t rfc{};   ///< Duration of a refresh.
};

/// The refresh interval must be longer than this. A refresh closes all rows; between two of them a row that was opened
/// before the first must be closable, and one can be opened and read. With a shorter interval every row may be closed
/// again before its data has moved, and no access ever ends.
constexpr std::uint64_t least_refresh_interval(const Timing& t) {
  const std::uint64_t closed = std::uint64_t{t.ras} + t.rp + t.rfc;
  return (closed > t.rrd ? closed : t.rrd) + t.rcd;
}

/// Parameters of the DRAM behind the L2 slices. Each slice belongs to one channel.
struct Spec {
  double clock_mhz{};                              ///< Of commands.
  std::uint32_t channels{}, banks{}, row_bytes{};  ///< Banks and rows (per bank) of one channel.
  double bytes_per_dram_cycle{};                   ///< Of one channel's data bus.
  std::uint32_t queue{};                           ///< Queue entries of a channel, from which it schedules.
  Scheduling scheduling{};
  Refresh refresh{};
  std::uint32_t age_limit{};  ///< DRAM cycles after which FR-FCFS lets a request go before requests to open rows.
  Timing timing;
  Cycle latency{};        ///< SM cycles of controller and physical interface, both ways together.
  std::string bank_hash;  ///< Hash SPEC from the number of a row-sized piece of a channel to its bank.
};

}  // namespace lockstep::dram
