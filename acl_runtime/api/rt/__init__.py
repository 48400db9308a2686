"""acl/acl_rt.h: devices, contexts, streams, events, callbacks."""
