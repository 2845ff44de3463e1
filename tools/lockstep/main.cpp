#include <cstdio>

int main() {
  std::puts("lockstep " LOCKSTEP_VERSION);
  return 0;
}
