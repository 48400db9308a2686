"""Functions that are newer than CANN 9.1, whose versions the emulator returns, as far as public facts name them.

They work like the others. A program for CANN 9.1 neither compiles nor links with them, so the help says so.
"""

from collections.abc import Mapping
from typing import Final

NEWER: Final[Mapping[str, str]] = {
    "9.2.0-beta.1": """
        aclrtLaunchSIMTKernelWithArgsArray aclrtLaunchSIMTKernelWithHostArgs aclrtDeviceSetLimit aclrtDeviceGetLimit
        aclrtRecordEventWithFlag aclrtStreamWaitEventWithFlag""",
    "9.2.0-beta.2": """
        aclrtDeviceGetPCIBusId aclrtDeviceGetByPCIBusId aclrtDeviceL2CacheFlush aclrtBinarySetExceptionCallback
        acldumpGetPath acldumpGetExceptionInfoPath""",
}
"""functions by the edition that has them first; some of them are absent here"""
EDITIONS: Final = {name: edition for edition, names in NEWER.items() for name in names.split()}


def edition_note(name: str) -> str:
    """The sentence for a newer function; empty for the others."""
    edition = EDITIONS.get(name)
    return f"Since CANN {edition}: CANN 9.1 does not have this function." if edition is not None else ""
