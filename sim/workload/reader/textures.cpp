// Textures.

#include "isa/did_you_mean.hpp"
#include "sim/workload/reader/reader.hpp"

#include "isa/exec/textures/texture.hpp"

namespace lockstep::workload {

namespace {

struct Field {
  std::string key;
  std::vector<std::string> words;
};

const std::vector<Field>& word_fields() {
  static const std::vector<Field> fields = [] {
    std::vector<std::string> formats;
    for (const char* type : {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"}) {
      for (const char* channels : {"", "x2", "x4"}) formats.push_back(fmt::format("{}{}", type, channels));
    }
    return std::vector<Field>{{"format", formats},
                              {"layout", {"linear", "pitch", "array"}},
                              {"filter", {"point", "linear"}},
                              {"read", {"element", "normalized"}},
                              {"normalized", {"true", "false"}}};
  }();
  return fields;
}

const std::vector<std::string> number_fields{"width", "height", "depth", "layers", "pitch"};
const std::vector<std::string> address_modes{"wrap", "clamp", "mirror", "border"};

}  // namespace

TextureSpec::Word Reader::word(const Value& value, const std::vector<std::string>& possible) {
  const std::string name = text(value);
  if (std::find(possible.begin(), possible.end(), name) == possible.end()) {
    spoil(value.where, fmt::format("'{}' is not possible here{}; there is: {}", name, did_you_mean(name, possible),
                                   fmt::join(possible, ", ")));
  }
  return {name, value.where};
}

void Reader::read_texture(const Value& value, TextureSpec& texture) {
  as_map(value, "a texture");
  std::vector<std::string> known{"buffer", "address"};
  for (const Field& field : word_fields()) known.push_back(field.key);
  known.insert(known.end(), number_fields.begin(), number_fields.end());
  check_keys(value, known);
  const auto number = [&](const Value& v) { return expression(v); };
  texture.buffer = selected<LocatedExpression>(needed(value, "buffer"), number);
  for (const std::string& key : number_fields) {
    if (const Value* given = value.find(key)) {
      part([&] { texture.numbers.emplace(key, selected<LocatedExpression>(*given, number)); });
    }
  }
  for (const Field& field : word_fields()) {
    const Value* given = value.find(field.key);
    if (given == nullptr) continue;
    part([&] {
      texture.words.emplace(field.key,
                            selected<TextureSpec::Word>(*given, [&](const Value& v) { return word(v, field.words); }));
    });
  }
  if (const Value* given = value.find("address")) {
    part([&] {
      texture.address = selected<std::vector<TextureSpec::Word>>(*given, [&](const Value& v) {
        std::vector<TextureSpec::Word> modes;
        if (v.kind != Value::Kind::list) {
          modes.push_back(word(v, address_modes));
          return modes;
        }
        if (v.items.empty() || v.items.size() > 3) spoil(v.where, "address modes are one word, or a list for x, y, z");
        for (const Value& item : v.items) modes.push_back(word(item, address_modes));
        return modes;
      });
    });
  }
}

}  // namespace lockstep::workload
