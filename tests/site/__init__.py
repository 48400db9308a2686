"""The documentation site. It is a step of its own in .ci/run, because it takes long."""
