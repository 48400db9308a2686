#include <cstdio>
#include <vector>
#include "acl/acl.h"

using Shape = std::vector<int64_t>;
typedef float Element;
using Bytes = uint64_t;
using Stream = aclrtStream;
typedef std::vector<Element> Data;

Bytes SizeOf(const Shape& shape) {
  Bytes size = sizeof(Element);
  for (auto each : shape) {
    size *= each;
  }
  return size;
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  Stream stream = nullptr;
  aclrtCreateStream(&stream);
  Shape shape = {2, 4};
  Data data(8, 0.25f);
  void* addr = nullptr;
  aclrtMalloc(&addr, SizeOf(shape), ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(addr, SizeOf(shape), data.data(), SizeOf(shape), ACL_MEMCPY_HOST_TO_DEVICE);
  using Count = int;
  Count count = 0;
  for (auto each : data) {
    count += each == Element(0.25) ? 1 : 0;
  }
  printf("%lu %d\n", SizeOf(shape), count);
  aclrtFree(addr);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
