#include <cstdint>
#include <cstdio>
#include <vector>
#include "acl/acl.h"

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  const size_t part = 64;
  void* base = nullptr;
  aclrtMalloc(&base, part * 4, ACL_MEM_MALLOC_HUGE_FIRST);
  std::vector<float> data(16, 1.0f);
  for (int i = 0; i < 4; i++) {
    void* slice = static_cast<char*>(base) + i * part;
    aclrtMemcpy(slice, part, data.data(), part, ACL_MEMCPY_HOST_TO_DEVICE);
  }
  uint8_t* bytes = (uint8_t*)base;
  bytes += 128;
  aclrtMemset(bytes, 128, 0, 64);
  std::vector<float> back(64, 9);
  aclrtMemcpy(back.data(), 256, base, 256, ACL_MEMCPY_DEVICE_TO_HOST);
  printf("%f %f %f\n", back[0], back[32], back[48]);
  aclrtMemcpy(&back[16], 64, (char*)base + 128, 64, ACL_MEMCPY_DEVICE_TO_HOST);
  printf("%f %f\n", back[15], back[16]);
  uintptr_t address = reinterpret_cast<uintptr_t>(base);
  printf("%d %d\n", address % 32 == 0, base == nullptr);
  aclrtFree(base);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
