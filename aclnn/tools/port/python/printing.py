"""Lines of Python, at most 120 columns, broken as ruff breaks them."""

from typing import Final

WIDTH: Final = 120
OPEN: Final = {"(": ")", "[": "]", "{": "}"}


def laid_out(text: str, indent: int) -> list[str]:
    """The lines of a statement."""
    margin = " " * indent
    if len(margin + text) <= WIDTH or text.lstrip().startswith("#"):
        return [margin + text]
    bracket = _last_bracket(text)
    if bracket is None:
        return _in_parentheses(text, indent)
    start, end = bracket
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
    for item in items:
        item_lines = laid_out(item.strip(), indent + 4)
        item_lines[-1] += ","
        lines += item_lines
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
                    joined = [pieces[0], *(f"{word.strip()} {piece}" for piece in pieces[1:])]
                    return [margin + head + "(", *(" " * (indent + 4) + each for each in joined), margin + ")" + tail]
    return [margin + text]


def scan(text: str) -> list[tuple[int, str, int]]:
    """Place, text and depth of each character outside of strings and comments."""
    characters: list[tuple[int, str, int]] = []
    depth, quote, index = 0, "", 0
    while index < len(text):
        character = text[index]
        if quote:
            if character == "\\":
                index += 1
            elif character == quote:
                quote = ""
        elif character in "\"'":
            quote = character
        else:
            if character in ")]}":
                depth -= 1
            characters.append((index, character, depth))
            if character in OPEN:
                depth += 1
        index += 1
    return characters


def _last_bracket(text: str) -> tuple[int, int] | None:
    """The last outermost pair of brackets. None if more than `:` or a short suffix comes after it."""
    places = scan(text)
    ends = [i for i, each, depth in places if depth == 0 and each in ")]}"]
    if not ends or text[ends[-1] + 1 :] not in ("", ":", ",", "[0]", ".value"):
        return None
    starts = [i for i, each, depth in places if depth == 0 and each in OPEN and i < ends[-1]]
    return starts[-1], ends[-1]


def split(text: str, separator: str = ",") -> list[str]:
    """The parts of a text between separators outside of brackets and strings."""
    outside = {place for place, _, depth in scan(text) if depth == 0}
    pieces, last, place = list[str](), 0, 0
    while (place := text.find(separator, place)) >= 0:
        if place in outside:
            pieces.append(text[last:place])
            last = place + len(separator)
        place += len(separator)
    rest = text[last:]
    return [*pieces, rest] if rest.strip() or separator != "," else pieces


def quoted(value: str) -> str:
    """A string in double quotes."""
    out = ['"']
    for character in value:
        if character in '"\\':
            out.append("\\" + character)
        elif character in "\n\t\r":
            out.append({"\n": "\\n", "\t": "\\t", "\r": "\\r"}[character])
        elif ord(character) < 32 or ord(character) == 127:
            out.append(f"\\x{ord(character):02x}")
        else:
            out.append(character)
    return "".join([*out, '"'])
