"""The value of #if is that of the compiler's own preprocessor, for random expressions."""

import random
import re
import subprocess

from aclnn.tools.port.cpp.evaluation import evaluated

COUNT = 1000
NUMBERS = ("0", "1", "2", "7", "63", "64", "0x7FFFFFFFFFFFFFFF", "0xFFFFFFFFFFFFFFFF", "1u", "0u", "3L", "017", "'a'")
BINARY = ("||", "&&", "|", "^", "&", "==", "!=", "<", ">", "<=", ">=", "<<", ">>", "+", "-", "*", "/", "%")


def expression(draw: random.Random, depth: int) -> str:
    """A random expression with at most so many levels."""
    kind = draw.random() if depth else 0.0
    if kind < 0.3:
        return draw.choice(NUMBERS)
    inner = [expression(draw, depth - 1) for _ in range(3)]
    if kind < 0.4:
        return f"{draw.choice(('-', '!', '~', '+'))} {inner[0]}"
    if kind < 0.5:
        return f"({inner[0]} ? {inner[1]} : {inner[2]})"
    shown = f"{inner[0]} {draw.choice(BINARY)} {inner[1]}"
    return f"({shown})" if draw.random() < 0.4 else shown


def test_the_compiler_takes_the_same_branches(cpp: list[str]) -> None:
    draw = random.Random(20)
    known = [(text, value) for text in (expression(draw, 4) for _ in range(COUNT)) if (value := evaluated(text))]
    source = "".join(f"#if {text}\nholds_{number}\n#endif\n" for number, (text, _) in enumerate(known))
    command = [*cpp, "-w", "-E", "-P", "-x", "c++", "-"]
    ran = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    holds = set(ran.stdout.split())
    # a division by zero in an operand that the other one makes irrelevant: the compiler refuses it
    refused = {int(line) // 3 for line in re.findall(r"<stdin>:(\d+):\d+: error: division by zero", ran.stderr)}
    compared = [(number, *each) for number, each in enumerate(known) if number not in refused]
    assert len(compared) > COUNT / 2
    assert [text for number, text, value in compared if (f"holds_{number}" in holds) != bool(value.value)] == []
