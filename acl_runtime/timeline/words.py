"""The title of a picture, and its description in words."""

from typing import Final

from acl_runtime.timeline.axis import time_text
from acl_runtime.timeline.contents import TraceContents
from acl_runtime.timeline.elements import file_size
from acl_runtime.timeline.shapes import Picture

ARROWS: Final = 300
"""the most launches with visible arrows; with more, only the arrows of the bar under the pointer are shown"""
FEW: Final = 40
"""the most launches with strong arrows; with more, the arrows are faint, as they cover each other"""


def title(contents: TraceContents) -> str:
    """The title: the program, then the run."""
    return (f"{contents.about.program}: " if contents.about.program else "") + run(contents)


def run(contents: TraceContents) -> str:
    """The numbers of calls and tasks, the time, and the schedule with its seed."""
    period = f"from {time_text(contents.start)} to {time_text(contents.end)}"
    counts = f"{_count(len(contents.calls), 'call')} and {_count(len(contents.tasks), 'task')} {period}"
    return counts + (f", {contents.about.order}" if contents.about.order else "")


def description(contents: TraceContents, picture: Picture) -> str:
    """The picture in words."""
    levels = [
        (sum(finding.level == level for finding in contents.findings), level)
        for level in ("error", "warning", "advice")
    ]
    counts = ", ".join(_count(count, level) for count, level in levels if count) or "nothing"
    most = [f"{group.name} {file_size(group.curve.most)}" for group in picture.groups if group.curve]
    devices = sum(group.name in contents.devices for group in picture.groups)
    sentences = [
        f"Rows for {_count(len(contents.threads), 'host thread')} and {_count(len(contents.streams), 'stream')} of "
        f"{_count(devices, 'device')}, from left to right by simulated time.",
        "Calls take no time, so each is drawn as wide as the others, on shaded ground, in the order in which they "
        "returned; tasks and waits are as wide as they took.",
        f"Memory at most: {', '.join(most)}." if most else "",
        f"Found: {counts}.",
        _never_ran(contents),
        _no_lines(contents),
        summary(picture),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _never_ran(contents: TraceContents) -> str:
    launched = {id for call in contents.calls for id in call.tasks}
    count = len(launched.difference(task.id for task in contents.tasks))
    return f"{_count(count, 'launched task')} {'is' if count == 1 else 'are'} not seen to run." if count else ""


def _no_lines(contents: TraceContents) -> str:
    has_lines = not contents.calls or any(call.site for call in contents.calls if not call.tasks)
    return "" if has_lines else "The lines of your program are known for launches only: Machine(trace=True) keeps all."


def summary(picture: Picture) -> str:
    """A note on merged bars and hidden arrows; "" if there are none."""
    hidden = (
        "The arrows of the launches show for the task that is pointed at, as there are many." if _many(picture) else ""
    )
    text = (
        f"{picture.summarised} calls and tasks are too narrow to be drawn one by one: neighbours share a bar, which "
        "shows their number. A picture of a part of the time shows them one by one."
    )
    return " ".join(part for part in (text if picture.summarised else "", hidden) if part)


def _many(picture: Picture) -> bool:
    return crowd(picture) == "hidden"


def crowd(picture: Picture) -> str:
    """The CSS class for the arrows of launches: all visible, all faint, or only the arrows of the bar under the
    pointer."""
    launches = sum(arrow.kind == "launch" for arrow in picture.arrows)
    return "all" if launches <= FEW else "faint" if launches <= ARROWS else "hidden"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 or noun == "advice" else f"{count} {noun}s"
