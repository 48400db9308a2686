"""Declarations of variables."""

from dataclasses import replace

from aclnn.tools.port.cpp.place import Place
from aclnn.tools.port.cpp.reading import Node, arguments, bare, changed, field, parts, root_name, text, walk
from aclnn.tools.port.cpp.scopes import Variable
from aclnn.tools.port.cpp.spellings import base, declared
from aclnn.tools.port.cpp.types import TEXT, Type, Untranslated
from aclnn.tools.port.expressions.addresses import as_pointer
from aclnn.tools.port.python.values import Value
from aclnn.tools.port.statements.initial import ctypes_object, unique
from aclnn.tools.port.statements.vectors import array, zero


def declaration(place: Place, node: Node) -> None:
    """A declaration of variables."""
    words = [text(each) for each in node.children if each.type == "storage_class_specifier"]
    if "static" in words and place.function is not None:
        _static(place, node)
        return
    if "extern" in words:
        raise Untranslated("an extern variable")
    own = base(place, node)
    if own.kind == "opaque" and not any("*" in text(each) for each in node.children_by_field_name("declarator")):
        raise Untranslated(f"a variable of type {own.name}")
    for each in node.children_by_field_name("declarator"):
        variable(place, own, each)


def variable(place: Place, own: Type, node: Node) -> None:
    """One variable of a declaration."""
    value = node.child_by_field_name("value") if node.type == "init_declarator" else None
    declarator = field(node, "declarator") if node.type == "init_declarator" else node
    name_node, to, sizes = declared(own, declarator)
    given = [value] if value is not None else []
    if to.kind == "function" and declarator.type == "function_declarator":
        name_node, to, given = field(declarator, "declarator"), own, [field(declarator, "parameters")]
        if place.function is None or own.kind == "auto":
            return  # the declaration of a function
    if name_node is None:
        raise Untranslated("a declaration without a name")
    name = text(name_node)
    key = place.key(name_node)
    if to.reference and given and _reference(place, name, to, given[0], key):
        return
    if to.kind == "array" and to.inner.kind == "int" and to.inner.name == "char" and given:
        to = TEXT
    if given and given[0].type == "lambda_expression" and to.kind == "auto":
        shown = place.scope.free(name)
        place.scope.taken.add(shown)
        place.scope.names[name] = Variable(shown, Type("function", name), key, place.scope.function)
        place.program.rules.lambda_expression(place, given[0], shown, key)
        return
    made = _value(place, to, given, key, sizes)
    if to.kind == "auto" or (to.of is not None and to.of.kind == "auto"):
        if made is None:
            raise Untranslated("auto without a value")
        to = replace(made.type.plain(), const=to.const, symbol="")
        made = _value(place, to, given, key, sizes)
    if made is None and place.function is None and (to.number or to.kind == "pointer"):
        made = zero(place, to, key)  # a global variable starts with zero
    _declare(place, name, to, key, made)


def _declare(place: Place, name: str, to: Type, key: str, made: Value | None) -> None:
    facts = place.program.facts
    shown = place.scope.free(name)
    boxed = to.number and facts.has("boxed", key)
    found = Variable(shown, to, key, place.scope.function, boxed=boxed)
    if made is not None and to.integral and (to.const or name not in never(place)):
        found.low, found.high = made.range
        if boxed:
            found.low = found.high = None
        if made.known is not None and to.const:
            found.constant = made.known
    found.counts = made is not None and made.known is not None and 0 <= made.known < 2**31 and _counts(place, name)
    place.scope.names[name] = found
    place.scope.taken.add(shown)
    if made is not None and made.memory == "address" and to.kind == "pointer":
        facts.note("address", key)
    if boxed:
        text = ctypes_object(to, made)
    elif made is None:
        if not facts.has("nonlocal", key):
            return
        text = "None"
    else:
        text = made.text
    if made is not None and made.memory == "box" and to.kind == "pointer":
        text = as_pointer(made)
    place.emit(f"{shown} = {text}")


def never(place: Place) -> set[str]:
    """Names that the function changes somewhere."""
    if place.function is None:
        root = place.program.lines
        return _changed_in_program(place) if root else set()
    return changed(place.function, changers=place.program.changers)


def _counts(place: Place, name: str) -> bool:
    """Is the variable changed by `++` alone? Then no increment leaves the range of a type of 32 bits or more."""
    if place.function is None:
        return False
    for each in walk(place.function):
        if each.type == "assignment_expression" and root_name(field(each, "left")) == name:
            return False
        if each.type == "update_expression" and "--" in text(each) and root_name(field(each, "argument")) == name:
            return False
    return True


def _changed_in_program(place: Place) -> set[str]:
    found: set[str] = set()
    for each in place.program.functions.values():
        if each.node is not None:
            found |= changed(each.node, changers=place.program.changers)
    return found


def _reference(place: Place, name: str, to: Type, node: Node, key: str) -> bool:
    """A reference: another name for something. False for a const reference to a new value."""

    node = bare(node)
    if node.type == "identifier" and (found := place.scope.find(text(node))) is not None:
        place.scope.names[name] = found
        return True
    if node.type not in ("subscript_expression", "field_expression", "pointer_expression"):
        if to.const or node.type == "call_expression":
            return False
        raise Untranslated(f"a reference to {text(node)}")
    value = place.expression(node)
    if value.type.kind == "struct" or value.type.sequence:
        shown = place.scope.free(name)
        place.scope.taken.add(shown)
        place.scope.names[name] = Variable(shown, replace(value.type, reference=True), value.key, place.scope.function)
        place.emit(f"{shown} = {value.text}")
        return True
    base_name = root_name(node)
    used = {text(each) for each in _identifiers(node)} - {base_name}
    moved = any(each.type == "assignment_expression" and text(field(each, "left")) == base_name
                for each in walk(place.function))  # fmt: skip
    if moved or used & changed(place.function, changers=place.program.changers):
        raise Untranslated(f"a reference to {text(node)}, which changes")
    place.scope.names[name] = Variable(value.text, value.type, value.key or key, place.scope.function)
    return True


def _identifiers(node: Node) -> list[Node]:

    return [each for each in walk(node) if each.type == "identifier"]


def _value(place: Place, to: Type, given: list[Node], key: str, sizes: list[Node]) -> Value | None:
    """The initial value; None if there is none."""
    if to.kind == "unique":
        return unique(place, to, given)
    if to.kind == "array" and not to.name.startswith("std"):
        return array(place, to, given[0] if given else None, key, sizes)
    if not given:
        if to.number:
            return None
        return None if to.kind == "pointer" else place.constructed(to, [], key)
    node = given[0]
    if node.type == "parameter_list":  # T x(a, b), which the parser takes for a function
        return place.constructed(to, arguments(text(node)), key)
    if node.type == "argument_list":
        return place.constructed(to, parts(node), key)
    return place.initial(to, node, key)


def _static(place: Place, node: Node) -> None:
    """A static variable of a function: a variable of the module, which is set once."""
    own = base(place, node)
    for each in node.children_by_field_name("declarator"):
        if each.type != "init_declarator" or own.kind not in ("int", "bool", "float"):
            raise Untranslated("a static variable of this kind")
        value = place.initial(own, field(each, "value"), "")
        name_node, to, _ = declared(own, field(each, "declarator"))
        key = place.key(name_node)
        name = f"{place.name}_{text(name_node)}"
        if not to.number or not _constant(value.text) or place.program.facts.has("boxed", key):
            raise Untranslated("a static variable with this initial value")
        place.program.statics.setdefault(place.name, []).append(f"{name} = {value.text}")
        place.scope.names[text(name_node)] = Variable(name, to, key, 0)


def _constant(text: str) -> bool:
    try:
        float(text.replace("np.float32(", "").rstrip(")"))
    except ValueError:
        return text in ("True", "False")
    return True
