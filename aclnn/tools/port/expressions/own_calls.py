"""Calls of the functions and lambdas of the program."""

from dataclasses import replace

from aclnn.tools.port.cpp.place import CppFunction, CppParameter, Position
from aclnn.tools.port.cpp.reading import Node, bare, text
from aclnn.tools.port.cpp.scopes import Variable
from aclnn.tools.port.cpp.signatures import signature
from aclnn.tools.port.cpp.spellings import spelled_type
from aclnn.tools.port.cpp.types import ADDRESS, TEXT, Type, Untranslated, dtype
from aclnn.tools.port.expressions.addresses import address_of, as_pointer
from aclnn.tools.port.expressions.vectors import listed
from aclnn.tools.port.python.values import Value, stored


def call_own(place: Position, function: CppFunction, argument_nodes: list[Node], explicit: list[Node]) -> Value:
    """A call of a function of the program."""

    name, first = function.name, list[str]()
    if function.template:
        binding = _deduced(place, function, argument_nodes, explicit)
        number = _instance(function, binding)
        parameters, result = signature(place.program, function, binding, number)
        parameters = [replace(parameter, type=_unnamed(parameter.type)) for parameter in parameters]
        result = _unnamed(result)
        if place.program.facts.has("differs", function.name):
            name = f"{function.name}_{'_'.join(word(each) for each in binding.values())}"
        first = [dtype(binding[each]) for each in function.template
                 if place.program.facts.has("hidden", f"{function.name}.{each}")]  # fmt: skip
        key = f"{function.key}#{number}"
    else:
        parameters, result, key = function.parameters, function.result, function.key
    arguments = first + passed(place, function.name, parameters, argument_nodes)
    numpy = result.kind == "float" and result.bits == 32

    memory = "list" if result.sequence and listed(place, key, result) else ""
    return Value(f"{name}({', '.join(arguments)})", result.plain(), key=key, fresh=not result.reference, numpy=numpy,
                 memory=memory)  # fmt: skip


def _unnamed(cpp_type: Type) -> Type:
    """A type without the name of the template parameter, which is undefined outside of the template."""
    return replace(cpp_type, symbol="", of=None if cpp_type.of is None else _unnamed(cpp_type.of))


def word(cpp_type: Type) -> str:
    """A type as part of a name."""
    return "".join(each if each.isalnum() else "_" for each in cpp_type.spelled).strip("_")


def of_variable(place: Position, variable: Variable, argument_nodes: list[Node]) -> Value:
    """A call of a lambda, or of a parameter that is a function."""
    function = place.program.functions.get("lambda " + variable.key)
    if function is None:
        raise Untranslated(f"a call of {variable.name}, which may be any function")
    arguments = passed(place, variable.name, function.parameters, argument_nodes)
    numpy = function.result.kind == "float" and function.result.bits == 32
    return Value(f"{variable.name}({', '.join(arguments)})", function.result.plain(), fresh=True, numpy=numpy)


def passed(place: Position, name: str, parameters: list[CppParameter], arguments: list[Node]) -> list[str]:
    """The texts of the arguments in Python."""
    if len(arguments) > len(parameters) or any(parameter.default is None for parameter in parameters[len(arguments) :]):
        raise Untranslated(f"{name} takes {len(parameters)} arguments")
    return [_argument(place, parameter, node) for parameter, node in zip(parameters, arguments, strict=False)]


def _argument(place: Position, parameter: CppParameter, node: Node) -> str:

    target, facts = parameter.type, place.program.facts
    by_reference = target.reference and not target.const
    if by_reference and (target.number or target.kind in ("handle", "pointer", "string")):
        return _reference(place, parameter, bare(node))
    if node.type == "initializer_list" or target.kind == "unique":
        return place.initial(target, node, parameter.key).text
    value = place.expression(node)
    kind = value.type.kind
    if target.number:
        return stored(value, target).text
    if target.sequence and value.type.sequence:
        facts.join(value.key, parameter.key)
        facts.join(value.key + ".of", parameter.key + ".of")
        return value.text
    if target.kind == "pointer" and (code := _pointer(place, parameter, value)):
        return code
    if target.kind == "handle" and (code := _handle(place, parameter, value)):
        return code
    same = target.kind == "struct" and value.type.same(target)
    texts = target.kind in ("string", "file") and (kind == target.kind or value.type.same(TEXT))
    if same or texts or target.kind == kind == "function":
        return value.text
    raise Untranslated(f"an argument of type {value.type.spelled} for {parameter.name}, which is {target.spelled}")


def _pointer(place: Position, parameter: CppParameter, value: Value) -> str:
    """A pointer as an argument; empty if the value is no pointer."""
    kind, target, facts = value.type.kind, parameter.type, place.program.facts
    if kind == "null":
        return "None"
    if (kind == "string" or value.type.same(TEXT)) and target.same(TEXT):
        return value.text
    if kind not in ("pointer", "array"):
        return value.text if kind == "handle" and target.same(ADDRESS) else ""
    if value.memory == "address":
        raise Untranslated(f"the number of an address for {parameter.name}")
    facts.join(value.key, parameter.key)
    if not facts.among("dereferenced", parameter.key):
        return value.text
    if value.key and value.memory != "box":
        facts.note("dereferenced", value.key)
    return as_pointer(value)


def _handle(place: Position, parameter: CppParameter, value: Value) -> str:
    """A handle or an address as an argument; empty if the value is neither."""
    kind, target = value.type.kind, parameter.type
    if kind == "null":
        return f"{target.name}()"
    if kind == "handle":
        return value.text
    if kind == "pointer" and value.memory == "address":
        return f"c_void_p({value.text})"
    if kind == "pointer" and target.same(ADDRESS):
        if value.key:
            place.program.facts.note("array", value.key)
        return value.text
    return ""


def _reference(place: Position, parameter: CppParameter, node: Node) -> str:
    """An argument by reference: the function gets the ctypes object of the variable, which it may change."""
    if parameter.type.kind == "string":
        raise Untranslated(f"the reference {parameter.name} to a string")
    if node.type == "field_expression":
        result = address_of(place, node).text
        return result[len("byref(") : -1]
    variable = place.scope.find(text(node)) if node.type == "identifier" else None
    if variable is None or not variable.type.same(parameter.type):
        raise Untranslated(f"the reference {parameter.name} to {text(node)}")
    place.program.facts.note("boxed" if variable.type.number else "addressed", variable.key)
    return variable.name


def _deduced(place: Position, function: CppFunction, arguments: list[Node], explicit: list[Node]) -> dict[str, Type]:
    """The types of the parameters of a template in a call."""

    types: dict[str, Type] = {}
    for name, node in zip(function.template, explicit, strict=False):
        types[name] = replace(spelled_type(place, node).plain(), symbol="")
    for parameter, node in zip(function.parameters, arguments, strict=False):
        if node.type != "initializer_list" and len(types) < len(function.template):
            unified(parameter.type, place.expression(node).type, types)
    for name in function.template:
        if name not in types:
            raise Untranslated(f"the type {name} of {function.name}, which no argument says")
    return types


def unified(template: Type, argument: Type, types: dict[str, Type]) -> None:
    """Store in `types` the template parameters that follow from the type of an argument."""
    if template.kind == "template":
        types.setdefault(template.name, replace(argument.plain(), symbol="", of=argument.of))
    elif template.of is not None and argument.of is not None:
        unified(template.of, argument.of, types)


def _instance(function: CppFunction, binding: dict[str, Type]) -> int:
    """The number of an instance of a template. A new instance is added to the function."""
    for number, instance in enumerate(function.instances):
        if all(instance[name].spelled == binding[name].spelled for name in binding):
            return number
    function.instances.append(binding)
    return len(function.instances) - 1
