// fma.rn, and sums that compute a product too. A fused product is one instruction on CPUs that have it and a slow library
// call elsewhere; both give the same bits, because both round once.

#include "isa/exec/arithmetic/float.hpp"

namespace lockstep::exec {

namespace {

#if defined(__x86_64__)

/// Compiled for CPUs with FMA3 and AVX2, called only on those.
template <class T, bool ftz, bool sat, bool negates_product, bool negates_addend>
[[gnu::target("avx2,fma")]] void run_fma(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
  const auto* const a = plane<Storage<T>>(frame, operation.source[0]);
  const auto* const b = plane<Storage<T>>(frame, operation.source[1]);
  const auto* const c = plane<Storage<T>>(frame, operation.source[2]);
  T raw[lanes];
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const T x = float_operand<ftz>(Held<T>::load(a[lane])), y = float_operand<ftz>(Held<T>::load(b[lane])),
            z = float_operand<ftz>(Held<T>::load(c[lane]));
    const T p = negates_product ? -x : x, q = negates_addend ? -z : z;
    raw[lane] = std::fma(p, y, q);
    if constexpr (ftz) raw[lane] = flush_tiny(raw[lane], std::fma(p * 0x1p24f, y, q * 0x1p24f));
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

#endif

template <class T, bool ftz, bool sat, bool negates_product, bool negates_addend>
Arithmetic::Run select_one() {
#if defined(__x86_64__)
  if (cpu_has_fma()) return &run_fma<T, ftz, sat, negates_product, negates_addend>;
#endif
  return over_active_lanes<&float_of_three<FloatSignedFma<negates_product, negates_addend>, T, ftz, sat>>;
}

template <class T, bool ftz, bool sat>
Arithmetic::Run select_fma(FusedSigns signs) {
  if (signs.negates_product)
    return signs.negates_addend ? select_one<T, ftz, sat, true, true>() : select_one<T, ftz, sat, true, false>();
  return signs.negates_addend ? select_one<T, ftz, sat, false, true>() : select_one<T, ftz, sat, false, false>();
}

}  // namespace

Arithmetic::Run select_signed_fma_f32(bool ftz, bool sat, FusedSigns signs) {
  if (ftz) return sat ? select_fma<float, true, true>(signs) : select_fma<float, true, false>(signs);
  return sat ? select_fma<float, false, true>(signs) : select_fma<float, false, false>(signs);
}
Arithmetic::Run select_signed_fma_f64(FusedSigns signs) {
  return select_fma<double, false, false>(signs);
}

}  // namespace lockstep::exec
