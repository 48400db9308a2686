"""The statement of a model in a JSON file beside it: `resnet50.om.json` states `resnet50.om`.

    {
      "inputs": [{"name": "data", "dtype": "float16", "dims": [1, 3, 224, 224], "format": "NCHW"}],
      "outputs": [{"name": "prob", "dtype": "float32", "dims": [1, 1000]}],
      "run": "classifier.py:classify"
    }

`run` names a function in a Python file; the path is relative to the JSON file. Optional keys: `gears`, which is one of
{"batch": [1, 2]}, {"hw": [[320, 320]]} and {"dims": [[20, 1]], "order": ["data"]}; `ranges`, `aipp`, `work_size`,
`weight_size` and `original_ops`.
"""

import json
import runpy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, cast

from acl_runtime.models import gears
from acl_runtime.models.images import DynamicAipp, StaticAipp
from acl_runtime.models.statement import BadStatement, Function, Model, Tensor

KEYS: Final = frozenset({
    "inputs", "outputs", "run", "gears", "ranges", "aipp", "work_size", "weight_size", "original_ops",
})  # fmt: skip
KINDS: Final[Mapping[str, Callable[..., gears.Gears]]] = {"batch": gears.batch, "hw": gears.hw, "dims": gears.dims}


def model_of_json(path: Path) -> Model:
    """The statement in a JSON file; BadStatement if it is faulty."""
    try:
        stated = json.loads(path.read_text(encoding="utf-8"))
        if unknown := sorted(set(stated) - KEYS):
            raise ValueError(f"unknown key {unknown[0]}; the keys are {', '.join(sorted(KEYS))}")
        sides = [[Tensor(**entry) for entry in stated[side]] for side in ("inputs", "outputs")]
        return Model(
            sides[0],
            sides[1],
            _function(path, stated["run"]) if "run" in stated else None,
            gears=_gears(stated["gears"]) if "gears" in stated else None,
            aipp={
                name: (DynamicAipp if "size" in image else StaticAipp)(**image)
                for name, image in stated.get("aipp", {}).items()
            },
            ranges=stated.get("ranges", {}),
            work_size=stated.get("work_size"),
            weight_size=stated.get("weight_size", 0),
            original_ops=stated.get("original_ops", {}),
        )
    except KeyError as error:
        raise BadStatement(f"{error} is missing or unknown") from error
    except (ValueError, TypeError, OSError) as error:
        raise BadStatement(str(error)) from error


def _gears(stated: Mapping[str, Any]) -> gears.Gears:
    kinds = [kind for kind in KINDS if kind in stated]
    if len(kinds) != 1:
        raise ValueError(f"gears has one of the keys {', '.join(KINDS)}")
    others = {key: value for key, value in stated.items() if key not in kinds}
    return KINDS[kinds[0]](stated[kinds[0]], **others)


def _function(path: Path, run: str) -> Function:
    """The function that `run` names, such as "classifier.py:classify"."""
    file, colon, name = run.rpartition(":")
    if not colon:
        raise ValueError(f'run is "FILE.py:FUNCTION", not {run!r}')
    try:
        values = runpy.run_path(str(path.parent / file))
    except Exception as error:  # of the user's file, whatever it is
        raise ValueError(f"{file} cannot be run: {error!r}") from error
    if not callable(values.get(name)):
        raise ValueError(f"{file} has no function {name}")
    return cast("Function", values[name])
