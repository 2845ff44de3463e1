#include "sim/gpu/sampled/block_sampling.hpp"

#include <algorithm>
#include <utility>

#include "sim/gpu/sampled/estimate.hpp"
#include "sim/gpu/sampled/interleaving.hpp"
#include "sim/gpu/sampled/watched_streams.hpp"

namespace lockstep::gpu::sampled {

BlockSampling::BlockSampling(const GpuSpec& spec, trace::Source& source, std::uint32_t launch, MemorySystem& memory,
                             engine::WorkerPool& pool, double wanted_error, std::function<Counters(Cycle)> counters)
    : spec_(spec),
      source_(source),
      launch_(launch),
      warps_(source.header().launches[launch].warps_per_block()),
      all_(source.header().launches[launch].thread_blocks()),
      memory_(memory),
      pool_(pool),
      wanted_error_(wanted_error),
      counters_(std::move(counters)),
      reader_(spec, source.header(), launch) {}

std::uint64_t BlockSampling::waves() const {
  return wave_ == 0 || wave_ == all_ ? 0 : all_ / wave_;
}

std::uint64_t BlockSampling::pass(Cycle now) {
  if (waves() < fewest_waves || next_ < std::max(wave_, stretch_end_)) return 0;
  // Where nothing is steady for long, it is not asked after every run.
  constexpr std::size_t many_runs = 64, every = 16;
  const bool asks = due_runs_ == 0 && (record_.runs.size() < many_runs || record_.runs.size() % every == 0);
  const Step step = asks ? next_step(record_, {wave_, all_, next_}, wanted_error_) : Step{};
  if (step.gap == 0) {
    begin_run(now);
    return 0;
  }
  read_gap(step);
  counted_to_ = counters_(now);
  counted_end_ = now;
  passed_ += step.gap;
  next_ += step.gap;
  run_ = no_run;
  due_runs_ = step.runs;
  // The caches of the SMs, and the mixture of thread blocks on them, become those of the place.
  stretch_end_ = next_ + wave_;
  return step.gap;
}

void BlockSampling::begin_run(Cycle now) {
  if (!counted_from_) {
    counted_from_ = counters_(now);
    counted_begin_ = now;
  }
  stretch_end_ = next_ + wave_;
  due_runs_ -= std::min<std::size_t>(due_runs_, 1);
  // Beside a run's last thread blocks others must run as beside its first.
  const bool counts = next_ + 2 * wave_ <= all_;
  run_ = counts ? record_.runs.size() : no_run;
  if (counts) record_.runs.emplace_back();
}

std::unique_ptr<trace::ThreadBlockStreams> BlockSampling::start(std::unique_ptr<trace::ThreadBlockStreams> streams,
                                                                Cycle free) {
  auto resident = std::make_unique<Resident>(reader_, warps_);
  resident->free = free;
  resident->run = run_;
  if (run_ != no_run) ++record_.runs[run_].members;
  WorkReader::Progress& work = resident->work;
  resident_[next_++] = std::move(resident);
  return std::make_unique<WatchedStreams>(std::move(streams), reader_, work, warps_);
}

void BlockSampling::take_ended(std::vector<BlockRun>& blocks) {
  std::erase_if(blocks, [this](const BlockRun& block) {
    if (block.end == never) return false;
    const auto found = resident_.find(block.thread_block);
    const Resident& resident = *found->second;
    if (resident.run != no_run) {
      Run& run = record_.runs[resident.run];
      const BlockWork work = resident.work.total();
      run.classes[work.kind].add(work.work, static_cast<double>(block.end - resident.free));
      ++run.ended;
    }
    resident_.erase(found);
    return true;
  });
}

/// Reads thread blocks that are not replayed, several at a time, and lets the memory have the requests of the last ones: those of
/// others it would have forgotten.
void BlockSampling::read_gap(const Step& step) {
  constexpr std::uint64_t at_a_time = 64;
  const std::uint64_t end = next_ + step.gap;
  Gap gap;
  gap.before = record_.runs.size();
  gap.runs = step.runs;
  const std::uint64_t remembered = end - std::min(step.gap, remembered_blocks());
  if (remembered > next_ && RateModel(record_).measure() != Measure::sectors) record_.without_sectors = true;
  std::vector<BlockWork> work(at_a_time);
  std::vector<std::unique_ptr<trace::ThreadBlockStreams>> streams(at_a_time);
  std::vector<std::vector<std::vector<UntimedRequest>>> requests(at_a_time);  // By thread block and warp.
  Interleaving interleaving(wave_ * warps_);
  std::vector<UntimedRequest> in_order;
  for (std::uint64_t first = next_; first < end; first += at_a_time) {
    const std::uint64_t count = std::min(at_a_time, end - first);
    for (std::size_t i = 0; i < count; ++i) streams[i] = source_.open(launch_, first + i);
    const WorkReader::Depth depth = first + count > remembered ? WorkReader::Depth::requests
                                    : record_.without_sectors  ? WorkReader::Depth::instructions
                                                               : WorkReader::Depth::sectors;
    pool_.for_each(count, [&](std::size_t i) {
      requests[i].clear();
      work[i] = reader_.read(*streams[i], static_cast<std::uint32_t>((first + i) % spec_.sms), depth, requests[i]);
      streams[i].reset();
    });
    for (std::size_t i = 0; i < count; ++i) {
      gap.classes[work[i].kind].add(work[i].work);
      passed_instructions_ += work[i].warp_instructions;
    }
    if (depth != WorkReader::Depth::requests) continue;
    for (std::size_t i = 0; i < count; ++i)
      for (std::vector<UntimedRequest>& of_warp : requests[i]) interleaving.add(std::move(of_warp));
    in_order.clear();
    interleaving.take(in_order, first + count == end);
    memory_.warm(in_order, pool_);
  }
  record_.gaps.push_back(std::move(gap));
}

/// Of the last thread blocks, as many as name several times what the L2 cache holds.
std::uint64_t BlockSampling::remembered_blocks() const {
  constexpr double times = 4;
  double blocks = 0, sectors = 0;
  for (const Run& run : record_.runs) {
    for (const auto& [kind, sums] : run.classes) {
      blocks += sums.members;
      sectors += sums.work[static_cast<std::size_t>(Measure::sectors)];
    }
  }
  if (sectors == 0) return 0;
  const double held = static_cast<double>(spec_.memory.l2.cache.bytes) / noc::sector_bytes;
  return static_cast<std::uint64_t>(times * held * blocks / sectors) + 1;
}

PassedOver BlockSampling::passed_over() const {
  PassedOver result;
  result.thread_blocks = passed_;
  result.warp_instructions = passed_instructions_;
  if (record_.gaps.empty()) return result;
  const Estimate slot_time = estimate(record_);
  result.cycles = slot_time.time / static_cast<double>(wave_);
  result.error = slot_time.error / static_cast<double>(wave_);
  result.counted = counter::difference(*counted_to_, *counted_from_);
  result.counted_cycles = counted_end_ - counted_begin_;
  return result;
}

}  // namespace lockstep::gpu::sampled
