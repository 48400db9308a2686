#include <cstdio>
#include "acl/acl.h"

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  const int count = 8;
  size_t size = count * sizeof(float);
  void* hostPtr = nullptr;
  void* devPtr = nullptr;
  aclrtMallocHost(&hostPtr, size);
  aclrtMalloc(&devPtr, size, ACL_MEM_MALLOC_HUGE_FIRST);
  float* x = static_cast<float*>(hostPtr);
  for (int i = 0; i < count; i++) {
    x[i] = i * 1.5f;
  }
  aclrtMemcpyAsync(devPtr, size, hostPtr, size, ACL_MEMCPY_HOST_TO_DEVICE, stream);
  aclrtSynchronizeStream(stream);
  aclrtMemset(devPtr, size, 0, size / 2);
  aclrtMemcpyAsync(x, size, devPtr, size, ACL_MEMCPY_DEVICE_TO_HOST, stream);
  aclrtSynchronizeStream(stream);
  float sum = 0;
  for (int i = 0; i < count; i++) {
    sum += x[i];
    printf("%f ", x[i]);
  }
  printf("%f\n", sum);
  aclrtFreeHost(hostPtr);
  aclrtFree(devPtr);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
