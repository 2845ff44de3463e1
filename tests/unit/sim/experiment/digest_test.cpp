#include "sim/experiment/running/digest.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "isa/error.hpp"

namespace lockstep::digest_test {

using lockstep::experiment::Digest;
using lockstep::experiment::file_digest;

namespace {

/// Of a file with these contents.
std::string digest_of_file(const std::string& contents) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "lockstep-digest-test";
  std::ofstream(path, std::ios::binary) << contents;
  const std::string digest = file_digest(path.string());
  std::filesystem::remove(path);
  return digest;
}

}  // namespace

TEST_CASE("The digest of a file is its SHA-1") {
  // FIPS 180-2, appendix A; the digest of nothing is that of RFC 3174's algorithm.
  CHECK(digest_of_file("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(digest_of_file("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  CHECK(digest_of_file(std::string(1'000'000, 'a')) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  CHECK(digest_of_file("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  CHECK_THROWS_AS(file_digest("/no/such/file"), lockstep::InputError);
}

TEST_CASE("A digest tells apart how its parts are divided, and parts from numbers") {
  CHECK(Digest().add("ab").add("c").hex() != Digest().add("a").add("bc").hex());
  CHECK(Digest().add("").hex() != Digest().hex());
  CHECK(Digest().add(std::uint64_t{1}).hex() != Digest().add("\1").hex());
  CHECK(Digest().add("ab").hex() == Digest().add("ab").hex());
  CHECK(Digest().hex() == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

}  // namespace lockstep::digest_test
