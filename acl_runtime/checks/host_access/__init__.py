"""Pinned host memory that the host reads or changes while a queued copy uses it: watches and checksums."""
