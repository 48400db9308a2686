#include <cstdio>
#include "acl/acl.h"

#define ALIGN_UP(x, a) (((x) + (a) - 1) / (a) * (a))
#define SQUARE_BADLY(x) x * x
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define DEVICE_ID 0
#define SIZE (DEVICE_ID + 100)
#define NAME "macro"
#define STATUS(call) \
  do { \
    int status_ = (call); \
    printf("%s gives %d\n", #call, status_); \
    if (status_ != ACL_SUCCESS) { \
      failures++; \
    } \
  } while (0)
#define JOIN(a, b) a##b
#define UNUSED(x) (void)(x)
#define FOR_EACH(i, n) for (int i = 0; i < (n); ++i)

int failures = 0;

int main(int argc, char** argv) {
  UNUSED(argc);
  UNUSED(argv);
  STATUS(aclInit(nullptr));
  STATUS(aclrtSetDevice(DEVICE_ID));
  STATUS(aclrtSetDevice(99));
  aclGetRecentErrMsg();
  int size3 = 3;
  printf("%d %d %d %s\n", ALIGN_UP(SIZE, 32), SQUARE_BADLY(1 + 2), MAX(JOIN(size, 3), 2), NAME " text");
  FOR_EACH(i, 2) { printf("%d\n", i); }
  STATUS(aclrtResetDevice(DEVICE_ID));
  STATUS(aclFinalize());
  return failures;
}
