// thread_private.cuh for pixels of 12 bits in 16, four at a time.
#include "thread_private.cuh"

THREAD_PRIVATE_ALL(Pixels16)
