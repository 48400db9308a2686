"""aclnn/acl_meta.h and data buffers: tensors, scalars, arrays, lists, executors."""
