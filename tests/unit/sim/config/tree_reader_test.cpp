#include <catch2/catch.hpp>

#include "sim/config/tree_reader.hpp"

namespace lockstep::tree_reader_test {

using namespace lockstep::config;

namespace {

/// Reads {size: WHOLE, name: TEXT, parts: [{weight: NUMBER}, ...]}.
class PartsReader : TreeReader {
 public:
  std::int64_t size = 0;
  std::string name;
  std::vector<double> weights;

  void read(const Value& root) {
    part([&] {
      check_keys(as_map(root, "a box"), {"size", "name", "parts"});
      part([&] { size = needed(root, "size").as_integer(); });
      part([&] { name = text(needed(root, "name")); });
      const Value* parts = root.find("parts");
      if (parts == nullptr) return;
      for (const Value& item : items_of(*parts)) {
        part([&] {
          check_keys(as_map(item, "a part"), {"weight"});
          weights.push_back(needed(item, "weight").as_number());
          if (weights.back() < 0) note(item.where, "a weight below 0");
        });
      }
    });
    throw_if_any();
  }
};

std::string errors_of(const std::string& yaml) {
  const Value root = parse_yaml(yaml, "box.yaml");
  try {
    PartsReader().read(root);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A tree reader takes what is right") {
  PartsReader reader;
  const Value root = parse_yaml("size: 3\nname: [x]\n", "box.yaml");
  CHECK_THROWS_WITH(reader.read(root), "box.yaml:2:7: expected a single value");
  CHECK(reader.size == 3);
  PartsReader one;
  one.read(parse_yaml("{size: 1, name: a, parts: {weight: 0.5}}", "box.yaml"));
  CHECK(one.weights == std::vector<double>{0.5});
}

TEST_CASE("A tree reader reports all errors of a file together, each at its place and in the order of places") {
  CHECK(errors_of("sise: 3\nname: a\nparts:\n  - {wieght: 1}\n  - 7\n  - {weight: many}\n  - {weight: -1}\n") ==
        "box.yaml:1:1: unknown key 'sise'; did you mean 'size'?\n"
        "box.yaml:1:1: there is no 'size'\n"
        "box.yaml:4:5: there is no 'weight'\n"
        "box.yaml:4:6: unknown key 'wieght'; did you mean 'weight'?\n"
        "box.yaml:5:5: a part is a map of keys and values\n"
        "box.yaml:6:14: expected a finite number (like 12, 0.5 or 1e6), found 'many'\n"
        "box.yaml:7:5: a weight below 0");
  CHECK(errors_of("[]") == "box.yaml:1:1: a box is a map of keys and values");
}

}  // namespace lockstep::tree_reader_test
