#include <cstdio>
#include <memory>
#include <vector>
#include "acl/acl.h"

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  int count = 0;
  std::vector<void*> owned;
  auto allocate = [&](size_t size) -> void* {
    void* addr = nullptr;
    auto ret = aclrtMalloc(&addr, size, ACL_MEM_MALLOC_HUGE_FIRST);
    if (ret != ACL_SUCCESS) {
      return nullptr;
    }
    count++;
    owned.push_back(addr);
    return addr;
  };
  auto align = [](int64_t value, int64_t to) { return (value + to - 1) / to * to; };
  int base = 10;
  auto added = [base](int value) { return base + value; };
  base = 20;
  auto current = [&base]() { return base; };
  base = 30;
  void* first = allocate(32);
  allocate(align(100, 64));
  printf("%d %ld %d %d %d\n", count, align(100, 64), added(1), current(), first != nullptr);
  auto release = [&owned]() {
    for (auto addr : owned) {
      aclrtFree(addr);
    }
    owned.clear();
  };
  release();
  printf("%zu\n", owned.size());
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
