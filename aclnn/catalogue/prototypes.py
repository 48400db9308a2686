"""The C declarations of a documented function, from its facts alone. They have no help and no body, which are slow to
make and which the headers of the toolkit do not need."""

from typing import Any

import acl_runtime.abi.c as c
from acl_runtime.abi.function import CFunction
from aclnn.catalogue.c_types import c_type
from aclnn.catalogue.facts import Facts

Parameters = tuple[tuple[str, Any], ...]
OUT_POINTERS = (("workspaceSize", c.of(c.uint64_t_p)), ("executor", c.of(c.aclOpExecutor_pp)))
"""the last parameters of each first phase"""


def declared(facts: Facts) -> tuple[CFunction, ...]:
    """The declarations of both phases, or of the only function."""
    parameters = tuple((param.name, c_type(param.type)) for param in facts.params)
    if facts.phases == 1:
        return (_function(facts, facts.name, parameters),)
    last = second(facts.workspace_size_name, const_size=facts.const_workspace_size, const_stream=facts.const_stream)
    return _function(facts, f"{facts.name}GetWorkspaceSize", (*parameters, *OUT_POINTERS)), _function(
        facts, facts.name, last
    )


def second(size_name: str, *, const_size: bool, const_stream: bool) -> Parameters:
    """The parameters of a second phase."""
    return (
        ("workspace", c.of(c.void_p)),
        (size_name, c_type("const uint64_t") if const_size else c.of(c.uint64_t)),
        ("executor", c.of(c.aclOpExecutor_p)),
        ("stream", c.of(c.const_aclrtStream if const_stream else c.aclrtStream)),
    )


def _function(facts: Facts, name: str, parameters: Parameters) -> CFunction:
    return CFunction(name, facts.header, c.of(c.aclnnStatus), parameters, "", closes=False)
