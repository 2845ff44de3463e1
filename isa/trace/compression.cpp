#include "isa/trace/compression.hpp"

#include <zstd.h>

#include <memory>
#include <new>

#include "isa/error.hpp"

namespace lockstep::trace {

namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

/// One context per thread and direction, made when first needed: they are large, and never shared.
ZSTD_CCtx* compression_context() {
  thread_local std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  return context.get();
}

ZSTD_DCtx* decompression_context() {
  thread_local std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  return context.get();
}

/// Where a frame's descriptor stands, and its flag for a checksum (RFC 8878, 3.1.1.1.1).
constexpr std::size_t descriptor_offset = 4;
constexpr std::byte checksum_flag{0x04};

/// A block of at most 128 KiB takes at least 4 bytes (RFC 8878, 3.1.1.2), so a frame cannot state more than this many
/// bytes per byte of its own.
constexpr unsigned long long most_content_per_byte = 32768;

}  // namespace

void compress_frame(std::span<const std::byte> raw, int level, std::vector<std::byte>& frame) {
  ZSTD_CCtx* const context = compression_context();
  frame.resize(ZSTD_compressBound(raw.size()));
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  const std::size_t size = ZSTD_compress2(context, frame.data(), frame.size(), raw.data(), raw.size());
  if (ZSTD_isError(size)) throw ResourceError(std::string("zstd cannot compress: ") + ZSTD_getErrorName(size));
  frame.resize(size);
}

const char* decompress_frame(std::span<const std::byte> frame, std::size_t limit, std::vector<std::byte>& raw) {
  const unsigned long long content = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (content == ZSTD_CONTENTSIZE_ERROR) return "no zstd frame";
  if (content == ZSTD_CONTENTSIZE_UNKNOWN) return "a zstd frame without content size";
  if ((frame[descriptor_offset] & checksum_flag) == std::byte{0}) return "a zstd frame without checksum";
  if (content > limit || content / most_content_per_byte > frame.size()) return "a zstd frame that is too large";
  raw.resize(static_cast<std::size_t>(content));
  const std::size_t size =
      ZSTD_decompressDCtx(decompression_context(), raw.data(), raw.size(), frame.data(), frame.size());
  if (ZSTD_isError(size)) return ZSTD_getErrorName(size);
  if (size != raw.size()) return "a zstd frame shorter than it states";
  return nullptr;
}

std::size_t frame_bound(std::size_t raw_bytes) {
  return ZSTD_compressBound(raw_bytes);
}

}  // namespace lockstep::trace
