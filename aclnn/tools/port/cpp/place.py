"""The state of the translation: the state of the whole program, and of the place that is translated."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from aclnn.tools.port.cpp.facts import ProgramFacts
from aclnn.tools.port.cpp.reading import Node
from aclnn.tools.port.cpp.scopes import NameScope, Variable
from aclnn.tools.port.cpp.types import AUTO, Type
from aclnn.tools.port.python.values import Value


@dataclass
class CppParameter:
    """A parameter of a function of the program."""

    name: str
    type: Type
    key: str
    default: Node = None


@dataclass
class CppFunction:
    """A function of the program, or a lambda."""

    name: str
    parameters: list[CppParameter]
    result: Type
    key: str
    node: Node = None
    template: list[str] = field(default_factory=list[str])
    instances: list[dict[str, Type]] = field(default_factory=list[dict[str, Type]])
    """the types that calls give to the parameters of a template"""
    names: dict[int, str] = field(default_factory=dict[int, str])
    """the names of the instances of a template, where they differ in Python"""
    hidden: list[str] = field(default_factory=list[str])
    """parameters of the template that a call in Python passes, because no argument determines them"""
    owner: str = ""


@dataclass
class Struct:
    """A struct, or a union, of the program."""

    name: str
    fields: dict[str, Type]
    defaults: dict[str, Node]
    union: bool = False
    methods: dict[str, CppFunction] = field(default_factory=dict[str, CppFunction])


@dataclass
class Rules:
    """The functions of the translation that call each other in a circle. `programs.py` fills this table."""

    expression: "Callable[[Position, Node], Value]"
    lambda_expression: "Callable[[Position, Node, str, str], Value]"
    initial: "Callable[[Position, Type, Node, str], Value]"
    copied: "Callable[[Position, Value, Type, str], Value]"
    constructed: "Callable[[Position, Type, list[Node], str], Value]"
    sequence: "Callable[[Position, Sequence[Node]], None]"
    statement: "Callable[[Position, Node], None]"


@dataclass
class CppProgram:
    """The state that all places share."""

    facts: ProgramFacts
    lines: list[str]
    rules: Rules
    functions: dict[str, CppFunction] = field(default_factory=dict[str, CppFunction])
    structs: dict[str, Struct] = field(default_factory=dict[str, Struct])
    types: dict[str, Type] = field(default_factory=dict[str, Type])
    """aliases and enums"""
    printing: set[str] = field(default_factory=set[str])
    printed: set[str] = field(default_factory=set[str])
    """the printing macros that are used"""
    operators: set[str] = field(default_factory=set[str])
    helpers: set[str] = field(default_factory=set[str])
    problems: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    namespaces: set[str] = field(default_factory=set[str])
    gotos: set[str] = field(default_factory=set[str])
    """labels: each is an exception in Python"""
    comments: dict[int, str] = field(default_factory=dict[int, str])
    statics: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """lines before a function, for its static variables"""
    counter: int = 0
    changing_lambdas: set[str] = field(default_factory=set[str])
    """lambdas with a parameter that is a reference"""

    @property
    def changers(self) -> frozenset[str]:
        """Functions of the program that may change a variable of the caller."""
        return frozenset(self.changing_lambdas) | frozenset(
            name for name, function in self.functions.items()
            if function.node is not None and any(
                param.type.reference and not param.type.const for param in function.parameters
            )
        )  # fmt: skip


@dataclass
class Position:
    """The place that the translation has reached."""

    program: CppProgram
    scope: NameScope
    bindings: dict[str, Type] = field(default_factory=dict[str, Type])
    result: Type = AUTO
    function: Node = None
    suffix: str = ""
    """the suffix of the keys of an instance of a template"""
    lines: list[str] = field(default_factory=list[str])
    indent: int = 0
    assigned: set[str] = field(default_factory=set[str])
    """names of enclosing functions or the module that this function assigns"""
    step: list[list[str]] = field(default_factory=list[list[str]])
    """the lines that a `continue` needs before it, for each loop around this place"""
    inside: list[str] = field(default_factory=list[str])
    """the statements around this place that a `break` could leave: loop, switch"""
    sized: dict[str, str] = field(default_factory=dict[str, str])
    """the parameter of the function that decides the type of a parameter of its template"""
    name: str = ""
    """the name of the function in Python"""
    stack: str = "owned"
    """the ExitStack of the block"""
    stacks: int = 0
    targets: list[str] = field(default_factory=list[str])
    """labels after this place, in a block around this place"""
    owner: Struct | None = None
    returned: str = ""
    """the key of the returned object"""

    def expression(self, node: Node) -> Value:
        """The translation of an expression."""
        return self.program.rules.expression(self, node)

    def initial(self, target: Type, node: Node, key: str) -> Value:
        """The value of an expression as the initial value of a variable, an element or a member."""
        return self.program.rules.initial(self, target, node, key)

    def copied(self, value: Value, target: Type, key: str) -> Value:
        """The value for another variable: a copy, as in C++."""
        return self.program.rules.copied(self, value, target, key)

    def constructed(self, target: Type, arguments: list[Node], key: str) -> Value:
        """The value of `T x(a, b)`."""
        return self.program.rules.constructed(self, target, arguments, key)

    def sequence(self, nodes: Sequence[Node]) -> None:
        """Translate statements one after another."""
        self.program.rules.sequence(self, nodes)

    def body(self, node: Node) -> None:
        """Translate the statements of a block, or one statement, in a deeper block."""
        with self.block():
            self.sequence(node.children[1:-1] if node.type == "compound_statement" else [node])

    def emit(self, text: str) -> None:
        """Add a statement."""
        self.lines.append(" " * self.indent + text)

    @contextmanager
    def block(self) -> Generator[None, None, None]:
        """A deeper block with a scope of its own. An empty block gets a `pass`."""
        self.indent += 4
        outer, self.scope = self.scope, self.scope.inner()
        start = len(self.lines)
        try:
            yield
        finally:
            if all(line.lstrip().startswith("#") or not line.strip() for line in self.lines[start:]):
                self.emit("pass")
            self.indent -= 4
            self.scope = outer

    def key(self, node: Node) -> str:
        """The key of the variable that is declared at a node."""
        return f"{node.start_byte}{self.suffix}"

    def assign(self, variable: Variable) -> None:
        """Record that this place assigns a variable: a variable of an outer function needs `global` or `nonlocal`."""
        if variable.function != self.scope.function and not variable.boxed:
            word = "global" if variable.function == 0 else "nonlocal"
            self.assigned.add(f"{word} {variable.name}")


Standard = Callable[[Position, list[Node], list[Node]], Value]
"""the translation of a call of a function of `std`, from its arguments and the arguments of its template"""
