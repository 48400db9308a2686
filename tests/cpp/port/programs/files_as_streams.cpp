#include <cstdio>
#include <fstream>
#include <string>
#include <vector>
#include "acl/acl.h"

int Save(const std::string& path, const std::vector<int32_t>& values) {
  std::ofstream file(path, std::ios::binary);
  if (!file.is_open()) {
    printf("cannot open %s\n", path.c_str());
    return 1;
  }
  file.write(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(int32_t));
  file.close();
  return 0;
}

std::vector<int32_t> Load(const std::string& path, size_t count) {
  std::vector<int32_t> values(count, 0);
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    printf("cannot open %s\n", path.c_str());
    return values;
  }
  file.read((char*)values.data(), values.size() * sizeof(int32_t));
  printf("read %ld\n", (long)file.gcount());
  file.close();
  return values;
}

int main() {
  aclInit(nullptr);
  std::vector<int32_t> values = {1, -2, 300000};
  int ret = Save("port_stream.bin", values);
  auto loaded = Load("port_stream.bin", 3);
  for (int32_t each : loaded) printf("%d ", each);
  auto missing = Load("port_no_such_stream.bin", 1);
  auto more = Load("port_stream.bin", 5);
  printf("%d %zu %d\n", ret, missing.size(), more[2]);
  ret = Save("no_such_folder/port_stream.bin", values);
  aclFinalize();
  return ret;
}
