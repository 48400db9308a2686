"""The options of a machine, their defaults, and their environment variables."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import index
from typing import Any, Final

from acl_runtime.objects.soc import soc_named

VISIBLE: Final = "ASCEND_RT_VISIBLE_DEVICES"
LANGUAGES: Final = ("en", "zh")
SCHEDULES: Final = ("late", "eager", "threads", "random")
WORDS: Final = {
    "catalogued": ("launch", "plan"), "lang": LANGUAGES, "on_undefined": ("raise", "report"), "schedule": SCHEDULES,
}  # fmt: skip
"""the values of options that are words"""
LOCALE: Final = ("LC_ALL", "LC_MESSAGES", "LANG")
"""the variables with the locale of messages; the first that is set is used"""


def whole(name: str, value: Any) -> int:
    """The value as an int; TypeError if it is no whole number."""
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r}: a whole number") from None


class _Unset:
    """The default of an option that is not given."""

    def __repr__(self) -> str:
        return "default"


UNSET: Any = _Unset()


def _truth(text: str) -> bool:
    if text.lower() in ("1", "true", "yes", "on"):
        return True
    if text.lower() in ("0", "false", "no", "off"):
        return False
    raise ValueError(text)


def _number(text: str) -> int:
    return int(text, 0)


def _number_or_none(text: str) -> int | None:
    return None if text.lower() in ("", "none") else int(text, 0)


def _language_of_locale() -> str:
    """zh in a Chinese locale, such as zh_CN.UTF-8; en in any other locale."""
    locale = next(filter(None, map(os.environ.get, LOCALE)), "")
    return "zh" if re.match(r"zh(?![A-Za-z])", locale) else "en"


@dataclass
class Options:
    """The options of a machine. The environment variable `ACL_EMULATOR_<OPTION>` sets the default of each except
    `fast`."""

    soc: str = "Ascend910B1"
    """the chip, by the name that aclrtGetSocName returns"""
    device_count: int = 1
    hbm_bytes: int | None = None
    """memory of each device in bytes; None: the memory of the chip"""
    host_bytes: int | None = None
    """bytes of host memory that device memory may take; None: the available memory of the host, less 1 GiB"""
    schedule: str = "late"
    """the time when queued work runs: late, eager, threads, random"""
    seed: int | None = None
    """the seed of schedule="random" """
    fill: int | None = 0xFF
    """the fill value of fresh device memory: 0xFF is NaN in every float type; None: zeros"""
    min_workspace: int = 0
    """the least workspace size that a first phase returns for a call that has work"""
    on_undefined: str = "raise"
    """findings of level error: "raise" raises UndefinedBehaviour, "report" only records them in machine.findings"""
    trace: bool = False
    """store every call in machine.calls, not only the last 10,000"""
    window: bool = True
    """reserve inaccessible address ranges for device memory and handles"""
    checks: bool = True
    """find races, early frees and reads of uninitialised memory; False: find only mistakes that would crash"""
    fast: bool = True
    """compute large tensors in blocks, on several cores; False: run each formula as written, over whole tensors"""
    threads: int | None = None
    """cores of the host that compute large tensors; None: two, or one if the host has only one"""
    hf32: bool = False
    """round the FLOAT inputs of matrix products to HFLOAT32 where cubeMathType allows it; False: compute in FLOAT"""
    catalogued: str = "launch"
    """the phase in which an operator without a kernel returns 561003, after its checks: launch or plan"""
    patience: float = 10.0
    """real seconds that a wait of several threads may take before it counts as a deadlock"""
    lang: str = field(default_factory=_language_of_locale)
    """the language of explanations and hints in reports: en or zh"""

    def __post_init__(self) -> None:
        for name in ("device_count", "min_workspace"):
            if type(getattr(self, name)) is not int:
                raise TypeError(f"{name}={getattr(self, name)!r}: an int")
            if getattr(self, name) < 0:
                raise ValueError(f"{name}={getattr(self, name)}: 0 or more")
        for name in ("trace", "window", "checks", "fast", "hf32"):
            if type(getattr(self, name)) is not bool:
                raise TypeError(f"{name}={getattr(self, name)!r}: True or False")
        for name, words in WORDS.items():
            if getattr(self, name) not in words:
                raise ValueError(f"{name}={getattr(self, name)!r}: {' or '.join(words)}")
        soc_named(self.soc)
        if not self.patience > 0:
            raise ValueError(f"patience={self.patience}: more than 0 seconds")
        for name, size in (("hbm_bytes", self.hbm_bytes), ("host_bytes", self.host_bytes)):
            if size is not None and size <= 0:
                raise ValueError(f"{name}={size}: more than 0")
        if self.threads is not None and (type(self.threads) is not int or self.threads < 1):
            raise ValueError(f"threads={self.threads!r}: an int from 1, or None")
        if self.fill is not None and not 0 <= self.fill <= 255:
            raise ValueError(f"fill={self.fill}: a byte, or None for zeros")


_READ: dict[str, Callable[[str], Any]] = {
    "device_count": _number,
    "hbm_bytes": _number_or_none,
    "host_bytes": _number_or_none,
    "seed": _number_or_none,
    "fill": _number_or_none,
    "min_workspace": _number,
    "trace": _truth,
    "window": _truth,
    "checks": _truth,
    "fast": _truth,
    "hf32": _truth,
    "threads": _number_or_none,
    "patience": float,
}


_KINDS: Final[dict[Callable[[str], Any], str]] = {
    _number: "a whole number", _number_or_none: "a whole number, or none", _truth: "0 or 1", float: "a number",
}  # fmt: skip
"""the values that the functions of `_READ` take"""


def visible_devices(count: int) -> list[int]:
    """The devices of `count` that ASCEND_RT_VISIBLE_DEVICES lists, in its order, up to the first entry that is no
    number, no device, or a repetition. All devices if the variable is not set."""
    text = os.environ.get(VISIBLE)
    names = {str(number): number for number in range(count)}
    if text is None:
        return list(names.values())
    devices: list[int] = []
    for entry in text.split(","):
        number = names.pop(entry.strip(), None)
        if number is None:
            break
        devices.append(number)
    return devices


def check_name(name: str) -> None:
    """Raise ValueError if there is no option of this name."""
    names = [option.name for option in fields(Options)]
    if name not in names:
        raise ValueError(f"{name!r} is no option: {', '.join(names)}")


def read(name: str, text: str) -> Any:
    """The value of an option from its text in the environment; ValueError if the text is no value."""
    check_name(name)
    reader = _READ.get(name, str)
    try:
        return reader(text)
    except ValueError:
        raise ValueError(f"{text!r} is no value for the option {name}: {_KINDS[reader]}") from None


def options(values: dict[str, Any]) -> Options:
    """The options of a machine: each from `values`, else from the environment, else the default."""
    fails_on_findings()  # a wrong value is refused also where the caller does not ask for it
    chosen: dict[str, Any] = {}
    for option in fields(Options):
        name = option.name
        if values.get(name, UNSET) is not UNSET:
            chosen[name] = values[name]
        elif name != "fast" and (variable := variable_of(name)) in os.environ:
            try:
                chosen[name] = read(name, os.environ[variable])
            except ValueError as error:
                raise ValueError(f"{variable}={error}") from None
            try:
                Options(**{name: chosen[name]})
            except ValueError as error:  # name the variable, as the program does not set the option
                raise ValueError(f"{variable}: {error}") from None
    return Options(**chosen)


PREFIX: Final = "ACL_EMULATOR_"
FINDINGS: Final = f"{PREFIX}FINDINGS"
"""`error` lets a program in C or C++, or under `aclnn run`, end with 86 after an error or a warning"""
OTHERS: Final = (
    "ALLOW", "ALLOWANCES", "CALLERS", "ERRORS", "FAST_CALLS", "FAULTS", "FINDINGS", "KERNELS", "LIBPYTHON", "NATIVE",
    "REPORT", "REPORT_ALLOWED", "TIMELINE_FILE", "TRACE_FILE",
)  # fmt: skip
"""variables of the emulator that are not options of a machine, without the prefix"""
SIMILARITY: Final = 0.55
"""the least similarity of two names, without the prefix, for which one is proposed for the other; 1 is
equality"""
WHOLE_SIMILARITY: Final = 0.85
"""the least similarity of a name with another prefix to a whole name. Variables of other emulators, such as
ANDROID_EMULATOR_THREADS, have at most 0.82"""


def unknown_variables() -> list[str]:
    """A sentence for each variable in the environment that has the emulator's prefix and an unknown name, or another
    prefix and otherwise the name of one of ours, such as ACLNN_EMULATOR_SOC."""
    known = {*(option.name.upper() for option in fields(Options) if option.name != "fast"), *OTHERS}
    candidates = sorted(
        name for name in os.environ if "EMULAT" in name.upper() and name.removeprefix(PREFIX) not in known
    )
    if not candidates:
        return []
    from difflib import get_close_matches  # late: only a mistake needs it

    sentences: list[str] = []
    for name in candidates:
        ours = name.startswith(PREFIX)
        if ours:
            meant = [PREFIX + near for near in get_close_matches(name.removeprefix(PREFIX), known, 1, SIMILARITY)]
        else:
            meant = get_close_matches(name.upper(), [PREFIX + each for each in known], 1, WHOLE_SIMILARITY)
        if ours or meant:
            proposed = f"; did you mean {meant[0]}?" if meant else ""
            sentences.append(f"{name} is no variable of the emulator{proposed}")
    return sentences


def fails_on_findings() -> bool:
    """True if the environment asks for exit status 86 after an error or a warning. ValueError for an unknown value,
    which would let each run pass."""
    value = os.environ.get(FINDINGS, "")
    if value not in ("", "report", "error"):
        raise ValueError(f"{FINDINGS}={value!r}: report or error")
    return value == "error"


def language() -> str:
    """The language of a command without a machine: from the variable of the option `lang`, else from the locale."""
    value = os.environ.get(variable_of("lang"))
    return Options().lang if value is None else Options(lang=value).lang


def variable_of(name: str) -> str:
    """The name of the environment variable of an option."""
    return f"{PREFIX}{name.upper()}"
