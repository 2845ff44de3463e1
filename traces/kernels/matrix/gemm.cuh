#pragma once
// Parts of products of large matrices on tensor cores: tiles of A and B go through scratchpad memory, whose rows ldmatrix
// reads eight at a time. Rows of a tile are 128 bytes, all banks wide, so that the eight rows of a matrix lie in the same
// four banks: a conflict of degree 8, unless the layout spreads them.

/// Where 16 bytes lie in a tile, counted in 16 bytes.
template <bool swizzled>
__device__ __forceinline__ unsigned int place(unsigned int row, unsigned int column) {
  return row * 8 + (swizzled ? column ^ row % 8 : column);
}

/// A 32-bit scratchpad address.
__device__ __forceinline__ unsigned int shared_address(const void* pointer) {
  unsigned int address;
  asm("{\n\t.reg .u64 wide;\n\tcvta.to.shared.u64 wide, %1;\n\tcvt.u32.u64 %0, wide;\n\t}"
      : "=r"(address)
      : "l"(pointer));
  return address;
}

/// Four 8x8 matrices of 16-bit elements; each lane names a row.
__device__ __forceinline__ void load_matrices(unsigned int (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}
/// The same, each transposed.
__device__ __forceinline__ void load_transposed(unsigned int (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

/// sums += A * B of 16x16 and 16x8 elements of f16.
__device__ __forceinline__ void multiply_halves(float (&sums)[4], const unsigned int (&a)[4], unsigned int b0,
                                                unsigned int b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
/// The same of 16x32 and 32x8 elements of s8.
__device__ __forceinline__ void multiply_bytes(int (&sums)[4], const unsigned int (&a)[4], unsigned int b0,
                                               unsigned int b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// 16x16 elements of f16 that begin at `from`, with `pitch` elements from row to row, as wmma holds A (`left`) or B: each
/// element twice.
template <bool left, unsigned int pitch>
__device__ __forceinline__ void load_square(unsigned int (&to)[8], const unsigned short* from) {
  if (left) {
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]), "=r"(to[4]), "=r"(to[5]), "=r"(to[6]),
                   "=r"(to[7])
                 : "r"(shared_address(from)), "n"(pitch)
                 : "memory");
  } else {
    asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]), "=r"(to[4]), "=r"(to[5]), "=r"(to[6]),
                   "=r"(to[7])
                 : "r"(shared_address(from)), "n"(pitch)
                 : "memory");
  }
}
/// sums += A * B of 16x16 elements.
__device__ __forceinline__ void multiply_squares(float (&sums)[8], const unsigned int (&a)[8],
                                                 const unsigned int (&b)[8]) {
  asm volatile(
      "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, "
      "%14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%0, %1, %2, %3, %4, %5, %6, %7};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]),
        "+f"(sums[7])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]), "r"(b[1]),
        "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
}
/// 16x16 sums to rows of `pitch` elements in global memory.
__device__ __forceinline__ void store_square(float* to, const float (&sums)[8], unsigned int pitch) {
  asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;"
               :
               : "l"(to), "f"(sums[0]), "f"(sums[1]), "f"(sums[2]), "f"(sums[3]), "f"(sums[4]), "f"(sums[5]),
                 "f"(sums[6]), "f"(sums[7]), "r"(pitch)
               : "memory");
}
