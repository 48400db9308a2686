"""Tasks that compute nothing: a wait on the device."""
