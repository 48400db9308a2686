"""The phrases by which a help text lists the reasons of a status, and by which `aclnn explain` and the pages find them
again: written and read with the same words."""

from typing import Final

DEMAND: Final = "this does not hold: "
"""a check of an operator that was broken; its sentence follows"""
ONE_OF: Final = "one of"
"""several reasons follow, each as an `ITEM`"""
NO_FORMULA: Final = "the arguments are right, but this emulator has no formula for the function"
"""the reason of 561003 of a function without a second phase"""
ITEM: Final = "        - "
"""begins the line of a reason"""
