"""acl/acl.h: initialisation, error texts, options, logging, versions."""
