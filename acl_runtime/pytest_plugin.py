"""The pytest plugin under the name to use, as in `-p acl_runtime.pytest_plugin`; `_acl_pytest_plugin` says what it has,
and why that is another module."""

from _acl_pytest_plugin import (
    machine,
    pyacl,
    pytest_addoption,
    pytest_configure,
    pytest_configure_node,
    pytest_generate_tests,
    pytest_report_header,
    pytest_runtest_makereport,
)

__all__ = [
    "machine",
    "pyacl",
    "pytest_addoption",
    "pytest_configure",
    "pytest_configure_node",
    "pytest_generate_tests",
    "pytest_report_header",
    "pytest_runtest_makereport",
]
