#include <cstdio>
#include "acl/acl.h"

const char* Name(aclDataType type) {
  switch (type) {
    case ACL_FLOAT:
      return "float";
    case ACL_FLOAT16:
    case ACL_BF16:
      return "half";
    default:
      return "other";
  }
}

int Count(int kind) {
  int count = 0;
  for (int i = 0; i < 3; i++) {
    switch (kind + i) {
      case 1:
        count += 1;
        break;
      case 2: {
        int more = 10;
        count += more;
        break;
      }
      case 3:
        continue;
      default:
        count += 1000;
    }
    count += 100;
  }
  return count;
}

int main() {
  aclInit(nullptr);
  printf("%s %s %s\n", Name(ACL_FLOAT), Name(ACL_BF16), Name(ACL_INT8));
  printf("%d %d\n", Count(0), Count(2));
  aclFinalize();
  return 0;
}
