"""Texts, histories and troubles as plain values, for messages."""

from collections.abc import Mapping
from typing import Any

from acl_runtime.collective.ranks import Trouble
from acl_runtime.errors import Past
from acl_runtime.text import VALUE_TYPES, Text


def packed(trouble: Trouble) -> dict[str, Any]:
    """A trouble as plain values."""
    return {
        "code": trouble.code,
        "what": _packed(trouble.what),
        "finding": trouble.finding,
        "history": [[_packed(past.what), past.site] for past in trouble.history],
        "status": trouble.status,
    }


def unpacked(fields: Mapping[str, Any]) -> Trouble:
    """The trouble of a message."""
    history = tuple(Past(_unpacked(what), str(site)) for what, site in fields["history"])
    code, what, finding, status = (fields[name] for name in ("code", "what", "finding", "status"))
    return Trouble(str(code), _unpacked(what), str(finding), history, int(status))


def _packed(text: str) -> Any:
    """A text with its template and its values, so that the other process can show it in its own language."""
    if not isinstance(text, Text):
        return text
    return {"template": text.template, "values": {name: _packed_value(value) for name, value in text.values.items()}}


def _packed_value(value: object) -> Any:
    return _packed(value) if isinstance(value, str) else value


def _unpacked(fields: Any) -> Text:
    if isinstance(fields, str):
        return Text.again(fields, {})
    values: Mapping[str, Any] = fields["values"]
    inner = {name: value if isinstance(value, VALUE_TYPES) else _unpacked(value) for name, value in values.items()}
    return Text.again(str(fields["template"]), inner)
