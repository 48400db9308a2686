"""The documentation site: a step of .ci/run of its own, as it takes its time."""
