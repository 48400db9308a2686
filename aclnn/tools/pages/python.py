"""The page of the API that only Python has: machines, findings, helpers for tests. It is made from signatures and
docstrings."""

import inspect
import re
from collections.abc import Iterator, Mapping
from pkgutil import resolve_name
from typing import Any, Final

from aclnn.tools.pages.markdown import Files
from aclnn.tools.pages.reference_links import linked

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
        "acl_runtime.streams.ran.Ran": "",
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
"""the public names, as they are imported, with the public members of classes"""


def files() -> Files:
    """The function that returns the text of the page, by its path."""
    return {PAGE: page}


def page() -> str:
    """The signatures and docstrings of the public names."""
    parts = [
        "# Python",
        "The API that C does not have. The options of a machine are on [a page of their own](../machine.md); "
        "[testing](../testing.md) shows how tests use it.",
    ]
    for title, names in PUBLIC.items():
        parts += [f"## {title}"]
        for name, members in names.items():
            parts += _documented(name, members.split())
    return "\n\n".join(parts) + "\n"


def _documented(name: str, members: list[str]) -> Iterator[str]:
    documented = resolve_name(name)
    kind = "class" if isinstance(documented, type) else "function"
    yield f"```{{py:{kind}}} {name}{_signature(documented)}\n```"
    yield linked(inspect.cleandoc(documented.__doc__ or ""), up="..")
    for member in members:
        attribute = inspect.getattr_static(documented, member)
        # a property, cached or not, has its function as an attribute
        attribute = getattr(attribute, "func", getattr(attribute, "fget", attribute))
        if inspect.getattr_static(documented, member) is attribute:
            yield f"```{{py:method}} {name}.{member}{_signature(attribute)}\n```"
        else:
            yield f"```{{py:property}} {name}.{member}\n```"
        yield linked(inspect.cleandoc(attribute.__doc__ or ""), up="..")


def _signature(function: Any) -> str:
    """The signature as it is called: without `self`, without types, and with `...` for defaults that only mark an
    option as not given."""
    signature = inspect.signature(function)
    parameters = [
        parameter.replace(annotation=parameter.empty)
        for parameter in signature.parameters.values()
        if parameter.name != "self"
    ]
    signature_text = str(signature.replace(parameters=parameters, return_annotation=signature.empty))
    return re.sub(r"=<[^>]*>", "=...", signature_text)
