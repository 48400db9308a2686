"""acl/acl_rt.h: captures of streams into models, and the execution of models."""
