// Sums of whole numbers as results of 32 bits. One that does not fit has no expected result: the trap ends the check here.

__device__ inline unsigned int whole(unsigned long long sum) {
  if (sum != (unsigned int)sum) asm volatile("trap;");
  return sum;
}

__device__ inline int whole(long long sum) {
  if (sum != (int)sum) asm volatile("trap;");
  return sum;
}
