// fma.rn. A fused product is one instruction on CPUs that have it and a slow library call elsewhere; both give the same
// bits, because both round once.

#include "isa/exec/arithmetic/float.hpp"

namespace lockstep::exec {

namespace {

#if defined(__x86_64__)

/// Compiled for CPUs with FMA3 and AVX2, called only on those.
template <class T, bool ftz, bool sat>
[[gnu::target("avx2,fma")]] void run_fma(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  const auto* const a = plane<Storage<T>>(frame, operation.source[0]);
  const auto* const b = plane<Storage<T>>(frame, operation.source[1]);
  const auto* const c = plane<Storage<T>>(frame, operation.source[2]);
  T raw[lanes];
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const T x = float_operand<ftz>(Held<T>::load(a[lane])), y = float_operand<ftz>(Held<T>::load(b[lane])),
            z = float_operand<ftz>(Held<T>::load(c[lane]));
    raw[lane] = std::fma(x, y, z);
    if constexpr (ftz) raw[lane] = flush_tiny(raw[lane], std::fma(x * 0x1p24f, y, z * 0x1p24f));
  }
  Storage<T> results[lanes];
  for (unsigned lane = 0; lane < lanes; ++lane) {
    results[lane] = Held<T>::store(
        float_result<ftz, sat>(raw[lane], Held<T>::load(a[lane]), Held<T>::load(b[lane]), Held<T>::load(c[lane])));
  }
  store_lanes(frame, operation.destination, results, mask);
}

bool cpu_has_fma() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
}

template <class T, bool ftz, bool sat>
Arithmetic::Run select_fma() {
  if (cpu_has_fma()) return &run_fma<T, ftz, sat>;
  return over_active_lanes<&float_of_three<FloatFma, T, ftz, sat>>;
}

#else

template <class T, bool ftz, bool sat>
Arithmetic::Run select_fma() {
  return over_active_lanes<&float_of_three<FloatFma, T, ftz, sat>>;
}

#endif

}  // namespace

Arithmetic::Run select_nearest_fma_f32(bool ftz, bool sat) {
  if (ftz) return sat ? select_fma<float, true, true>() : select_fma<float, true, false>();
  return sat ? select_fma<float, false, true>() : select_fma<float, false, false>();
}
Arithmetic::Run select_nearest_fma_f64() {
  return select_fma<double, false, false>();
}

}  // namespace lockstep::exec
