#include <cstdio>
#include "acl/acl.h"

#define USE_STREAM 1
#define VERSION 3
#define DEBUG

#if USE_STREAM && VERSION > 2
int Prepare(aclrtStream* stream) { return aclrtCreateStream(stream); }
#else
int Prepare(aclrtStream* stream) { return 1; }
#endif

#ifdef DEBUG
#define LOG(message) printf("debug: %s\n", message)
#else
#define LOG(message)
#endif

#if 0
this is no C++
#endif

#undef DEBUG

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtStream stream = nullptr;
  int ret = Prepare(&stream);
  LOG("prepared");
#ifdef DEBUG
  ret = 5;
#elif VERSION == 3
  ret += 3;
#else
  ret = 7;
#endif
  printf("%d %d\n", ret, VERSION);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
