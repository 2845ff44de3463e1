#pragma once
// PTX text for tests: small modules around the lines that a test is about.

#include <catch2/catch.hpp>
#include <string>

#include "isa/ptx/module.hpp"
#include "isa/ptx/program.hpp"

namespace lockstep::ptx::test {

inline constexpr const char* head = ".version 7.0\n.target sm_75\n.address_size 64\n";

/// A module with these items after its head; the first line of `items` is line 4.
inline Module module_with(const std::string& items) {
  return parse(head + items, "test.ptx");
}

/// A module with the kernel "k", whose registers are %r, %rd, %f, %fd, %rs, %h and %p, 20 of each. The first line of
/// `body` is line 7.
inline Module kernel(const std::string& body, const std::string& items = "") {
  return module_with(items + ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n" +
                     ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<20>; .reg .f64 %fd<20>; .reg .b16 %rs<20>; "
                     ".reg .pred %p<20>;\n" +
                     body + "\n}\n");
}

/// The first instruction of a kernel with this body.
inline Instruction instruction(const std::string& text) {
  return kernel(text).find_function("k")->instructions.at(0);
}

/// The name of the register that an operand of kernel "k" names.
inline std::string register_of(const Module& module, const Operand& operand) {
  return module.find_function("k")->registers.at(operand.index).name;
}

/// The message of the InputError that parsing throws; fails the test when it throws none.
inline std::string error_of(const std::string& text) {
  try {
    parse(text, "test.ptx");
  } catch (const InputError& error) {
    return error.what();
  }
  FAIL("no InputError for:\n" << text);
  return "";
}

}  // namespace lockstep::ptx::test
