#include <cstdio>
#include <vector>
#include "acl/acl.h"

void Count(int& count, const int& step) {
  count += step;
  if (count < 10) {
    Count(count, step);
  }
}

int Create(aclrtStream& stream, aclrtEvent* event) {
  auto ret = aclrtCreateStream(&stream);
  if (ret != ACL_SUCCESS) return ret;
  return aclrtCreateEvent(event);
}

void Fill(std::vector<float>& data, float value) {
  std::vector<float> made(3, value);
  data = made;
  made[0] = 100;
}

void Reset(void*& addr) {
  aclrtFree(addr);
  addr = nullptr;
}

void Swap(int64_t& a, int64_t& b) {
  int64_t old = a;
  a = b;
  b = old;
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  int count = 1;
  Count(count, 4);
  int& same = count;
  same *= 2;
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  int ret = Create(stream, &event);
  std::vector<float> data;
  Fill(data, 0.5f);
  const auto& view = data;
  data[1] = 2;
  void* addr = nullptr;
  aclrtMalloc(&addr, 32, ACL_MEM_MALLOC_HUGE_FIRST);
  void* copy = addr;
  Reset(addr);
  int64_t a = 1, b = 2;
  Swap(a, b);
  printf("%d %d %d %d\n", count, ret, addr == nullptr, copy == nullptr);
  printf("%f %f %zu %ld %ld\n", data[0], view[1], view.size(), a, b);
  std::vector<int> values = {1, 2, 3};
  int& second = values[1];
  second = 20;
  printf("%d\n", values[1]);
  aclrtDestroyEvent(event);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
