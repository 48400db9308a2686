"""Finds state in the sources that outlives a machine: objects at module level, or attributes of classes and modules,
that some code changes.

A value at module level must be immutable, or a container that no code changes. Immutable are numbers, texts, tuples,
functions, and objects of a class without methods that change them. Three things count as a change: code stores through
a name at module level, calls a method of it that changes it, or sets an attribute of a class or of another module.

Known limit: an object that is changed under another name, such as a parameter, is not seen.
"""

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HUB = "acl_runtime.process"
"""the module that may hold state"""
CHANGERS = frozenset(
    """
    append appendleft add update pop popleft popitem clear extend insert remove discard setdefault sort reverse fill put
    __setattr__ __setitem__ __delitem__
    """.split()
)
"""methods of containers that change them"""
CONTAINERS = frozenset(
    "dict dict.fromkeys list set bytearray numpy.ones numpy.zeros numpy.empty numpy.array numpy.arange".split()
)
CONSTANT = frozenset(
    """
    int float str bytes bool tuple frozenset range slice type map filter zip sorted len getattr vars
    re.compile struct.calcsize operator.attrgetter operator.itemgetter types.MappingProxyType functools.partial
    pathlib.Path acl_runtime.headers.dtype_names.bits
    globals typing.TypeVar typing.ParamSpec typing.cast typing.NamedTuple dataclasses.field
    ctypes.CFUNCTYPE ctypes.POINTER ctypes.c_void_p ctypes.byref ctypes.pointer ctypes.c_int ctypes.sizeof
    numpy.dtype numpy.float32 numpy.uint32 numpy.int32 pytest.StashKey os.path.dirname contextlib.suppress
    """.split()
)
"""calls that give what cannot change (or, as the pointers of ctypes, only show their type)"""
READING = frozenset("items keys values get split join format startswith strip".split())
"""methods of texts and containers, whose results are made anew"""
LOOKING = frozenset("getattr hasattr vars dir".split())
REGISTERING = frozenset(
    """
    atexit.register os.register_at_fork os.chdir os.umask os.putenv os.unsetenv signal.signal faulthandler.enable
    warnings.filterwarnings warnings.simplefilter numpy.seterr random.seed gc.disable sys.setrecursionlimit sys.settrace
    sys.setprofile logging.basicConfig locale.setlocale
    """.split()
)
"""functions of Python that change the process"""
WHILE_MADE = frozenset("__init__ __new__ __post_init__ __init_subclass__ __set_name__ __class_getitem__".split())
UNCHANGING = frozenset("Enum IntEnum IntFlag Flag NamedTuple Protocol".split())
CHANGING = frozenset(("threading.local", "ctypes.Structure", "ctypes.Union", "ctypes.Array"))
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass
class Module:
    name: str
    tree: ast.Module
    nodes: list[ast.AST] = field(init=False)
    """all nodes of the tree"""
    names: dict[str, str] = field(default_factory=dict)
    """the full name of each name at module level: `ctypes.CDLL`, `acl_runtime.headers.enums.aclFormat`"""
    imported: set[str] = field(default_factory=set)
    """imported modules, by their full names"""
    defined: dict[str, ast.stmt] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.nodes = list(ast.walk(self.tree))


def top(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements at module level, also those in an `if`, a `try` or a loop."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try | ast.For | ast.While | ast.With):
            for part in ("body", "orelse", "finalbody"):
                yield from top(getattr(node, part, []))
            for handler in getattr(node, "handlers", []):
                yield from top(handler.body)


def targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, ast.AnnAssign | ast.AugAssign):
        return [node.target]
    return node.targets if isinstance(node, ast.Delete) else []


class Sources:
    """All modules of the project, by name."""

    def __init__(self, paths: dict[str, Path]) -> None:
        self.modules = {name: Module(name, ast.parse(path.read_text(encoding="utf-8"))) for name, path in paths.items()}
        for module in self.modules.values():
            self._collect(module)
        self.roots = {name.partition(".")[0] for module in self.modules.values() for name in module.names.values()}
        self.owned = {
            f"{module.name}.{target.id}"
            for module in self.modules.values()
            for node in top(module.tree.body)
            for target in targets(node)
            if isinstance(target, ast.Name) and self._is_own(module, getattr(node, "value", None))
        }
        """names of objects that belong to `process`"""
        self.owned |= {  # and other names of these objects
            f"{module.name}.{name}"
            for module in self.modules.values()
            for name, node in module.defined.items()
            if isinstance(node, ast.Assign | ast.AnnAssign) and self._dotted(module, node.value) in self.owned
        }

    def changes(self) -> dict[str, str]:
        """Each change of state that outlives a machine: `module: what`, and its first line."""
        found: dict[str, str] = {}
        for module in self.modules.values():
            if module.name != HUB:
                for line, what in (*self._values(module), *self._stores(module)):
                    found.setdefault(f"{module.name}: {what}", f"line {line}")
        return found

    def owns(self) -> set[str]:
        """The classes of which `process` has an object."""
        return {
            self._dotted(module, node.args[0].value if isinstance(node.args[0], ast.Subscript) else node.args[0]) or "?"
            for module in self.modules.values()
            for node in module.nodes
            if self._is_own(module, node) and isinstance(node, ast.Call)
        }

    def _collect(self, module: Module) -> None:
        for node in module.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    module.imported.add(alias.name)
                    short = alias.name.partition(".")[0]
                    module.names[alias.asname or short] = alias.name if alias.asname else short
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    module.names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        for node in top(module.tree.body):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                module.defined[node.name] = node
            for target in targets(node):
                for each in ast.walk(target):
                    if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                        module.defined.setdefault(each.id, node)
        for name in module.defined:
            module.names[name] = f"{module.name}.{name}"

    def _dotted(self, module: Module, node: ast.AST | None) -> str | None:
        """The full name of an expression, such as `ctypes.CDLL.__init__`; None if it has none."""
        if isinstance(node, ast.Attribute):
            inner = self._dotted(module, node.value)
            return inner and f"{inner}.{node.attr}"
        if isinstance(node, ast.Name):
            return module.names.get(node.id, node.id)
        return None

    def _is_own(self, module: Module, node: ast.AST | None) -> bool:
        return isinstance(node, ast.Call) and self._dotted(module, node.func) == f"{HUB}.process.own"

    def _class(self, dotted: str) -> tuple[Module, ast.ClassDef] | None:
        home, _, name = dotted.rpartition(".")
        module = self.modules.get(home)
        found = module.defined.get(name) if module else None
        if module and not found and name in module.names and module.names[name] != dotted:
            return self._class(module.names[name])
        return (module, found) if module and isinstance(found, ast.ClassDef) else None

    def _changing(self, dotted: str) -> bool:
        """True if an object of this class can change after it was made."""
        found = self._class(dotted)
        if found is None:
            return dotted in CHANGING
        module, cls = found
        bases = [self._dotted(module, base) or "" for base in cls.bases]
        if any(base.rpartition(".")[2] in UNCHANGING for base in bases):
            return False
        if any("frozen=True" in ast.unparse(each) for each in cls.decorator_list):
            return False
        methods = [each for each in cls.body if isinstance(each, ast.FunctionDef) and each.name not in WHILE_MADE]
        mine = (root for each in methods for _, root in stored(each))
        return any(path.startswith(("self.", "cls.")) for path in mine) or any(map(self._changing, bases))

    def _values(self, module: Module) -> Iterator[tuple[int, str]]:
        """Values at module level, or in the body of a class, that can change."""
        bodies = [list(top(module.tree.body))]
        bodies += [node.body for node in module.nodes if isinstance(node, ast.ClassDef)]
        for cls in (node for node in module.nodes if isinstance(node, ast.ClassDef)):
            shared = {each.id for node in cls.body for each in targets(node) if isinstance(each, ast.Name)
                      and isinstance(getattr(node, "value", None), ast.List | ast.Dict | ast.Set)}  # fmt: skip
            for line, path in stored(cls):
                if path.removesuffix("[]") in {f"{way}.{name}" for way in ("self", "cls", cls.name) for name in shared}:
                    yield line, path
        for node in (each for body in bodies for each in body):
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                for call in calls(node.value):
                    if not self._constant(module, call):
                        yield node.lineno, f"{ast.unparse(targets(node)[0])} = {ast.unparse(call.func)}(...)"
        for node in module.nodes:
            if isinstance(node, ast.Global):
                yield node.lineno, f"global {', '.join(node.names)}"
            if isinstance(node, Function):
                for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
                    if isinstance(default, ast.List | ast.Dict | ast.Set) or list(calls(default)):
                        yield node.lineno, f"a default of a parameter: {ast.unparse(default)}"

    def _constant(self, module: Module, call: ast.Call) -> bool:
        if self._is_own(module, call):
            return True
        dotted = self._dotted(module, call.func)
        if dotted is None or dotted.partition(".")[0] not in {*dir(builtins), *self.roots, *module.names}:
            return True  # a method of the result of a call, of a text as in "a b".split(), of an item as in a loop
        if self._class(dotted):
            return not self._changing(dotted)
        home, _, name = dotted.rpartition(".")
        while home in self.modules and name not in self.modules[home].defined and name in self.modules[home].names:
            home, _, name = self.modules[home].names[name].rpartition(".")  # a name that a module hands on
        if home in self.modules and isinstance(self.modules[home].defined.get(name), ast.FunctionDef):
            return self._gives_constant(self.modules[home], self.modules[home].defined[name])
        return dotted in CONSTANT | CONTAINERS or name in READING

    def _gives_constant(self, module: Module, function: ast.AST) -> bool:
        """For a function of the project that makes a value at module level: True if its annotated result cannot
        change."""
        result = getattr(function, "returns", None)
        named = [self._dotted(module, each) for each in ast.walk(result)] if result is not None else []
        return not any(self._changing(each) for each in named if each)

    def _stores(self, module: Module) -> Iterator[tuple[int, str]]:
        """Code that changes a value at module level, a class or another module."""
        for scope, local in scopes(module.tree):
            for line, path in stored(scope, nested=False):
                root = path.partition(".")[0].replace("[]", "")
                if root == "cls" or path.startswith("type(self)."):
                    if getattr(scope, "name", "") not in WHILE_MADE:
                        yield line, path
                elif root in module.names and root not in local:
                    dotted = module.names[root] + path[len(root) :]
                    home = dotted.rpartition(".")[0]
                    if dotted in module.imported or dotted in self.modules:
                        continue  # a function of a module, as numpy.add
                    if scope is module.tree and dotted.startswith(f"{module.name}."):
                        continue  # the module makes it
                    if home in self.modules or not self._owned(dotted):
                        yield line, dotted
        looked_at = {
            id(inner)
            for node in module.nodes
            if isinstance(node, ast.Attribute) or (isinstance(node, ast.Call) and reached(node.func) in LOOKING)
            for inner in ([node.value] if isinstance(node, ast.Attribute) else node.args[:1])
        }
        for node in module.nodes:
            if isinstance(node, ast.Call) and (dotted := self._dotted(module, node.func)) in REGISTERING:
                yield node.lineno, f"{dotted}(...)"
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in looked_at:
                dotted = module.names.get(node.id, "")
                if dotted in module.imported and dotted not in self.modules:
                    yield node.lineno, f"{dotted} under another name"

    def _owned(self, dotted: str) -> bool:
        """True for an object that belongs to `process`, by any of its names."""
        return any(dotted.startswith(f"{each}.") for each in (f"{HUB}.process", *self.owned))


def calls(value: ast.expr) -> Iterator[ast.Call]:
    """The calls in an expression, except those in a lambda, which run later."""
    todo: list[ast.AST] = [value]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.Call):
            yield node
        todo += ast.iter_child_nodes(node)


def scopes(tree: ast.Module) -> Iterator[tuple[ast.AST, set[str]]]:
    """The module and each function in it, with its local names."""

    def within(node: ast.AST, outer: set[str]) -> Iterator[tuple[ast.AST, set[str]]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Function):
                local = outer | bound(child)
                yield child, local
                yield from within(child, local)
            else:
                yield from within(child, outer)

    yield tree, set()
    yield from within(tree, set())


def bound(function: Function) -> set[str]:
    """The names that a function binds by parameters, assignments and definitions, but not by imports."""
    arguments = function.args
    names = {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    names |= {each.arg for each in (arguments.vararg, arguments.kwarg) if each}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            names |= {node.name} - {None} if node is not function else set()
    return names


def stored(function: ast.AST, *, nested: bool = True) -> Iterator[tuple[int, str]]:
    """Targets of changes in a function: `self.a` for `self.a = 1`, `self.a[0] = 1`, `self.a.append(1)`,
    `setattr(self.a, ...)`. With `nested` also those in inner functions."""
    todo: list[ast.AST] = list(ast.iter_child_nodes(function))
    while todo:
        node = todo.pop()
        if isinstance(node, Function) and not nested:
            continue
        todo += ast.iter_child_nodes(node)
        changed: list[tuple[ast.expr, str]] = []
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            changed = [(node, "")]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGERS:
            changed = [(node.func.value, "")]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr"):
            changed = [(node.args[0], ".setattr")]
        for each, suffix in changed:
            path = reached(each)
            if path:
                yield getattr(node, "lineno", 0), path + suffix


def reached(node: ast.expr) -> str:
    """The path of names in an expression; empty if it does not start with a name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = reached(node.value)
        return inner and f"{inner}.{node.attr}"
    if isinstance(node, ast.Subscript):
        inner = reached(node.value)
        return inner and f"{inner}[]"
    return "type(self)" if isinstance(node, ast.Call) and ast.unparse(node) == "type(self)" else ""
