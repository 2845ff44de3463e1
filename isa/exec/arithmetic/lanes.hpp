#pragma once
// Turns a function of one lane's values into a function over a frame's planes. The function is called for all 32 lanes
// whatever the mask is (it must be defined for any operand bits), results are gathered in a local array that aliases
// nothing, and only the lanes of the mask are stored: both loops vectorise.

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "isa/exec/arithmetic/arithmetic.hpp"
#include "isa/exec/arithmetic/half.hpp"

namespace lockstep::exec {

inline constexpr LaneMask all_lanes = ~LaneMask{0};
inline constexpr auto lane_bits = [] {
  std::array<LaneMask, lanes> bits{};
  for (unsigned lane = 0; lane < lanes; ++lane) bits[lane] = LaneMask{1} << lane;
  return bits;
}();

/// Passes Arithmetic::control to a lane function; only its last parameter may have this type.
struct Control {
  std::uint32_t value;
};

/// How a value of type T is held in a plane: always as an unsigned integer of the plane's element size, so that two
/// instructions that see one register as different types never break the compiler's aliasing rules.
template <class T>
struct Held;

template <class T>
requires(std::integral<T> && !std::same_as<T, bool>) struct Held<T> {
  using Storage = std::conditional_t<sizeof(T) <= 2, std::uint16_t, std::make_unsigned_t<T>>;
  static T load(Storage bits) { return static_cast<T>(bits); }
  static Storage store(T value) { return static_cast<Storage>(value); }
};
template <>
struct Held<float> {
  using Storage = std::uint32_t;
  static float load(Storage bits) { return std::bit_cast<float>(bits); }
  static Storage store(float value) { return std::bit_cast<Storage>(value); }
};
template <>
struct Held<double> {
  using Storage = std::uint64_t;
  static double load(Storage bits) { return std::bit_cast<double>(bits); }
  static Storage store(double value) { return std::bit_cast<Storage>(value); }
};
template <class T>
requires(std::same_as<T, Half> || std::same_as<T, Bfloat>) struct Held<T> {
  using Storage = std::uint16_t;
  static T load(Storage bits) { return T{bits}; }
  static Storage store(T value) { return value.bits; }
};
template <class T>
struct Held<Pair<T>> {
  using Storage = std::uint32_t;
  static Pair<T> load(Storage bits) {
    return {Held<T>::load(static_cast<std::uint16_t>(bits)), Held<T>::load(static_cast<std::uint16_t>(bits >> 16))};
  }
  static Storage store(Pair<T> value) {
    return static_cast<Storage>(Held<T>::store(value.low)) | static_cast<Storage>(Held<T>::store(value.high)) << 16;
  }
};

template <class T>
using Storage = typename Held<T>::Storage;

/// One operand of a lane function.
template <class T>
struct Source {
  const Storage<T>* values;
  Source(std::byte* frame, PlaneOffset offset, const Arithmetic&) : values(plane<Storage<T>>(frame, offset)) {}
  T operator[](unsigned lane) const { return Held<T>::load(values[lane]); }
};
template <>
struct Source<bool> {
  LaneMask values;
  Source(std::byte* frame, PlaneOffset offset, const Arithmetic&) : values(predicate(frame, offset)) {}
  bool operator[](unsigned lane) const { return (values & lane_bits[lane]) != 0; }
};
template <>
struct Source<Control> {
  Control control;
  Source(std::byte*, PlaneOffset, const Arithmetic& operation) : control{operation.control} {}
  Control operator[](unsigned) const { return control; }
};

/// Stores results into the lanes of `mask`.
template <class S>
inline void store_lanes(std::byte* frame, PlaneOffset destination, const S* results, LaneMask mask) {
  S* const to = plane<S>(frame, destination);
  if (mask == all_lanes) {
    std::memcpy(to, results, sizeof(S) * lanes);
  } else {
    S old[lanes], merged[lanes];
    std::memcpy(old, to, sizeof old);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const S taken = (mask & lane_bits[lane]) != 0 ? static_cast<S>(~S{0}) : S{0};
      merged[lane] = static_cast<S>((results[lane] & taken) | (old[lane] & static_cast<S>(~taken)));
    }
    std::memcpy(to, merged, sizeof merged);
  }
}
inline void store_predicate(std::byte* frame, PlaneOffset destination, LaneMask results, LaneMask mask) {
  LaneMask& to = predicate(frame, destination);
  to = (to & ~mask) | (results & mask);
}

/// Lanes<F>::run executes the lane function F: its parameters are the sources in order, its result the destination. One that
/// costs more than a store is called only in the lanes that are active.
template <auto F, bool only_active = false>
struct Lanes;

template <class R, class... A, R (*F)(A...), bool only_active>
struct Lanes<F, only_active> {
  static void run(std::byte* frame, const Arithmetic& operation, LaneMask mask) {
    call(frame, operation, mask, std::index_sequence_for<A...>{});
  }

 private:
  template <std::size_t... I>
  static void call(std::byte* frame, const Arithmetic& operation, LaneMask mask, std::index_sequence<I...>) {
    loop(frame, operation, mask, Source<A>(frame, I < 4 ? operation.source[I & 3] : no_plane, operation)...);
  }
  template <class... S>
  static void loop(std::byte* frame, const Arithmetic& operation, LaneMask mask, const S... sources) {
    if constexpr (only_active) {
      Storage<R>* const to = plane<Storage<R>>(frame, operation.destination);
      for (LaneMask left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        to[lane] = Held<R>::store(F(sources[lane]...));
      }
    } else if constexpr (std::same_as<R, bool>) {
      LaneMask results = 0;
      for (unsigned lane = 0; lane < lanes; ++lane) results |= F(sources[lane]...) ? lane_bits[lane] : 0;
      store_predicate(frame, operation.destination, results, mask);
    } else {
      Storage<R> results[lanes];
      for (unsigned lane = 0; lane < lanes; ++lane) results[lane] = Held<R>::store(F(sources[lane]...));
      store_lanes(frame, operation.destination, results, mask);
    }
  }
};

template <auto F>
inline constexpr Arithmetic::Run over_lanes = &Lanes<F>::run;
template <auto F>
inline constexpr Arithmetic::Run over_active_lanes = &Lanes<F, true>::run;

}  // namespace lockstep::exec
