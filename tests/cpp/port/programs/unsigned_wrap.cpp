#include <cstdint>
#include <cstdio>
#include <vector>
#include "acl/acl.h"

uint32_t Hash(const std::vector<int64_t>& values) {
  uint32_t hash = 2166136261u;
  for (auto value : values) {
    hash ^= static_cast<uint32_t>(value);
    hash *= 16777619u;
  }
  return hash;
}

int main() {
  aclInit(nullptr);
  uint32_t zero = 0;
  uint64_t size = 0;
  printf("%u %lu\n", zero - 1, size - 1);
  std::vector<int64_t> empty;
  printf("%d %d\n", empty.size() - 1 > 5, empty.size() < 1);
  int negative = -1;
  printf("%d\n", negative < size);
  uint32_t top = 4294967295u;
  top++;
  printf("%u\n", top);
  zero--;
  zero -= 4;
  printf("%u %u\n", zero, zero >> 28);
  uint64_t wide = 0xffffffffffffffffULL;
  wide += 2;
  uint32_t mixed = zero + 10;
  printf("%lu %u %u\n", wide, mixed, ~mixed);
  printf("%u\n", Hash({1, -2, 3}));
  int64_t difference = static_cast<int64_t>(empty.size()) - 3;
  printf("%ld %ld\n", difference, (int64_t)(empty.size() - 3));
  unsigned char byte = 250;
  byte += 10;
  uint16_t word = 65535;
  word++;
  printf("%d %d %u\n", byte, word, -zero);
  aclFinalize();
  return 0;
}
