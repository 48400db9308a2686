"""A library with planted differences: it stands before that of the toolkit, and changes the answers of some functions.

Which functions, and how, is drawn from a seed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

HEAD = """\
#include <acl/acl.h>
#include <dlfcn.h>
#include <csignal>
#include <cstring>
#include <unistd.h>
#include <map>
#include <string>
INCLUDES
static thread_local bool wrong_text, wrong_wait, wrong_result;
template <class F> static F real(F, const char *name) { return reinterpret_cast<F>(dlsym(RTLD_NEXT, name)); }
extern "C" {
const char *aclGetRecentErrMsg() {
    const char *text = real(aclGetRecentErrMsg, "aclGetRecentErrMsg")();
    bool wrong = wrong_text;
    wrong_text = false;
    return wrong ? "EZ0000: planted" : text;
}
aclError aclrtSynchronizeStream(aclrtStream stream) {
    aclError status = real(aclrtSynchronizeStream, "aclrtSynchronizeStream")(stream);
    bool wrong = wrong_wait;
    wrong_wait = false;
    return wrong ? 507015 : status;
}
aclError aclrtFree(void *devPtr) {
    wrong_result = false;  // the call has its results
    return real(aclrtFree, "aclrtFree")(devPtr);
}
aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind) {
    aclError status = real(aclrtMemcpy, "aclrtMemcpy")(dst, destMax, src, count, kind);
    if (wrong_result && kind == ACL_MEMCPY_DEVICE_TO_HOST) static_cast<char *>(dst)[count - 1] ^= 0x41;
    return status;
}
"""
WAYS: dict[str, tuple[str, str, str]] = {
    # the phase that changes, the statements behind the real call, the difference that is named
    "another refusal": ("first", "if (status) status += 1;", "status"),
    "refused": ("first", "if (!status) status = 161002;", "status"),
    "accepted": ("first", "if (status) status = 0;", "status"),
    "another text": ("first", "wrong_text = status != 0;", "code of the error text"),
    "a crash": ("first", "if (!status) raise(SIGSEGV);", "end of the process"),
    "an exit": ("first", "if (!status) _exit(0);", "end of the process"),
    "no launch": ("second", "status = 561003;", "launch"),
    "a failed task": ("second", "wrong_wait = true;", "wait"),
    "another result": ("second", "wrong_result = true;", "argument"),
}
FIRST = "GetWorkspaceSize"


def drawn(names: list[str], count: int, seed: int) -> dict[str, str]:
    """The ways in which functions differ, by function."""
    return {name: list(WAYS)[at % len(WAYS)] for at, name in enumerate(Random(seed).sample(names, count))}


def source(planted: Mapping[str, str], prototypes: Mapping[str, tuple[str, str]]) -> str:
    """The source in C++. `prototypes` has header and prototype of each function."""
    functions = list(_functions(planted))
    headers = dict.fromkeys(prototypes[name][0] for name, _ in functions)
    includes = "\n".join(f"#include <{header}>" for header in headers)
    return "".join([HEAD.replace("INCLUDES", includes), *(_function(prototypes[n][1], b) for n, b in functions), "}\n"])


def _functions(planted: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The functions that are replaced, with their statements."""
    for name, way in planted.items():
        phase, statements, _ = WAYS[way]
        yield (f"{name}{FIRST}" if phase == "first" else name), statements


def _function(prototype: str, statements: str) -> str:
    head, name, parameters = _parts(prototype)
    names = ", ".join(re.findall(r"(\w+)(?:\[\])*(?:,|$)", parameters))
    call = f'real({name}, "{name}")({names})'
    return f"{head}{name}({parameters}) {{\n    auto status = {call};\n    {statements}\n    return status;\n}}\n"


def _parts(prototype: str) -> Any:
    match = re.fullmatch(r"(.*?)(\w+)\((.*)\)", prototype)
    assert match is not None
    return match.groups()
