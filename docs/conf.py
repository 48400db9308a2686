"""The documentation site: `sphinx-build -nW docs build/site`, with `pip install '.[docs]'`.

Sphinx with MyST and furo, as the pages are Markdown that reads well without a site too, and Sphinx alone knows C: its
functions and macros are objects that the search finds and that links to them are checked against.
"""

import sys
from pathlib import Path
from posixpath import dirname

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the pages are those of these sources, whatever is installed

from aclnn.tools.pages import doc_site  # noqa: E402

project = "aclnn-emulator"
author = "the authors of aclnn-emulator"
extensions = ["myst_parser"]
myst_heading_anchors = 3
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = "aclnn-emulator"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
nitpick_ignore_regex = [("c:identifier", r".*")]  # the types of parameters have no pages of their own
suppress_warnings = ["myst.header"]


def setup(app):
    app.connect("config-inited", lambda app, config: doc_site.write())
    app.connect("source-read", _read)
    margins = {}
    app.connect("html-page-context", lambda app, *page: _margin(margins, *page), priority=400)  # before furo's
    app.connect("html-page-context", _language)


def _read(app, name, source):
    source[0] = doc_site.adjusted(name, source[0])


def _language(app, name, template, context, doctree):
    """Browsers choose the shapes of characters by it."""
    if name.startswith("zh/"):
        context["language"] = "zh-CN"


def _margin(known, name, template, context, doctree):
    """Pages that the margin does not list have the same one as the others of their folder: making it is half of the
    work of writing 500 of them."""
    if doctree is not None and "orphan" in (context["meta"] or {}):
        make = context["toctree"]

        def margin(**options):
            key = (dirname(name), *sorted(options.items()))
            if key not in known:
                known[key] = make(**options)
            return known[key]

        context["toctree"] = margin
