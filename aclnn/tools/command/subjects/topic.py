"""A topic of `aclnn explain`."""

from typing import NamedTuple


class Topic(NamedTuple):
    """Words to search for, a sentence about them, and the names that explain more."""

    words: str
    """separated by bars; the first is the name of the topic; ` ... ` stands for any words of the same line"""
    about: str
    see: str
    """separated by spaces, the most important first"""
    specific: bool = True
    cause: bool = False
    """True if the words say more about the reason of a failure than a status beside them"""
