#pragma once
// Conversions between number formats, with the rounding that the name ends in, and numbers as bits.

// Assembly where clang takes its builtin for a cast: towards zero, which for it is to nearest from an integer, and undefined
// where CUDA saturates.
#define LOCKSTEP_CONVERSION(name, mode, to, to_type, out, from, from_type, in)                            \
  LOCKSTEP_DEVICE to name(from a) {                                                                       \
    to result;                                                                                            \
    asm("cvt." mode "." to_type "." from_type " %0, %1;" : "=" out(result) : in(a));                      \
    return result;                                                                                        \
  }
#define LOCKSTEP_BUILTIN(name, builtin, to, from) \
  LOCKSTEP_DEVICE to name(from a) {               \
    return __nvvm_##builtin(a);                   \
  }
// n: to nearest, z: towards zero, d: down, u: up; what the builtins call n, z, m and p. `i` is i where the result is an
// integer.
#define LOCKSTEP_CONVERSIONS(name, builtin, i, to, to_type, out, from, from_type, in)                     \
  LOCKSTEP_BUILTIN(name##_rn, builtin##_rn, to, from)                                                     \
  LOCKSTEP_CONVERSION(name##_rz, "rz" i, to, to_type, out, from, from_type, in)                           \
  LOCKSTEP_BUILTIN(name##_rd, builtin##_rm, to, from)                                                     \
  LOCKSTEP_BUILTIN(name##_ru, builtin##_rp, to, from)
LOCKSTEP_CONVERSIONS(__float2int, f2i, "i", int, "s32", "r", float, "f32", "f")
LOCKSTEP_CONVERSIONS(__float2uint, f2ui, "i", unsigned int, "u32", "r", float, "f32", "f")
LOCKSTEP_CONVERSIONS(__float2ll, f2ll, "i", long long, "s64", "l", float, "f32", "f")
LOCKSTEP_CONVERSIONS(__float2ull, f2ull, "i", unsigned long long, "u64", "l", float, "f32", "f")
LOCKSTEP_CONVERSIONS(__double2int, d2i, "i", int, "s32", "r", double, "f64", "d")
LOCKSTEP_CONVERSIONS(__double2uint, d2ui, "i", unsigned int, "u32", "r", double, "f64", "d")
LOCKSTEP_CONVERSIONS(__double2ll, d2ll, "i", long long, "s64", "l", double, "f64", "d")
LOCKSTEP_CONVERSIONS(__double2ull, d2ull, "i", unsigned long long, "u64", "l", double, "f64", "d")
LOCKSTEP_CONVERSIONS(__int2float, i2f, "", float, "f32", "f", int, "s32", "r")
LOCKSTEP_CONVERSIONS(__uint2float, ui2f, "", float, "f32", "f", unsigned int, "u32", "r")
LOCKSTEP_CONVERSIONS(__ll2float, ll2f, "", float, "f32", "f", long long, "s64", "l")
LOCKSTEP_CONVERSIONS(__ull2float, ull2f, "", float, "f32", "f", unsigned long long, "u64", "l")
LOCKSTEP_CONVERSIONS(__ll2double, ll2d, "", double, "f64", "d", long long, "s64", "l")
LOCKSTEP_CONVERSIONS(__ull2double, ull2d, "", double, "f64", "d", unsigned long long, "u64", "l")
LOCKSTEP_CONVERSIONS(__double2float, d2f, "", float, "f32", "f", double, "f64", "d")
LOCKSTEP_BUILTIN(__int2double_rn, i2d_rn, double, int)
LOCKSTEP_BUILTIN(__uint2double_rn, ui2d_rn, double, unsigned int)
#undef LOCKSTEP_CONVERSIONS
#undef LOCKSTEP_BUILTIN
#undef LOCKSTEP_CONVERSION

LOCKSTEP_DEVICE int __float_as_int(float a) {
  return __nvvm_bitcast_f2i(a);
}
LOCKSTEP_DEVICE unsigned int __float_as_uint(float a) {
  return __nvvm_bitcast_f2i(a);
}
LOCKSTEP_DEVICE float __int_as_float(int a) {
  return __nvvm_bitcast_i2f(a);
}
LOCKSTEP_DEVICE float __uint_as_float(unsigned int a) {
  return __nvvm_bitcast_i2f(a);
}
LOCKSTEP_DEVICE long long __double_as_longlong(double a) {
  return __nvvm_bitcast_d2ll(a);
}
LOCKSTEP_DEVICE double __longlong_as_double(long long a) {
  return __nvvm_bitcast_ll2d(a);
}
LOCKSTEP_DEVICE int __double2hiint(double a) {
  return __nvvm_d2i_hi(a);
}
LOCKSTEP_DEVICE int __double2loint(double a) {
  return __nvvm_d2i_lo(a);
}
LOCKSTEP_DEVICE double __hiloint2double(int high, int low) {
  return __nvvm_lohi_i2d(low, high);
}
