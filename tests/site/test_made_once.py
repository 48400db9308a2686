"""Settings of docutils that are made once are those that Sphinx and MyST would make for each page."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import pytest

from tests.helpers.places import ROOT


@pytest.fixture
def made_once(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of `docs/`, beside `conf.py`."""
    pytest.importorskip("myst_parser")
    pytest.importorskip("sphinx")
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    return import_module("made_once")


def test_pages_have_the_settings_that_sphinx_makes(made_once: Any) -> None:
    theirs: Any = import_module("sphinx.util.docutils")
    reader: Any = import_module("docutils.readers.standalone").Reader
    parser: Any = import_module("myst_parser.parsers.sphinx_").MystParser
    for defaults in {"language_code": "en", "traceback": True}, {"language_code": "zh-CN", "input_encoding": "utf-8"}:
        of_page: list[dict[str, Any]] = [
            make(reader, parser(), defaults=defaults, read_config_files=True).__dict__
            for make in (theirs._get_settings, made_once.settings, made_once.settings)
        ]
        files = [each.pop("record_dependencies") for each in of_page]
        assert len({*map(id, files)}) == 3  # the files that a page depends on
        assert of_page[0] == of_page[1] == of_page[2]


def test_the_parser_has_the_settings_that_docutils_makes(made_once: Any) -> None:
    base: Any = import_module("myst_parser.mdit_to_docutils.base")
    parser: Any = import_module("docutils.parsers.rst").Parser
    theirs, ours = base.get_default_settings(parser).__dict__, made_once.settings(parser).__dict__
    assert theirs.pop("record_dependencies") is not ours.pop("record_dependencies")
    assert ours == theirs
