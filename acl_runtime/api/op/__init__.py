"""The single-operator interface before aclnn, one file for each chapter."""
