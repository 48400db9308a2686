#include <cstdint>
#include <cstdio>
#include <vector>
#include "acl/acl.h"

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  double big = 3.99;
  float small = -2.75f;
  int64_t wide = 0x123456789LL;
  printf("%d %d %d\n", (int)big, static_cast<int>(small), int(big + 1));
  printf("%d %u %d\n", static_cast<int32_t>(wide), (uint32_t)-1, (int8_t)200);
  printf("%f %f\n", (float)wide, static_cast<double>(1) / 3);
  printf("%d %d\n", static_cast<bool>(5), (int)true);
  printf("%d\n", static_cast<int>(ACL_FLOAT16));
  aclDataType type = static_cast<aclDataType>(1);
  printf("%d %zu\n", type, aclDataTypeSize(type));
  void* addr = nullptr;
  aclrtMalloc(reinterpret_cast<void**>(&addr), (size_t)64, ACL_MEM_MALLOC_HUGE_FIRST);
  std::vector<float> host(16, 1.5f);
  aclrtMemcpy(addr, 64, (const void*)host.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtMemcpy(reinterpret_cast<void*>(reinterpret_cast<char*>(addr) + 32), 32, addr, 32,
              ACL_MEMCPY_DEVICE_TO_DEVICE);
  uintptr_t number = reinterpret_cast<uintptr_t>(addr);
  printf("%d\n", number % 64 == 0);
  uint8_t byte = static_cast<uint8_t>(300);
  int16_t narrow = static_cast<int16_t>(40000);
  printf("%d %d\n", byte, narrow);
  (void)narrow;
  aclrtFree(addr);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
