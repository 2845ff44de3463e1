// thread_private.cuh for pixels of 12 bits, one in a word.
#include "thread_private.cuh"

THREAD_PRIVATE_ALL(Pixels32)
