// What requests that are not timed leave in a slice's tags.

#include <bit>

#include "models/l2/slice.hpp"

namespace lockstep::l2 {

using cache::TagArray;
using noc::RequestKind;

void Slice::warm(std::uint32_t sm, const noc::Request& request) {
  if (!cached_ || (texture_only_ && !request.texture)) return;
  const std::uint64_t line = map_.local_address(request.address) >> line_shift_;
  const std::uint32_t sectors = sectors_of(request);
  if (request.kind == RequestKind::write) {
    warm_write(sm, line, sectors, request);
  } else {
    warm_read(sm, line, sectors, request.kind);
  }
}

/// A read, or an atomic, which needs what it names in the cache.
void Slice::warm_read(std::uint32_t sm, std::uint64_t line, std::uint32_t sectors, RequestKind kind) {
  const bool read = kind == RequestKind::read, far = distance_.is_far(sm);
  if (read && far) {
    const std::uint32_t near = tags_.find(distance_.copy_for(sm, line));
    if (near != TagArray::none && (sectors & ~tags_.valid(near)) == 0) return tags_.touch(near);
  }
  const std::uint32_t missing = sectors & ~tags_.lookup(line);
  if (missing != 0) {
    const bool there = tags_.find(line) != TagArray::none;
    tags_.fill(line, fetched_with(line, missing));
    if (!there) parts_.forget(tags_.find(line));
  }
  if (read) {
    if (far) tags_.fill(distance_.copy_for(sm, line), sectors);
    return;
  }
  if (write_policy_ == cache::WritePolicy::back) {
    const std::uint32_t entry = tags_.find(line);
    tags_.mark_dirty(entry, sectors);
    clean_oldest_beyond(entry);
  }
  forget_copies(line, sectors);
}

void Slice::warm_write(std::uint32_t sm, std::uint64_t line, std::uint32_t sectors, const noc::Request& request) {
  const std::uint32_t entry = tags_.find(line);
  const bool hit = entry != TagArray::none;
  if (write_policy_ != cache::WritePolicy::back) {
    if (hit && write_policy_ == cache::WritePolicy::evict) tags_.drop(entry);
    if (hit && write_policy_ == cache::WritePolicy::through) tags_.touch(entry);
    return;
  }
  const std::uint32_t in_part = sectors & ~whole_sectors(request) & ~(hit ? tags_.valid(entry) : 0);
  tags_.fill(line, parts_.kept() ? sectors & ~in_part : sectors | fetched_with(line, in_part));
  const std::uint32_t written = tags_.find(line);
  mark_written(written, parts_.kept() ? sectors & ~in_part : sectors, in_part, hit, request);
  clean_oldest_beyond(written);
  forget_copies(line, sectors);
  if (distance_.is_far(sm)) tags_.fill(distance_.copy_for(sm, line), 0);
}

}  // namespace lockstep::l2
