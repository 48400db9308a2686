#include <cstdio>
#include <string>
#include <vector>
#include "acl/acl.h"

int main() {
  std::vector<uint8_t> narrow = {250, 5};
  for (auto& each : narrow) each += 10;
  printf("%d %d %zu\n", narrow[0], narrow[1], narrow.size());
  aclrtMemset(narrow.data(), 2, 0, 0);
  aclInit(nullptr);
  aclrtSetDevice(0);
  std::vector<int64_t> sizes = {16, 32, 64};
  std::vector<void*> addrs;
  for (auto size : sizes) {
    void* addr = nullptr;
    aclrtMalloc(&addr, size, ACL_MEM_MALLOC_HUGE_FIRST);
    addrs.push_back(addr);
  }
  for (auto& size : sizes) {
    size *= 2;
    if (size > 100) {
      continue;
    }
    size += 1;
  }
  for (const auto& size : sizes) {
    printf("%ld\n", size);
  }
  std::vector<float> values = {1, 2, 3};
  float sum = 0;
  for (float& value : values) {
    value = value / 2;
    sum += value;
  }
  for (auto value : values) printf("%f ", value);
  printf("%f\n", sum);
  for (auto kind : {ACL_FLOAT, ACL_INT64}) {
    printf("%zu\n", aclDataTypeSize(kind));
  }
  for (const std::string& name : {std::string("a"), std::string("b")}) {
    printf("%s\n", name.c_str());
  }
  for (auto addr : addrs) {
    aclrtFree(addr);
  }
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
