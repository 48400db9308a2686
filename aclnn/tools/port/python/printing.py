"""Lines of Python, at most 120 columns, broken as ruff breaks them."""

from typing import Final

WIDTH: Final = 120
OPEN: Final = {"(": ")", "[": "]", "{": "}"}


def laid_out(text: str, indent: int) -> list[str]:
    """The lines of a statement."""
    margin = " " * indent
    if len(margin + text) <= WIDTH or text.lstrip().startswith("#"):
        return [margin + text]
    found = _last_bracket(text)
    if found is None:
        return _in_parentheses(text, indent)
    start, end = found
    head, inside, tail = text[: start + 1], text[start + 1 : end], text[end:]
    if not inside.strip() or len(margin + tail) > WIDTH:
        return [margin + text]
    inner = " " * (indent + 4)
    if len(inner + inside) <= WIDTH and len(margin + head) <= WIDTH and not inside.rstrip().endswith(","):
        return [margin + head, inner + inside, margin + tail]
    items = split(inside)
    lines = [margin + head]
    if len(items) == 1 and text[start] == "(" and not _called(text, start):
        return [margin + head, *laid_out(items[0], indent + 4), margin + tail]
    for each in items:
        made = laid_out(each.strip(), indent + 4)
        made[-1] += ","
        lines += made
    return [*lines, margin + tail]


def _called(text: str, start: int) -> bool:
    return start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_)]")


def _in_parentheses(text: str, indent: int) -> list[str]:
    """A long condition or value without brackets at its end: ruff puts it into parentheses."""
    margin = " " * indent
    for head, tail in (("if ", ":"), ("while ", ":"), ("elif ", ":"), ("return ", "")):
        if text.startswith(head) and text.endswith(tail):
            body = text[len(head) : len(text) - len(tail)]
            for word in (" or ", " and "):
                pieces = split(body, word)
                if len(pieces) > 1:
                    joined = [pieces[0], *(f"{word.strip()} {each}" for each in pieces[1:])]
                    return [margin + head + "(", *(" " * (indent + 4) + each for each in joined), margin + ")" + tail]
    return [margin + text]


def scan(text: str) -> list[tuple[int, str, int]]:
    """(place, character, depth) of everything outside of strings and comments."""
    found: list[tuple[int, str, int]] = []
    depth, quote, at = 0, "", 0
    while at < len(text):
        each = text[at]
        if quote:
            if each == "\\":
                at += 1
            elif each == quote:
                quote = ""
        elif each in "\"'":
            quote = each
        else:
            if each in ")]}":
                depth -= 1
            found.append((at, each, depth))
            if each in OPEN:
                depth += 1
        at += 1
    return found


def _last_bracket(text: str) -> tuple[int, int] | None:
    """The last pair of brackets that is in no other. Only `:` may come after it."""
    places = scan(text)
    ends = [at for at, each, depth in places if depth == 0 and each in ")]}"]
    if not ends or text[ends[-1] + 1 :] not in ("", ":", ",", "[0]", ".value"):
        return None
    starts = [at for at, each, depth in places if depth == 0 and each in OPEN and at < ends[-1]]
    return starts[-1], ends[-1]


def split(text: str, at: str = ",") -> list[str]:
    """The parts of a text between commas, or other words, that are in no brackets."""
    outside = {place for place, _, depth in scan(text) if depth == 0}
    found, last, place = list[str](), 0, 0
    while (place := text.find(at, place)) >= 0:
        if place in outside:
            found.append(text[last:place])
            last = place + len(at)
        place += len(at)
    rest = text[last:]
    return [*found, rest] if rest.strip() or at != "," else found


def quoted(value: str) -> str:
    """A string in double quotes."""
    out = ['"']
    for each in value:
        if each in '"\\':
            out.append("\\" + each)
        elif each in "\n\t\r":
            out.append({"\n": "\\n", "\t": "\\t", "\r": "\\r"}[each])
        elif ord(each) < 32 or ord(each) == 127:
            out.append(f"\\x{ord(each):02x}")
        else:
            out.append(each)
    return "".join([*out, '"'])
