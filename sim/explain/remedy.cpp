#include "sim/explain/remedy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "isa/program/demangled.hpp"
#include "sim/explain/lifted_limits.hpp"
#include "sim/explain/padding.hpp"
#include "sim/gpu/launch_shape.hpp"

namespace lockstep::explain {

namespace {

using Kind = Remedy::Kind;

/// Bank hashes that serve any power of two of banks.
const std::vector<std::string> usual_hashes = {"xor", "add", "ipoly"};

void add_bank_remedies(const gpu::GpuSpec& spec, const trace::Header& header, const std::vector<LineCosts>& lines,
                       const std::vector<std::string>& hashes, std::vector<Remedy>& all) {
  for (const Padding& padding : worthwhile_paddings(spec, header, lines)) {
    const std::uint64_t bytes = spec.sm.scratchpad.bank_bytes;
    all.push_back(
        {fmt::format("pad:{}+{}", padding.row, padding.pad), Kind::change,
         fmt::format("pad the scratchpad array of {}: {} bytes behind every {} (word i to i + i / {}{})",
                     program::demangled(header.kernels[padding.kernel].name), padding.pad * bytes, padding.row * bytes,
                     padding.row, padding.pad == 1 ? "" : fmt::format(" * {}", padding.pad)),
         padded(spec, header, padding), [padding, bytes](std::unique_ptr<trace::Source> source) {
           return padded(std::move(source), padding, static_cast<std::uint32_t>(bytes));
         }});
  }
  std::vector<std::string> specs = usual_hashes;
  for (const std::string& hash : hashes)
    if (std::find(specs.begin(), specs.end(), hash) == specs.end()) specs.push_back(hash);
  for (const std::string& hash : specs) {
    if (hash == spec.sm.scratchpad.bank_hash) continue;
    Remedy remedy{"bank-hash:" + hash, Kind::change,
                  fmt::format("bank hash {} (in hardware; `lockstep hash apply` puts it into the kernel)", hash), spec};
    remedy.spec.sm.scratchpad.bank_hash = hash;
    all.push_back(std::move(remedy));
  }
}

/// Of a memory that scratchpad and L1 cache share: each other size of the scratchpad that still holds a thread block.
void add_carve_outs(const gpu::GpuSpec& spec, const trace::Header& header, std::vector<Remedy>& all) {
  const std::string& sizes = spec.sm.l1.scratchpad_kib;
  if (spec.sm.l1.unified_bytes == 0) return;
  std::uint64_t least = 0;
  for (const trace::Launch& launch : header.launches)
    least = std::max<std::uint64_t>(
        least, gpu::scratchpad_bytes_per_block(spec.sm.occupancy, header.kernels[launch.kernel], launch) +
                   spec.sm.occupancy.scratchpad_reserved);
  for (std::size_t at = 0; at < sizes.size(); at = std::min(sizes.find(',', at), sizes.size() - 1) + 1) {
    const std::uint64_t kib = std::stoull(sizes.substr(at));
    if (kib * 1024 < least || kib * 1024 > spec.sm.occupancy.scratchpad_bytes) continue;
    Remedy remedy{
        fmt::format("carve-out:{}", kib), Kind::change,
        fmt::format("carve-out: {} KiB of scratchpad, {} KiB of L1 cache", kib, spec.sm.l1.unified_bytes / 1024 - kib),
        spec};
    remedy.spec.sm.l1.scratchpad_kib = std::to_string(kib);
    remedy.spec.sm.occupancy.scratchpad_bytes = static_cast<std::uint32_t>(kib * 1024);
    remedy.spec.sm.occupancy.scratchpad_bytes_per_block =
        std::min(spec.sm.occupancy.scratchpad_bytes_per_block, remedy.spec.sm.occupancy.scratchpad_bytes);
    all.push_back(std::move(remedy));
  }
}

}  // namespace

std::vector<Remedy> remedies(const gpu::GpuSpec& spec, const trace::Header& header, const gpu::Result& result,
                             const std::vector<LineCosts>& lines, const std::vector<std::string>& hashes) {
  std::vector<Remedy> all;
  if (result.counters.sm.scratchpad_bank_conflicts > 0) add_bank_remedies(spec, header, lines, hashes, all);
  add_carve_outs(spec, header, all);
  for (const LiftedLimit& limit : lifted_limits()) {
    if (!limit.concerns({spec, header, result})) continue;
    Remedy remedy{limit.name, Kind::limit, limit.text, spec};
    limit.lift({spec, header, result}, remedy.spec);
    all.push_back(std::move(remedy));
  }
  return all;
}

}  // namespace lockstep::explain
