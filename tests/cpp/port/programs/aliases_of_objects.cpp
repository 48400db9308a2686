#include <cstdio>
#include <string>
#include <vector>
#include "acl/acl.h"

struct Buffer {
  void* addr = nullptr;
  size_t size = 0;
};

struct Job {
  std::vector<Buffer> buffers;
  std::vector<int64_t> shape;
};

void Grow(Job* job) {
  auto& first = job->buffers[0];
  first.size += 10;
  std::vector<int64_t>& shape = job->shape;
  shape.push_back(8);
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  Job job;
  job.buffers.resize(2);
  job.shape = {1};
  Grow(&job);
  Buffer& second = job.buffers[1];
  second.size = 64;
  aclrtMalloc(&second.addr, second.size, ACL_MEM_MALLOC_HUGE_FIRST);
  Buffer copy = second;
  copy.addr = nullptr;
  printf("%zu %zu %zu\n", job.buffers[0].size, job.buffers[1].size, job.shape.size());
  printf("%d %d\n", job.buffers[1].addr == nullptr, copy.addr == nullptr);
  std::vector<void*> addrs = {second.addr, nullptr};
  auto others = addrs;
  aclrtMalloc(&others[1], 32, ACL_MEM_MALLOC_HUGE_FIRST);
  printf("%d %d\n", addrs[1] == nullptr, others[1] == nullptr);
  int number = 5;
  int* pointer = &number;
  *pointer += 2;
  number *= 10;
  printf("%d %d %d\n", number, *pointer, pointer != nullptr);
  std::string text = "zä";
  printf("%d %d\n", text[0], text[1]);
  aclrtFree(others[0]);
  aclrtFree(others[1]);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
