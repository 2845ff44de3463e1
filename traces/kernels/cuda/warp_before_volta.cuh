#pragma once
// Exchange between lanes without a mask, which CUDA has up to sm_62 only.

#if __CUDA_ARCH__ < 700
LOCKSTEP_DEVICE int __all(int predicate) {
  return __all_sync(0xffffffffu, predicate);
}
LOCKSTEP_DEVICE int __any(int predicate) {
  return __any_sync(0xffffffffu, predicate);
}
LOCKSTEP_DEVICE unsigned int __ballot(int predicate) {
  return __ballot_sync(0xffffffffu, predicate);
}
template <class T>
LOCKSTEP_DEVICE T __shfl(T value, int lane, int width = 32) {
  return __shfl_sync(0xffffffffu, value, lane, width);
}
template <class T>
LOCKSTEP_DEVICE T __shfl_up(T value, unsigned int delta, int width = 32) {
  return __shfl_up_sync(0xffffffffu, value, delta, width);
}
template <class T>
LOCKSTEP_DEVICE T __shfl_down(T value, unsigned int delta, int width = 32) {
  return __shfl_down_sync(0xffffffffu, value, delta, width);
}
template <class T>
LOCKSTEP_DEVICE T __shfl_xor(T value, int lanes, int width = 32) {
  return __shfl_xor_sync(0xffffffffu, value, lanes, width);
}
#endif
