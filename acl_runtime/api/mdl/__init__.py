"""acl/acl_mdl.h: offline models. `acl_runtime.models` has their statements and objects."""
