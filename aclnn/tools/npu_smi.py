"""`npu-smi` of the toolkit: describes the NPUs of this host to build scripts, from the options of `Machine`.

npu-smi info                          the table of the devices
npu-smi info -l                       their numbers
npu-smi info -m                       their chips
npu-smi info -t board -i ID [-c CHIP] one device, or one chip of it

A build for an NPU needs the name of its chip. CMake files cut the name out of the table, setup scripts out of `-t
board`. So the rows have the layout of the real npu-smi. ACL_EMULATOR_SOC and ACL_EMULATOR_DEVICE_COUNT set the chip and
the number of devices, as for the next program.

A figure that the emulator does not have, such as the temperature, is NA. The version of the driver is the version of
the emulator. Other commands of npu-smi are refused.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import Final

from acl_runtime.objects.options import options
from acl_runtime.objects.soc import Soc, soc_named
from acl_runtime.version import __version__

FAILED: Final = 1
USAGE: Final = """\
This npu-smi belongs to aclnn-emulator: it describes the simulated NPUs. It has
  npu-smi info                            npu-smi info -l
  npu-smi info -t board -i ID [-c CHIP]   npu-smi info -m"""
WIDTHS: Final = (27, 15, 52)
"""widths of the columns of the table"""
MIB: Final = 1 << 20
NUMBERED: Final = ("Ascend910_", "Ascend950PR_", "Ascend950DT_")
"""beginnings of the names that end in the number of the NPU, such as Ascend910_9391; other names have no number"""


def main(arguments: Sequence[str]) -> int:
    """Print the answer and return the exit status."""
    try:
        chosen = options({})
        soc = soc_named(chosen.soc)
    except (TypeError, ValueError) as error:
        print(f"npu-smi: {error}", file=sys.stderr)
        return FAILED
    lines = answer(arguments, soc, chosen.device_count)
    if lines is None:
        print(USAGE, file=sys.stderr)
        return FAILED
    print("\n".join(lines))
    return 0


def answer(arguments: Sequence[str], soc: Soc, count: int) -> list[str] | None:
    """The lines of an answer; None for unknown arguments."""
    match arguments:
        case ["info"]:
            return [*_table(soc, count)]
        case ["info", "-l"]:
            return [*_numbers(count)]
        case ["info", "-m"]:
            return [*_chips(soc, count)]
        case ["info", "-t", "board", "-i", npu] if _one_of(npu, count):
            return [*_facts(("NPU ID", npu), *_product(soc), ("Chip Count", "1"))]
        case ["info", "-t", "board", "-i", npu, "-c", "0"] if _one_of(npu, count):
            return [
                *_facts(("NPU ID", npu), ("Chip ID", "0"), *_chip(soc), ("Board ID", "NA"), ("PCIe Bus Info", "NA"))
            ]
        case _:
            return None


def _one_of(npu: str, count: int) -> bool:
    return npu.isdecimal() and int(npu) < count


def names(soc: Soc) -> tuple[str, str, str]:
    """Type, name and number of a chip, as `-t board` shows them. Some of them are empty: (Ascend, 910B1, ""), (Ascend,
    310P3, ""), ("", Ascend910, 9391)."""
    for start in NUMBERED:
        if soc.name.startswith(start):
            return "", start.removesuffix("_"), soc.name.removeprefix(start)
    return "Ascend", soc.name.removeprefix("Ascend"), ""


def _product(soc: Soc) -> Iterator[tuple[str, str]]:
    yield "Product Name", soc.series.value
    yield "Model", "NA"
    yield "Manufacturer", "aclnn-emulator"
    yield "Software Version", __version__
    yield "Compatibility", "OK"


def _chip(soc: Soc) -> Iterator[tuple[str, str]]:
    kind, name, number = names(soc)
    if kind:
        yield "Chip Type", kind
    yield "Chip Name", name
    if number:
        yield "NPU Name", number
    yield "Chip Version", "NA"


def _facts(*rows: tuple[str, str]) -> Iterator[str]:
    for name, value in rows:
        yield f"\t{name:<30} : {value}"


def _numbers(count: int) -> Iterator[str]:
    yield from _facts(("Total Count", str(count)))
    for npu in range(count):
        yield ""
        yield from _facts(("NPU ID", str(npu)), ("Chip Count", "1"))


def _chips(soc: Soc, count: int) -> Iterator[str]:
    kind, name, _ = names(soc)
    rows = [("NPU ID", "Chip ID", "Chip Logic ID", "Chip Name")]
    rows += [(str(npu), "0", str(npu), f"{kind} {name}".strip()) for npu in range(count)]
    for row in rows:
        yield "\t" + "".join(f"{each:<31}" for each in row).rstrip()


def _table(soc: Soc, count: int) -> Iterator[str]:
    """The table of the devices. Build scripts read line 7, the first device, whose third word is the name."""
    _, name, _ = names(soc)
    between = "+".join(["", *("-" * width for width in WIDTHS), ""])
    yield f"+{'-' * (sum(WIDTHS) + 2)}+"
    yield f"| {f'npu-smi {__version__}':<32} {f'Version: {__version__}':<61} |"
    yield between
    yield _row(("NPU   Name", "Health", "Power(W)    Temp(C)           Hugepages-Usage(page)"))
    yield _row(("Chip", "Bus-Id", "AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)"))
    yield between.replace("-", "=")
    memory = f"0    / {soc.memory_bytes // MIB}"
    unused = "0    / 0"
    ddr, hbm = (unused, memory) if soc.hbm else (memory, unused)
    for npu in range(count):
        yield _row((f"{npu:<5} {name}", "OK", f"{'NA':<11} {'NA':<17} {unused}"))
        yield _row((f"{0:<5}", "NA", f"{0:<11} {ddr:<17} {hbm}"))
        yield between
    if not count:
        yield f"| {'No device':<{sum(WIDTHS)}} |"
        yield f"+{'-' * (sum(WIDTHS) + 2)}+"


def _row(cells: Sequence[str]) -> str:
    return "|".join(["", *(f" {cell:<{width - 1}}" for cell, width in zip(cells, WIDTHS, strict=True)), ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
