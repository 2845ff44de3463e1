// The only file that sees yaml-cpp. It is read event by event: the node interface of version 0.7 hides anchors and
// duplicate keys.

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <unordered_map>

#include "isa/did_you_mean.hpp"
#include "isa/input_file.hpp"
#include "sim/config/layers.hpp"

namespace lockstep::config {

namespace {

SourceLocation location(const std::string& file, const YAML::Mark& mark) {
  if (mark.is_null()) return {file, 0, 0};
  return {file, mark.line + 1, mark.column + 1};
}

/// Builds the tree of one document and collects everything in it that we do not allow.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  Value take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_extras(mark, "", anchor);
    Value value;
    value.where = location(file_, mark);
    add(std::move(value));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    diagnostics_.add(location(file_, mark), "references to anchors (*name) are not supported; use `extends`");
    add({});
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    refuse_extras(mark, tag, anchor);
    Value value;
    value.where = location(file_, mark);
    value.quoted = tag == "!";
    if (value.quoted || (!text.empty() && text != "~" && text != "null")) {
      value.kind = Value::Kind::scalar;
      value.text = text;
    }
    add(std::move(value));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Value::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Value::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    Value value;
    Value key;
    bool has_key = false;
    std::unordered_map<std::string, SourceLocation> places;  ///< Of the keys of a map.
  };

  void refuse_extras(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) diagnostics_.add(location(file_, mark), "anchors (&name) are not supported; use `extends`");
    if (!tag.empty() && tag != "?" && tag != "!") {
      diagnostics_.add(location(file_, mark), fmt::format("tags ({}) are not supported", tag));
    }
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Value::Kind kind) {
    refuse_extras(mark, tag, anchor);
    Level level;
    level.value.kind = kind;
    level.value.where = location(file_, mark);
    levels_.push_back(std::move(level));
  }

  void close() {
    Value value = std::move(levels_.back().value);
    levels_.pop_back();
    add(std::move(value));
  }

  void add(Value value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return;
    }
    Level& level = levels_.back();
    if (level.value.kind == Value::Kind::list) {
      level.value.items.push_back(std::move(value));
    } else if (!level.has_key) {
      check_key(level, value);
      level.key = std::move(value);
      level.has_key = true;
    } else {
      level.value.entries.push_back({std::move(level.key), std::move(value)});
      level.key = {};
      level.has_key = false;
    }
  }

  void check_key(Level& level, const Value& key) {
    if (key.kind != Value::Kind::scalar) {
      diagnostics_.add(key.where, "a key must be a name");
      return;
    }
    if (key.text == "<<" && !key.quoted) {
      diagnostics_.add(key.where, "merge keys (<<) are not supported; use `extends`");
      return;
    }
    const auto [first, is_new] = level.places.emplace(key.text, key.where);
    if (is_new) return;
    diagnostics_.add(key.where, fmt::format("the key '{}' appears twice; its first place is {}", key.text,
                                            to_string(first->second)));
  }

  const std::string& file_;
  Diagnostics& diagnostics_;
  Value root_;
  std::vector<Level> levels_;
};

/// yaml-cpp takes some control characters for its own end mark and stops there without a word.
void check_characters(std::string_view text, const std::string& name) {
  SourceLocation where{name, 1, 1};
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f) {
      throw InputError(where, fmt::format("control character 0x{:02x}: this is not YAML text", byte));
    }
    ++where.column;
    if (c == '\n') {
      ++where.line;
      where.column = 1;
    }
  }
}

Value parse_document(std::string_view text, const std::string& name) {
  check_characters(text, name);
  Diagnostics diagnostics;
  TreeBuilder builder(name, diagnostics);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      Value empty;
      empty.where = {name, 1, 1};
      return empty;
    }
    TreeBuilder second(name, diagnostics);
    if (parser.HandleNextDocument(second)) {
      throw InputError(SourceLocation{name, 0, 0}, "more than one YAML document (---) in one file");
    }
  } catch (const YAML::DeepRecursion& error) {  // Its own text is of something else: "bad file".
    throw InputError(
        location(name, error.mark),
        fmt::format("YAML: lists and maps are nested {} deep or deeper, which is not supported", error.depth()));
  } catch (const YAML::Exception& error) {
    throw InputError(location(name, error.mark), "YAML: " + error.msg);
  }
  diagnostics.throw_if_any();
  return builder.take();
}

constexpr std::size_t most_extends = 64;

/// A path that two names of one file have in common; a pipe has only the one that it was given.
std::string identity_of(const std::filesystem::path& path) {
  std::error_code none;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(path, none);
  return none ? path.string() : canonical.string();
}

/// The file that a document at `path` extends: from its folder, or a committed one by its name.
std::filesystem::path extended_file(const std::string& path, const Value& extends) {
  const std::filesystem::path given = extends.as_string();
  const std::filesystem::path target = (std::filesystem::path(path).parent_path() / given).lexically_normal();
  std::error_code unusable;  // A name that is too long, or a folder that may not be read.
  if (std::filesystem::exists(target, unusable)) return target;
  std::string hint;
  if (given == given.filename()) {
    std::vector<std::string> all;
    for (const NamedFolder& folder :
         {NamedFolder{"configs/gpus"}, NamedFolder{"configs/gpus/generations"},
          NamedFolder{"configs/experiments", true}, NamedFolder{"traces/workloads", true}}) {
      for (const std::string& name : list_named_files(folder)) {
        if (name == given.stem()) return find_named_file(folder, name + ".yaml");
        all.push_back(name);
      }
    }
    hint = did_you_mean(given.stem().string(), all);
  }
  throw InputError(
      extends.where,
      fmt::format("extends '{}', but there is no such file; expected a path relative to the folder of this file, an "
                  "absolute path, or the name of a GPU, a generation, an experiment or a workload{}",
                  target.string(), hint));
}

void add_layers(const std::string& path, std::vector<std::string>& chain, std::vector<Value>& layers);

/// Appends what a document extends, then the document without its `extends`.
void add_document(Value document, const std::string& path, std::vector<std::string>& chain,
                  std::vector<Value>& layers) {
  const auto is_extends = [](const auto& entry) { return entry.first.text == "extends"; };
  const auto found = std::find_if(document.entries.begin(), document.entries.end(), is_extends);
  if (found != document.entries.end()) {
    const SourceLocation where = found->second.where;
    const std::filesystem::path target = extended_file(path, found->second);
    document.entries.erase(found);
    const std::string identity = identity_of(target);
    if (std::find(chain.begin(), chain.end(), identity) != chain.end()) {
      throw InputError(where, fmt::format("extends '{}', which extends this file again", target.string()));
    }
    if (chain.size() > most_extends)
      throw InputError(where, fmt::format("at most {} files may extend each other in a row", most_extends));
    add_layers(target.string(), chain, layers);
  }
  layers.push_back(std::move(document));
}

void add_layers(const std::string& path, std::vector<std::string>& chain, std::vector<Value>& layers) {
  const std::string text = read_whole_file(path, most_text_bytes);
  chain.push_back(identity_of(path));
  add_document(parse_document(text, path), path, chain, layers);
}

Value merged(std::vector<Value> layers) {
  Value tree = std::move(layers.front());
  for (std::size_t layer = 1; layer < layers.size(); ++layer) merge(tree, std::move(layers[layer]));
  return tree;
}

}  // namespace

void merge(Value& base, Value over) {
  if (base.kind != Value::Kind::map || over.kind != Value::Kind::map) {
    base = std::move(over);
    return;
  }
  base.where = over.where;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < base.entries.size(); ++i) places.emplace(base.entries[i].first.text, i);
  for (auto& [key, value] : over.entries) {
    const auto [found, is_new] = places.emplace(key.text, base.entries.size());
    if (is_new) {
      base.entries.push_back({std::move(key), std::move(value)});
    } else {
      base.entries[found->second].first = std::move(key);
      merge(base.entries[found->second].second, std::move(value));
    }
  }
}

std::vector<Value> load_layers(const std::string& path) {
  std::vector<std::string> chain;
  std::vector<Value> layers;
  add_layers(path, chain, layers);
  return layers;
}

Value load_yaml(const std::string& path) {
  return merged(load_layers(path));
}

Value parse_yaml(std::string_view text, const std::string& name) {
  std::vector<std::string> chain;
  std::vector<Value> layers;
  add_document(parse_document(text, name), name, chain, layers);
  return merged(std::move(layers));
}

}  // namespace lockstep::config
