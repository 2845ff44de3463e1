#include "models/energy/hash_hardware.hpp"

#include "models/hash/kernel_hashes.hpp"

namespace lockstep::energy {

namespace {

const HashUnitSpec* unit_of_family(const HashSpec& hash, std::string_view family) {
  if (family == "bitvector") return &hash.bitvector;
  if (family == "bitvector-xor") return &hash.bitvector_xor;
  if (family == "bits") return &hash.bits;
  if (family == "bits-xor") return &hash.bits_xor;
  return nullptr;
}

}  // namespace

std::optional<HashUnitSpec> hash_unit(const HashSpec& hash, std::string_view bank_hash) {
  std::optional<HashUnitSpec> most;
  if (bank_hash.empty()) return most;
  const lockstep::hash::KernelHashes hashes(bank_hash);
  for (const auto& [kernel, spec] : hashes.all()) {
    const HashUnitSpec* unit = unit_of_family(hash, std::string_view(spec).substr(0, spec.find(':')));
    if (unit != nullptr && (!most || unit->power > most->power)) most = *unit;
  }
  return most;
}

}  // namespace lockstep::energy
