"""The documentation site: `sphinx-build -nW docs build/site`, with `pip install '.[docs]'`.

Sphinx with MyST and furo, as the pages are Markdown that reads well without a site too, and Sphinx alone knows C: its
functions and macros are objects that the search finds and that links to them are checked against.
"""

import gc
import re
import sys
from functools import cache
from html import escape
from pathlib import Path
from posixpath import basename, dirname, join

from docutils import nodes
from sphinx.builders.latex.transforms import FootnoteDocnameUpdater
from sphinx.domains.c import CDomain
from sphinx.search import languages
from sphinx.search.en import SearchEnglish
from sphinx.transforms.i18n import RemoveTranslatableInline, TranslationProgressTotaliser

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]  # the pages are those of these sources, whatever is installed

import made_once  # noqa: E402
import plain_pages  # noqa: E402

from acl_runtime.version import __version__  # noqa: E402
from aclnn.tools.pages import doc_site, margin  # noqa: E402


class EnglishAndChinese(SearchEnglish):
    """English words, and each character and pair of characters of Chinese, which has no spaces between words."""

    js_splitter_code = """
var splitQuery = (query) => (query.match(/[\\u4e00-\\u9fff]+|\\w+/g) || []).flatMap((part) =>
  part.length > 1 && /^[\\u4e00-\\u9fff]/.test(part) ? [...part].slice(1).map((each, at) => part[at] + each) : [part]
);
"""

    def split(self, text):
        words = re.findall(r"[\u4e00-\u9fff]+|[A-Za-z0-9_]+", text)
        return [part for word in words for part in (_pieces(word) if word[0] >= "\u4e00" else [word])]

    def __init__(self, options):
        super().__init__(options)
        self.stem = cache(self.stem)  # a word is on hundreds of pages, and stemming is half of the work of the index


class C(CDomain):
    """The names of C. Before Sphinx reads a page, it searches all names for those of the page, of which a page that was
    never read has none."""

    def clear_doc(self, docname):
        if any(page == docname for page, _, _ in self.data["objects"].values()):
            super().clear_doc(docname)


def _pieces(text):
    return [*text, *(text[at : at + 2] for at in range(len(text) - 1))]


CHINESE = {
    "Search": "搜索",
    "Skip to content": "跳到正文",
    "View this page": "查看本页源文件",
    "On this page": "本页内容",
    "Back to top": "回到顶部",
    "Next": "下一页",
    "Previous": "上一页",
    "Home": "首页",
    "Made with": "主题：",
}
"""words of the theme on Chinese pages"""

languages["en"] = EnglishAndChinese
NEEDLESS = (TranslationProgressTotaliser, RemoveTranslatableInline, FootnoteDocnameUpdater)
"""steps for catalogues of translations and for LaTeX, which this site has not: each goes through every page"""

project = "aclnn-emulator"
author = "the authors of aclnn-emulator"
release = version = __version__
extensions = ["myst_parser"]
myst_heading_anchors = 3
smartquotes = False  # what stands between quotes is mostly code
c_maximum_signature_line_length = 80  # a longer prototype has a line for each parameter
toc_object_entries_show_parents = "hide"
templates_path = ["_templates"]
html_theme = "furo"
html_static_path = ["_static"]
html_extra_path = ["_extra"]  # a page for addresses without a page, which most servers show by its name
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_title = "aclnn-emulator"
html_favicon = "_static/icon.svg"
html_show_sphinx = False
html_show_copyright = False
nitpick_ignore_regex = [("c:identifier", r".*")]  # the types of parameters have no pages of their own
suppress_warnings = ["myst.header"]


def setup(app):
    # The search for garbage would be a third of the work: it goes through the functions and the index again and again.
    # A build takes 1.5 GB without it, and 0.9 GB with a rare search.
    gc.disable()
    app.connect("build-finished", lambda app, error: gc.freeze())  # Python would search once more at its end
    app.add_domain(C, override=True)
    app.add_source_parser(plain_pages.Parser, override=True)
    app.registry.transforms[:] = [each for each in app.registry.transforms if each not in NEEDLESS]
    app.connect("builder-inited", made_once.start)
    # The writer would look for style sheets of docutils at each page; no page uses them.
    app.connect("builder-inited", lambda app: app.env.settings.update(stylesheet_path=[]))
    app.connect("config-inited", lambda app, config: doc_site.write())
    app.connect("source-read", _read)
    margins = {}, cache(lambda page, other: app.builder.get_relative_uri(page, other))
    app.connect("html-page-context", lambda app, *page: _margin(app, *margins, *page), priority=400)  # before furo's
    app.connect("html-page-context", _page, priority=600)  # after furo's


def _read(app, name, source):
    source[0] = doc_site.adjusted(name, source[0])


def _margin(app, known, address, name, template, context, doctree):
    """The table of contents in the margin, which pages of a folder mostly share."""
    key = (dirname(name), *margin.key(name))
    if key not in known:
        titles, anywhere = app.env.titles, join(dirname(name), "any page of the folder")
        known[key] = margin.html(
            name,
            doc_site.CONTENTS,
            lambda page: titles[page].astext(),
            lambda page: "#".join([address(anywhere, page.split("#")[0]), *page.split("#")[1:]]),
        )
    context["toctree"] = lambda **options: ""  # what furo adds to a table of contents, ours has already
    context["margin"] = known[key]


def _page(app, name, template, context, doctree):
    """The parts that differ from page to page: the marked entry of the margin, the language, the description."""
    context["furo_navigation_tree"] = margin.marked(context["margin"], f"{basename(name)}.html")
    if name.startswith("zh/"):
        context["language"] = "zh-CN"  # browsers choose the shapes of characters by it
        context["master_doc"] = "zh/index"  # where the name of the project leads
        context["_"] = context["gettext"] = lambda text: CHINESE.get(text.strip(), text)  # the theme's own words
    if doctree is not None:
        context["metatags"] += f'<meta name="description" content="{escape(_description(doctree))}">'


def _description(doctree):
    """The first paragraph that is a sentence."""
    texts = (" ".join(each.astext().split()) for each in doctree.findall(nodes.paragraph))
    found = next((text for text in texts if text.endswith((".", ":", "。", "："))), doctree.get("description"))
    return (found or doc_site.DESCRIPTION)[:300]
