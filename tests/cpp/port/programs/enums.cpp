#include <cstdio>
#include "acl/acl.h"

enum class Mode { FAST = 2, SLOW, EXACT = 10 };
enum Level { LOW, HIGH = 5, HIGHER };

int Steps(Mode mode, Level level) {
  if (mode == Mode::FAST) {
    return level + 1;
  }
  return level == HIGH ? 50 : static_cast<int>(mode);
}

enum class Small : uint8_t { FIRST = 250, LAST };

int main() {
  Small small = static_cast<Small>(static_cast<uint8_t>(300));
  printf("%d %d %zu\n", static_cast<int>(small), small == Small::LAST, sizeof(small));
  aclInit(nullptr);
  Mode mode = Mode::SLOW;
  Level level = HIGHER;
  printf("%d %d %d\n", static_cast<int>(mode), level, LOW);
  printf("%d %d %d\n", Steps(Mode::FAST, level), Steps(mode, HIGH), Steps(Mode::EXACT, LOW));
  aclDataType type = aclDataType::ACL_FLOAT16;
  aclFormat format = ACL_FORMAT_NCHW;
  printf("%d %d %zu\n", type == ACL_FLOAT16, format, aclDataTypeSize(type));
  type = ACL_INT32;
  switch (mode) {
    case Mode::SLOW:
      printf("slow %d\n", type);
      break;
    case Mode::FAST:
      printf("fast\n");
      break;
    default:
      break;
  }
  aclFinalize();
  return 0;
}
