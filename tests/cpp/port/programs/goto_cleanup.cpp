#include <cstdio>
#include <vector>
#include "acl/acl.h"

int Run(size_t size, bool fail) {
  int result = 1;
  void* first = nullptr;
  void* second = nullptr;
  aclError ret = aclrtMalloc(&first, size, ACL_MEM_MALLOC_HUGE_FIRST);
  if (ret != ACL_SUCCESS) {
    printf("first failed: %d\n", ret);
    goto FREE_NONE;
  }
  for (int i = 0; i < 3; i++) {
    if (fail && i == 1) {
      printf("leave at %d\n", i);
      goto FREE_FIRST;
    }
  }
  ret = aclrtMalloc(&second, size, ACL_MEM_MALLOC_HUGE_FIRST);
  if (ret != ACL_SUCCESS) goto FREE_FIRST;
  result = 0;
  aclrtFree(second);
FREE_FIRST:
  aclrtFree(first);
FREE_NONE:
  printf("done %d\n", result);
  return result;
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  int sum = Run(64, false);
  sum += Run(64, true);
  sum += Run(0, false);
  aclGetRecentErrMsg();
  aclrtResetDevice(0);
  aclFinalize();
  return sum;
}
