#include <cstdio>
#include <vector>
#include "acl/acl.h"

bool WriteFile(const char* path, const std::vector<float>& data) {
  FILE* file = fopen(path, "wb");
  if (file == nullptr) {
    printf("cannot write %s\n", path);
    return false;
  }
  size_t written = fwrite(data.data(), sizeof(float), data.size(), file);
  fclose(file);
  return written == data.size();
}

bool ReadFile(const char* path, std::vector<float>& data) {
  FILE* file = fopen(path, "rb");
  if (file == nullptr) {
    printf("cannot read %s\n", path);
    return false;
  }
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  fseek(file, 0, SEEK_SET);
  data.resize(size / sizeof(float));
  size_t count = fread(data.data(), sizeof(float), data.size(), file);
  fclose(file);
  return count == data.size();
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  std::vector<float> data = {1, 2.5, -3};
  bool ok = WriteFile("port_files_of_c.bin", data);
  std::vector<float> back;
  ok = ok && ReadFile("port_files_of_c.bin", back);
  printf("%d %zu\n", ok, back.size());
  for (auto each : back) printf("%f\n", each);
  printf("%d\n", ReadFile("port_no_such_file.bin", back));
  void* addr = nullptr;
  aclrtMalloc(&addr, back.size() * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(addr, 12, back.data(), 12, ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtFree(addr);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
