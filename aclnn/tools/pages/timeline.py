"""The pictures of docs/timeline.md: timelines of runs of programs of samples/."""

import json
import runpy
import sys
from contextlib import redirect_stdout, suppress
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Final

from acl_runtime import Machine
from acl_runtime.timeline.write import as_svg
from aclnn.tools.pages.findings import stable
from aclnn.tools.pages.markdown import ROOT, Files

PICTURES: Final = {
    "docs/timeline.svg": "streams_and_events.py",
    "docs/timeline_finding.svg": "mistakes/workspace_freed_early.py",
}
CALLED: Final = "  called from "
"""beginning of the lines of a report that name the callers of a line"""


def files() -> Files:
    """Functions that return the text of each picture, by its path in the project. Empty where only the packages
    are installed."""
    samples = ROOT / "samples"
    return {path: partial(picture, samples / name) for path, name in PICTURES.items()} if samples.is_dir() else {}


def picture(program: Path) -> str:
    """The timeline of a program. The program continues after a mistake, as on a device."""
    with Machine(on_undefined="report") as machine, redirect_stdout(StringIO()):
        sys.path.insert(0, str(program.parent))
        try:
            with suppress(SystemExit):
                runpy.run_path(str(program), run_name="__main__")
        finally:
            sys.path.remove(str(program.parent))
            sys.modules.pop("common", None)
    trace = json.loads(stable(json.dumps(machine.chrome_trace())))  # before it is drawn, as drawing cuts long texts
    trace["otherData"]["program"] = program.name  # not the name of the program that draws
    for event in trace["traceEvents"]:  # the outermost callers belong to the program that draws
        if report := event.get("args", {}).get("report"):
            event["args"]["report"] = "\n".join(line for line in report.split("\n") if CALLED not in line)
    return as_svg(trace)
