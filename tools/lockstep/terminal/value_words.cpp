#include "tools/lockstep/terminal/value_words.hpp"

#include <algorithm>
#include <array>

namespace lockstep::cli {

namespace {

/// What a kind of value is completed from.
struct Kind {
  std::string_view name;
  std::array<std::string_view, 2> topics = {};
  bool files = false, folders = false, paths = false;
};

constexpr std::array kinds = {
    Kind{"EXPERIMENT", {"experiments", "workloads"}, true},
    Kind{"WORKLOAD", {"workloads"}, true},
    Kind{"GRAPH", {"graphs"}, true},
    Kind{"SUBJECT", {"workloads"}, true, true},
    Kind{"A", {"workloads"}, true, true},
    Kind{"B", {"workloads"}, true, true},
    Kind{"SUITE", {"suites"}, true},
    Kind{"SPEC", {"hashes"}},
    Kind{"PATH=VALUE", {}, false, false, true},
    Kind{"TRACE", {}, true},
    Kind{"FILE", {}, true},
    Kind{"KERNEL", {}, true},
    Kind{"KERNELSLIST", {}, true},
    Kind{"GPU", {}, true},
    Kind{"DIR", {}, false, true},
    Kind{"FOLDER", {}, false, true},
};

/// Words of kinds that have few.
struct KindWords {
  std::string_view name;
  std::vector<std::string> words;
};
const std::vector<KindWords>& kind_words() {
  static const std::vector<KindWords> all = {
      {"SHELL", {"bash", "zsh"}},
      {"TOPIC", {"gpus", "workloads", "experiments", "hashes", "operations", "params", "stats"}}};
  return all;
}

/// Options whose value is a name: of what.
struct NamingOption {
  std::string_view option, topic;
};
constexpr std::array naming_options = {NamingOption{"--gpu", "gpus"}, NamingOption{"--with-gpu", "gpus"},
                                       NamingOption{"--from", "gpus"}, NamingOption{"--statistic", "stats"},
                                       NamingOption{"--family", "hashes"}};

}  // namespace

ValueWords value_words(const OptionText& option) {
  ValueWords found;
  for (const NamingOption& naming : naming_options)
    if (std::find(option.names.begin(), option.names.end(), naming.option) != option.names.end())
      found.topics.push_back(naming.topic);
  std::string_view rest = option.value;
  while (!rest.empty()) {
    const std::size_t bar = rest.find('|');
    std::string_view word = rest.substr(0, bar);
    rest.remove_prefix(bar == std::string_view::npos ? rest.size() : bar + 1);
    if (word != "PATH=VALUE") word = word.substr(0, word.find_first_of(".,["));
    if (!word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos)
      found.words.emplace_back(word);
    for (const KindWords& kind : kind_words())
      if (kind.name == word) found.words = kind.words;
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [word](const Kind& one) { return one.name == word; });
    if (kind == kinds.end()) continue;
    for (const std::string_view topic : kind->topics)
      if (!topic.empty()) found.topics.push_back(topic);
    found.files |= kind->files;
    found.folders |= kind->folders;
    found.paths |= kind->paths;
  }
  return found;
}

}  // namespace lockstep::cli
