"""acl/acl_rt.h: allocation, pinned and registered memory, copies, fills."""
