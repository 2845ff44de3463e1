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
  static const std::map<std::string, Sizes> sizes = {
      {"adam-step", {{"quads", "5001"}, {"blocks", "12"}}},
      {"adaptive-simpson", {{"integrals", "700"}}},
      {"asian-option", {{"paths", "4096"}, {"blocks", "10"}}},
      {"attention-f16", {{"heads", "1"}}},
      {"batched-cholesky", {{"matrices", "12"}}},
      {"bellman-ford", {{"vertices", "5000"}}},
      {"bilateral-filter", {{"rows", "20"}}},
      {"bitonic-sort", {{"rows", "12"}}},
      {"burning-ship", {{"width", "100"}, {"height", "60"}}},
      {"census-stereo", {{"rows", "20"}}},
      {"cfd-euler", {{"blocks", "16"}}},
      {"chacha20", {{"blocks", "3000"}}},
      {"chemical-kinetics", {{"cells", "200"}}},
      {"conv_2", photograph},
      {"convolution", photograph},
      {"convolution-gradient", {{"images", "1"}}},
      {"crc32", {{"records", "3000"}}},
      {"cross-entropy", {{"rows", "150"}}},
      {"ct-backprojection", {{"side", "80"}}},
      {"cutcp", {{"rx", "3"}, {"ry", "2"}, {"rz", "2"}}},
      {"dct8x8_1", photograph},
      {"dct8x8_2", {{"width", "256"}, {"height", "128"}}},
      {"dormand-prince", {{"oscillators", "300"}}},
      {"embedding-bag", {{"bags", "600"}}},
      {"ewald-sum", {{"n", "384"}, {"kmax", "2"}}},
      {"fdtd-3d", {{"dimx", "64"}, {"dimy", "48"}, {"dimz", "9"}}},
      {"floyd-warshall", {{"tiles", "4"}}},
      {"forest", {{"rows", "4000"}}},
      {"gaussian-overlap", {{"n", "30"}}},
      {"graph-walk", {{"walkers", "1500"}, {"vertices", "5000"}}},
      {"gru-sequence", {{"sequences", "3"}, {"steps", "8"}}},
      {"hash-join", {{"small", "5000"}, {"large", "17000"}, {"blocks", "20"}}},
      {"hodgkin-huxley", {{"cells", "200"}}},
      {"horspool", {{"length", "100000"}}},
      {"hough-cartesian", part},
      {"hough-global", part},
      {"hough-lines", part},
      {"hough-points", part},
      {"hough-two-step", part},
      {"jacobi-2d", {{"nx", "101"}, {"ny", "37"}}},
      {"kmeans", {{"points", "2000"}}},
      {"lanczos-resize", {{"rows", "30"}, {"width", "60"}, {"height", "100"}}},
      {"lattice-boltzmann", {{"width", "60"}, {"height", "40"}}},
      {"lavaMD", {{"boxes_x", "12"}}},
      {"life-bits", {{"height", "100"}}},
      {"lucas-kanade", {{"rows", "24"}}},
      {"max-pool", {{"planes", "5"}}},
      {"median-filter", {{"rows", "32"}}},
      {"merge-path", {{"first", "30000"}, {"second", "20001"}}},
      {"mersenne-twister", {{"streams", "5"}}},
      {"moments", {{"rows", "400"}}},
      {"montgomery-power", {{"numbers", "300"}}},
      {"motion-estimation", {{"rows", "48"}}},
      {"mri-fhd", {{"voxels", "700"}, {"kspace", "300"}}},
      {"n-queens", {{"n", "8"}}},
      {"nbody", {{"bodies", "320"}}},
      {"nearest-neighbours", {{"queries", "400"}}},
      {"path-average-option", {{"blocks", "5"}}},
      {"point-in-polygon", {{"quads", "3000"}}},
      {"posting-lists", {{"pairs", "20"}}},
      {"rgpu-convolution", {{"width", "480"}, {"height", "270"}}},
      {"rgpu-histogram", {{"width", "480"}, {"height", "270"}}},
      {"rgpu-integral-image", {{"width", "480"}, {"height", "270"}}},
      {"rgpu-mri-q", {{"n", "512"}}},
      {"rgpu-needleman-wunsch", {{"n", "512"}}},
      {"rgpu-pathfinder", {{"columns", "8000"}}},
      {"rgpu-stencil", {{"nx", "64"}, {"ny", "64"}}},
      {"rice-decode", {{"blocks", "1500"}}},
      {"smith-waterman", {{"pairs", "10"}}},
      {"sph-density", {{"particles", "1200"}, {"n", "12"}, {"arrangement", "one_per_cell"}}},
      {"spline-lookup", {{"points", "15000"}}},
      {"stencil-27", {{"nx", "40"}, {"ny", "21"}, {"nz", "8"}}},
      {"texture-convolution", photograph},
      {"top-k", {{"rows", "20"}}},
      {"tpacf", {{"n", "300"}}},
      {"transpose", {{"width", "512"}, {"height", "256"}}},
      {"triangle-raster", {{"triangles", "500"}}},
      {"vector-add", {{"length", "100000"}}},
      {"volume-render", {{"width", "64"}, {"height", "40"}, {"steps", "30"}}},
      {"wave-equation", {{"width", "70"}, {"height", "40"}, {"depth", "20"}}},
  };
  const auto found = sizes.find(workload);
  return found == sizes.end() ? none : found->second;
}

}  // namespace lockstep::system_test
