#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
#include "acl/acl.h"

union Bits {
  float value;
  uint32_t bits;
};

uint32_t ToBits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float FromBits(uint32_t bits) { return *reinterpret_cast<float*>(&bits); }

int main() {
  aclInit(nullptr);
  float value = -1.5f;
  uint32_t bits = *(uint32_t*)&value;
  printf("%08x %08x\n", bits, ToBits(3.25f));
  printf("%f\n", FromBits(0x40490fdb));
  Bits both;
  both.value = 1.0f;
  both.bits += 1u << 22;
  printf("%x %f\n", both.bits, both.value);
  double wide = 2.0;
  uint64_t wideBits = *reinterpret_cast<uint64_t*>(&wide);
  printf("%lx\n", wideBits);
  std::vector<float> data = {1.0f, -2.0f};
  uint32_t* words = reinterpret_cast<uint32_t*>(data.data());
  words[0] |= 0x80000000u;
  printf("%f %x\n", data[0], words[1]);
  aclFinalize();
  return 0;
}
