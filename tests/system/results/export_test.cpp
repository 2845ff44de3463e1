// lockstep export, and tools/lockstep_results.py on the same folder.

#include "tests/places.hpp"
#include "tests/system/results/content.hpp"

using namespace lockstep;
using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// What a Python program prints that reads the results folder as `results`; Python's own error when it fails.
std::string python(const TemporaryFolder& folder, const std::string& results, const std::string& program) {
  const std::string file = folder.write("program.py",
                                        "import json, sys\nsys.dont_write_bytecode = True\n"
                                        "sys.path.insert(0, '" +
                                            source_dir() +
                                            "/tools')\n"
                                            "import lockstep_results\n"
                                            "results = lockstep_results.Results(sys.argv[1])\n" +
                                            program);
  const std::string command = "python3 " + file + " " + results + " >" + (folder / "printed") + " 2>&1";
  const int status = std::system(command.c_str());
  INFO(contents(folder / "printed"));
  CHECK(status == 0);
  return contents(folder / "printed");
}

}  // namespace

TEST_CASE("Exported tables hold what a run's JSON holds, and Python reads the same from the database") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vector_additions("[1000, 5000]", "[18, 36]"));
  const Outcome made = run({"run", file, "-o", folder / "out", "--json", "--quiet"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  const Json points = at(parse_json(made.out), "points");
  std::string wide = "args.length,sm.floating.latency,cycles,derived.speedup\n";
  for (const auto& [key, point] : points)
    wide += value(at(point, "point"), "args.length") + "," + value(at(point, "point"), "sm.floating.latency") + "," +
            value(point, "cycles") + "," + value(at(point, "derived"), "speedup") + "\n";
  const std::string columns = "args.*,sm.floating.latency,cycles,derived.speedup";
  const Outcome exported = run({"export", folder / "out", "--columns", columns});
  CHECK(exported.code == 0);
  CHECK(exported.out == wide);

  CHECK(python(folder, folder / "out",
               "names = ['args.*', 'sm.floating.latency', 'cycles', 'derived.speedup']\n"
               "rows = results.points(names)\n"
               "print(','.join(list(rows[0])[1:]))\n"
               "for row in rows: print(','.join(f'{value:.17g}' for value in list(row.values())[1:]))\n") == [&] {
    // Python writes numbers with all their digits here.
    std::string text = "args.length,sm.floating.latency,cycles,derived.speedup\n";
    for (const auto& [key, point] : points) {
      char speedup[40];
      std::snprintf(speedup, sizeof(speedup), "%.17g", value<double>(at(point, "derived"), "speedup"));
      text += value(at(point, "point"), "args.length") + "," + value(at(point, "point"), "sm.floating.latency") + "," +
              value(point, "cycles") + "," + speedup + "\n";
    }
    return text;
  }());

  const Json json = parse_json(run({"export", folder / "out", "--columns", columns, "--json"}).out);
  CHECK(value(json, "schema") == "lockstep.export/1");
  REQUIRE(at(json, "rows").size() == 4);
  CHECK(value(at(json, "rows").front().second, "cycles") == value(points.front().second, "cycles"));

  REQUIRE(run({"export", folder / "out", "--table", "checks", "-o", folder / "checks.json", "--quiet"}).code == 0);
  const Json checks = parse_json(contents(folder / "checks.json"));
  CHECK(value(at(checks, "rows").front().second, "verdict") == "holds");
  CHECK(run({"export", folder / "out", "-o", folder / "points.txt"}).code == 2);
  CHECK(run({"export", folder / "none"}).code == 2);
}

TEST_CASE("Every value that the long form exports is the one that Python reads") {
  const TemporaryFolder folder;
  const std::string file = folder.write("compared.yaml",
                                        "name: compared\ngpus: [gtx580, gtx480]\n"
                                        "workload: {workload: vector-add, reference: {workload: vector-add, set: "
                                        "{args.threads: [32, 64]}}}\nsweep: {args.length: [100, 300]}\n");
  REQUIRE(run({"run", file, "-o", folder / "out", "--quiet"}).code == 0);
  REQUIRE(run({"export", folder / "out", "--long", "-o", folder / "long.json", "--quiet"}).code == 0);
  const std::string different = python(folder, folder / "out", R"(
exported = json.load(open(sys.argv[1] + '/../long.json'))['rows']
key = lambda row: (row['point'], row['name'])
here = {key(row): row for row in results.long()}
compared = 0
for row in exported:
    if row['name'].startswith('resident.'): continue  # Of launches.
    own = here.pop(key(row))
    compared += 1
    if own != {**row, 'unit': row['unit'] or ''}: print('exported', row, 'read', own)
print('only read:', sorted({name for _, name in here}))
print(compared > 400, results.axes(), [len(results.points()), len(results.launches()), len(results.references())])
)");
  CHECK(different == "only read: []\nTrue ['gpu', 'args.length'] [4, 4, 8]\n");
}

TEST_CASE("Python reads checks, and says what it cannot read") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vector_additions("[100]", "[18, 20]"));
  REQUIRE(run({"run", file, "-o", folder / "out", "--quiet"}).code == 0);
  CHECK(python(folder, folder / "out",
               "print(results.experiment, [check['holds'] for check in results.checks()])\n"
               "for wrong in ['" +
                   (folder / "none") + "', '" + file +
                   "']:\n"
                   "    try: lockstep_results.Results(wrong)\n"
                   "    except lockstep_results.ResultsError as error: print('refused')\n"
                   "try: results.points(['cylces'])\n"
                   "except lockstep_results.ResultsError as error: print('refused')\n") ==
        "vectors [True]\nrefused\nrefused\nrefused\n");
}

TEST_CASE("Neither a table nor Python has points as missing that an index does not lead to") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vector_additions("[100]", "[18, 20]")), out = folder / "out";
  REQUIRE(run({"run", file, "-o", out, "--quiet"}).code == 0);
  const std::string whole = contents(out + "/results.db"), expected = run({"export", out}).out;
  const std::string label = "args.length=100 sm.floating.latency=20";
  int places = 0;
  for (std::size_t at = whole.find(label); at != std::string::npos; at = whole.find(label, at + 1), ++places) {
    std::string bytes = whole;
    bytes[at + 2] = static_cast<char>(bytes[at + 2] ^ 4);
    folder.write("out/results.db", bytes);
    INFO("byte " << at + 2);
    for (const std::string command : {"export", "report", "info"}) {
      const Outcome outcome = run({command, command == "info" ? out + "/results.db" : out});
      CHECK(outcome.code == 2);
      CHECK_THAT(outcome.err, Contains("results.db: is damaged: ") && Contains("`lockstep run` writes it again"));
      CHECK(outcome.out.empty());
    }
    const std::string read =
        "PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=" + source_dir() +
        "/tools python3 -c 'import lockstep_results, sys; lockstep_results.Results(sys.argv[1])' " + out + " 2>" +
        (folder / "error");
    CHECK(std::system(read.c_str()) != 0);
    CHECK_THAT(contents(folder / "error"), Contains("results.db: is damaged: "));
    const Outcome mended = run({"run", file, "-o", out, "--resume"});
    CHECK(mended.code == 0);
    CHECK_THAT(mended.err, Contains("damaged"));
    CHECK(run({"export", out}).out == expected);
  }
  CHECK(places >= 2);  // In the table of points, and in its index.
}
