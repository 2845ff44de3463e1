#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/config/value.hpp"
#include "tests/places.hpp"
#include "tests/temporary_folder.hpp"

namespace lockstep::value_test {

using namespace lockstep::config;
using Catch::Matchers::Contains;

namespace {

/// The message of the InputError that `text` causes, or "" when it is read without one.
std::string mistake(const std::string& text) {
  try {
    parse_yaml(text, "a.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

Value scalar(const std::string& text) {
  return *parse_yaml("key: " + text, "a.yaml").find("key");
}

/// Sets an environment variable for one test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { old_.empty() ? unsetenv(name_) : setenv(name_, old_.c_str(), 1); }

 private:
  const char* name_;
  std::string old_;
};

}  // namespace

TEST_CASE("A tree keeps order, nesting and places") {
  const Value root = parse_yaml("first: 1\nmap:\n  list: [a, 'b', {c: 2}]\n  nothing:\n", "a.yaml");
  REQUIRE(root.kind == Value::Kind::map);
  REQUIRE(root.entries.size() == 2);
  CHECK(root.entries[0].first.text == "first");
  const Value* map = root.find("map");
  REQUIRE(map != nullptr);
  const Value* list = map->find("list");
  REQUIRE(list != nullptr);
  REQUIRE(list->items.size() == 3);
  CHECK_FALSE(list->items[0].quoted);
  CHECK(list->items[1].quoted);
  CHECK(list->items[1].where.line == 3);
  CHECK(list->items[1].where.column == 13);
  CHECK(list->items[2].find("c")->as_integer() == 2);
  CHECK(map->find("nothing")->kind == Value::Kind::null);
  CHECK(map->find("absent") == nullptr);
  CHECK(list->find("c") == nullptr);
}

TEST_CASE("Whole numbers are decimal, hexadecimal or sizes, and never octal") {
  CHECK(scalar("010").as_integer() == 10);
  CHECK(scalar("0x1F").as_integer() == 31);
  CHECK(scalar("-7").as_integer() == -7);
  CHECK(scalar("48 KiB").as_integer() == 49152);
  CHECK(scalar("2MiB").as_integer() == 2097152);
  CHECK(scalar("1 GiB").as_integer() == 1073741824);
  CHECK(scalar("9223372036854775807").as_integer() == INT64_MAX);
  CHECK_THROWS_WITH(scalar("9223372036854775808").as_integer(), Contains("a.yaml:1:6") && Contains("too large"));
  CHECK_THROWS_WITH(scalar("9007199254740992 KiB").as_integer(), Contains("too large"));
  for (const char* wrong : {"1.5", "1e3", "0o17", "12px", "KiB", "--1", "+-1", "0x", "4 kB", "'4'", "[4]", "true"}) {
    INFO(wrong);
    CHECK_THROWS_AS(scalar(wrong).as_integer(), InputError);
  }
  CHECK_THROWS_WITH(scalar("").as_integer(), Contains("found nothing") && Contains("whole number"));
}

TEST_CASE("Numbers are finite decimals") {
  CHECK(scalar("0.5").as_number() == 0.5);
  CHECK(scalar("-1.25e2").as_number() == -125.0);
  CHECK(scalar("12").as_number() == 12.0);
  CHECK(scalar("2 KiB").as_number() == 2048.0);
  CHECK(scalar("+3.5").as_number() == 3.5);
  for (const char* wrong : {"inf", ".inf", "nan", "1e999", "1,5", "'0.5'", "+-1.5", "{}"}) {
    INFO(wrong);
    CHECK_THROWS_AS(scalar(wrong).as_number(), InputError);
  }
}

TEST_CASE("Truth values are true and false alone") {
  CHECK(scalar("true").as_bool());
  CHECK_FALSE(scalar("false").as_bool());
  for (const char* wrong : {"yes", "on", "1", "True", "'true'"}) {
    INFO(wrong);
    CHECK_THROWS_WITH(scalar(wrong).as_bool(), Contains("true or false"));
  }
}

TEST_CASE("Texts keep what was written") {
  CHECK(scalar("010").as_string() == "010");
  CHECK(scalar("'null'").as_string() == "null");
  CHECK(scalar("''").as_string().empty());
  CHECK_THROWS_AS(scalar("null").as_string(), InputError);
  CHECK_THROWS_AS(scalar("[a]").as_string(), InputError);
}

TEST_CASE("Duplicate keys, anchors, merge keys and tags are errors, all reported at once") {
  const std::string message = mistake("a: 1\nb: &x {c: 2}\na: 3\nd: *x\n<<: {e: 1}\nf: !!int 3\n");
  CHECK_THAT(message, Contains("a.yaml:3:1: the key 'a' appears twice; its first place is a.yaml:1:1"));
  CHECK_THAT(message, Contains("a.yaml:2:4: anchors"));
  CHECK_THAT(message, Contains("a.yaml:4:4: references"));
  CHECK_THAT(message, Contains("a.yaml:5:1: merge keys"));
  CHECK_THAT(message, Contains("a.yaml:6:4: tags"));
  CHECK_THAT(mistake("m:\n  k: 1\n  k: 2\n"), Contains("a.yaml:3:3"));
  CHECK_THAT(mistake("? [a]\n: 1\n"), Contains("a key must be a name"));
}

TEST_CASE("Broken YAML is an error with its place") {
  CHECK_THAT(mistake("a: [1, 2\nb: 3\n"), Contains("a.yaml:2:"));
  CHECK_THAT(mistake("a: 1\n---\nb: 2\n"), Contains("more than one YAML document"));
  CHECK_THAT(mistake(std::string("a: 1\n\x04 b: 2\n")), Contains("a.yaml:2:1: control character 0x04"));
  const auto nested = [](std::size_t lists) { return "a: " + std::string(lists, '[') + std::string(lists, ']'); };
  CHECK_THAT(mistake(nested(5000)),
             Contains("a.yaml:1:") && Contains("lists and maps are nested") && Contains("deep or deeper"));
  CHECK(parse_yaml(nested(400), "a.yaml").kind == Value::Kind::map);
  CHECK(parse_yaml("", "a.yaml").kind == Value::Kind::null);
  CHECK(parse_yaml("# nothing\n", "a.yaml").kind == Value::Kind::null);
}

TEST_CASE("Unknown keys are reported with the nearest known one") {
  const Value root = parse_yaml("banks: 1\nlokcs: 2\nzzz: 3\n", "a.yaml");
  Diagnostics diagnostics;
  check_keys(root, {"banks", "locks"}, diagnostics);
  CHECK_THROWS_WITH(diagnostics.throw_if_any(),
                    "a.yaml:2:1: unknown key 'lokcs'; did you mean 'locks'?\n"
                    "a.yaml:3:1: unknown key 'zzz'; known here: banks, locks");
}

TEST_CASE("A file extends another one, map by map") {
  const test::TemporaryFolder folder;
  folder.write("base/base.yaml", "name: base\nsm:\n  banks: 32\n  locks: 1024\nlist: [1, 2]\n");
  const std::string path = folder.write("own.yaml", "extends: base/base.yaml\nsm:\n  banks: 16\nlist: [3]\nnew: 1\n");
  const Value root = load_yaml(path);
  CHECK(root.find("extends") == nullptr);
  CHECK(root.find("name")->as_string() == "base");
  CHECK(root.find("sm")->find("banks")->as_integer() == 16);
  CHECK(root.find("sm")->find("locks")->as_integer() == 1024);
  CHECK(root.find("list")->items.size() == 1);
  CHECK(root.find("new")->as_integer() == 1);
  CHECK_THAT(root.find("sm")->find("locks")->where.file, Catch::EndsWith("base.yaml"));
  CHECK_THAT(root.find("sm")->find("banks")->where.file, Catch::EndsWith("own.yaml"));
}

TEST_CASE("Extending nothing or oneself is an error") {
  const test::TemporaryFolder folder;
  const std::string lost = folder.write("lost.yaml", "a: 1\nextends: gone.yaml\n");
  CHECK_THROWS_WITH(load_yaml(lost), Contains("lost.yaml:2:10") && Contains("gone.yaml"));
  const std::string endless = folder.write("endless.yaml", "extends: " + std::string(300, 'x') + "\n");
  CHECK_THROWS_WITH(load_yaml(endless), Contains("endless.yaml:1:10") && Contains("no such file"));
  const std::string one = folder.write("one.yaml", "extends: two.yaml\n");
  folder.write("two.yaml", "extends: one.yaml\n");
  CHECK_THROWS_WITH(load_yaml(one), Contains("two.yaml:1:10") && Contains("again"));
  CHECK_THROWS_AS(load_yaml(folder.path() + "/none.yaml"), InputError);
  CHECK_THROWS_AS(load_yaml(folder.path()), InputError);
}

TEST_CASE("A file extends a committed GPU by its name from any folder, or what stands beside it") {
  const Environment home("LOCKSTEP_HOME", source_dir());
  const test::TemporaryFolder folder;
  const Value named = load_yaml(folder.write("mine.yaml", "extends: gtx580.yaml\nsms: 3\n"));
  CHECK(named.find("sms")->text == "3");
  CHECK(named.find("name")->text == "GTX 580");
  folder.write("k20.yaml", "name: beside it\n");
  CHECK(load_yaml(folder.write("other.yaml", "extends: k20.yaml\n")).find("name")->text == "beside it");
  CHECK_THROWS_WITH(load_yaml(folder.write("lost.yaml", "extends: gtx58.yaml\n")), Contains("did you mean 'gtx580'?"));
}

TEST_CASE("Named files are found below the home directory in any case, paths as they are") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() + "/traces");
  const std::string expected = folder.write("configs/gpus/gtx580.yaml", "name: x\n");
  folder.write("configs/gpus/k20.yaml", "name: y\n");
  const Environment home("LOCKSTEP_HOME", folder.path());
  CHECK(home_directory() == folder.path());
  CHECK(find_named_file("configs/gpus", "gtx580") == expected);
  CHECK(find_named_file("configs/gpus", "GTX580") == expected);
  CHECK(find_named_file("configs/gpus", "Gtx580.yaml") == expected);
  CHECK(find_named_file("configs/gpus", expected) == expected);
  CHECK(list_named_files("configs/gpus") == std::vector<std::string>{"gtx580", "k20"});
  CHECK_THROWS_WITH(find_named_file("configs/gpus", "gtx590"),
                    Contains("did you mean 'gtx580'") && Contains("gtx580, k20"));
  CHECK_THROWS_AS(find_named_file("configs/gpus", "."), InputError);
}

TEST_CASE("A name is found in subfolders where these count, and one file has it") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() + "/configs");
  const std::string deep = folder.write("traces/workloads/micro/deep/chase.yaml", "name: x\n");
  const std::string top = folder.write("traces/workloads/scan.yaml", "name: y\n");
  folder.write("traces/workloads/micro/README.md", "");
  const Environment home("LOCKSTEP_HOME", folder.path());
  const NamedFolder tree{"traces/workloads", true};
  CHECK(list_named_files(tree) == std::vector<std::string>{"chase", "scan"});
  CHECK(find_named_file(tree, "Chase") == deep);
  CHECK(find_named_file(tree, "scan.yaml") == top);
  CHECK(list_named_files("traces/workloads") == std::vector<std::string>{"scan"});
  CHECK_THROWS_WITH(find_named_file("traces/workloads", "chase"), Contains("there is: scan"));
  CHECK_THROWS_WITH(find_named_file(tree, "chas"), Contains("did you mean 'chase'"));
  const std::string second = folder.write("traces/workloads/other/chase.yaml", "name: z\n");
  CHECK_THROWS_WITH(find_named_file(tree, "chase"), Contains("'chase'") && Contains(deep) && Contains(second));
  CHECK_THROWS_WITH(list_named_files(tree), Contains("two files are named 'chase'"));
}

TEST_CASE("A home without configs is a resource that failed") {
  const test::TemporaryFolder folder;
  const Environment home("LOCKSTEP_HOME", folder.path());
  CHECK_THROWS_AS(home_directory(), ResourceError);
}

}  // namespace lockstep::value_test
