#include "sim/swizzle/kernel_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "isa/analysis/access_form.hpp"
#include "isa/analysis/affine.hpp"
#include "isa/program/source_place.hpp"
#include "isa/trace/stream.hpp"
#include "models/hash/kernel_hashes.hpp"
#include "models/hash_search/collect.hpp"
#include "models/hash_search/lock_loop.hpp"
#include "models/scratchpad/pattern_survey.hpp"

namespace lockstep::swizzle {

namespace {

/// Of the whole kernel: lock loops stand for the requests that they make.
hash::AccessSet requests_of(const hash::AccessSet& set, const gpu::GpuSpec& spec, const std::string& kernel) {
  if (set.lock_access_count() == 0) return set;
  const scratchpad::Spec& pad = spec.sm.scratchpad;
  return hash::with_lock_trips(set, hash::make_address_map(hash::KernelHashes(pad.lock_hash).spec_of(kernel), pad.locks,
                                                           spec.sm.occupancy.scratchpad_bytes / 4));
}

void add_requests(std::vector<SurveyedKernel>& kernels, trace::Source& source, const gpu::GpuSpec& spec, bool issued) {
  hash::CollectOptions options;
  options.as_issued = issued;
  for (const hash::KernelAccesses& one :
       hash::collect_accesses(source, hash::ServiceRules(spec.sm.scratchpad), spec.target, options)) {
    for (SurveyedKernel& kernel : kernels)
      if (kernel.id.second == one.kernel)
        (issued ? kernel.issued : kernel.single) =
            layout::requests_of_arrays(requests_of(one.set, spec, one.kernel), kernel.places);
  }
}

void count_blocks(SurveyedKernel& kernel, const program::Kernel& static_kernel, trace::ThreadBlockStreams& streams,
                  const trace::Launch& launch) {
  kernel.executions.resize(static_kernel.blocks.size());
  trace::AccessEntry access;
  for (std::uint32_t warp = 0; warp < launch.warps_per_block(); ++warp) {
    trace::StreamCursor cursor(streams.warp(warp), static_cast<std::uint32_t>(static_kernel.blocks.size()));
    trace::BlockEntry entry;
    while (cursor.next_block(entry)) {
      ++kernel.executions[entry.block];
      const program::StaticBlock& block = static_kernel.blocks[entry.block];
      for (std::uint32_t i = block.first; i < block.first + block.count; ++i)
        for (std::uint32_t n = program::access_entries(static_kernel.instructions[i]); n > 0; --n)
          cursor.next_access(access);
    }
  }
}

void add_lines(SurveyedKernel& kernel, const program::Kernel& static_kernel,
               const std::vector<scratchpad::InstructionPatterns>& all) {
  kernel.lines.resize(kernel.places.size());
  for (const scratchpad::InstructionPatterns& one : all) {
    const std::uint32_t array = kernel.accesses.array_of.at(one.instruction);
    if (array == ptx::no_index || one.passes == one.requests) continue;
    kernel.lines[array].push_back({program::source_place(static_kernel, one.instruction),
                                   static_kernel.strings[static_kernel.instructions[one.instruction].mnemonic],
                                   one.requests, one.passes, one.most_passes});
  }
  for (auto& lines : kernel.lines)
    std::stable_sort(lines.begin(), lines.end(), [](const ConflictLine& a, const ConflictLine& b) {
      return a.passes - a.requests > b.passes - b.requests;
    });
}

}  // namespace

std::vector<SurveyedKernel> survey_kernels(const exec::Task& task,
                                           const std::function<std::unique_ptr<trace::Source>()>& open,
                                           const gpu::GpuSpec& spec) {
  std::vector<SurveyedKernel> kernels;
  const auto find = [&](const KernelId& id) {
    return std::find_if(kernels.begin(), kernels.end(), [&](const SurveyedKernel& one) { return one.id == id; });
  };
  for (const exec::KernelLaunch& launch : task.launches) {
    const KernelId id = kernel_of(task, launch);
    auto kernel = find(id);
    if (kernel == kernels.end()) {
      SurveyedKernel own;
      own.id = id;
      own.program = std::make_unique<ptx::Program>(ptx::link(*launch.module, launch.entry));
      own.accesses = rewrite::find_array_accesses(*own.program);
      for (const auto& array : own.accesses.arrays) own.places.push_back({array.offset, array.variable->bytes});
      own.block = launch.block;
      kernels.push_back(std::move(own));
      kernel = std::prev(kernels.end());
    }
    if (kernel->block && *kernel->block != launch.block) kernel->block.reset();
    for (std::size_t a = 0; a < kernel->places.size(); ++a)
      if (kernel->accesses.arrays[a].variable->is_extern)
        kernel->places[a].bytes = std::max<std::uint64_t>(kernel->places[a].bytes, launch.dynamic_shared_bytes);
  }
  for (SurveyedKernel& kernel : kernels) {
    kernel.issued.assign(kernel.places.size(), hash::AccessSet(hash::ServiceRules(spec.sm.scratchpad)));
    kernel.single = kernel.issued;
  }
  add_requests(kernels, *open(), spec, true);
  add_requests(kernels, *open(), spec, false);

  const auto source = open();
  const trace::Header& header = source->header();
  std::map<std::uint32_t, std::unique_ptr<scratchpad::Scratchpad>> pads;
  std::map<std::uint32_t, std::pair<SurveyedKernel*, std::unique_ptr<scratchpad::PatternSurvey>>> surveys;
  for (std::uint32_t number = 0; number < header.launches.size(); ++number) {
    const trace::Launch& launch = header.launches[number];
    const program::Kernel& static_kernel = header.kernels[launch.kernel];
    auto& own = surveys[launch.kernel];
    if (own.second == nullptr) {
      own.first = &*find(kernel_of(task, task.launches.at(number)));
      scratchpad::Spec pad = spec.sm.scratchpad;
      pad.bank_hash = hash::KernelHashes(pad.bank_hash).spec_of(static_kernel.name);
      pad.lock_hash = hash::KernelHashes(pad.lock_hash).spec_of(static_kernel.name);
      pads[launch.kernel] = std::make_unique<scratchpad::Scratchpad>(pad, spec.sm.occupancy.scratchpad_bytes);
      own.second = std::make_unique<scratchpad::PatternSurvey>(static_kernel, header.windows, *pads[launch.kernel]);
    }
    for (std::uint64_t block = 0; block < launch.thread_blocks(); ++block)
      own.second->add(*source->open(number, block), launch, {});
  }
  for (auto& [number, survey] : surveys) add_lines(*survey.first, header.kernels[number], survey.second->finish());
  const auto again = open();
  for (std::uint32_t number = 0; number < header.launches.size(); ++number) {
    const trace::Launch& launch = header.launches[number];
    SurveyedKernel& kernel = *surveys[launch.kernel].first;
    for (std::uint64_t block = 0; block < launch.thread_blocks(); ++block)
      count_blocks(kernel, header.kernels[launch.kernel], *again->open(number, block), launch);
  }
  return kernels;
}

hash::AddressMap bank_map(const gpu::GpuSpec& spec, const std::string& kernel) {
  const scratchpad::Spec& pad = spec.sm.scratchpad;
  return hash::make_address_map(hash::KernelHashes(pad.bank_hash).spec_of(kernel), pad.banks,
                                spec.sm.occupancy.scratchpad_bytes / pad.bank_bytes);
}

std::set<std::uint64_t> pitches_of(const SurveyedKernel& kernel, std::uint32_t array) {
  analysis::LaunchValues values;
  values.block = kernel.block;
  analysis::AddressAnalysis analysis(*kernel.program, values);
  std::set<std::uint64_t> pitches;
  for (const analysis::AccessAddress& access : analysis.accesses()) {
    if (kernel.accesses.array_of.at(access.instruction) != array || access.address == analysis::no_expression) continue;
    const analysis::AccessForm form = analysis::access_form(analysis.algebra(), access.address, 4, values.block);
    for (const analysis::IndexTerm& term : form.terms)
      if (term.value) pitches.insert(static_cast<std::uint64_t>(std::llabs(*term.value)));
    for (const analysis::Term& term : analysis.algebra()[access.address])
      if (!term.atoms.empty()) pitches.insert(static_cast<std::uint64_t>(std::llabs(term.coefficient)));
  }
  return pitches;
}

}  // namespace lockstep::swizzle
