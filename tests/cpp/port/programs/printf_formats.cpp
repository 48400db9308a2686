#include <cinttypes>
#include <cstdio>
#include <string>
#include "acl/acl.h"

#define LOG_PRINT(message, ...) \
  do { \
    printf(message, ##__VA_ARGS__); \
  } while (0)
#define INFO_LOG(fmt, ...) fprintf(stdout, "[INFO] " fmt "\n", ##__VA_ARGS__)

int main() {
  aclInit(nullptr);
  int32_t small = -7;
  int64_t large = 5000000000;
  uint32_t bits = 0xdeadbeef;
  size_t size = 42;
  float half = 0.1f;
  double third = 1.0 / 3;
  std::string name = "tensor";
  const char* text = "abc";
  LOG_PRINT("plain 100%%\n");
  LOG_PRINT("%d %5d|%-5d|%05d\n", small, small, small, 42);
  LOG_PRINT("%ld %lld %zu %lu\n", large, (long long)large, size, size);
  LOG_PRINT("%u %x %X %#x %o\n", bits, bits, bits, bits, 8u);
  LOG_PRINT("%u %x\n", small, small);
  LOG_PRINT("%d\n", bits);
  LOG_PRINT("%f %.3f %8.2f|%-8.2f|%+.1f\n", half, half, third, third, third);
  LOG_PRINT("%e %g %G %.10g\n", half, third, 1e-10, 0.1f);
  LOG_PRINT("%s %10s|%-10s|%.2s\n", name.c_str(), text, text, text);
  LOG_PRINT("%c%c %*d\n", 'o', 107, 6, small);
  LOG_PRINT("%" PRId64 " %" PRIu32 "\n", large, bits);
  LOG_PRINT("%d %d %hhd %hd\n", true, 3 > 4, 300, 70000);
  INFO_LOG("from %s: %d", name.c_str(), small);
  INFO_LOG("nothing");
  printf("no line");
  printf("\n");
  printf("two" " parts %i\n", small);
  aclFinalize();
  return 0;
}
