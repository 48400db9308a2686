"""Functions, and the instances of templates."""

import re

from aclnn.tools.port.cpp.place import CppFunction, CppParameter, CppProgram, Place
from aclnn.tools.port.cpp.reading import Node, changed, field, text
from aclnn.tools.port.cpp.scopes import Scope, Variable, python_name
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


def function_lines(place: Place, function: CppFunction, *, number: int = 0) -> list[str]:
    """The definition of a function, or of an instance of a template."""
    program = place.program
    binding = function.instances[number] if function.template else {}
    suffix = f"#{number}" if function.template else ""
    parameters, result = signature(program, function, binding, number)
    program.counter += 1
    inner = Place(program, Scope(place.scope, program.counter), binding, result, function.node, suffix)
    inner.name = function.name
    inner.returned = function.key + suffix
    inner.indent = 4
    for each in parameters:
        for symbol in function.template:
            if each.type.sequence and each.type.inner.symbol == symbol:
                inner.sized.setdefault(symbol, f"{python_name(each.name)}|{each.key}")
    shown = declare_parameters(inner, parameters, function.node)
    block = field(function.node, "body")
    if block.type != "compound_statement":
        raise Untranslated("a function with this body")

    inner.sequence(block.children[1:-1])
    hidden = _hidden(inner, function)
    name = function.name
    if program.facts.has("differs", function.name):
        name = f"{function.name}_{'_'.join(word(each) for each in binding.values())}"
    lines = [f"def {name}({', '.join([*hidden, *shown])}):"]
    lines += [f"    {each}" for each in sorted(inner.assigned)]
    lines += inner.lines
    if not any(not each.lstrip().startswith("#") and each.strip() for each in lines[1:]):
        lines.append("    pass")
    return lines


def declare_parameters(place: Place, given: list[CppParameter], node: Node) -> list[str]:
    """Declare the parameters in the scope of the function; their texts in Python."""
    facts = place.program.facts
    moving = changed(field(node, "body"), changers=place.program.changers)
    shown: list[str] = []
    for each in given:
        of = each.type
        name = place.scope.free(each.name)
        place.scope.taken.add(name)
        by_reference = of.reference and not of.const
        boxed = of.number and (by_reference or facts.has("boxed", each.key))
        if of.kind == "handle" and not by_reference and facts.has("addressed", each.key):
            raise Untranslated(f"the address of the parameter {each.name}")
        place.scope.names[each.name] = Variable(name, of, each.key, place.scope.function, parameter=True, boxed=boxed)
        facts.note("parameter", each.key)
        default = "" if each.default is None else f"={place.initial(of, each.default, each.key).text}"
        if default and (of.sequence or of.kind in ("struct", "handle")) and "None" not in default:
            raise Untranslated(f"the default value of {each.name}")
        shown.append(name + default)
        if boxed and not by_reference:
            kind = ctype(of)
            place.emit(f"{name} = {kind}({name})")
        elif each.name in moving and not of.reference:
            _own_copy(place, each, name)
    return shown


def _own_copy(place: Place, parameter: CppParameter, name: str) -> None:
    """A parameter that is passed by value, and that the function changes."""

    of = parameter.type
    if of.sequence or of.kind == "struct":
        place.emit(f"{name} = {place.copied(named(place, parameter.name), of, parameter.key).text}")
    elif of.kind == "union":
        raise Untranslated("a union that is passed by value")


def _hidden(place: Place, function: CppFunction) -> list[str]:
    """Parameters of the template that the body names: Python passes them."""
    source = re.sub(
        r'"(\\.|[^"\\])*"', "", "\n".join(each for each in place.lines if not each.lstrip().startswith("#"))
    )
    found: list[str] = []
    for each in function.template:
        if not re.search(rf"\b{each}\b", source):
            continue
        if each in place.sized:
            name, key = place.sized[each].split("|")
            place.program.facts.note("array", key)
            place.lines.insert(0, f"    {each} = {name}.dtype.type")
        else:
            place.program.facts.note("hidden", f"{function.name}.{each}")
            found.append(each)
    return found
