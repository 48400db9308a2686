#include <cstdio>
#include <vector>
#include "acl/acl.h"
#include "aclnnop/aclnn_softmax_backward.h"


int Allocate(void** addr, size_t size) {
  auto ret = aclrtMalloc(addr, size, ACL_MEM_MALLOC_HUGE_FIRST);
  if (ret != ACL_SUCCESS) {
    printf("failed: %d\n", ret);
    return ret;
  }
  return 0;
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  void* addr = nullptr;
  int first = Allocate(&addr, 0);
  int second = Allocate(&addr, 64);
  auto third = aclrtMemcpy(addr, 8, addr, 16, ACL_MEMCPY_DEVICE_TO_DEVICE);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  auto fourth = aclnnSoftmaxBackwardGetWorkspaceSize(nullptr, nullptr, 0, nullptr, &size, &executor);
  const char* text = aclGetRecentErrMsg();
  printf("%d %d %d %d %d\n", first, second, third, fourth, text != nullptr);
  aclrtFree(addr);
  aclrtResetDevice(0);
  aclFinalize();
  return first;
}
