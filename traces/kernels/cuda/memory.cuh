#pragma once
// Loads and stores with a cache operator, spaces of addresses, and copies.

// ---- cache operators ------------------------------------------------------------------------------------------------

// T is moved in registers R of the PTX type, one, two or four of them.
#define LOCKSTEP_LOAD_1(name, operation, clobber, T, R, type, constraint)                                     \
  LOCKSTEP_DEVICE T name(const T* address) {                                                                  \
    R x;                                                                                                      \
    asm volatile("ld.global." operation "." type " %0, [%1];"                                                 \
                 : "=" constraint(x) : "l"(address) LOCKSTEP_##clobber);                                      \
    return (T)x;                                                                                              \
  }
#define LOCKSTEP_LOAD_2(name, operation, clobber, T, E, R, type, constraint)                                  \
  LOCKSTEP_DEVICE T name(const T* address) {                                                                  \
    R x, y;                                                                                                   \
    asm volatile("ld.global." operation ".v2." type " {%0, %1}, [%2];"                                        \
                 : "=" constraint(x), "=" constraint(y) : "l"(address) LOCKSTEP_##clobber);                   \
    return {(E)x, (E)y};                                                                                      \
  }
#define LOCKSTEP_LOAD_4(name, operation, clobber, T, E, R, type, constraint)                                  \
  LOCKSTEP_DEVICE T name(const T* address) {                                                                  \
    R x, y, z, w;                                                                                             \
    asm volatile("ld.global." operation ".v4." type " {%0, %1, %2, %3}, [%4];"                                \
                 : "=" constraint(x), "=" constraint(y), "=" constraint(z), "=" constraint(w)                 \
                 : "l"(address) LOCKSTEP_##clobber);                                                          \
    return {(E)x, (E)y, (E)z, (E)w};                                                                          \
  }
#define LOCKSTEP_STORE_1(name, operation, clobber, T, R, type, constraint)                                    \
  LOCKSTEP_DEVICE void name(T* address, T value) {                                                            \
    asm volatile("st.global." operation "." type " [%0], %1;" ::"l"(address), constraint((R)value)            \
                 LOCKSTEP_##clobber);                                                                         \
  }
#define LOCKSTEP_STORE_2(name, operation, clobber, T, E, R, type, constraint)                                 \
  LOCKSTEP_DEVICE void name(T* address, T value) {                                                            \
    asm volatile("st.global." operation ".v2." type " [%0], {%1, %2};" ::"l"(address),                        \
                 constraint((R)value.x), constraint((R)value.y) LOCKSTEP_##clobber);                          \
  }
#define LOCKSTEP_STORE_4(name, operation, clobber, T, E, R, type, constraint)                                 \
  LOCKSTEP_DEVICE void name(T* address, T value) {                                                            \
    asm volatile("st.global." operation ".v4." type " [%0], {%1, %2, %3, %4};" ::"l"(address),                \
                 constraint((R)value.x), constraint((R)value.y), constraint((R)value.z),                      \
                 constraint((R)value.w) LOCKSTEP_##clobber);                                                  \
  }
#define LOCKSTEP_ORDERED : "memory"
#define LOCKSTEP_READ_ONLY

#define LOCKSTEP_VECTOR_ACCESSES(access, name, operation, clobber)                                            \
  LOCKSTEP_##access##_2(name, operation, clobber, char2, signed char, int, "s8", "r")                         \
  LOCKSTEP_##access##_4(name, operation, clobber, char4, signed char, int, "s8", "r")                         \
  LOCKSTEP_##access##_2(name, operation, clobber, uchar2, unsigned char, unsigned int, "u8", "r")             \
  LOCKSTEP_##access##_4(name, operation, clobber, uchar4, unsigned char, unsigned int, "u8", "r")             \
  LOCKSTEP_##access##_2(name, operation, clobber, short2, short, short, "s16", "h")                           \
  LOCKSTEP_##access##_4(name, operation, clobber, short4, short, short, "s16", "h")                           \
  LOCKSTEP_##access##_2(name, operation, clobber, ushort2, unsigned short, unsigned short, "u16", "h")        \
  LOCKSTEP_##access##_4(name, operation, clobber, ushort4, unsigned short, unsigned short, "u16", "h")        \
  LOCKSTEP_##access##_2(name, operation, clobber, int2, int, int, "s32", "r")                                 \
  LOCKSTEP_##access##_4(name, operation, clobber, int4, int, int, "s32", "r")                                 \
  LOCKSTEP_##access##_2(name, operation, clobber, uint2, unsigned int, unsigned int, "u32", "r")              \
  LOCKSTEP_##access##_4(name, operation, clobber, uint4, unsigned int, unsigned int, "u32", "r")              \
  LOCKSTEP_##access##_2(name, operation, clobber, longlong2, long long, long long, "s64", "l")                \
  LOCKSTEP_##access##_2(name, operation, clobber, ulonglong2, unsigned long long, unsigned long long, "u64", "l") \
  LOCKSTEP_##access##_2(name, operation, clobber, float2, float, float, "f32", "f")                           \
  LOCKSTEP_##access##_4(name, operation, clobber, float4, float, float, "f32", "f")                           \
  LOCKSTEP_##access##_2(name, operation, clobber, double2, double, double, "f64", "d")
#define LOCKSTEP_ACCESSES(access, name, operation)                                                            \
  LOCKSTEP_##access##_1(name, operation, ORDERED, char, int, "s8", "r")                                       \
  LOCKSTEP_##access##_1(name, operation, ORDERED, signed char, int, "s8", "r")                                \
  LOCKSTEP_##access##_1(name, operation, ORDERED, unsigned char, unsigned int, "u8", "r")                     \
  LOCKSTEP_##access##_1(name, operation, ORDERED, short, short, "s16", "h")                                   \
  LOCKSTEP_##access##_1(name, operation, ORDERED, unsigned short, unsigned short, "u16", "h")                 \
  LOCKSTEP_##access##_1(name, operation, ORDERED, int, int, "s32", "r")                                       \
  LOCKSTEP_##access##_1(name, operation, ORDERED, unsigned int, unsigned int, "u32", "r")                     \
  LOCKSTEP_##access##_1(name, operation, ORDERED, long, long, "s64", "l")                                     \
  LOCKSTEP_##access##_1(name, operation, ORDERED, unsigned long, unsigned long, "u64", "l")                   \
  LOCKSTEP_##access##_1(name, operation, ORDERED, long long, long long, "s64", "l")                           \
  LOCKSTEP_##access##_1(name, operation, ORDERED, unsigned long long, unsigned long long, "u64", "l")         \
  LOCKSTEP_##access##_1(name, operation, ORDERED, float, float, "f32", "f")                                   \
  LOCKSTEP_##access##_1(name, operation, ORDERED, double, double, "f64", "d")                                 \
  LOCKSTEP_VECTOR_ACCESSES(access, name, operation, ORDERED)
LOCKSTEP_ACCESSES(LOAD, __ldca, "ca")
LOCKSTEP_ACCESSES(LOAD, __ldcg, "cg")
LOCKSTEP_ACCESSES(LOAD, __ldcs, "cs")
LOCKSTEP_ACCESSES(LOAD, __ldlu, "lu")
LOCKSTEP_ACCESSES(LOAD, __ldcv, "cv")
LOCKSTEP_ACCESSES(STORE, __stwb, "wb")
LOCKSTEP_ACCESSES(STORE, __stcg, "cg")
LOCKSTEP_ACCESSES(STORE, __stcs, "cs")
LOCKSTEP_ACCESSES(STORE, __stwt, "wt")

// Through the read-only path: of data that nobody writes while the kernel runs.
#define LOCKSTEP_LDG(T, builtin)              \
  LOCKSTEP_DEVICE T __ldg(const T* address) { \
    return __nvvm_ldg_##builtin(address);     \
  }
LOCKSTEP_LDG(char, c)
LOCKSTEP_LDG(unsigned char, uc)
LOCKSTEP_LDG(short, s)
LOCKSTEP_LDG(unsigned short, us)
LOCKSTEP_LDG(int, i)
LOCKSTEP_LDG(unsigned int, ui)
LOCKSTEP_LDG(long, l)
LOCKSTEP_LDG(unsigned long, ul)
LOCKSTEP_LDG(long long, ll)
LOCKSTEP_LDG(unsigned long long, ull)
LOCKSTEP_LDG(float, f)
LOCKSTEP_LDG(double, d)
#undef LOCKSTEP_LDG
LOCKSTEP_DEVICE signed char __ldg(const signed char* address) {
  return __nvvm_ldg_c((const char*)address);
}
LOCKSTEP_VECTOR_ACCESSES(LOAD, __ldg, "nc", READ_ONLY)
#undef LOCKSTEP_ACCESSES
#undef LOCKSTEP_VECTOR_ACCESSES
#undef LOCKSTEP_READ_ONLY
#undef LOCKSTEP_ORDERED
#undef LOCKSTEP_STORE_4
#undef LOCKSTEP_STORE_2
#undef LOCKSTEP_STORE_1
#undef LOCKSTEP_LOAD_4
#undef LOCKSTEP_LOAD_2
#undef LOCKSTEP_LOAD_1

// ---- spaces ---------------------------------------------------------------------------------------------------------

#define LOCKSTEP_SPACE(space, number)                                                \
  LOCKSTEP_DEVICE size_t __cvta_generic_to_##space(const void* address) {                  \
    return (size_t)(const __attribute__((address_space(number))) void*)address;            \
  }                                                                                        \
  LOCKSTEP_DEVICE void* __cvta_##space##_to_generic(size_t address) {                      \
    return (void*)(__attribute__((address_space(number))) void*)address;                   \
  }
LOCKSTEP_SPACE(global, 1)
LOCKSTEP_SPACE(shared, 3)
LOCKSTEP_SPACE(constant, 4)
LOCKSTEP_SPACE(local, 5)
#undef LOCKSTEP_SPACE
LOCKSTEP_DEVICE unsigned int __isGlobal(const void* address) {
  return __nvvm_isspacep_global(address);
}
LOCKSTEP_DEVICE unsigned int __isShared(const void* address) {
  return __nvvm_isspacep_shared(address);
}
LOCKSTEP_DEVICE unsigned int __isConstant(const void* address) {
  return __nvvm_isspacep_const(address);
}
LOCKSTEP_DEVICE unsigned int __isLocal(const void* address) {
  return __nvvm_isspacep_local(address);
}

// ---- copies ---------------------------------------------------------------------------------------------------------

LOCKSTEP_DEVICE void* memcpy(void* to, const void* from, size_t bytes) {
  return __builtin_memcpy(to, from, bytes);
}
LOCKSTEP_DEVICE void* memmove(void* to, const void* from, size_t bytes) {
  return __builtin_memmove(to, from, bytes);
}
LOCKSTEP_DEVICE void* memset(void* to, int value, size_t bytes) {
  return __builtin_memset(to, value, bytes);
}
