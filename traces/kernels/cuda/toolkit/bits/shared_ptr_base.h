#pragma once
// The C++ library means an attribute by what is a macro in CUDA.
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
