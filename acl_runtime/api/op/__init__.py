"""The single-operator interface, which is older than aclnn. Each chapter has a module."""
