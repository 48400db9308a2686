#include <cstdio>
#include <vector>
#include "acl/acl.h"
#include "aclnn/acl_meta.h"

int main() {
  aclInit(nullptr);
  float alphaValue = 1.5f;
  double wide = 2;
  int64_t number = -3;
  bool flag = true;
  aclScalar* alpha = aclCreateScalar(&alphaValue, aclDataType::ACL_FLOAT);
  aclScalar* other = aclCreateScalar(&wide, ACL_DOUBLE);
  aclScalar* third = aclCreateScalar(&number, ACL_INT64);
  aclScalar* fourth = aclCreateScalar(&flag, ACL_BOOL);
  alphaValue += 1;
  std::vector<int64_t> dims = {0, 2};
  aclIntArray* axes = aclCreateIntArray(dims.data(), dims.size());
  float weights[] = {0.5, 1.5};
  aclFloatArray* floats = aclCreateFloatArray(weights, 2);
  uint64_t size = 0;
  aclGetIntArraySize(axes, &size);
  std::vector<const aclScalar*> scalars = {alpha, other};
  aclScalarList* list = aclCreateScalarList(scalars.data(), 2);
  uint64_t count = 0;
  aclGetScalarListSize(list, &count);
  printf("%f %lu %lu %d\n", alphaValue, size, count, third != nullptr && fourth != nullptr);
  aclDestroyScalarList(list);
  aclDestroyScalar(third);
  aclDestroyScalar(fourth);
  aclDestroyIntArray(axes);
  aclDestroyFloatArray(floats);
  aclFinalize();
  return 0;
}
