// Applications of several kernels with a host between them, as a user traces, replays and runs them.

#include <cstring>
#include <set>

#include "tests/places.hpp"
#include "tests/system/program.hpp"
#include "tools/capture/launch_folder.hpp"

namespace lockstep::sequences_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

bool is_png(const std::string& path) {
  return contents(path).starts_with("\x89PNG\r\n\x1a\n");
}

}  // namespace

TEST_CASE("A trace of a sequence holds the launches that happened, and says what the host read") {
  const TemporaryFolder folder;
  const Outcome traced =
      run({"trace", "breadth-first-search", "-s", "args.vertices=500", "-o", folder / "b.trace", "--json"});
  INFO(traced.err);
  REQUIRE(traced.code == 0);
  const Json result = parse_json(traced.out);
  CHECK(value<bool>(result, "output_matches"));
  std::uint64_t visited = 0, levels = 0;
  for (const auto& [key, read] : at(result, "host_values")) {
    CHECK(value(read, "name") == "level_size");
    CHECK(value<std::uint64_t>(read, "launches") == levels++);
    visited += value<std::uint64_t>(read, "value");
  }
  // Nearly every vertex of such a graph can be reached; the last level is empty.
  CHECK(visited > 400);
  CHECK(visited <= 500);
  const Json info = parse_json(run({"info", folder / "b.trace", "--json"}).out);
  CHECK(at(info, "launches").size() == levels - 1);

  const Outcome replayed = run({"replay", folder / "b.trace", "--gpu", "gtx580", "--json", "--quiet"});
  const Outcome live = run({"run", "breadth-first-search", "--gpu", "gtx580", "-s", "args.vertices=500", "-o",
                            folder / "results", "--json", "--quiet"});
  INFO(live.err);
  REQUIRE(live.code == 0);
  const Json simulated = parse_json(live.out);
  const Json& point = at(simulated, "points").front().second;
  CHECK(value(point, "cycles") == value(parse_json(replayed.out), "cycles"));
  CHECK(value(point, "gpu") == "GTX 580");
}

TEST_CASE("A launch folder of a sequence names what the host read between its launches") {
  const TemporaryFolder folder;
  const std::string launches = folder / "launches";
  const Outcome traced = run({"trace", "image-regions", "-o", folder / "r.trace", "--launches", launches});
  INFO(traced.err);
  REQUIRE(traced.code == 0);
  CHECK_THAT(traced.out, Contains("after 2 launches the host read threshold = "));
  // As the program for a real GPU reads it: Otsu's threshold is the word at the beginning of buffer 2 after the second launch.
  const lockstep::capture::Folder read = lockstep::capture::read_folder(launches);
  REQUIRE(read.reads.size() > 4);
  CHECK(read.buffers.at(read.reads[0].memory).name == "otsu");
  CHECK(read.reads[0].launches == 2);
  CHECK(read.reads[0].at == 0);
  CHECK_FALSE(read.reads[0].of_variable);
  REQUIRE(read.reads[0].bytes.size() == 4);
  std::uint32_t threshold = 0;
  std::memcpy(&threshold, read.reads[0].bytes.data(), sizeof threshold);
  CHECK_THAT(traced.out, Contains("threshold = " + std::to_string(threshold) + "\n"));
  CHECK(read.buffers.at(read.reads.back().memory).name == "regions");
  CHECK(read.reads.back().launches < read.launches.size());
}

TEST_CASE("A run of a workload writes the pictures that it leaves") {
  const TemporaryFolder folder;
  const Outcome first = run({"run", "image-regions", "-o", folder / "results"});
  INFO(first.err);
  REQUIRE(first.code == 0);
  const std::string regions = folder / "results/pictures/regions.png";
  CHECK_THAT(first.out, Contains("Picture: " + regions));
  CHECK(is_png(regions));
  CHECK(is_png(folder / "results/pictures/photograph.png"));
  const std::string page = contents(folder / "results/report.html");
  CHECK_THAT(page, Contains("<figcaption>regions</figcaption>") && Contains("data:image/png;base64,iVBORw0KGgo"));
  REQUIRE(run({"report", folder / "results"}).code == 0);
  CHECK(contents(folder / "results/report.html") == page);
  // Taken over, and still named.
  const Outcome again = run({"run", "image-regions", "-o", folder / "results", "--resume", "--json"});
  INFO(again.err);
  REQUIRE(again.code == 0);
  CHECK(at(parse_json(again.out), "pictures").size() == 2);

  const Outcome traced =
      run({"trace", "image-regions", "-o", folder / "r.trace", "--pictures", folder / "own", "--quiet"});
  CHECK(traced.code == 0);
  CHECK(contents(folder / "own/regions.png") == contents(regions));
}

TEST_CASE("The pictures of an experiment's points are named by what differs among them") {
  const TemporaryFolder folder;
  const std::string experiment =
      folder.write("e.yaml",
                   "gpus: [gtx580, gtx470]\nworkload: image-regions\nset: {args.least_pixels: 4}\n"
                   "sweep: {args.most_regions: [0, 1000], args.software_hash: [mod, xor]}\n");
  const Outcome swept = run({"run", experiment, "-o", folder / "results", "--json", "--quiet"});
  INFO(swept.err);
  REQUIRE(swept.code == 0);
  const Json result = parse_json(swept.out);
  std::set<std::string> pictures;
  for (const auto& [key, picture] : at(result, "pictures")) pictures.insert(picture.get_value<std::string>());
  const std::string own = folder / "results/pictures/";
  CHECK(pictures == std::set<std::string>{own + "photograph most_regions=0.png",
                                          own + "photograph most_regions=1000.png", own + "regions most_regions=0.png",
                                          own + "regions most_regions=1000.png"});
  CHECK(contents(own + "regions most_regions=0.png") != contents(own + "regions most_regions=1000.png"));
}

TEST_CASE("Pictures of photographs in different folders have different names, whatever characters the paths have") {
  const TemporaryFolder folder;
  const std::string photograph = contents(source_dir() + "/traces/inputs/raccoon-small.png");
  folder.write("a/b.png", photograph);
  folder.write("a_b.png", photograph);
  folder.write("a%2Fb.png", photograph);
  const std::string experiment =
      folder.write("e.yaml", "gpu: gtx580\nworkload: image-regions\nsweep: {args.image: [" + (folder / "a/b.png") +
                                 ", " + (folder / "a_b.png") + ", " + (folder / "a%2Fb.png") + "]}\n");
  const Outcome swept = run({"run", experiment, "-o", folder / "results", "--json", "--quiet"});
  INFO(swept.err);
  REQUIRE(swept.code == 0);
  const Json result = parse_json(swept.out);
  std::set<std::string> pictures;
  for (const auto& [key, picture] : at(result, "pictures")) {
    pictures.insert(picture.get_value<std::string>());
    CHECK(is_png(picture.get_value<std::string>()));
  }
  CHECK(pictures.size() == 6);
}

TEST_CASE("A run says what it cannot do with a workload or an experiment") {
  const TemporaryFolder folder;
  const Outcome gpu = run({"run", "histogram-replication", "--gpu", "gtx580", "-o", folder / "results"});
  CHECK(gpu.code == 2);
  CHECK_THAT(gpu.err, Contains("--gpu belongs to a workload"));
  const Outcome unknown = run({"run", "image-region", "-o", folder / "results"});
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("did you mean 'image-regions'?"));
  const Outcome pictures = run({"trace", "vector-add", "-o", folder / "v.trace", "--pictures", folder / "own"});
  CHECK(pictures.code == 2);
  CHECK_THAT(pictures.err, Contains("leaves no pictures"));
  const Outcome bound = run(
      {"run", "breadth-first-search", "-s", "args.vertices=500", "-s", "args.most_levels=2", "-o", folder / "results"});
  CHECK(bound.code == 2);
  CHECK_THAT(bound.err, Contains("breadth-first-search.yaml:33:12: \"level_size == 0\" is still false after 2 rounds"));
}

}  // namespace lockstep::sequences_test
