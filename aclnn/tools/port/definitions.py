"""Functions, templates, lambdas, structs, enums, unions and aliases."""

import re
from dataclasses import replace

from aclnn.tools.port.declarations import field_value, initial, zero
from aclnn.tools.port.place import Function, Parameter, Place, Program, Struct
from aclnn.tools.port.reading import Node, changed, field, parts, text, walk
from aclnn.tools.port.scopes import Scope, Variable, python_name
from aclnn.tools.port.spellings import base, declared, declared_name, named
from aclnn.tools.port.types import AUTO, INT, VOID, Type, Untranslated, ctype
from aclnn.tools.port.values import Value


def parameters_of(place: Place, node: Node) -> list[Parameter]:
    """The parameters of a function."""
    found: list[Parameter] = []
    for each in parts(node):
        if each.type not in ("parameter_declaration", "optional_parameter_declaration"):
            raise Untranslated(f"the parameter {text(each)}")
        declarator = each.child_by_field_name("declarator")
        own = base(place, each)
        name_node, to, sizes = declared(place, own, declarator) if declarator is not None else (None, own, [])
        if to.kind == "void" and name_node is None:
            continue
        if sizes or to.kind == "array" and not to.name:
            to = Type("pointer", of=to.inner)
        if to.kind == "auto":
            raise Untranslated("a parameter of type auto")
        if to.kind == "opaque":
            raise Untranslated(f"a parameter of type {to.name}")
        name = text(name_node) if name_node is not None else f"unused{len(found) + 1}"
        key = place.key(name_node) if name_node is not None else f"{each.start_byte}{place.suffix}"
        found.append(Parameter(name, to, key, each.child_by_field_name("default_value")))
    return found


def declarator_of(node: Node) -> Node:
    """The function_declarator of a definition, behind `*` and `&`."""
    inner = field(node, "declarator")
    while inner.type != "function_declarator":
        found = inner.child_by_field_name("declarator") or next(iter(parts(inner)), None)
        if found is None:
            raise Untranslated("this declaration")
        inner = found
    return inner


def signature(
    program: Program, function: Function, binding: dict[str, Type] | None = None, number: int = 0
) -> tuple[list[Parameter], Type]:
    """The parameters and the result of a function, or of an instance of a template."""
    suffix = f"#{number}" if function.template else ""
    place = Place(program, Scope(), binding or {}, suffix=suffix)
    inner = declarator_of(function.node)
    result = base(place, function.node)
    outer = field(function.node, "declarator")
    if outer.type in ("pointer_declarator", "reference_declarator"):
        result = _result(result, outer)
    return parameters_of(place, field(inner, "parameters")), result


def _result(own: Type, node: Node) -> Type:
    from aclnn.tools.port.types import pointer

    while node.type in ("pointer_declarator", "reference_declarator"):
        if node.type == "reference_declarator":
            own = replace(own, reference=True)
        else:
            own = Type("handle", own.name) if own.kind == "opaque" else pointer(own)
        node = parts(node)[-1]
    return own


def collect_function(program: Program, node: Node, template: list[str]) -> Function:
    """Note a function, so that calls find it."""
    inner = declarator_of(node)
    name = text(field(inner, "declarator"))
    if not name.isidentifier():
        raise Untranslated(f"the function {name}")
    if name in program.functions and program.functions[name].node is not None:
        raise Untranslated(f"a second function {name}")
    function = Function(python_name(name), [], AUTO, f"function {name}", node, template)
    binding = {each: Type("template", each, 32) for each in template}
    function.parameters, function.result = signature(program, function, binding)
    program.functions[name] = function
    return function


def function_lines(place: Place, function: Function, *, number: int = 0) -> list[str]:
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
    from aclnn.tools.port.statements import sequence

    sequence(inner, block.children[1:-1])
    hidden = _hidden(inner, function)
    name = function.name
    if program.facts.has("differs", function.name):
        from aclnn.tools.port.own_calls import word

        name = f"{function.name}_{'_'.join(word(each) for each in binding.values())}"
    lines = [f"def {name}({', '.join([*hidden, *shown])}):"]
    lines += [f"    {each}" for each in sorted(inner.assigned)]
    lines += inner.lines
    if not any(not each.lstrip().startswith("#") and each.strip() for each in lines[1:]):
        lines.append("    pass")
    return lines


def declare_parameters(place: Place, given: list[Parameter], node: Node) -> list[str]:
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
        default = "" if each.default is None else f"={initial(place, of, each.default, each.key).text}"
        if default and (of.sequence or of.kind in ("struct", "handle")) and "None" not in default:
            raise Untranslated(f"the default value of {each.name}")
        shown.append(name + default)
        if boxed and not by_reference:
            kind = ctype(of)
            place.need(kind)
            place.emit(f"{name} = {kind}({name})")
        elif each.name in moving and not of.reference:
            _own_copy(place, each, name)
    return shown


def _own_copy(place: Place, parameter: Parameter, name: str) -> None:
    """A parameter that is passed by value, and that the function changes."""
    from aclnn.tools.port.declarations import copied
    from aclnn.tools.port.expressions import named as value_of

    of = parameter.type
    if of.sequence or of.kind == "struct":
        place.emit(f"{name} = {copied(place, value_of(place, parameter.name), of, parameter.key).text}")
    elif of.kind == "union":
        raise Untranslated("a union that is passed by value")


def _hidden(place: Place, function: Function) -> list[str]:
    """Parameters of the template that the body names: Python passes them."""
    source = re.sub(r'"(\\.|[^"\\])*"', "", "\n".join(each for each in place.lines if not each.lstrip().startswith("#")))
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


def lambda_expression(place: Place, node: Node) -> Value:
    """A lambda as an argument: one with a single `return` becomes a lambda of Python, others a function before the
    statement."""
    place.program.counter += 1
    name = f"function_{line_number(node)}"
    lambda_lines(place, node, name, place.key(node))
    return Value(name, Type("function", name), key=place.key(node))


def line_number(node: Node) -> int:
    """The line of a node."""
    return node.start_point[0] + 1


def lambda_lines(place: Place, node: Node, name: str, key: str) -> None:
    """Emit a function for a lambda."""
    program = place.program
    declarator = node.child_by_field_name("declarator")
    inner = Place(program, Scope(place.scope, program.counter + 1), place.bindings, AUTO, place.function, place.suffix)
    program.counter += 1
    inner.name, inner.indent = name, 4
    inner.returned = f"lambda {key}"
    inner.sized = place.sized
    defaults = _captured(place, inner, node)
    parameters: list[Parameter] = []
    if declarator is not None:
        parameters = parameters_of(place, field(declarator, "parameters"))
        trailing = [each for each in declarator.children if each.type == "trailing_return_type"]
        if trailing:
            inner.result = named(place, parts(trailing[0])[0])
    if inner.result.kind == "auto":
        inner.result = _result_of_lambda(place, node, parameters)
    shown = declare_parameters(inner, parameters, node)
    program.functions[f"lambda {key}"] = Function(name, parameters, inner.result, f"lambda {key}")
    from aclnn.tools.port.statements import sequence

    sequence(inner, field(node, "body").children[1:-1])
    if any("NotImplementedError" in each for each in inner.lines):
        raise Untranslated("a lambda with something that has no translation")
    place.emit(f"def {name}({', '.join([*shown, *defaults])}):")
    for each in sorted(inner.assigned):
        place.emit(f"    {each}")
        variable = each.split()[-1]
        del variable
    body = inner.lines or ["    pass"]
    if all(each.lstrip().startswith("#") for each in body):
        body = [*body, "    pass"]
    place.lines += [" " * place.indent + each if each else each for each in body]


def _result_of_lambda(place: Place, node: Node, parameters: list[Parameter]) -> Type:
    """The type of the first `return`."""
    returns = [each for each in walk(field(node, "body")) if each.type == "return_statement" and parts(each)]
    if not returns:
        return VOID
    probe = Place(place.program, Scope(place.scope, place.program.counter + 1), place.bindings, AUTO, place.function,
                  place.suffix)  # fmt: skip
    problems = len(place.program.problems)
    probe.name = "probe"
    declare_parameters(probe, parameters, node)
    from aclnn.tools.port.expressions import expression
    from aclnn.tools.port.statements import statement

    types: list[Type] = []
    for each in field(node, "body").children[1:-1]:
        if each.type == "declaration":
            statement(probe, each)
    for each in returns:
        try:
            types.append(expression(probe, parts(each)[0]).type.plain())
        except Untranslated:
            raise Untranslated("a lambda without -> type") from None
    del place.program.problems[problems:]
    if not all(each.same(types[0]) for each in types):
        raise Untranslated("a lambda that returns several types")
    return types[0]


def _captured(place: Place, inner: Place, node: Node) -> list[str]:
    """Variables that are captured by value and change later become default values."""
    captures = field(node, "captures")
    shown = text(captures)[1:-1].strip()
    if shown in ("", "&", "this", "&, this"):
        return []
    outside = changed(place.function, changers=place.program.changers) if place.function is not None else set[str]()
    block = field(node, "body")
    used = {text(each) for each in walk(block) if each.type == "identifier"}
    named_ones = [each.strip() for each in shown.split(",")]
    if any("=" in each and each != "=" for each in named_ones):
        raise Untranslated(f"the capture [{shown}]")
    by_value = used if "=" in named_ones else {each for each in named_ones if not each.startswith("&")}
    defaults: list[str] = []
    for name in sorted(by_value):
        variable = place.scope.find(name)
        if variable is None or variable.function == 0 or name not in outside:
            continue
        if not variable.type.number or variable.boxed or name in changed(block):
            raise Untranslated(f"{name}, which the lambda captures by value, changes")
        defaults.append(f"{variable.name}={variable.name}")
        inner.scope.names[name] = replace(variable, function=inner.scope.function)
    return defaults


def alias(place: Place, node: Node) -> None:
    """`using A = B;`, `typedef B A;`"""
    if node.type == "alias_declaration":
        place.program.types[text(field(node, "name"))] = named(place, field(node, "type"))
        return
    own = base(place, node)
    for each in node.children_by_field_name("declarator"):
        _, to, _ = declared(place, own, each)
        place.program.types[declared_name(each)] = to


def struct_lines(place: Place, node: Node) -> list[str]:
    """A struct as a class with its members; a union as a Union of ctypes, which shares the bits."""
    program = place.program
    name = text(field(node, "name"))
    struct = program.structs[name]
    if struct.union:
        place.need("Union")
        fields = ", ".join(f'("{each}", {_field_class(place, of)})' for each, of in struct.fields.items())
        return [f"class {name}(Union):", f"    _fields_ = [{fields}]"]
    lines = [f"class {name}:"]
    arguments, body, copies = ["self"], list[str](), list[str]()
    for each, of in struct.fields.items():
        key = f"{name}.{each}"
        node_of = struct.defaults.get(each)
        made = initial(place, of, node_of, key) if node_of is not None else zero(place, of, key)
        value = field_value(place, name, each, of, made)
        shared = of.sequence or of.kind in ("handle", "struct") or (of.number and program.facts.has("boxed", key))
        arguments.append(f"{each}={'None' if shared else value}")
        body.append(f"        self.{each} = {f'{value} if {each} is None else {each}' if shared else each}")
        copies.append(_copy(place, f"self.{each}", of, key))
    lines.append(f"    def __init__({', '.join(arguments)}):")
    lines += body or ["        pass"]
    if program.facts.has("copied", name):
        lines += ["", "    def copied(self):", f"        return {name}({', '.join(copies)})"]
    return lines


def _field_class(place: Place, of: Type) -> str:
    found = ctype(of)
    if found.startswith("c_"):
        place.need(found)
    return found


def _copy(place: Place, shown: str, of: Type, key: str) -> str:
    from aclnn.tools.port.declarations import copied
    from aclnn.tools.port.expressions import listed

    if of.number and place.program.facts.has("boxed", key):
        return f"{ctype(of)}({shown}.value)"
    if of.kind == "handle":
        return f"{of.name}({shown}.value)"
    memory = "list" if of.sequence and listed(place, key, of) else ""
    return copied(place, Value(shown, of, key=key, memory=memory), of, key).text if not of.number else shown


def collect_struct(place: Place, node: Node) -> None:
    """Note a struct, so that its variables are known."""
    name = text(field(node, "name"))
    union = node.type == "union_specifier"
    struct = Struct(name, {}, {}, union)
    for each in parts(field(node, "body")):
        if each.type == "access_specifier" and text(each) == "public":
            continue
        if each.type != "field_declaration":
            raise Untranslated(f"{each.type.replace('_', ' ')} in {name}")
        if any(it.type == "storage_class_specifier" for it in each.children):
            raise Untranslated(f"a static member of {name}")
        own = base(place, each)
        declarators = each.children_by_field_name("declarator")
        if len(declarators) > 1 and each.child_by_field_name("default_value") is not None:
            raise Untranslated("several members with initial values")
        for declarator in declarators:
            name_node, to, sizes = declared(place, own, declarator)
            if name_node is None or to.kind == "function" or sizes:
                raise Untranslated(f"the member {text(declarator)} of {name}")
            struct.fields[text(name_node)] = to
            default = each.child_by_field_name("default_value")
            if default is not None:
                struct.defaults[text(name_node)] = default
    if node.named_children and any(each.type == "base_class_clause" for each in node.children):
        raise Untranslated(f"the base class of {name}")
    place.program.structs[name] = struct


def enum_lines(place: Place, node: Node) -> list[str]:
    """An enum. The names of an `enum` without `class` are constants as well."""
    name = text(field(node, "name"))
    scoped = any(each.type in ("class", "struct") for each in node.children)
    place.need("IntEnum")
    lines, value, names = [f"class {name}(IntEnum):"], "0", list[str]()
    number = -1
    from aclnn.tools.port.expressions import expression

    for each in parts(field(node, "body")):
        given = each.child_by_field_name("value")
        number += 1
        if given is not None:
            found = expression(place, given)
            if found.known is None:
                raise Untranslated(f"the value of {text(each)}")
            number = found.known
        value = str(number)
        member = text(field(each, "name"))
        names.append(member)
        lines.append(f"    {member} = {value}")
    of = place.program.types[name]
    if not scoped:
        lines += ["", ""]
        for member in names:
            lines.append(f"{member} = {name}.{member}")
            place.scope.names[member] = Variable(member, of, f"enum {member}", 0)
    return lines


__all__ = ["INT", "alias", "collect_function", "function_lines"]
