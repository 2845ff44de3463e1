// thread_private.cuh for pixels of 8 bits, four in a word.
#include "thread_private.cuh"

THREAD_PRIVATE_ALL(Pixels8)
