#include <cstdio>
#include <vector>
#include "acl/acl.h"

int calls = 0;

bool Check(bool result) {
  calls++;
  return result;
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  bool both = Check(false) && Check(true);
  bool either = Check(true) || Check(false);
  printf("%d %d %d\n", both, either, calls);
  void* addr = nullptr;
  bool bad = addr == nullptr || aclrtMemset(addr, 16, 0, 16) != ACL_SUCCESS;
  int number = 3;
  bool mixed = number && !addr;
  int sum = (number && 5) + (number || 0) + !number;
  printf("%d %d %d\n", bad, mixed, sum);
  if (addr == nullptr && aclrtMalloc(&addr, 32, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS && addr) {
    printf("allocated\n");
  }
  std::vector<int> empty;
  if (!empty.empty() && empty[0] > 0) {
    printf("never\n");
  }
  printf("%d\n", addr ? (number > 2 ? 1 : 2) : 3);
  aclrtFree(addr);
  aclrtResetDevice(0);
  aclFinalize();
  return calls;
}
