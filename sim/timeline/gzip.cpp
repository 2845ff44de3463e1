#include "sim/timeline/gzip.hpp"

#include <zlib.h>

#include <algorithm>

#include "isa/error.hpp"

namespace lockstep::timeline {

std::string gzipped(const std::string& text) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw ResourceError("gzip: no memory");
  std::string compressed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  // zlib counts in 32 bits.
  std::size_t in = text.size(), out = compressed.size();
  int status = Z_OK;
  while (status == Z_OK) {
    const auto some = [](std::size_t left) { return static_cast<uInt>(std::min<std::size_t>(left, 1u << 30)); };
    const uInt given = some(in), room = some(out);
    stream.avail_in = given;
    stream.avail_out = room;
    status = deflate(&stream, given == in ? Z_FINISH : Z_NO_FLUSH);
    in -= given - stream.avail_in;
    out -= room - stream.avail_out;
  }
  compressed.resize(compressed.size() - out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw Bug("gzip did not finish");
  return compressed;
}

std::string as_file(const std::string& name, std::string text) {
  return name.ends_with(".gz") ? gzipped(text) : text;
}

}  // namespace lockstep::timeline
