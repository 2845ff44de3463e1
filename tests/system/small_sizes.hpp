#pragma once
// Sizes of the workloads whose own take seconds: several thread blocks, tiles at every edge, more than one launch where there are.

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::system_test {

using Sizes = std::vector<std::pair<std::string, std::string>>;

/// Arguments of a workload with their values; none where its own size is small.
inline const Sizes& small_sizes(const std::string& workload) {
  static const Sizes photograph = {{"image", "raccoon-small"}}, part = {{"width", "160"}, {"height", "120"}}, none;
  static const std::map<std::string, Sizes> sizes = {{"attention-f16", {{"heads", "1"}}},
                                                     {"conv_2", photograph},
                                                     {"convolution", photograph},
                                                     {"dct8x8_1", photograph},
                                                     {"dct8x8_2", {{"width", "256"}, {"height", "128"}}},
                                                     {"hough-cartesian", part},
                                                     {"hough-global", part},
                                                     {"hough-lines", part},
                                                     {"hough-points", part},
                                                     {"hough-two-step", part},
                                                     {"lavaMD", {{"boxes_x", "12"}}},
                                                     {"rgpu-convolution", {{"width", "480"}, {"height", "270"}}},
                                                     {"rgpu-histogram", {{"width", "480"}, {"height", "270"}}},
                                                     {"rgpu-integral-image", {{"width", "480"}, {"height", "270"}}},
                                                     {"rgpu-mri-q", {{"n", "512"}}},
                                                     {"rgpu-needleman-wunsch", {{"n", "512"}}},
                                                     {"rgpu-pathfinder", {{"columns", "8000"}}},
                                                     {"rgpu-stencil", {{"nx", "64"}, {"ny", "64"}}},
                                                     {"texture-convolution", photograph},
                                                     {"transpose", {{"width", "512"}, {"height", "256"}}},
                                                     {"vector-add", {{"length", "100000"}}}};
  const auto found = sizes.find(workload);
  return found == sizes.end() ? none : found->second;
}

}  // namespace lockstep::system_test
