"""The page of what only Python has: machines, findings, helpers for tests; from signatures and docstrings."""

import inspect
import re
from collections.abc import Iterator, Mapping
from pkgutil import resolve_name
from typing import Any, Final

from aclnn.tools.pages.markdown import Files
from aclnn.tools.pages.names import linked

PAGE: Final = "reference/python.md"
PUBLIC: Final[Mapping[str, Mapping[str, str]]] = {
    "The machine": {
        "acl_runtime.Machine": "allow fail budget read write_trace chrome_trace write_timeline",
        "acl_runtime.faults.failures.Failure": "met end",
    },
    "What was found": {
        "acl_runtime.Finding": "message text",
        "acl_runtime.UndefinedBehaviour": "",
        "acl_runtime.checks.findings.Findings": "report",
    },
    "Calls and tasks": {
        "acl_runtime.trace.records.Calls": "names of lines",
        "acl_runtime.trace.records.Call": "argument outputs failed stream thread began time",
        "acl_runtime.trace.records.Ran": "",
    },
    "Tests": {
        "aclnn.testing.run": "",
        "aclnn.testing.device_tensor": "",
        "aclnn.device_tensor.DeviceTensor": "numpy storage close",
        "aclnn.testing.assert_status": "",
        "aclnn.testing.assert_success": "",
        "aclnn.testing.expect_finding": "",
        "aclnn.testing.expect_at_end": "",
        "aclnn.testing.sweep_failures": "",
        "acl_runtime.testing.sweeps.result.Sweep": "problems unmet check",
    },
    "pyACL": {
        "acl_runtime.pyacl.installed": "",
        "acl_runtime.pyacl.install": "",
        "acl_runtime.pyacl.uninstall": "",
    },
    "An operator of one's own": {
        "aclnn.two_phase": "",
    },
}
"""what is meant to be used, by the names to import it by, and of classes the members"""


def files() -> Files:
    """Who makes the page."""
    return {PAGE: page}


def page() -> str:
    """Signatures and docstrings."""
    parts = [
        "# Python",
        "What C does not have. The options of a machine are on [its own page](../machine.md), how tests use it all is "
        "told in [testing](../testing.md).",
    ]
    for title, names in PUBLIC.items():
        parts += [f"## {title}"]
        for name, members in names.items():
            parts += _told(name, members.split())
    return "\n\n".join(parts) + "\n"


def _told(name: str, members: list[str]) -> Iterator[str]:
    there = resolve_name(name)
    kind = "class" if isinstance(there, type) else "function"
    yield f"```{{py:{kind}}} {name}{_signature(there)}\n```"
    yield linked(inspect.cleandoc(there.__doc__ or ""), up="..")
    for member in members:
        of = inspect.getattr_static(there, member)
        of = getattr(of, "func", getattr(of, "fget", of))  # a property, cached or not, is told by its function
        if inspect.getattr_static(there, member) is of:
            yield f"```{{py:method}} {name}.{member}{_signature(of)}\n```"
        else:
            yield f"```{{py:property}} {name}.{member}\n```"
        yield linked(inspect.cleandoc(of.__doc__ or ""), up="..")


def _signature(of: Any) -> str:
    """As it is called: without `self`, types, and defaults that only mark an option as not given."""
    signature = inspect.signature(of)
    parameters = [each.replace(annotation=each.empty) for each in signature.parameters.values() if each.name != "self"]
    shown = str(signature.replace(parameters=parameters, return_annotation=signature.empty))
    return re.sub(r"=<[^>]*>", "=...", shown)
