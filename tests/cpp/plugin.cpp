// A library of an installed package of Python: reports name the lines of the Python program that calls it.
#include "acl/acl.h"
#include "aclnn/acl_meta.h"

extern "C" void *make()
{
    float value = 2;
    return aclCreateScalar(&value, ACL_FLOAT);
}

extern "C" int drop(void *scalar) { return aclDestroyScalar(static_cast<aclScalar *>(scalar)); }
