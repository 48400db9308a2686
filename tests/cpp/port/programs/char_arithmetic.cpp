#include <cstdio>
#include <string>
#include "acl/acl.h"

int Digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  return -1;
}

char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

int main() {
  aclInit(nullptr);
  std::string text = "4x7";
  int sum = 0;
  for (size_t i = 0; i < text.size(); i++) {
    int digit = Digit(text[i]);
    if (digit >= 0) sum += digit;
  }
  char letter = 'b';
  letter++;
  printf("%d %c %c %d\n", sum, letter, Upper('q'), Upper('-'));
  char high = 'a';
  high += 100;
  printf("%d\n", high);
  const char* name = aclrtGetSocName();
  printf("%d %s\n", name[0] == 'A', name);
  aclFinalize();
  return 0;
}
