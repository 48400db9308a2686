"""Tests of aclnn/engine/fast."""
