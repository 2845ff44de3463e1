#pragma once
// A YAML document as a tree that knows where every part stands in its file. This folder is the only place that sees
// yaml-cpp; everyone else reads this tree.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/error.hpp"

namespace lockstep::config {

class Value {
 public:
  enum class Kind : std::uint8_t { null, scalar, list, map };

  Kind kind = Kind::null;
  SourceLocation where;
  struct Entry;
  std::string text;            ///< Of a scalar, as written.
  bool quoted = false;         ///< The scalar was written in quotes: always a string.
  std::vector<Value> items;    ///< Of a list.
  std::vector<Entry> entries;  ///< Of a map: key (a scalar) and value, in file order.

  const Value* find(std::string_view key) const;  ///< Null when this is not a map or has no such key.

  /// Conversions; InputError with file:line:column, what was found and what would be right.
  std::string as_string() const;
  std::int64_t as_integer() const;  ///< Decimal, 0x hexadecimal, or with KiB, MiB, GiB; never octal.
  double as_number() const;
  bool as_bool() const;  ///< true or false.
};

struct Value::Entry {
  Value first, second;
};

/// Reads one YAML document. InputError for syntax, duplicate keys, anchors and merge keys. A top-level `extends: FILE`
/// (relative to this file) is resolved: maps are merged key by key, anything else of this file replaces the other's.
Value load_yaml(const std::string& path);
/// The same from text; `name` stands for the file in messages.
Value parse_yaml(std::string_view text, const std::string& name);

/// Reports every key of `map` that is not in `known`, with the nearest known name.
void check_keys(const Value& map, const std::vector<std::string>& known, Diagnostics& diagnostics);

/// Where configs/ and traces/ are: the folder named by LOCKSTEP_HOME, else found upwards from the program's own file,
/// else from the working directory. ResourceError when there is none.
std::string home_directory();
/// A folder below the home directory whose files have names.
struct NamedFolder {
  std::string_view path;
  bool with_subfolders = false;
};
/// `name` as a path if such a file exists, else NAME.yaml in `folder`; InputError with the nearest name and the list of
/// what there is, and for two files of one name in subfolders. Upper and lower case count as the same in a name.
std::string find_named_file(const NamedFolder& folder, const std::string& name);
inline std::string find_named_file(std::string_view folder, const std::string& name) {
  return find_named_file(NamedFolder{folder}, name);
}
/// The same in the first of several folders that has it.
std::string find_named_file(const std::vector<NamedFolder>& folders, const std::string& name);
/// The names that find_named_file finds in a folder, sorted.
std::vector<std::string> list_named_files(const NamedFolder& folder);
inline std::vector<std::string> list_named_files(std::string_view folder) {
  return list_named_files(NamedFolder{folder});
}

}  // namespace lockstep::config
