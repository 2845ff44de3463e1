#pragma once
// Conversions between number formats, with the rounding that the name ends in, and numbers as bits.

#define LOCKSTEP_CONVERSION(name, suffix, mode, from, to)  \
  LOCKSTEP_DEVICE to name##_r##suffix(from a) {            \
    return __nvvm_##mode(a);                               \
  }
// n: to nearest, z: towards zero, d: down, u: up; what the builtins call n, z, m and p.
#define LOCKSTEP_CONVERSIONS(name, builtin, from, to)      \
  LOCKSTEP_CONVERSION(name, n, builtin##_rn, from, to)     \
  LOCKSTEP_CONVERSION(name, z, builtin##_rz, from, to)     \
  LOCKSTEP_CONVERSION(name, d, builtin##_rm, from, to)     \
  LOCKSTEP_CONVERSION(name, u, builtin##_rp, from, to)
LOCKSTEP_CONVERSIONS(__float2int, f2i, float, int)
LOCKSTEP_CONVERSIONS(__float2uint, f2ui, float, unsigned int)
LOCKSTEP_CONVERSIONS(__float2ll, f2ll, float, long long)
LOCKSTEP_CONVERSIONS(__float2ull, f2ull, float, unsigned long long)
LOCKSTEP_CONVERSIONS(__double2int, d2i, double, int)
LOCKSTEP_CONVERSIONS(__double2uint, d2ui, double, unsigned int)
LOCKSTEP_CONVERSIONS(__double2ll, d2ll, double, long long)
LOCKSTEP_CONVERSIONS(__double2ull, d2ull, double, unsigned long long)
LOCKSTEP_CONVERSIONS(__int2float, i2f, int, float)
LOCKSTEP_CONVERSIONS(__uint2float, ui2f, unsigned int, float)
LOCKSTEP_CONVERSIONS(__ll2float, ll2f, long long, float)
LOCKSTEP_CONVERSIONS(__ull2float, ull2f, unsigned long long, float)
LOCKSTEP_CONVERSIONS(__ll2double, ll2d, long long, double)
LOCKSTEP_CONVERSIONS(__ull2double, ull2d, unsigned long long, double)
LOCKSTEP_CONVERSIONS(__double2float, d2f, double, float)
LOCKSTEP_CONVERSION(__int2double, n, i2d_rn, int, double)
LOCKSTEP_CONVERSION(__uint2double, n, ui2d_rn, unsigned int, double)
#undef LOCKSTEP_CONVERSIONS
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
