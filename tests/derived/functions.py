"""Which functions a test of this folder takes: all of these, or the share of conftest.py."""

from __future__ import annotations

import pytest

from tests.aclnn.ops.good_calls import LAID_OUT
from tests.derived.judging import names

every_name = pytest.mark.functions(names())
every_launch = pytest.mark.functions([name for name in names() if name not in LAID_OUT])
