"""Settings of docutils that are made once are those that Sphinx and MyST would make for each page."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from tests.helpers.places import ROOT


@pytest.fixture
def made_once(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of `docs/`, beside `conf.py`."""
    pytest.importorskip("myst_parser")
    pytest.importorskip("sphinx")
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    import made_once

    return made_once


def test_pages_have_the_settings_that_sphinx_makes(made_once: ModuleType) -> None:
    import sphinx.util.docutils as theirs
    from docutils.readers import standalone
    from myst_parser.parsers.sphinx_ import MystParser

    for defaults in {"language_code": "en", "traceback": True}, {"language_code": "zh-CN", "input_encoding": "utf-8"}:
        of_page = [
            make(standalone.Reader, MystParser(), defaults=defaults, read_config_files=True)
            for make in (theirs._get_settings, made_once.settings, made_once.settings)
        ]
        lists = [each.__dict__.pop("record_dependencies") for each in of_page]
        assert len({*map(id, lists)}) == 3  # the files that a page depends on
        assert of_page[1].__dict__ == of_page[0].__dict__


def test_the_parser_has_the_settings_that_docutils_makes(made_once: ModuleType) -> None:
    from docutils.parsers.rst import Parser
    from myst_parser.mdit_to_docutils import base

    of_page = base.get_default_settings(Parser), made_once.settings(Parser)
    assert of_page[0].__dict__.keys() == of_page[1].__dict__.keys()
    for each in of_page:
        each.__dict__.pop("record_dependencies")
    assert of_page[0].__dict__ == of_page[1].__dict__
