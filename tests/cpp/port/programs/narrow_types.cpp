#include <cstdint>
#include <cstdio>
#include <vector>
#include "acl/acl.h"

struct Pixel {
  uint8_t value;
  int8_t offset;
};

int main() {
  aclInit(nullptr);
  int8_t small = 127;
  small += 1;
  int8_t other = 100;
  int sum = other + other;
  int8_t wrapped = other + other;
  printf("%d %d %d\n", small, sum, wrapped);
  uint8_t bytes[4] = {255, 1, 2, 3};
  bytes[0] += 2;
  bytes[1] = bytes[1] - 2;
  bytes[2] <<= 7;
  printf("%d %d %d %d\n", bytes[0], bytes[1], bytes[2], bytes[0] + bytes[1] + 300);
  std::vector<int16_t> words = {30000, 30000};
  int product = words[0] * words[1];
  words[0] = static_cast<int16_t>(words[0] + words[1]);
  printf("%d %d\n", words[0], product);
  Pixel pixel = {200, -100};
  pixel.value += 100;
  pixel.offset -= 100;
  printf("%d %d\n", pixel.value, pixel.offset);
  int32_t narrow = 500;
  int64_t wide = 1LL << 40;
  narrow = wide + 5;
  uint16_t word = -1;
  printf("%d %d %d\n", narrow, word, word + 1);
  bool flag = 2;
  int number = flag + flag;
  printf("%d %d\n", flag, number);
  aclFinalize();
  return 0;
}
