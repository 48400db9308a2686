"""Checks of several parameters that also return the name of the wrong parameter."""

from collections.abc import Callable

from aclnn.op import ACLNN_ERR_PARAM_INVALID, Arguments, Found, Relation, refusal, rule


Misfit = tuple[str, object, object]
"""the parameter, its value, the allowed values"""
Wrong = Callable[[Arguments], Misfit | None]


def checked(
    sentence: str, *names: str, bad: Wrong, status: int = ACLNN_ERR_PARAM_INVALID, provenance: str = "document"
) -> Relation:  # fmt: skip
    """A check whose function `bad` returns a `Misfit`. `{0}` in the sentence is the first name."""

    def judge(a: Arguments) -> Found | None:
        mistake = bad(a)
        if mistake is None:
            return None
        return refusal(sentence, names), *mistake

    return Relation(rule(sentence, names, judge, status=status, provenance=provenance))
