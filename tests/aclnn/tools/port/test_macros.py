"""Macros of the compiler."""

import ast

import pytest

pytest.importorskip("tree_sitter_cpp", reason="the extra `port` is not installed")

from aclnn.tools.port.programs import port

PROGRAM = """\
#include <cstdio>
#include "acl/acl.h"
#define CHECK(call)                                                    \\
    do {                                                               \\
        if ((call) != ACL_SUCCESS) {                                   \\
            printf("%s:%d %s\\n", __FILE__, __LINE__, #call);           \\
            return 1;                                                  \\
        }                                                              \\
    } while (0)
int main() {
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(
        0));
    printf("__LINE__ %d\\n", __LINE__);
    return 0;
}
"""


def test_file_and_line_are_those_of_the_cpp_program() -> None:
    """A macro has the line of its use, also below a use that takes two lines. In a string they are plain text."""
    made = port(PROGRAM, "host.cpp")
    assert made.problems == []
    values = [each.value for each in ast.walk(ast.parse(made.text)) if isinstance(each, ast.Constant)]
    assert values.count("host.cpp") == 2
    assert sorted(each for each in values if isinstance(each, int) and each > 9) == [11, 12, 14]
    assert any(isinstance(each, str) and each.startswith("__LINE__") for each in values)
