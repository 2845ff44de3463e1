// Expected results.

#include <array>

#include "sim/workload/reader/kinds.hpp"
#include "sim/workload/reader/reader.hpp"

namespace lockstep::workload {

namespace {

struct ExpectationKind {
  std::string_view key;
  Expectation::Kind kind;
};
constexpr auto expectation_kinds = std::to_array<ExpectationKind>({
    {"kernel", Expectation::Kind::kernel},
    {"file", Expectation::Kind::file},
    {"constant", Expectation::Kind::constant},
    {"copy", Expectation::Kind::copy},
    {"values", Expectation::Kind::values},
    {"each", Expectation::Kind::each},
    {"arithmetic_chain", Expectation::Kind::arithmetic_chain},
});
const std::vector<std::string> comparison_keys{"first", "count", "absolute", "relative"};

/// The keys that a kind may have beside its own and those of the comparison.
std::vector<std::string> keys_beside(Expectation::Kind kind) {
  switch (kind) {
    case Expectation::Kind::kernel: return {"entry", "grid", "block", "parameters", "repeat", "launches", "buffers"};
    case Expectation::Kind::arithmetic_chain: return {"operation", "chains", "length", "a", "b"};
    default: return {};
  }
}

}  // namespace

ExpectSpec Reader::read_expected_memory(const Value& name, const Value& value) {
  const std::size_t memory = memory_index(name);
  return {memory, name.where,
          selected<Expectation>(value, [&](const Value& v) { return read_expectation(v, memory); })};
}

Expectation Reader::read_expectation(const Value& value, std::size_t memory) {
  Expectation expectation;
  expectation.where = value.where;
  if (value.kind == Value::Kind::scalar && value.text == "unchecked") return expectation;
  as_map(value, "an expected result");
  const ExpectationKind* kind = kind_of(expectation_kinds, value);
  // The launches of a reference may each have a kernel of their own.
  if (kind == nullptr && value.find("launches") != nullptr) kind = &expectation_kinds.front();
  if (kind == nullptr) {
    spoil(value.where,
          fmt::format("an expected result is 'unchecked', or needs exactly one of: {}", keys_of(expectation_kinds)));
  }
  expectation.kind = kind->kind;
  std::vector<std::string> known = keys_beside(kind->kind);
  known.insert(known.end(), comparison_keys.begin(), comparison_keys.end());
  known.emplace_back(kind->key);
  check_keys(value, known);
  expectation.options = read_options(value, comparison_keys);

  const Value* main = value.find(kind->key);
  switch (kind->kind) {
    case Expectation::Kind::unchecked: break;
    case Expectation::Kind::kernel:
      if (memory >= result_.buffers.size()) {
        spoil(value.where,
              "a reference kernel writes the expected result to the buffer of the same name; this is a variable");
      }
      read_reference_kernel(value, expectation);
      break;
    case Expectation::Kind::file: expectation.file = file(*main); break;
    case Expectation::Kind::values: expectation.values = expressions(*main); break;
    case Expectation::Kind::constant: expectation.each = expression(*main); break;
    case Expectation::Kind::copy: expectation.input = memory_index(*main); break;
    case Expectation::Kind::each:
      local_.emplace_back("i");
      part([&] { expectation.each = expression(*main); });
      local_.pop_back();
      break;
    case Expectation::Kind::arithmetic_chain:
      expectation.input = memory_index(*main);
      expectation.argument = choice_argument(needed(value, "operation"));
      for (const char* option : {"chains", "length", "a", "b"}) {
        expectation.options.emplace(option, expression(needed(value, option)));
      }
      break;
  }
  return expectation;
}

void Reader::read_reference_kernel(const Value& map, Expectation& expectation) {
  // A reference sees arguments, values and buffers, and is alone with its own buffers.
  const std::vector<std::string> known = known_;
  const std::size_t buffers = result_.buffers.size();
  std::vector<BufferSpec> variables;
  std::vector<TextureSpec> textures;
  std::swap(variables, result_.variables);
  std::swap(textures, result_.textures);
  auto reference = std::make_shared<Descriptor>();
  part([&] {
    if (const Value* own = map.find("buffers")) {
      declare_buffers(*own);
      read_buffer_contents(*own, buffers);
    }
    for (const BufferSpec& variable : variables) {
      std::erase(known_, variable.name);
      std::erase(known_, variable.name + ".count");
    }
    reference->launches = read_launches(map);
  });
  reference->path = result_.path;
  reference->name = result_.name;
  reference->arguments = result_.arguments;
  reference->values = result_.values;
  reference->buffers = result_.buffers;
  reference->instruction_limit = result_.instruction_limit;
  reference->resident_blocks = result_.resident_blocks;
  reference->call_depth = result_.call_depth;
  expectation.reference = std::move(reference);
  result_.buffers.resize(buffers);
  std::swap(variables, result_.variables);
  std::swap(textures, result_.textures);
  known_ = known;
}

}  // namespace lockstep::workload
