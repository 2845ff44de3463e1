#include "sim/gpu/sampler.hpp"

#include <algorithm>

namespace lockstep::gpu {

Sampler::Sampler(const GpuSpec& spec, const SampleOptions& options, Sms sms, const MemorySystem& memory)
    : spec_(spec), options_(options), sms_(sms), memory_(memory), request_latency_(spec.memory.noc.request_latency) {}

bool Sampler::watched(std::size_t sm) const {
  return options_.sms.empty() || std::find(options_.sms.begin(), options_.sms.end(), sm) != options_.sms.end();
}

/// The first cycle of the launch behind `of_launch`, or its begin, at which a sample is due.
Cycle Sampler::following(Cycle of_launch) const {
  const Cycle interval = options_.interval;
  const Cycle first = (options_.from + interval - 1) / interval * interval;
  const Cycle next = std::max({first, interval, ((begin_ + of_launch) / interval + 1) * interval});
  return next > options_.to ? never : next - begin_;
}

void Sampler::begin_launch(std::size_t used, Cycle begin) {
  used_ = used;
  begin_ = begin;
  next_of_sms_ = next_of_memory_ = next_given_ = following(0);
}

std::uint64_t Sampler::slots_of_others(Cycle now) const {
  std::uint64_t others = 0;
  for (std::size_t sm = used_; sm < spec_.sms; ++sm) others += watched(sm) ? 1 : 0;
  return others * sms_.front()->slots_until(now);
}

void Sampler::take_sms() {
  OfSms taken;
  for (std::size_t sm = 0; sm < sms_.size(); ++sm) {
    if (!watched(sm)) continue;
    counter::add(taken.counters, sm < used_ ? sms_[sm]->counters_at(next_of_sms_) : sms_[sm]->counters());
    if (options_.fifos && sm < used_) sms_[sm]->add_fifos(taken.fifos);
  }
  taken.counters.slots[static_cast<std::size_t>(Slot::no_warp)] += slots_of_others_ + slots_of_others(next_of_sms_);
  of_sms_.push_back(std::move(taken));
  next_of_sms_ = following(next_of_sms_);
}

void Sampler::take_memory() {
  of_memory_.push_back(memory_.counters());
  next_of_memory_ = following(next_of_memory_);
}

void Sampler::reached(Cycle cycle) {
  while (next_given_ <= cycle && !of_sms_.empty() && !of_memory_.empty()) {
    given_ = begin_ + next_given_;
    options_.take({given_, {of_sms_.front().counters, of_memory_.front()}, std::move(of_sms_.front().fifos)});
    of_sms_.pop_front();
    of_memory_.pop_front();
    next_given_ = following(next_given_);
  }
}

void Sampler::end_launch(Cycle cycles) {
  while (next_of_sms_ <= cycles) take_sms();
  while (next_of_memory_ <= cycles) take_memory();
  reached(cycles);
  of_sms_.clear();
  of_memory_.clear();
  slots_of_others_ += slots_of_others(cycles);
}

void Sampler::end(Cycle cycles) {
  if (given_ == cycles || cycles < options_.from || cycles > options_.to) return;
  Sample last{cycles, {{}, memory_.counters()}, {}};
  for (std::size_t sm = 0; sm < sms_.size(); ++sm)
    if (watched(sm)) counter::add(last.counters.sm, sms_[sm]->counters());
  last.counters.sm.slots[static_cast<std::size_t>(Slot::no_warp)] += slots_of_others_;
  options_.take(last);
}

}  // namespace lockstep::gpu
