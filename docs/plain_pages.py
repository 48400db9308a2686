"""Pages that Python writes, without docutils for what lies between their headings.

A page of an operator has tables of some hundred cells. docutils makes three nodes of a cell, and dozens of its steps go
through all nodes. So markdown-it, the parser of MyST, writes the text between two headings as HTML, in the form that
docutils and furo would give it. Headings stay nodes, for titles, tables of contents and links.
"""

import re
from html import escape
from posixpath import dirname, join, normpath

from docutils import nodes
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from myst_parser.parsers.sphinx_ import MystParser
from myst_parser.slugs import github_slugify
from sphinx.util import logging

FOLDERS = tuple(f"reference/{each}/" for each in ("operators", "functions", "statuses"))
"""the folders with thousands of pages that Python writes"""
OUTSIDE = "---\norphan: true\n---\n"
"""the head of a page that the table of contents leaves out"""
DIRECTIVE = re.compile(r"^```\{.*?^```\n", re.DOTALL | re.MULTILINE)
"""a directive of Sphinx"""
LINK = re.compile(r"(?!https?:)([^#]*?)\.md(#.*)?$")
"""a link to another page"""
PLACE = re.compile(r"\((\S+)\)=$")
"""a place for links, in the syntax of MyST"""
LOG = logging.getLogger(__name__)


class Parser(MystParser):
    """MyST, but for the plain end of a page of `FOLDERS`: what comes after its last directive."""

    def parse(self, inputstring, document):
        env = document.settings.env
        if not env.docname.startswith(FOLDERS):
            super().parse(inputstring, document)
            return
        if inputstring.startswith(OUTSIDE):
            env.metadata[env.docname]["orphan"] = "true"
        text = inputstring.removeprefix(OUTSIDE)
        at = max((match.end() for match in DIRECTIVE.finditer(text)), default=0)
        super().parse(text[:at], document)
        Sections(document, env).fill(text[at:])


class Renderer(RendererHTML):
    """HTML as docutils and furo write it."""

    def table_open(self, tokens, at, options, env):
        env["row"] = 0
        return '<div class="table-wrapper colwidths-auto docutils container">\n<table class="docutils align-default">\n'

    def table_close(self, tokens, at, options, env):
        return "</table>\n</div>\n"

    def tr_open(self, tokens, at, options, env):
        env["row"] += 1
        return f'<tr class="row-{"odd" if env["row"] % 2 else "even"}">'

    def th_open(self, tokens, at, options, env):
        return '<th class="head"><p>'

    def th_close(self, tokens, at, options, env):
        return "</p></th>\n"

    def td_open(self, tokens, at, options, env):
        return "<td><p>"

    def td_close(self, tokens, at, options, env):
        return "</p></td>\n"

    def code_inline(self, tokens, at, options, env):
        words = (f'<span class="pre">{escape(word, quote=False)}</span>' for word in tokens[at].content.split())
        return f'<code class="docutils literal notranslate">{" ".join(words)}</code>'

    def fence(self, tokens, at, options, env):
        language = tokens[at].info.strip() or "none"
        text = env["highlighter"].highlight_block(tokens[at].content.rstrip("\n"), language)
        return f'<div class="highlight-{language} notranslate">{text}</div>\n'

    def html_block(self, tokens, at, options, env):
        return ""  # a comment for those who read the file

    def link_open(self, tokens, at, options, env):
        target = str(tokens[at].attrs["href"])
        page = LINK.match(target)
        if page is None:
            return f'<a class="reference external" href="{escape(target)}">'
        if normpath(join(dirname(env["page"]), page[1])) not in env["pages"]:
            LOG.warning("no page %s", target, location=env["page"])
        return f'<a class="reference internal" href="{escape(f"{page[1]}.html{page[2] or str()}")}">'


MARKDOWN = MarkdownIt("commonmark", renderer_cls=Renderer).enable("table")


class Sections:
    """The sections of a page, from its first token to its last one."""

    def __init__(self, document, env):
        self.document = document
        self.open = [document, *(each for each in document.children[-1:] if isinstance(each, nodes.section))]
        self.shared = {"page": env.docname, "pages": env.found_docs, "highlighter": env.app.builder.highlighter}
        # MyST looks up here which headings links of other pages name
        self.slugs = env.metadata[env.docname].setdefault("myst_slugs", {})

    def fill(self, text):
        tokens, first, at = MARKDOWN.parse(text, self.shared), 0, 0
        while at < len(tokens):
            text = tokens[at + 1].content if tokens[at].type in ("heading_open", "paragraph_open") else ""
            place = PLACE.match(text)
            if not place and tokens[at].type != "heading_open":
                at += 1
                continue
            self.add_html(tokens[first:at])
            if place:
                self.add_place(place[1])
            else:
                self.add_section(int(tokens[at].tag[1]), tokens[at + 1])
            first = at = at + 3
        self.add_html(tokens[first:])
        self.document["description"] = next(filter(None, map(_sentence, tokens)), "")

    def add_html(self, tokens):
        if tokens:
            html = MARKDOWN.renderer.render(tokens, MARKDOWN.options, self.shared)
            self.open[-1] += nodes.raw("", html, format="html")

    def add_place(self, name):
        target = nodes.target(names=[nodes.fully_normalize_name(name)])
        self.document.note_explicit_target(target)
        self.open[-1] += target

    def add_section(self, level, title):
        section = nodes.section(names=[nodes.fully_normalize_name(title.content)], slug=github_slugify(title.content))
        section += nodes.title("", "", *map(_inline, title.children))
        del self.open[level:]
        self.open[-1] += section
        self.open.append(section)
        self.document.note_implicit_target(section, section)
        self.slugs[section["slug"]] = title.map[0], section["ids"][0], title.content


def _inline(token):
    """A part of a title: code or text."""
    return nodes.literal("", token.content) if token.type == "code_inline" else nodes.Text(token.content)


def _sentence(token):
    """The text of a paragraph that is a sentence."""
    if token.type != "inline":
        return ""
    text = " ".join("".join(" " if each.type == "softbreak" else each.content for each in token.children).split())
    return text if text.endswith((".", ":")) else ""
