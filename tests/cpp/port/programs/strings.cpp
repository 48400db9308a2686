#include <cstdio>
#include <cstring>
#include <string>
#include <vector>
#include "acl/acl.h"

std::string Join(const std::vector<std::string>& names, const std::string& between) {
  std::string result;
  for (size_t i = 0; i < names.size(); i++) {
    if (i > 0) {
      result += between;
    }
    result += names[i];
  }
  return result;
}

const char* Text(int status) { return status == ACL_SUCCESS ? "good" : "bad"; }

int main() {
  aclInit(nullptr);
  std::vector<std::string> names = {"self", "other"};
  names.push_back("out" + std::to_string(1));
  std::string joined = Join(names, ", ");
  std::string copy = joined;
  copy += "!";
  char reduction[] = "mean";
  printf("%s %s %zu %d\n", joined.c_str(), copy.c_str(), copy.size(), joined == copy);
  printf("%s %s %d %zu\n", reduction, Text(0), strcmp(reduction, "mean") == 0, strlen(reduction));
  printf("%s\n", (std::to_string(1.5) + "/" + std::to_string(-7)).c_str());
  std::string accents = "ü张";
  printf("%zu %d\n", accents.length(), accents < copy);
  aclrtSetDevice(-1);
  const char* message = aclGetRecentErrMsg();
  printf("%d\n", message != nullptr);
  aclFinalize();
  return 0;
}
