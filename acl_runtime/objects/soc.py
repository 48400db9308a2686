"""The products: series, cores, memory, limits."""

from enum import Enum
from typing import Final, NamedTuple

MOST_PROPOSED: Final = 3
"""the number of names that an error text proposes"""
GIB: Final = 1 << 30
GB: Final = 10**9


class Series(Enum):
    """The product series of the documents; data types and operators differ between them."""

    A2 = "Atlas A2 training series/Atlas 800I A2 inference products"
    A3 = "Atlas A3 training/inference series"
    A950 = "Ascend 950PR/Ascend 950DT products"
    TRAINING = "Atlas training series"
    INFERENCE = "Atlas inference series"
    A200I_500_A2 = "Atlas 200I/500 A2 inference products"


NEWER: Final = frozenset({Series.A2, Series.A3, Series.A950})
"""the series from A2 on: they have BFLOAT16, keep infinity and NaN, and share most features of the runtime"""


class Soc(NamedTuple):
    """One chip, under the name that aclrtGetSocName returns."""

    name: str
    series: Series
    ai_cores: int
    vector_cores: int
    l2_bytes: int
    memory_bytes: int

    @property
    def label(self) -> str:
        """Name and series, for texts."""
        return f"{self.name} ({self.series.value})"

    @property
    def streams(self) -> int:
        """The number of streams that one device offers."""
        return {Series.TRAINING: 2048, Series.INFERENCE: 1024, Series.A200I_500_A2: 512}.get(self.series, 1984)

    @property
    def events(self) -> int:
        """The number of events that one device offers."""
        return {Series.TRAINING: 65535, Series.INFERENCE: 1023}.get(self.series, 65536)

    @property
    def notifies(self) -> int:
        """The number of notifies that one device offers."""
        older = {Series.TRAINING: 1024, Series.INFERENCE: 1024, Series.A200I_500_A2: 2048}
        return {**older, Series.A950: 65535}.get(self.series, 8192)

    @property
    def bfloat16(self) -> bool:
        """True if operators accept BFLOAT16, which is documented for these series only."""
        return self.series in NEWER

    @property
    def inf_nan(self) -> bool:
        """True if results keep infinity and NaN, instead of saturating ("default on A2 and newer")."""
        return self.series in NEWER

    @property
    def overflow_modes(self) -> tuple[int, ...]:
        """The overflow modes of the chip: 0 saturation, 1 infinity and NaN."""
        return (1,) if self.series is Series.A950 else (0, 1) if self.inf_nan else (0,)

    @property
    def overflow_check(self) -> bool:
        """True if a stream may have an overflow check or a user tag (feature STREAM_ATTR_OVERFLOW_CHECK)."""
        return self.series in NEWER

    @property
    def hbm(self) -> bool:
        """True if the memory of the chip is HBM, not DDR."""
        return self.series is Series.TRAINING or self.series in NEWER

    def cores(self, kind: int) -> int:
        """The number of cores of one aclrtDevResLimitType: 0 cube (AI), 1 vector."""
        return (self.ai_cores, self.vector_cores)[kind]

    @property
    def core_architecture(self) -> int:
        """The number of the core architecture; kernels of one number run on each other's chips."""
        return {Series.A950: 3510, Series.INFERENCE: 2002, Series.TRAINING: 1001, Series.A200I_500_A2: 3002}.get(
            self.series, 2201
        )

    @property
    def huge_1g_pages(self) -> bool:
        """True if the product has pages of 1 GiB (feature MEM_1G_HUGE_PAGE)."""
        return self.series in NEWER

    @property
    def expected_addresses(self) -> bool:
        """True if a program may choose the address of virtual memory."""
        return self.series is not Series.A950

    @property
    def huge_streams(self) -> bool:
        """True if a stream may be huge (feature STREAM_HUGE_DEPTH)."""
        return self.series is not Series.INFERENCE

    @property
    def null_means_default(self) -> bool:
        """True if functions that control a stream (failure mode, abort) take null for the default stream (feature
        DEVICE_CTRL_SQ)."""
        return self.series in NEWER

    @property
    def ipc_events(self) -> bool:
        """True if there are events between processes (feature IPC_EVENT)."""
        return self.series in NEWER

    @property
    def device_only_events(self) -> bool:
        """True if there are events that only the device uses (feature of events for fused communication, MC2)."""
        return self.series is Series.INFERENCE or self.series in NEWER

    @property
    def stars(self) -> bool:
        """True if the scheduler of the chip is STARS, which has an overflow switch for each stream and the reduction
        "equal"."""
        return self.series not in (Series.TRAINING, Series.INFERENCE)


def _chips(series: Series, names: str, ai: int, vector: int, l2_mib: int, memory: int) -> dict[str, Soc]:
    return {name: Soc(name, series, ai, vector, l2_mib << 20, memory) for name in names.split()}


# Core counts, L2 and memory of the public platform files, except the memory of 910B2C, the training series and
# 310B2-B4: the files leave it empty, so it is our decision (docs/fidelity.md). The memory of Ascend950DT_9573 is no
# whole number of GiB in its file.
SOCS: Final = {
    **_chips(Series.A2, "Ascend910B1 Ascend910B2 Ascend910B2C", 24, 48, 192, 64 * GIB),
    **_chips(Series.A2, "Ascend910B3", 20, 40, 192, 64 * GIB),
    **_chips(Series.A2, "Ascend910B4", 20, 40, 96, 32 * GIB),
    **_chips(Series.A2, "Ascend910B4-1", 20, 40, 168, 32 * GIB),
    **_chips(Series.A3, "Ascend910_9391 Ascend910_9392 Ascend910_9381 Ascend910_9382", 24, 48, 192, 64 * GIB),
    **_chips(Series.A3, "Ascend910_9372", 20, 40, 192, 64 * GIB),
    **_chips(Series.A3, "Ascend910_9362", 20, 40, 168, 64 * GIB),
    **_chips(Series.A3, "Ascend910_9363", 20, 40, 168, 32 * GIB),
    **_chips(Series.A950, "Ascend950DT_9591 Ascend950DT_95A1", 36, 72, 128, 144 * GIB),
    **_chips(Series.A950, "Ascend950PR_9599", 36, 72, 128, 128 * GIB),
    **_chips(Series.A950, "Ascend950DT_9592 Ascend950DT_9595 Ascend950DT_95A2", 36, 72, 128, 96 * GIB),
    **_chips(Series.A950, "Ascend950DT_9596", 36, 72, 128, 64 * GIB),
    **_chips(Series.A950, "Ascend950DT_9581 Ascend950DT_9581x", 32, 64, 128, 144 * GIB),
    **_chips(Series.A950, "Ascend950PR_9589", 32, 64, 128, 128 * GIB),
    **_chips(Series.A950, "Ascend950DT_9583", 32, 64, 112, 126 * GIB),
    **_chips(Series.A950, "Ascend950PR_958b", 32, 64, 112, 112 * GIB),
    **_chips(Series.A950, "Ascend950DT_9582 Ascend950DT_9582x Ascend950DT_9585", 32, 64, 128, 96 * GIB),
    **_chips(Series.A950, "Ascend950DT_9584 Ascend950DT_9587", 32, 64, 112, 84 * GIB),
    **_chips(Series.A950, "Ascend950DT_9586", 32, 64, 128, 64 * GIB),
    **_chips(Series.A950, "Ascend950DT_9588", 32, 64, 112, 56 * GIB),
    **_chips(Series.A950, "Ascend950DT_9571", 28, 56, 128, 144 * GIB),
    **_chips(Series.A950, "Ascend950PR_9579", 28, 56, 128, 128 * GIB),
    **_chips(Series.A950, "Ascend950DT_9573", 28, 56, 112, 135_291_569_824),
    **_chips(Series.A950, "Ascend950PR_957b Ascend950PR_957bx", 28, 56, 112, 112 * GIB),
    **_chips(Series.A950, "Ascend950DT_9572 Ascend950DT_9575", 28, 56, 128, 96 * GIB),
    **_chips(Series.A950, "Ascend950PR_957d", 28, 56, 96, 96 * GIB),
    **_chips(Series.A950, "Ascend950DT_9574 Ascend950DT_9577 Ascend950PR_957c", 28, 56, 112, 84 * GIB),
    **_chips(Series.A950, "Ascend950DT_9576", 28, 56, 128, 64 * GIB),
    **_chips(Series.A950, "Ascend950DT_9578", 28, 56, 112, 56 * GIB),
    **_chips(Series.A950, "Ascend950DT_950x", 8, 16, 32, 24 * GIB),
    **_chips(Series.A950, "Ascend950DT_950y", 8, 16, 32, 16 * GIB),
    **_chips(Series.A950, "Ascend950PR_950z", 4, 8, 16, 24 * GIB),
    **_chips(Series.TRAINING, "Ascend910A Ascend910ProA Ascend910PremiumA", 32, 0, 32, 32 * GIB),
    **_chips(Series.TRAINING, "Ascend910ProB", 30, 0, 32, 32 * GIB),
    **_chips(Series.INFERENCE, "Ascend310P1", 10, 8, 16, 24 * GB),
    **_chips(Series.INFERENCE, "Ascend310P3 Ascend310P5 Ascend310P7", 8, 7, 16, 24 * GB),
    **_chips(Series.A200I_500_A2, "Ascend310B1 Ascend310B2 Ascend310B3 Ascend310B4", 1, 1, 4, 32 * GIB),
}

FAMILIES: Final = {
    "Ascend910B": "Ascend910B1", "Ascend910_93": "Ascend910_9391", "Ascend310P": "Ascend310P3",
    "Ascend310B": "Ascend310B1", "Ascend910": "Ascend910A", "Ascend950": "Ascend950PR_9599",
    "Ascend950PR": "Ascend950PR_9599", "Ascend950DT": "Ascend950DT_9591",
}  # fmt: skip


def chips(series: Series) -> list[str]:
    """The names of a series."""
    return [name for name, soc in SOCS.items() if soc.series is series]


def soc_named(name: str) -> Soc:
    """The chip of this name. For an unknown name, raises a ValueError that proposes similar names."""
    if name in SOCS:
        return SOCS[name]
    if name in FAMILIES:
        raise ValueError(f"soc={name!r} names a family of chips; choose one, for instance {FAMILIES[name]!r}")
    folded = str(name).casefold()
    if (series := _series(folded)) is not None:
        labels = ", ".join(chips(series))
        raise ValueError(f"soc={name!r} names a series of products; choose one of its chips: {labels}")
    close = _similar(folded)
    proposed = f"did you mean {' or '.join(map(repr, close))}? The" if close else "the"
    names = "; ".join(f"{series.name}: {', '.join(chips(series))}" for series in Series)
    raise ValueError(f"soc={name!r} is unknown; {proposed} names are {names}")


def _series(folded: str) -> Series | None:
    """The series with this name, as printed by `aclnn ops`, or the only series whose long name contains the text."""
    by_name = {series.name.casefold(): series for series in Series}
    parts = [series for series in Series if folded and folded in series.value.casefold()]
    return by_name.get(folded) or (parts[0] if len(parts) == 1 else None)


def _similar(text: str) -> list[str]:
    """The chips with a similar name: with another case, with more letters, or with a typing error."""
    from difflib import get_close_matches  # late: only a mistake needs it

    folded = {name.casefold(): name for name in SOCS}
    parts = [name for name in folded if len(text) > 2 and text in name]
    return [folded[name] for name in (parts or get_close_matches(text, folded, cutoff=0.85))[:MOST_PROPOSED]]
