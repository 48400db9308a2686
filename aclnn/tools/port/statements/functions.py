"""Functions, and the instances of templates."""

import re

from aclnn.tools.port.cpp.place import CppFunction, CppParameter, CppProgram, Position
from aclnn.tools.port.cpp.reading import Node, changed, field, text
from aclnn.tools.port.cpp.scopes import NameScope, Variable, python_name
from aclnn.tools.port.cpp.signatures import declarator_of, signature
from aclnn.tools.port.cpp.types import AUTO, Type, Untranslated, ctype
from aclnn.tools.port.expressions.identifiers import named
from aclnn.tools.port.expressions.own_calls import word


def collect_function(program: CppProgram, node: Node, template: list[str]) -> CppFunction:
    """Note a function, so that calls find it."""
    inner = declarator_of(node)
    name = text(field(inner, "declarator"))
    if not name.isidentifier():
        raise Untranslated(f"the function {name}")
    if name in program.functions and program.functions[name].node is not None:
        raise Untranslated(f"a second function {name}")
    function = CppFunction(python_name(name), [], AUTO, f"function {name}", node, template)
    binding = {each: Type("template", each, 32) for each in template}
    function.parameters, function.result = signature(program, function, binding)
    program.functions[name] = function
    return function


def function_lines(place: Position, function: CppFunction, *, number: int = 0) -> list[str]:
    """The definition of a function, or of an instance of a template."""
    program = place.program
    binding = function.instances[number] if function.template else {}
    suffix = f"#{number}" if function.template else ""
    parameters, result = signature(program, function, binding, number)
    program.counter += 1
    inner = Position(program, NameScope(place.scope, program.counter), binding, result, function.node, suffix)
    inner.name = function.name
    inner.returned = function.key + suffix
    inner.indent = 4
    for parameter in parameters:
        for symbol in function.template:
            if parameter.type.sequence and parameter.type.inner.symbol == symbol:
                inner.sized.setdefault(symbol, f"{python_name(parameter.name)}|{parameter.key}")
    code = declare_parameters(inner, parameters, function.node)
    block = field(function.node, "body")
    if block.type != "compound_statement":
        raise Untranslated("a function with this body")

    inner.sequence(block.children[1:-1])
    hidden = _hidden(inner, function)
    name = function.name
    if program.facts.has("differs", function.name):
        name = f"{function.name}_{'_'.join(word(each) for each in binding.values())}"
    lines = [f"def {name}({', '.join([*hidden, *code])}):"]
    lines += [f"    {each}" for each in sorted(inner.assigned)]
    lines += inner.lines
    if not any(not line.lstrip().startswith("#") and line.strip() for line in lines[1:]):
        lines.append("    pass")
    return lines


def declare_parameters(place: Position, parameters: list[CppParameter], node: Node) -> list[str]:
    """Declare the parameters in the scope of the function. Returns their texts in Python."""
    facts = place.program.facts
    changing = changed(field(node, "body"), changers=place.program.changers)
    declarations: list[str] = []
    for parameter in parameters:
        cpp_type = parameter.type
        name = place.scope.free(parameter.name)
        place.scope.taken.add(name)
        by_reference = cpp_type.reference and not cpp_type.const
        boxed = cpp_type.number and (by_reference or facts.has("boxed", parameter.key))
        if cpp_type.kind == "handle" and not by_reference and facts.has("addressed", parameter.key):
            raise Untranslated(f"the address of the parameter {parameter.name}")
        place.scope.names[parameter.name] = Variable(
            name, cpp_type, parameter.key, place.scope.function, parameter=True, boxed=boxed
        )
        facts.note("parameter", parameter.key)
        default = (
            "" if parameter.default is None else f"={place.initial(cpp_type, parameter.default, parameter.key).text}"
        )
        if default and (cpp_type.sequence or cpp_type.kind in ("struct", "handle")) and "None" not in default:
            raise Untranslated(f"the default value of {parameter.name}")
        declarations.append(name + default)
        if boxed and not by_reference:
            kind = ctype(cpp_type)
            place.emit(f"{name} = {kind}({name})")
        elif parameter.name in changing and not cpp_type.reference:
            _own_copy(place, parameter, name)
    return declarations


def _own_copy(place: Position, parameter: CppParameter, name: str) -> None:
    """Copy a parameter that is passed by value, if the function changes the parameter."""

    cpp_type = parameter.type
    if cpp_type.sequence or cpp_type.kind == "struct":
        place.emit(f"{name} = {place.copied(named(place, parameter.name), cpp_type, parameter.key).text}")
    elif cpp_type.kind == "union":
        raise Untranslated("a union that is passed by value")


def _hidden(place: Position, function: CppFunction) -> list[str]:
    """The template parameters whose names the body uses, and which a call in Python has to pass."""
    source = re.sub(
        r'"(\\.|[^"\\])*"', "", "\n".join(line for line in place.lines if not line.lstrip().startswith("#"))
    )
    names: list[str] = []
    for parameter_name in function.template:
        if not re.search(rf"\b{parameter_name}\b", source):
            continue
        if parameter_name in place.sized:
            name, key = place.sized[parameter_name].split("|")
            place.program.facts.note("array", key)
            place.lines.insert(0, f"    {parameter_name} = {name}.dtype.type")
        else:
            place.program.facts.note("hidden", f"{function.name}.{parameter_name}")
            names.append(parameter_name)
    return names
