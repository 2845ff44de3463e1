#pragma once
// Memory of a GPU where a launch folder has its own.

#include <cuda.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "launch_folder.hpp"
#include "texture_objects.hpp"

namespace lockstep::capture {

/// Device memory at the addresses of the folder's buffers.
class Memory {
 public:
  Memory(const Folder& folder, CUdevice device) {
    if (folder.buffers.empty()) return;
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    for (const Buffer& b : folder.buffers) {
      low = std::min(low, b.address);
      high = std::max(high, b.address + b.bytes);
    }
    CUmemAllocationProp property = {};
    property.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    property.location = {CU_MEM_LOCATION_TYPE_DEVICE, static_cast<int>(device)};
    std::size_t unit = 0;
    check(cuMemGetAllocationGranularity(&unit, &property, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED), "granularity");
    base_ = low / unit * unit;
    bytes_ = (high - base_ + unit - 1) / unit * unit;
    // Small reservations come from a pool of the driver's own, whatever address they ask for.
    reserved_ = std::max<std::size_t>(bytes_, std::size_t{1} << 30);
    CUdeviceptr at = 0;
    check(cuMemAddressReserve(&at, reserved_, unit, base_, 0), "reserving addresses");
    if (at != base_) throw std::runtime_error("the driver does not give the addresses that the folder needs");
    check(cuMemCreate(&handle_, bytes_, &property, 0), "device memory");
    check(cuMemMap(base_, bytes_, 0, handle_, 0), "mapping memory");
    CUmemAccessDesc access = {};
    access.location = property.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    check(cuMemSetAccess(base_, bytes_, &access, 1), "access to memory");
  }
  ~Memory() {
    if (bytes_ == 0) return;
    cuMemUnmap(base_, bytes_);
    cuMemRelease(handle_);
    cuMemAddressFree(base_, reserved_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

 private:
  CUdeviceptr base_ = 0;
  std::size_t bytes_ = 0, reserved_ = 0;
  CUmemGenericAllocationHandle handle_ = 0;
};

}  // namespace lockstep::capture
