#include <cstdio>
#include <vector>
#include "acl/acl.h"

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtContext context;
  aclrtGetCurrentContext(&context);
  aclrtStream streams[2];
  for (int i = 0; i < 2; i++) {
    aclrtCreateStream(&streams[i]);
  }
  aclrtEvent start, end;
  aclrtCreateEvent(&start);
  aclrtCreateEvent(&end);
  void* addr = nullptr;
  aclrtMalloc(&addr, 1024, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtRecordEvent(start, streams[0]);
  aclrtMemsetAsync(addr, 1024, 1, 1024, streams[0]);
  aclrtRecordEvent(end, streams[0]);
  aclrtStreamWaitEvent(streams[1], end);
  aclrtMemsetAsync(addr, 1024, 2, 1024, streams[1]);
  for (auto stream : streams) {
    aclrtSynchronizeStream(stream);
  }
  float ms = -1;
  aclrtEventElapsedTime(&ms, start, end);
  std::vector<uint8_t> bytes(4, 0);
  aclrtMemcpy(bytes.data(), bytes.size(), addr, 4, ACL_MEMCPY_DEVICE_TO_HOST);
  printf("%d %d %d\n", ms >= 0, bytes[0], bytes[3]);
  size_t total = 0, available = 0;
  aclrtGetMemInfo(ACL_HBM_MEM, &available, &total);
  printf("%d\n", available < total && available > 0);
  aclrtFree(addr);
  aclrtDestroyEvent(start);
  aclrtDestroyEvent(end);
  for (int i = 0; i < 2; i++) aclrtDestroyStream(streams[i]);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
