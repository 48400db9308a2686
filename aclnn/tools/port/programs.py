"""A whole program: imports, helpers, and the definitions in their order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from aclnn.tools.port.cpp.facts import ProgramFacts
from aclnn.tools.port.cpp.limits import NESTED, NotTranslated
from aclnn.tools.port.cpp.macros import Preprocessed, preprocessed
from aclnn.tools.port.cpp.place import CppFunction, CppProgram, Position, Rules
from aclnn.tools.port.cpp.reading import Node, deepest, field, line, parsed, parts, text, walk
from aclnn.tools.port.cpp.scopes import NameScope
from aclnn.tools.port.cpp.types import Type, Untranslated
from aclnn.tools.port.expressions.expressions import expression
from aclnn.tools.port.layout import whole
from aclnn.tools.port.statements.aliases import alias
from aclnn.tools.port.statements.comments import comment_lines, todo
from aclnn.tools.port.statements.functions import collect_function, function_lines
from aclnn.tools.port.statements.initial import constructed, copied, initial
from aclnn.tools.port.statements.lambdas import lambda_expression
from aclnn.tools.port.statements.statements import sequence, statement
from aclnn.tools.port.statements.structs import collect_struct, enum_lines, enum_type, struct_lines
from aclnn.tools.port.statements.variables import declaration

ROUNDS = 12
"""maximum number of translations that collect facts; most programs need three"""


RULES = Rules(expression, lambda_expression, initial, copied, constructed, sequence, statement)


@dataclass(frozen=True)
class Port:
    """A program in Python, and each line without a translation, with the reason."""

    text: str
    problems: list[tuple[int, str]]


def port(source: str, name: str = "") -> Port:
    """Translate a program. NotTranslated if it is beyond a limit."""
    cleaned = preprocessed(source, name)
    tree = parsed(cleaned.text)
    try:
        return _settled(source, cleaned, tree, name)
    except RecursionError:
        raise NotTranslated(line(deepest(tree)), NESTED) from None


def _settled(source: str, cleaned: Preprocessed, tree: Node, name: str) -> Port:
    """Translate the program until a translation collects no new facts."""
    facts, count = ProgramFacts(), -1
    for _ in range(ROUNDS):
        program, lines = _translated(source, cleaned, tree, facts)
        if facts.count() == count:
            break
        count = facts.count()
    else:
        raise RuntimeError(f"{name}: the facts about the program do not settle")
    return Port(whole(program, lines, name), sorted(set(program.problems)))


def _translated(
    source: str, cleaned: Preprocessed, tree: Node, facts: ProgramFacts
) -> tuple[CppProgram, list[list[str]]]:
    """One translation: the definitions, each a list of lines."""
    program = CppProgram(facts, source.splitlines(), RULES, printing=set(cleaned.printing))
    place = Position(program, NameScope())
    program.changing_lambdas |= set(_changing_lambdas(tree))
    nodes = list(_top(program, tree))
    failed: dict[int, str] = {}
    for node in nodes:
        try:
            _collect(place, node)
        except RecursionError:
            raise
        except Exception as error:
            failed[node.id] = _reason(error)
    blocks: list[tuple[int, list[str]]] = []
    templates: list[tuple[int, CppFunction, Node]] = []
    for number, reason in cleaned.problems.items():
        program.problems.append((number, reason))
        blocks.append((number, [f"# TODO: line {number}: {reason}", f"#   {program.lines[number - 1].strip()}"]))
    for node in nodes:
        if node.id in failed:
            blocks.append((line(node), _todo(place, node, failed[node.id])))
            continue
        function = _function(program, node)
        if function is not None and function.template:
            templates.append((line(node), function, node))
            continue
        blocks.append((line(node), _safely(place, node, function)))
    counts: dict[str, int] = {}
    while any(counts.get(each.name, 0) < max(1, len(each.instances)) for _, each, _ in templates):
        for number, function, node in reversed(templates):
            if not function.instances:
                function.instances.append({each: Type("float", "float", 32) for each in function.template})
            start = counts.get(function.name, 0)
            for instance in range(start, len(function.instances)):
                lines = _safely(place, node, function, instance)
                blocks.append((number, lines))
                counts[function.name] = instance + 1
    _same_instances(program, blocks, templates)
    blocks.sort(key=lambda each: each[0])
    return program, [lines for _, lines in blocks if lines]


def _same_instances(
    program: CppProgram, blocks: list[tuple[int, list[str]]], templates: list[tuple[int, CppFunction, Node]]
) -> None:
    """Keep one function for all instances of a template if they have the same text."""
    for number, function, _ in templates:
        instances = [each for each in blocks if each[0] == number]
        texts = {"\n".join(re.sub(r"^def \w+", "def", each) for each in lines) for _, lines in instances}
        if len(texts) > 1:
            program.facts.note("differs", function.name)
        elif len(instances) > 1:
            for block in instances[1:]:
                blocks.remove(block)


def _changing_lambdas(tree: Node) -> Iterator[str]:
    """The names of lambdas that may change a variable of the caller."""
    for node in walk(tree):
        if node.type == "init_declarator" and field(node, "value").type == "lambda_expression":
            declarator = field(node, "value").child_by_field_name("declarator")
            if declarator is not None and "&" in text(declarator):
                yield text(field(node, "declarator"))


def _top(program: CppProgram, node: Node) -> Iterator[Node]:
    """The definitions of a program, also those in namespaces."""
    for item in node.children:
        if item.type == "namespace_definition":
            name = item.child_by_field_name("name")
            if name is not None:
                program.namespaces.update(text(name).split("::"))
            yield from _top(program, field(item, "body"))
        elif item.type == "linkage_specification":
            yield from _top(program, field(item, "body"))
        elif item.is_named and item.type not in ("string_literal",):
            yield item


def _specifier(node: Node) -> Node | None:
    """The struct, union or enum that a statement defines."""
    if node.type in ("declaration", "type_definition"):
        inner = node.child_by_field_name("type")
        node = node if inner is None else inner
    defines = node.type in ("struct_specifier", "union_specifier", "enum_specifier", "class_specifier")
    return node if defines and node.child_by_field_name("body") is not None else None


def _collect(place: Position, node: Node) -> None:
    """Note what a definition declares."""
    kind = node.type
    inner = _specifier(node)
    if kind == "template_declaration":
        parameters = [_parameter(part) for part in parts(field(node, "parameters"))]
        definition = parts(node)[-1]
        if definition.type == "function_definition":
            collect_function(place.program, definition, parameters)
        elif definition.type != "declaration":
            raise Untranslated(f"a template of a {definition.type.replace('_', ' ')}")
    elif kind == "function_definition":
        if node.child_by_field_name("type") is None:
            raise Untranslated("a function without a type")
        collect_function(place.program, node, [])
    elif kind in ("alias_declaration",):
        alias(place, node)
    elif inner is not None and inner.type in ("struct_specifier", "union_specifier"):
        if inner.child_by_field_name("name") is None or node is not inner:
            raise Untranslated("a struct without a name of its own")
        collect_struct(place, inner)
    elif inner is not None and inner.type == "enum_specifier":
        name = inner.child_by_field_name("name")
        if name is None or node is not inner:
            raise Untranslated("an enum without a name of its own")
        place.program.types[text(name)] = enum_type(place, inner)
    elif kind == "type_definition":
        alias(place, node)


def _parameter(node: Node) -> str:
    if node.type != "type_parameter_declaration":
        raise Untranslated(f"the parameter {text(node)} of a template")
    return text(parts(node)[0])


def _function(program: CppProgram, node: Node) -> CppFunction | None:
    definition = [node, *parts(node)][-1] if node.type == "template_declaration" else node
    if definition.type != "function_definition":
        return None
    return next((function for function in program.functions.values() if function.node == definition), None)


def _todo(place: Position, node: Node, reason: str) -> list[str]:
    """The comment for a definition without a translation. A use of its name then fails in Python."""
    inner = Position(place.program, place.scope)
    todo(inner, node, reason, stop=False)
    return inner.lines


def _safely(place: Position, node: Node, function: CppFunction | None, instance: int = 0) -> list[str]:
    """The lines of a definition, or a comment with the reason why it has no translation."""
    start = len(place.lines)
    problems = len(place.program.problems)
    try:
        if function is not None:
            lines = function_lines(place, function, number=instance)
            return [*place.program.statics.pop(function.name, []), *lines]
        _definition(place, node)
        block_lines = place.lines[start:]
        del place.lines[start:]
        return block_lines
    except RecursionError:
        raise
    except Exception as error:
        del place.lines[start:]
        del place.program.problems[problems:]
        return _todo(place, node, _reason(error))


def _reason(error: Exception) -> str:
    """The reason why a definition has no translation. The translation expects valid C++, and may raise any exception
    for other text."""
    return str(error) if isinstance(error, Untranslated) else f"its translation raises {error!r}: is it valid C++?"


def _definition(place: Position, node: Node) -> None:
    """Emit a definition of the module that is no function."""
    kind, inner = node.type, _specifier(node)
    if kind == "comment":
        place.lines += comment_lines(text(node))
    elif inner is not None and inner.type in ("struct_specifier", "union_specifier"):
        place.lines += struct_lines(place, inner)
    elif inner is not None and inner.type == "enum_specifier":
        place.lines += enum_lines(place, inner)
    elif kind == "declaration":
        declaration(place, node)
    elif (kind == "expression_statement" and not parts(node)) or (
        kind == "template_declaration" and parts(node)[-1].type == "declaration"
    ):
        return
    elif kind not in ("alias_declaration", "type_definition", "using_declaration", ";", "preproc_call"):
        raise Untranslated(kind.replace("_", " ") if kind != "ERROR" else "the parser does not understand it")
