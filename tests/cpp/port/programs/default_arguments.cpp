#include <cstdio>
#include "acl/acl.h"

int Scale(int value, int factor = 3, bool negative = false) { return negative ? -value * factor : value * factor; }

int Allocate(void** addr, size_t size = 64, aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST);

int Allocate(void** addr, size_t size, aclrtMemMallocPolicy policy) { return aclrtMalloc(addr, size, policy); }

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  void* addr = nullptr;
  int ret = Allocate(&addr, 32, ACL_MEM_MALLOC_NORMAL_ONLY);
  printf("%d %d %d %d\n", ret, Scale(2), Scale(2, 5), Scale(2, 5, true));
  aclrtFree(addr);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
