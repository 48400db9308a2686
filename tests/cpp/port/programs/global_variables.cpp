#include <cstdio>
#include <string>
#include <vector>
#include "acl/acl.h"

const int DEVICE = 0;
static aclrtStream g_stream = nullptr;
static int g_calls = 0;
std::vector<void*> g_memory;
float g_factor = 0.5f;
const std::vector<int64_t> SHAPE = {2, 3};
std::string g_name = "global";

void* Allocate(size_t size) {
  void* addr = nullptr;
  if (aclrtMalloc(&addr, size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS) {
    g_memory.push_back(addr);
  }
  g_calls++;
  g_factor *= 2;
  return addr;
}

static int g_unset;
static float g_rate;

int main() {
  g_unset += 2;
  g_rate += 0.1;
  printf("%d %.9f\n", g_unset, g_rate);
  aclInit(nullptr);
  aclrtSetDevice(DEVICE);
  aclrtCreateStream(&g_stream);
  for (auto each : SHAPE) {
    Allocate(each * 16);
  }
  g_name += " changed";
  printf("%d %zu %f %s %d\n", g_calls, g_memory.size(), g_factor, g_name.c_str(), g_stream != nullptr);
  for (auto addr : g_memory) aclrtFree(addr);
  aclrtDestroyStream(g_stream);
  aclrtResetDevice(DEVICE);
  aclFinalize();
  return 0;
}
