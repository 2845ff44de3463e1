// The scripts of `lockstep completion`, in the shells themselves.

#include <algorithm>

#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::completion_test {

using namespace lockstep::system_test;

namespace {

/// Whether a program can be started.
bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// What bash offers for the last of these words; sorted.
std::vector<std::string> offered_by_bash(const std::vector<std::string>& words, const TemporaryFolder& folder) {
  std::string script = "cd " + quoted(folder / ".") + "\nsource <(" + program_file() +
                       " completion bash) || exit 9\nCOMP_WORDS=(" + quoted(program_file());
  for (const std::string& word : words) script += " " + quoted(word);
  script += ")\nCOMP_CWORD=" + std::to_string(words.size()) + "\n_lockstep\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  std::ofstream(folder / "script.bash") << script;
  const std::string command =
      "LOCKSTEP_HOME=" + source_dir() + " bash --norc " + (folder / "script.bash") + " >" + (folder / "offered");
  REQUIRE(std::system(command.c_str()) == 0);
  std::istringstream in(contents(folder / "offered"));
  std::vector<std::string> offered;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) offered.push_back(line);
  std::sort(offered.begin(), offered.end());
  return offered;
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

TEST_CASE("bash completes commands, those of groups, and options") {
  const TemporaryFolder folder;
  CHECK(offered_by_bash({"rep"}, folder) == std::vector<std::string>{"replay", "report"});
  CHECK(offered_by_bash({"hash", "co"}, folder) == std::vector<std::string>{"count"});
  CHECK(offered_by_bash({"replay", "--time"}, folder) ==
        std::vector<std::string>{"--timeline", "--timeline-cycles", "--timeline-sms"});
  CHECK(has(offered_by_bash({"hash", "count", "--"}, folder), "--hash"));
  CHECK(has(offered_by_bash({"list", "-"}, folder), "-q"));
}

TEST_CASE("bash completes the names of GPUs, workloads, experiments, parameters and statistics, and files") {
  const TemporaryFolder folder;
  std::ofstream(folder / "transpose-of-mine.trace") << "x";
  CHECK(offered_by_bash({"replay", "t.trace", "--gpu", "gtx58"}, folder) == std::vector<std::string>{"gtx580"});
  CHECK(has(offered_by_bash({"trace", "trans"}, folder), "transpose"));
  CHECK(has(offered_by_bash({"trace", "trans"}, folder), "transpose-of-mine.trace"));
  CHECK(offered_by_bash({"run", "histogram-repl"}, folder) == std::vector<std::string>{"histogram-replication"});
  CHECK(offered_by_bash({"run", "histogram", "-s", "sm.scratchpad.bank_h"}, folder) ==
        std::vector<std::string>{"sm.scratchpad.bank_hash=", "sm.scratchpad.bank_hash_origin="});
  CHECK(offered_by_bash({"replay", "--statistic", "derived.ip"}, folder) == std::vector<std::string>{"derived.ipc"});
  CHECK(offered_by_bash({"swizzle", "transpose", "--objective", ""}, folder) ==
        std::vector<std::string>{"passes", "time"});
  CHECK(offered_by_bash({"list", "par"}, folder) == std::vector<std::string>{"params"});
}

TEST_CASE("zsh completes commands, options and names") {
  if (!is_installed("zsh")) {
    WARN("zsh is not installed");
    return;
  }
  const TemporaryFolder folder;
  const std::string functions = folder / "functions";
  std::filesystem::create_directory(functions);
  std::ofstream(functions + "/_lockstep") << run({"completion", "zsh"}).out;
  std::filesystem::create_symlink(program_file(), folder / "lockstep");
  // An interactive shell on a terminal of its own, to which keys are sent; what a key completes is in the line.
  std::ofstream(folder / "test.zsh") << R"script(
zmodload zsh/zpty
zpty shell "cd $FOLDER && PATH=$FOLDER:\$PATH zsh -f -i"
zpty -w shell "PROMPT=; RPROMPT=; fpath=($FOLDER/functions \$fpath); autoload -Uz compinit; compinit -u -d $FOLDER/dump; unsetopt zle_bracketed_paste 2>/dev/null"
zpty -w shell "report() { print -r -- \"LINE=<\$BUFFER>\" >> $FOLDER/lines; BUFFER=; }; zle -N report; bindkey '^X' report; print ready"
zpty -r shell seen '*ready*ready*'
lines=0
for keys in "lockstep repl" "lockstep hash coun" "lockstep replay t.trace --gpu gtx58" "lockstep run histogram-repli" "lockstep replay --konat" "lockstep trace histogram -s sm.scratchpad.bank_hash_o"; do
  zpty -w -n shell "$keys"$'\t'$'\x18'
  for ((i = 0; i < 600; i++)); do
    [[ -e $FOLDER/lines && "$(wc -l < $FOLDER/lines)" -gt $lines ]] && break
    sleep 0.1
    zpty -r -t shell seen >/dev/null
  done
  ((lines++))
done
zpty -d shell
)script";
  const std::string command = "FOLDER=" + (folder / ".") + " LOCKSTEP_HOME=" + source_dir() +
                              " TERM=dumb timeout 120 zsh -f " + (folder / "test.zsh") + " </dev/null >" +
                              (folder / "log") + " 2>&1";
  std::system(command.c_str());
  INFO(contents(folder / "log"));
  REQUIRE(std::filesystem::exists(folder / "lines"));
  CHECK(contents(folder / "lines") ==
        "LINE=<lockstep replay >\n"
        "LINE=<lockstep hash count >\n"
        "LINE=<lockstep replay t.trace --gpu gtx580 >\n"
        "LINE=<lockstep run histogram-replication >\n"
        "LINE=<lockstep replay --konata >\n"
        "LINE=<lockstep trace histogram -s sm.scratchpad.bank_hash_origin=>\n");
}

}  // namespace lockstep::completion_test
