#include "isa/rewrite/scratchpad_addresses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "isa/ptx/program.hpp"
#include "isa/ptx/shared_layout.hpp"
#include "isa/rewrite/access_kind.hpp"
#include "isa/rewrite/declarations.hpp"
#include "isa/rewrite/edited_text.hpp"
#include "isa/rewrite/function_rewrite.hpp"
#include "isa/rewrite/generic_accesses.hpp"

namespace lockstep::rewrite {

namespace {

/// What one kernel reaches.
struct Reached {
  const KernelRewrite* kernel = nullptr;
  ptx::Program program;
  std::vector<GenericAccess> generic;  ///< Per instruction of the program.
};

bool reaches_scratchpad(const ptx::Function& function) {
  return std::any_of(function.instructions.begin(), function.instructions.end(),
                     [](const ptx::Instruction& i) { return access_kind(i).treatment != AccessKind::Treatment::none; });
}

/// The device functions of a kernel that may access scratchpad memory.
std::set<const ptx::Function*> accessing_functions(const ptx::Module& module, const std::string& kernel) {
  const ptx::Program program = ptx::link(module, kernel, ptx::WmmaAs::written);
  std::set<const ptx::Function*> found;
  for (std::size_t f = 1; f < program.functions.size(); ++f)
    if (reaches_scratchpad(*program.functions[f])) found.insert(program.functions[f]);
  return found;
}

class ModuleRewrite {
 public:
  ModuleRewrite(std::string_view text, const ptx::Module& module, const std::vector<KernelRewrite>& kernels,
                Lines lines)
      : module_(module), text_(text), lines_(lines) {
    for (const KernelRewrite& kernel : kernels) {
      Reached reached{&kernel, ptx::link(module, kernel.kernel, ptx::WmmaAs::written), {}};
      reached.generic = find_generic_accesses(reached.program);
      reached_.push_back(std::move(reached));
    }
  }

  RewrittenModule rewrite() {
    RewrittenModule result;
    for (const Reached& one : reached_) result.kernels.push_back(report_of(one));
    check_shared_functions();
    for (std::size_t i = 0; i < reached_.size(); ++i) rewrite_kernel(reached_[i], result.kernels[i]);
    diagnostics_.throw_if_any();
    for (const auto& [variable, bytes] : growth_) grow_variable(text_, module_, *variable, bytes);
    result.text = text_.result();
    return result;
  }

 private:
  KernelReport report_of(const Reached& one) {
    KernelReport report;
    report.kernel = one.kernel->kernel;
    const ptx::VariableLayout layout = ptx::shared_layout(one.program);
    report.static_bytes = layout.bytes;
    report.dynamic_offset = layout.dynamic_offset;
    const ptx::VariableLayout::Place* last = nullptr;
    for (const auto& place : layout.places) {
      if (place.variable->is_extern) {
        report.has_dynamic = true;
      } else {
        last = &place;
      }
    }
    if (one.kernel->steps.empty() || report.has_dynamic || last == nullptr) return report;
    const std::uint64_t needed = one.kernel->bytes_needed(layout.bytes);
    if (needed <= layout.bytes) return report;
    report.added_static_bytes = needed - layout.bytes;
    std::uint64_t& grown = growth_[last->variable];
    grown = std::max(grown, report.added_static_bytes);
    return report;
  }

  /// The functions of the kernel that reach scratchpad memory may not serve a kernel whose addresses are others.
  void check_shared_functions() {
    std::map<const ptx::Function*, const KernelRewrite*> by_function;
    for (const Reached& one : reached_) {
      for (const ptx::Function* function : one.program.functions) by_function.emplace(function, one.kernel);
    }
    const auto rewritten = [&](const std::string& name) {
      return std::find_if(reached_.begin(), reached_.end(), [&](const Reached& r) { return r.kernel->kernel == name; });
    };
    for (const ptx::Function& entry : module_.functions) {
      if (!entry.is_entry || !entry.has_body) continue;
      const auto own = rewritten(entry.name);
      std::optional<ptx::Program> linked;
      if (own == reached_.end()) {
        try {
          linked = ptx::link(module_, entry.name);
        } catch (const InputError&) {
          continue;  // A kernel that cannot be launched shares nothing.
        }
      }
      const ptx::Program& program = linked ? *linked : own->program;
      for (std::size_t f = 1; f < program.functions.size(); ++f) {
        const auto found = by_function.find(program.functions[f]);
        if (found == by_function.end() || !reaches_scratchpad(*program.functions[f])) continue;
        const bool same = own != reached_.end() && own->kernel->steps == found->second->steps;
        if (same || (own == reached_.end() && found->second->steps.empty())) continue;
        const std::string& what = (found->second->steps.empty() ? own->kernel : found->second)->what;
        diagnostics_.add(program.functions[f]->where,
                         fmt::format("the function '{}' accesses scratchpad memory for kernel '{}' and, otherwise, for "
                                     "'{}': {} cannot be applied to one of them alone",
                                     program.functions[f]->name, found->second->kernel, entry.name, what));
      }
    }
    diagnostics_.throw_if_any();
  }
  void rewrite_kernel(const Reached& one, KernelReport& report) {
    if (one.kernel->steps.empty()) return;
    for (std::uint32_t f = 0; f < one.program.functions.size(); ++f) {
      // Of several kernels that call a function, all with the same addresses, the first rewrites it.
      if (!done_.insert(one.program.functions[f]).second) continue;
      FunctionRewrite function(text_, one.program, f, *one.kernel, one.generic, lines_, diagnostics_);
      function.rewrite(report);
    }
  }

  const ptx::Module& module_;
  EditedText text_;
  Lines lines_;
  std::vector<Reached> reached_;
  std::set<const ptx::Function*> done_;
  std::map<const ptx::Variable*, std::uint64_t> growth_;
  Diagnostics diagnostics_;
};

}  // namespace

std::vector<std::set<std::string>> kernels_with_common_accesses(const ptx::Module& module,
                                                                const std::vector<std::string>& kernels) {
  struct Group {
    std::set<std::string> kernels;
    std::set<const ptx::Function*> functions;
  };
  std::vector<Group> groups;
  for (const std::string& kernel : kernels) {
    Group joined{{kernel}, accessing_functions(module, kernel)};
    for (auto group = groups.begin(); group != groups.end();) {
      const bool common = std::any_of(group->functions.begin(), group->functions.end(),
                                      [&](const ptx::Function* f) { return joined.functions.contains(f); });
      if (!common) {
        ++group;
        continue;
      }
      joined.kernels.merge(group->kernels);
      joined.functions.merge(group->functions);
      group = groups.erase(group);
    }
    groups.push_back(std::move(joined));
  }
  std::vector<std::set<std::string>> result;
  for (Group& group : groups) result.push_back(std::move(group.kernels));
  return result;
}

RewrittenModule rewrite_scratchpad_addresses(std::string_view text, const ptx::Module& module,
                                             const std::vector<KernelRewrite>& kernels, Lines lines) {
  return ModuleRewrite(text, module, kernels, lines).rewrite();
}

}  // namespace lockstep::rewrite
