#pragma once
// Texture and surface objects of a launch folder on a GPU.

#include <cuda.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "launch_folder.hpp"

namespace lockstep::capture {

/// Throws what the driver says about `what`, unless all is well.
inline void check(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  throw std::runtime_error(what + ": " + (text != nullptr ? text : "unknown error"));
}

/// By the names of workloads.
inline CUaddress_mode address_mode(const std::string& name) {
  if (name == "wrap") return CU_TR_ADDRESS_MODE_WRAP;
  if (name == "mirror") return CU_TR_ADDRESS_MODE_MIRROR;
  return name == "border" ? CU_TR_ADDRESS_MODE_BORDER : CU_TR_ADDRESS_MODE_CLAMP;
}

/// Of one channel.
inline CUarray_format array_format(const Texture& t) {
  const char kind = t.format[0];
  switch (t.bits()) {
    case 8: return kind == 'u' ? CU_AD_FORMAT_UNSIGNED_INT8 : CU_AD_FORMAT_SIGNED_INT8;
    case 16:
      return kind == 'f' ? CU_AD_FORMAT_HALF : kind == 'u' ? CU_AD_FORMAT_UNSIGNED_INT16 : CU_AD_FORMAT_SIGNED_INT16;
    default:
      return kind == 'f' ? CU_AD_FORMAT_FLOAT : kind == 'u' ? CU_AD_FORMAT_UNSIGNED_INT32 : CU_AD_FORMAT_SIGNED_INT32;
  }
}

/// The objects of the folder's textures. Linear and pitch-linear ones lie in their buffers; arrays have memory of their
/// own, filled from the buffers before the first launch.
class TextureObjects {
 public:
  explicit TextureObjects(Folder& folder) : folder_(folder) {
    for (const Texture& t : folder.textures) {
      arrays_.push_back(nullptr);
      objects_.push_back(object_of(t));
    }
    for (ObjectWord& word : folder.objects) word.object = objects_.at(word.texture);
  }
  ~TextureObjects() {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      if (folder_.textures[i].is_surface()) {
        cuSurfObjectDestroy(objects_[i]);
      } else {
        cuTexObjectDestroy(objects_[i]);
      }
      if (arrays_[i] != nullptr) cuArrayDestroy(arrays_[i]);
    }
  }
  TextureObjects(const TextureObjects&) = delete;
  TextureObjects& operator=(const TextureObjects&) = delete;

  void fill(const std::vector<std::vector<char>>& inputs) const {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (arrays_[i] == nullptr) continue;
      const Texture& t = folder_.textures[i];
      CUDA_MEMCPY3D copy = copy_of(t);
      copy.srcMemoryType = CU_MEMORYTYPE_HOST;
      copy.srcHost = inputs.at(t.buffer).data() + t.offset;
      copy.srcPitch = t.row_bytes();
      copy.srcHeight = t.rows();
      copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
      copy.dstArray = arrays_[i];
      check(cuMemcpy3D(&copy), "filling texture " + t.name);
    }
  }

  /// Puts what surface stores have left in arrays where it stands in the buffer of the functional machine.
  void collect(std::size_t buffer, std::vector<char>& bytes) const {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const Texture& t = folder_.textures[i];
      if (arrays_[i] == nullptr || !t.is_surface() || t.buffer != buffer) continue;
      CUDA_MEMCPY3D copy = copy_of(t);
      copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
      copy.srcArray = arrays_[i];
      copy.dstMemoryType = CU_MEMORYTYPE_HOST;
      copy.dstHost = bytes.data() + t.offset;
      copy.dstPitch = t.row_bytes();
      copy.dstHeight = t.rows();
      check(cuMemcpy3D(&copy), "reading surface " + t.name);
    }
  }

 private:
  static CUDA_MEMCPY3D copy_of(const Texture& t) {
    CUDA_MEMCPY3D copy = {};
    copy.WidthInBytes = t.row_bytes();
    copy.Height = t.rows();
    copy.Depth = t.slices();
    return copy;
  }

  CUarray array_of(const Texture& t) {
    CUDA_ARRAY3D_DESCRIPTOR description = {};
    description.Width = t.width;
    description.Height = t.height;
    description.Depth = t.layers > 0 ? t.layers : t.depth;
    description.Format = array_format(t);
    description.NumChannels = t.channels();
    if (t.layers > 0) description.Flags |= CUDA_ARRAY3D_LAYERED;
    if (t.is_surface()) {
      description.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
    } else if (t.height > 0 && t.depth == 0 && t.layers == 0) {
      description.Flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
    }
    CUarray array = nullptr;
    check(cuArray3DCreate(&array, &description), "array of texture " + t.name);
    return array;
  }

  std::uint64_t object_of(const Texture& t) {
    const CUdeviceptr address = folder_.buffers.at(t.buffer).address + t.offset;
    CUDA_RESOURCE_DESC resource = {};
    if (t.layout == "array") {
      arrays_.back() = array_of(t);
      resource.resType = CU_RESOURCE_TYPE_ARRAY;
      resource.res.array.hArray = arrays_.back();
    } else if (t.layout == "linear") {
      resource.resType = CU_RESOURCE_TYPE_LINEAR;
      resource.res.linear.devPtr = address;
      resource.res.linear.format = array_format(t);
      resource.res.linear.numChannels = t.channels();
      resource.res.linear.sizeInBytes = t.row_bytes();
    } else {
      resource.resType = CU_RESOURCE_TYPE_PITCH2D;
      resource.res.pitch2D.devPtr = address;
      resource.res.pitch2D.format = array_format(t);
      resource.res.pitch2D.numChannels = t.channels();
      resource.res.pitch2D.width = t.width;
      resource.res.pitch2D.height = t.height;
      resource.res.pitch2D.pitchInBytes = t.pitch != 0 ? t.pitch : t.row_bytes();
    }
    if (t.is_surface()) {
      CUsurfObject surface = 0;
      check(cuSurfObjectCreate(&surface, &resource), "surface " + t.name);
      return surface;
    }
    CUDA_TEXTURE_DESC sampling = {};
    for (unsigned d = 0; d < 3; ++d) sampling.addressMode[d] = address_mode(t.address[d]);
    sampling.filterMode = t.filter == "linear" ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    if (t.coordinates == "normalized") sampling.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    if (t.format[0] != 'f' && t.read != "normalized") sampling.flags |= CU_TRSF_READ_AS_INTEGER;
    CUtexObject texture = 0;
    check(cuTexObjectCreate(&texture, &resource, &sampling, nullptr), "texture " + t.name);
    return texture;
  }

  const Folder& folder_;
  std::vector<CUarray> arrays_;  ///< Null where the texture lies in its buffer.
  std::vector<std::uint64_t> objects_;
};

}  // namespace lockstep::capture
