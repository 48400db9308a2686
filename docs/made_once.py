"""Parts that Sphinx would make anew for each of some thousand pages, though they differ little or not at all."""

import warnings
from collections.abc import Callable
from functools import cache
from posixpath import dirname

import myst_parser.mdit_to_docutils.base
import sphinx.util.docutils
from docutils.frontend import OptionParser, Values


def start(app):
    """From now on the parts of each page are made once."""
    sphinx.util.docutils._get_settings = settings
    myst_parser.mdit_to_docutils.base.get_default_settings = settings
    highlighter = app.builder.highlighter
    highlighter.get_formatter = cache(highlighter.get_formatter)
    tags: dict[tuple[str, str], Callable] = {}
    app.connect("html-page-context", lambda app, name, template, context, doctree: _tags(tags, name, context))


def settings(*components, defaults=None, read_config_files=False):
    """The settings of docutils for a page. Sphinx makes a parser of a command line, with some 70 options, for them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # as Sphinx: docutils gives no other class yet
        own, files = _options(*(each if isinstance(each, type) else type(each) for each in components))
        return Values({**own, **(defaults or {}), **(files if read_config_files else {})})


@cache
def _options(*components):
    parser = OptionParser(components)
    files = parser.get_standard_config_settings().__dict__
    del files["record_dependencies"]  # a page has its own: the files that it depends on
    return {**parser.defaults, "_config_files": parser.config_files}, files


def _tags(known, name, context):
    """The elements for style sheets and scripts, which pages of a folder share."""
    for tag in ("css_tag", "js_tag"):
        context[tag] = known.setdefault((dirname(name), tag), cache(context[tag]))
