#include <fmt/format.h>

#include <vector>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

Elements histogram_reference(const Elements& pixels, std::uint64_t bins, std::uint64_t levels, ElementType type) {
  // Counting levels first and giving them to bins afterwards is another way than the kernels go.
  std::vector<std::int64_t> of_level(levels, 0);
  for (std::uint64_t i = 0; i < pixels.count(); ++i) {
    const double pixel = pixels.real(i);
    if (!(pixel >= 0 && pixel < static_cast<double>(levels))) {
      throw InputError(fmt::format("element {} of the pixels is {}, but a histogram of {} levels needs 0 to {}", i,
                                   pixels.text(i), levels, levels - 1));
    }
    ++of_level[static_cast<std::size_t>(pixel)];
  }
  std::vector<std::int64_t> of_bin(bins, 0);
  for (std::uint64_t level = 0; level < levels; ++level) of_bin[level * bins / levels] += of_level[level];
  Elements result(type, bins);
  for (std::uint64_t bin = 0; bin < bins; ++bin) result.set(bin, of_bin[bin]);
  return result;
}

}  // namespace lockstep::workload
