"""The pytest plugin: what fails a test, markers and fixtures, options and reports."""
