#include <iostream>
#include <string>
#include <vector>
#include "acl/acl.h"

int main() {
  auto ret = aclInit(nullptr);
  if (ret != ACL_SUCCESS) {
    std::cerr << "aclInit failed: " << ret << std::endl;
    return 1;
  }
  std::vector<float> data = {1, 0.5, 1e-7f, 123456789, 1e20f};
  for (size_t i = 0; i < data.size(); i++) {
    std::cout << "data[" << i << "] = " << data[i] << std::endl;
  }
  std::string name = "cout";
  double third = 1.0 / 3;
  int64_t large = -5000000000;
  std::cout << name << " " << third << ' ' << large << " " << true << "\n";
  std::cout << "100% " << (3 > 2) << " " << ret << " " << ACL_FLOAT16 << std::endl;
  std::cout << "no line";
  std::cout << std::endl;
  std::cout << std::string("a") + "b" << "\t" << (ret == 0 ? "ok" : "bad") << std::endl;
  aclFinalize();
  return 0;
}
