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
