// The report in a real browser: what is cut, what is legible, and whether tables sort and filter. Skipped where there is no
// Chromium.
#include <algorithm>
#include <map>

#include "tests/system/program.hpp"

using namespace lockstep::system_test;

namespace {

std::string browser() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
      if (access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
  return "";
}

/// The document of a page after its scripts.
std::string document_of(const std::string& program, const std::string& page, bool dark, const TemporaryFolder& folder) {
  const std::string out = folder / "document.html";
  std::vector<std::string> words = {program,
                                    "--headless",
                                    "--no-sandbox",
                                    "--disable-gpu",
                                    "--no-first-run",
                                    "--disable-background-networking",
                                    "--user-data-dir=" + (folder / (dark ? "dark" : "light")),
                                    "--window-size=2000,1200",
                                    "--virtual-time-budget=20000",
                                    "--blink-settings=preferredColorScheme=" + std::string(dark ? "0" : "1"),
                                    "--dump-dom",
                                    "file://" + page};
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    execv(program.c_str(), arguments.data());
    _exit(127);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return contents(out);
}

/// What a page sees of itself, told to the page around it: "NAME=VALUE" of each.
constexpr const char* measure = R"(<script>
addEventListener('load', function () {
  const tell = {}, root = document.documentElement;
  tell.width = innerWidth;
  tell.overflow = root.scrollWidth - root.clientWidth;
  const seen = (element) => element.getClientRects().length > 0;
  tell.cut = Array.from(document.querySelectorAll('td, th')).filter(function (cell) {
    const around = cell.closest('.wide');
    return seen(cell) && around && cell.getBoundingClientRect().right > around.getBoundingClientRect().right + 1;
  }).length;
  const pictures = Array.from(document.querySelectorAll('svg')).filter(seen);
  tell.pictures = pictures.length;
  tell.smallest = Math.min(...pictures.map((one) => 11 * one.getBoundingClientRect().width / one.viewBox.baseVal.width));
  const light = (colour) => colour.match(/[0-9.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 765;
  const paper = light(getComputedStyle(document.body).backgroundColor);
  tell.paper = paper;
  tell.contrast = Math.min(...pictures.map((one) =>
    Math.abs(paper - light(getComputedStyle(one.querySelector('text')).fill))));
  const table = document.querySelector('table.data'), column = 1;
  const shown = () => Array.from(table.tBodies[0].rows).filter(seen).map((row) => row.cells[column].textContent).join(' ');
  tell.given = shown();
  const button = table.tHead.rows[0].cells[column].querySelector('button');
  button.click();
  tell.up = shown();
  button.click();
  tell.down = shown();
  const tools = table.closest('.wide').previousElementSibling, count = () => tools.lastChild.textContent;
  const choice = tools.querySelector('select'), words = tools.querySelector('input');
  choice.value = '=64';
  choice.dispatchEvent(new Event('change'));
  tell.chosen = count();
  words.value = 'no such words';
  words.dispatchEvent(new Event('input'));
  tell.filtered = count();
  parent.postMessage(Object.keys(tell).map((key) => key + '=' + tell[key]).join('\n'), '*');
});
</script>)";

/// The page in frames of these widths.
std::string frames_of(const std::string& page, const std::vector<int>& widths) {
  std::string html =
      "<!DOCTYPE html><html><body><script>addEventListener('message', (event) => {"
      "const told = document.createElement('pre'); told.textContent = event.data;"
      "document.body.append(told);});</script>\n";
  for (const int width : widths)
    html += "<iframe src=\"file://" + page + "\" style=\"border:0;width:" + std::to_string(width) +
            "px;height:900px\"></iframe>\n";
  return html + "</body></html>\n";
}

using Told = std::map<std::string, std::string>;

/// What the frames told, by their width.
std::map<int, Told> told(const std::string& document) {
  std::map<int, Told> all;
  for (std::size_t at = document.find("<pre>"); at != std::string::npos; at = document.find("<pre>", at + 1)) {
    std::istringstream lines(document.substr(at + 5, document.find("</pre>", at) - at - 5));
    Told one;
    for (std::string line; std::getline(lines, line);)
      one[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
    const int width = std::stoi(one.at("width"));
    all[width] = std::move(one);
  }
  return all;
}

}  // namespace

TEST_CASE("In a browser nothing of a report is cut or too small, light and dark, and its tables sort and filter") {
  const std::string program = browser();
  if (program.empty()) {
    WARN("skipped: there is no Chromium in PATH");
    return;
  }
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "vectors.yaml",
      "name: vectors\ngpu: gtx580\nworkload: vector-add\nset: {args.blocks: 16}\n"
      "sweep: {args.length: [500, 64, 1000], sm.floating.latency: [16, 64]}\nbaseline: {sm.floating.latency: 16}\n"
      "table: [args.length, cycles, time_ms, sm.floating.latency, derived.occupancy, derived.issue_utilisation, "
      "derived.dram_bandwidth, derived.speedup, sm.thread_blocks, warp_instructions]\n"
      "figures:\n  - {title: by length, x: args.length, y: cycles, facet: sm.floating.latency}\n"
      "  - {title: bars, x: args.length, y: derived.speedup, series: sm.floating.latency, kind: bars}\n"
      "checks:\n  - says: A statement that is long enough to take several lines of a narrow table, as those of sources "
      "do\n"
      "    source: an invented source with a long name, section 4.3.4, Figure 4.3\n    values:\n"
      "      fastest: {minimum: cycles, published: 1234.5}\n      slowest: {maximum: cycles}\n"
      "    holds: fastest > slowest\n"
      "    deviates: a reason that is long as well, since it names what is different here and why that is so\n");
  const Outcome outcome = run({"run", file, "-o", folder / "out", "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  std::string html = contents(folder / "out/report.html");
  html.insert(html.rfind("</body>"), measure);
  const std::string page = folder.write("page.html", html),
                    around = folder.write("frames.html", frames_of(page, {390, 1280, 1920}));
  for (const bool dark : {false, true}) {
    const auto all = told(document_of(program, around, dark, folder));
    REQUIRE(all.size() == 3);
    for (const auto& [width, one] : all) {
      INFO((dark ? "dark, " : "light, ") << width << " pixels");
      CHECK(one.at("overflow") == "0");
      CHECK(one.at("cut") == "0");
      CHECK(one.at("pictures") == "3");  // one of each pair
      CHECK(std::stod(one.at("smallest")) >= 9.5);
      CHECK((std::stod(one.at("paper")) < 0.2) == dark);
      CHECK(std::stod(one.at("contrast")) > 0.4);
      std::istringstream up(one.at("up")), down(one.at("down"));
      std::vector<int> rising, falling;
      for (std::string number; up >> number;) rising.push_back(std::stoi((std::erase(number, ','), number)));
      for (std::string number; down >> number;) falling.push_back(std::stoi((std::erase(number, ','), number)));
      CHECK(rising.size() == 6);
      CHECK(std::is_sorted(rising.begin(), rising.end()));
      CHECK(std::is_sorted(falling.rbegin(), falling.rend()));
      CHECK(one.at("chosen") == "2 of 6 rows");  // length 64
      CHECK(one.at("filtered") == "0 of 6 rows");
    }
  }
}
