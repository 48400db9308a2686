"""Declarations of variables."""

from dataclasses import replace

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, arguments, bare, changed, field, parts, root_name, text, walk
from aclnn.tools.port.cpp.scopes import Variable
from aclnn.tools.port.cpp.spellings import base, declared
from aclnn.tools.port.cpp.types import TEXT, Type, Untranslated
from aclnn.tools.port.expressions.addresses import as_pointer
from aclnn.tools.port.python.values import Value
from aclnn.tools.port.statements.initial import ctypes_object, unique
from aclnn.tools.port.statements.vectors import array, zero


def declaration(place: Position, node: Node) -> None:
    """Translate a declaration of variables."""
    words = [text(child) for child in node.children if child.type == "storage_class_specifier"]
    if "static" in words and place.function is not None:
        _static(place, node)
        return
    if "extern" in words:
        raise Untranslated("an extern variable")
    own_type = base(place, node)
    if own_type.kind == "opaque" and not any("*" in text(each) for each in node.children_by_field_name("declarator")):
        raise Untranslated(f"a variable of type {own_type.name}")
    for declarator in node.children_by_field_name("declarator"):
        variable(place, own_type, declarator)


def variable(place: Position, own_type: Type, node: Node) -> None:
    """Translate one variable of a declaration."""
    value = node.child_by_field_name("value") if node.type == "init_declarator" else None
    declarator = field(node, "declarator") if node.type == "init_declarator" else node
    name_node, target, sizes = declared(own_type, declarator)
    values = [value] if value is not None else []
    if target.kind == "function" and declarator.type == "function_declarator":
        name_node, target, values = field(declarator, "declarator"), own_type, [field(declarator, "parameters")]
        if place.function is None or own_type.kind == "auto":
            return  # the declaration of a function
    if name_node is None:
        raise Untranslated("a declaration without a name")
    name = text(name_node)
    key = place.key(name_node)
    if target.reference and values and _reference(place, name, target, values[0], key):
        return
    if target.kind == "array" and target.inner.kind == "int" and target.inner.name == "char" and values:
        target = TEXT
    if values and values[0].type == "lambda_expression" and target.kind == "auto":
        python_name = place.scope.free(name)
        place.scope.taken.add(python_name)
        place.scope.names[name] = Variable(python_name, Type("function", name), key, place.scope.function)
        place.program.rules.lambda_expression(place, values[0], python_name, key)
        return
    result = _value(place, target, values, key, sizes)
    if target.kind == "auto" or (target.of is not None and target.of.kind == "auto"):
        if result is None:
            raise Untranslated("auto without a value")
        target = replace(result.type.plain(), const=target.const, symbol="")
        result = _value(place, target, values, key, sizes)
    if result is None and place.function is None and (target.number or target.kind == "pointer"):
        result = zero(place, target, key)  # a global variable starts with zero
    _declare(place, name, target, key, result)


def _declare(place: Position, name: str, target: Type, key: str, value: Value | None) -> None:
    facts = place.program.facts
    python_name = place.scope.free(name)
    boxed = target.number and facts.has("boxed", key)
    variable = Variable(python_name, target, key, place.scope.function, boxed=boxed)
    if value is not None and target.integral and (target.const or name not in _changed_names(place)):
        variable.low, variable.high = value.range
        if boxed:
            variable.low = variable.high = None
        if value.known is not None and target.const:
            variable.constant = value.known
    variable.counts = (
        value is not None and value.known is not None and 0 <= value.known < 2**31 and _counts(place, name)
    )
    place.scope.names[name] = variable
    place.scope.taken.add(python_name)
    if value is not None and value.memory == "address" and target.kind == "pointer":
        facts.note("address", key)
    if boxed:
        text = ctypes_object(target, value)
    elif value is None:
        if not facts.has("nonlocal", key):
            return
        text = "None"
    else:
        text = value.text
    if value is not None and value.memory == "box" and target.kind == "pointer":
        text = as_pointer(value)
    place.emit(f"{python_name} = {text}")


def _changed_names(place: Position) -> set[str]:
    """Names of the variables that the function, or at module level the program, changes."""
    if place.function is None:
        root = place.program.lines
        return _changed_in_program(place) if root else set()
    return changed(place.function, changers=place.program.changers)


def _counts(place: Position, name: str) -> bool:
    """True if only `++` changes the variable. Then no increment leaves the range of a type of 32 bits or more."""
    if place.function is None:
        return False
    for node in walk(place.function):
        if node.type == "assignment_expression" and root_name(field(node, "left")) == name:
            return False
        if node.type == "update_expression" and "--" in text(node) and root_name(field(node, "argument")) == name:
            return False
    return True


def _changed_in_program(place: Position) -> set[str]:
    names: set[str] = set()
    for function in place.program.functions.values():
        if function.node is not None:
            names |= changed(function.node, changers=place.program.changers)
    return names


def _reference(place: Position, name: str, target: Type, node: Node, key: str) -> bool:
    """Declare a reference as another name of a value. False for a const reference to a new value."""

    node = bare(node)
    if node.type == "identifier" and (variable := place.scope.find(text(node))) is not None:
        place.scope.names[name] = variable
        return True
    if node.type not in ("subscript_expression", "field_expression", "pointer_expression"):
        if target.const or node.type == "call_expression":
            return False
        raise Untranslated(f"a reference to {text(node)}")
    value = place.expression(node)
    if value.type.kind == "struct" or value.type.sequence:
        python_name = place.scope.free(name)
        place.scope.taken.add(python_name)
        place.scope.names[name] = Variable(
            python_name, replace(value.type, reference=True), value.key, place.scope.function
        )
        place.emit(f"{python_name} = {value.text}")
        return True
    base_name = root_name(node)
    names = {text(identifier) for identifier in _identifiers(node)} - {base_name}
    is_assigned = any(descendant.type == "assignment_expression" and text(field(descendant, "left")) == base_name
                for descendant in walk(place.function))  # fmt: skip
    if is_assigned or names & changed(place.function, changers=place.program.changers):
        raise Untranslated(f"a reference to {text(node)}, which changes")
    place.scope.names[name] = Variable(value.text, value.type, value.key or key, place.scope.function)
    return True


def _identifiers(node: Node) -> list[Node]:

    return [descendant for descendant in walk(node) if descendant.type == "identifier"]


def _value(place: Position, target: Type, nodes: list[Node], key: str, sizes: list[Node]) -> Value | None:
    """The initial value of a variable; None without one."""
    if target.kind == "unique":
        return unique(place, target, nodes)
    if target.kind == "array" and not target.name.startswith("std"):
        return array(place, target, nodes[0] if nodes else None, key, sizes)
    if not nodes:
        if target.number:
            return None
        return None if target.kind == "pointer" else place.constructed(target, [], key)
    node = nodes[0]
    if node.type == "parameter_list":  # T x(a, b), which the parser takes for a function
        return place.constructed(target, arguments(text(node)), key)
    if node.type == "argument_list":
        return place.constructed(target, parts(node), key)
    return place.initial(target, node, key)


def _static(place: Position, node: Node) -> None:
    """Translate a static variable of a function to a variable of the module, which is set once."""
    own_type = base(place, node)
    for item in node.children_by_field_name("declarator"):
        if item.type != "init_declarator" or own_type.kind not in ("int", "bool", "float"):
            raise Untranslated("a static variable of this kind")
        value = place.initial(own_type, field(item, "value"), "")
        name_node, target, _ = declared(own_type, field(item, "declarator"))
        key = place.key(name_node)
        name = f"{place.name}_{text(name_node)}"
        if not target.number or not _constant(value.text) or place.program.facts.has("boxed", key):
            raise Untranslated("a static variable with this initial value")
        place.program.statics.setdefault(place.name, []).append(f"{name} = {value.text}")
        place.scope.names[text(name_node)] = Variable(name, target, key, 0)


def _constant(text: str) -> bool:
    try:
        float(text.replace("np.float32(", "").rstrip(")"))
    except ValueError:
        return text in ("True", "False")
    return True
