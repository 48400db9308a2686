#include <cstdio>
#include <vector>
#include "acl/acl.h"

namespace {
constexpr int kDevice = 0;
constexpr size_t kAlign = 32;

size_t AlignUp(size_t size) { return (size + kAlign - 1) / kAlign * kAlign; }
}  // namespace

namespace memory {
namespace device {
void* Allocate(size_t size) {
  void* addr = nullptr;
  aclrtMalloc(&addr, AlignUp(size), ACL_MEM_MALLOC_HUGE_FIRST);
  return addr;
}
}  // namespace device
}  // namespace memory

using namespace std;

int main() {
  aclInit(nullptr);
  aclrtSetDevice(kDevice);
  void* addr = memory::device::Allocate(33);
  vector<float> data(16, 2.0f);
  aclrtMemcpy(addr, AlignUp(33), data.data(), data.size() * sizeof(float), ACL_MEMCPY_HOST_TO_DEVICE);
  printf("%zu %d\n", AlignUp(33), addr != nullptr);
  ::aclrtFree(addr);
  aclrtResetDevice(kDevice);
  aclFinalize();
  return 0;
}
