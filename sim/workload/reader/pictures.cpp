// Pictures.

#include "sim/workload/reader/reader.hpp"

namespace lockstep::workload {

PictureSpec Reader::read_picture(const Value& name, const Value& value) {
  check_keys(as_map(value, "a picture"), {"buffer", "width", "height", "type", "bits", "white", "first"});
  if (!name.text.empty() && (name.text.find('/') != std::string::npos || name.text[0] == '.'))
    note(name.where, "the name of a picture is also that of a file: no '/', no leading '.'");
  const Value& buffer = needed(value, "buffer");
  PictureSpec picture{name.text,
                      value.where,
                      buffer_index(buffer),
                      false,
                      expression(needed(value, "width")),
                      expression(needed(value, "height")),
                      {},
                      {},
                      {},
                      false};
  if (const Value* type = value.find("type")) picture.rgb = word(*type, {"grey", "rgb"}).text == "rgb";
  if (const Value* first = value.find("first")) picture.first = expression(*first);
  const Value *bits = value.find("bits"), *white = value.find("white");
  if (bits != nullptr && white != nullptr) spoil(white->where, "give either 'bits' or 'white', not both");
  if (bits != nullptr) picture.bits = expression(*bits);
  if (white != nullptr && white->text == "largest") {
    picture.white_is_largest = true;
  } else if (white != nullptr) {
    picture.white = expression(*white);
  }
  if (bits != nullptr || white != nullptr) return picture;
  for (const BufferContents& contents : result_.buffers[picture.buffer].contents.alternatives) {
    if (contents.type == ElementType::u8 || contents.type == ElementType::u16) continue;
    spoil(value.where,
          fmt::format("a picture of elements of type {} needs 'bits', or 'white', the element that is white "
                      "('largest': the largest that is there)",
                      name_of(contents.type)));
  }
  return picture;
}

}  // namespace lockstep::workload
