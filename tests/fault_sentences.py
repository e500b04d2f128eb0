"""Every sentence of a fault that the source can say, read from the source itself.

What a sentence is filled with stands as ``HOLE`` where it is known only when the program runs. Where it is one of a
few texts (a conditional, a local name, what a helper is called with) there is a sentence for each.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from kifuwatch.core.errors import KifuwatchError

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("kifuwatch", "vision", "calibration", "datasets")
HOLE = "\0"
DEEPEST = 4

# Tools for developers, which have no ``--lang`` and are run from a checkout.
OF_DEVELOPERS = (
    "datasets/make_",
    "datasets/photoreal",
    "datasets/scenarios/",
    "datasets/hard_scenes.py",
    "datasets/random_scenes.py",
)
# Where a ValueError becomes a fault, and what then stands before its words.
PASSED_ON = {
    "kifuwatch/core/points.py": "",
    "vision/images.py": f"{HOLE} ",
    "vision/image_header.py": f"{HOLE} ",
    "vision/sources/mjpeg.py": "",
}
# Sentences that are told without being raised: given to these functions, put into or returned by these names.
TOLD_TO = {"warn", "fault_json", "HTTPException", "CameraLost", "append", "_report", "_evidence"}
PUT_INTO = {"self.warning", "self._fault"}
REASONS = {"kifuwatch/api.py", "kifuwatch/watch.py", "kifuwatch/film.py"}
"""Where ``reason`` says why no board is found; elsewhere it is a word of the log, or of the record."""
RETURNED_BY = {"_why_none", "_unread", "_cut_off", "_refusal", "control_of_sgf"}


@dataclass(frozen=True)
class Sentence:
    """One sentence, and where it stands."""

    where: str
    text: str


@dataclass
class Scope:
    """What names mean in one function, or at the top of a file."""

    file: str
    name: str = ""
    parameters: dict[str, ast.expr | None] = field(default_factory=dict)
    values: dict[str, list[ast.expr]] = field(default_factory=lambda: defaultdict(list))
    outside: Scope | None = None


def fault_names() -> set[str]:
    """The names of all exceptions that are raised on purpose."""
    found: list[type[Exception]] = [KifuwatchError]
    for each in found:
        found += each.__subclasses__()
    return {each.__name__ for each in found}


class Source:
    """All files of the product, with what their names mean."""

    def __init__(self) -> None:
        self.nodes: list[tuple[Scope, ast.AST]] = []
        self.calls: dict[str, list[tuple[Scope, ast.Call]]] = defaultdict(list)
        self.returns: dict[tuple[str, str], list[tuple[Scope, ast.expr]]] = defaultdict(list)
        for folder in FOLDERS:
            for path in sorted((ROOT / folder).rglob("*.py")):
                file = str(path.relative_to(ROOT))
                if not file.startswith(OF_DEVELOPERS):
                    self._enter(ast.parse(path.read_text(encoding="utf-8")), Scope(file))

    def _enter(self, node: ast.AST, scope: Scope, owner: str = "") -> None:
        for child in ast.iter_child_nodes(node):
            self.nodes.append((scope, child))
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                name = owner if child.name == "__init__" else child.name
                self._enter(child, Scope(scope.file, name, parameters_of(child), outside=scope))
                continue
            if isinstance(child, ast.Call):
                self.calls[called(child)].append((scope, child))
            for target, value in assigned(child) if not owner else ():  # a class's own are no names in its functions
                scope.values[target].append(value)
            if isinstance(child, ast.Return) and child.value is not None:
                self.returns[scope.file, scope.name].append((scope, child.value))
            self._enter(child, scope, child.name if isinstance(child, ast.ClassDef) else owner)

    def sentences(self) -> Iterator[Sentence]:
        """All of them; the same one again where several places say it."""
        faults = fault_names()
        for scope, node in self.nodes:
            before = PASSED_ON.get(scope.file)
            for said in spoken(scope, node, faults, before is not None):
                start = before or "" if isinstance(node, ast.Call) and called(node) == "ValueError" else ""
                for text in self.texts(said, scope):
                    yield Sentence(f"{scope.file}:{said.lineno}", start + text)

    def texts(self, node: ast.expr, scope: Scope, depth: int = 0) -> set[str]:
        """What an expression can be as text."""
        if isinstance(node, ast.Constant):
            return {str(node.value)} if node.value is not None else set()
        if isinstance(node, ast.IfExp):
            return self.texts(node.body, scope, depth) | self.texts(node.orelse, scope, depth)
        if isinstance(node, ast.BoolOp):
            return set().union(*(self.texts(each, scope, depth) for each in node.values))
        if isinstance(node, ast.JoinedStr):
            return {"".join(parts) for parts in product(*(self.texts(each, scope, depth) for each in node.values))}
        if isinstance(node, ast.FormattedValue) and node.conversion == -1 and node.format_spec is None:
            return self.texts(node.value, scope, depth)
        if isinstance(node, ast.Name) and depth < DEEPEST:
            return self._named(node.id, scope, depth + 1)
        if isinstance(node, ast.Call) and depth < DEEPEST and (scope.file, called(node)) in self.returns:
            returned = self.returns[scope.file, called(node)]
            return set().union(*(self.texts(value, there, DEEPEST) for there, value in returned)) or {HOLE}
        return {HOLE}

    def _named(self, name: str, scope: Scope, depth: int) -> set[str]:
        if name in scope.values:
            return set().union(*(self.texts(each, scope, depth) for each in scope.values[name])) or {HOLE}
        if name in scope.parameters:
            given = [self._given(name, scope, there, call) for there, call in self.calls[scope.name]]
            texts = [self.texts(value, there, depth) for there, value in given if value is not None]
            return set().union(*texts) - {""} or {HOLE}
        return {HOLE} if scope.outside is None else self._named(name, scope.outside, depth)

    def _given(self, name: str, scope: Scope, there: Scope, call: ast.Call) -> tuple[Scope, ast.expr | None]:
        """What a call gives for a parameter, and where its names mean something."""
        place = list(scope.parameters).index(name)
        if len(call.args) > place:
            return there, call.args[place]
        named = [each.value for each in call.keywords if each.arg == name]
        return (there, named[0]) if named else (scope, scope.parameters[name])


def parameters_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, ast.expr | None]:
    """The parameters of a function without ``self``, and their defaults."""
    names = [each.arg for each in function.args.args]
    defaults = [*[None] * (len(names) - len(function.args.defaults)), *function.args.defaults]
    return {name: default for name, default in zip(names, defaults, strict=True) if name not in {"self", "cls"}}


def assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names that a statement sets, one by one."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        yield ast.unparse(node.target), node.value
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                yield from zip(map(ast.unparse, target.elts), node.value.elts, strict=False)
            else:
                yield ast.unparse(target), node.value


def called(call: ast.Call) -> str:
    """The last name of what is called."""
    return ast.unparse(call.func).split(".")[-1]


def spoken(scope: Scope, node: ast.AST, faults: set[str], passed_on: bool) -> Iterator[ast.expr]:
    """The expressions within a node that are sentences for a person."""
    if isinstance(node, ast.Call) and node.args:
        name = called(node)
        if name in faults or (name == "ValueError" and passed_on):
            yield node.args[0]
        elif name in TOLD_TO and (name != "append" or "problems" in ast.unparse(node.func)):
            yield node.args[-1]
    reasons = {"reason", "self.reason"} if scope.file in REASONS else set()
    yield from (value for name, value in assigned(node) if name in PUT_INTO | reasons)
    if isinstance(node, ast.Return) and scope.name in RETURNED_BY and node.value is not None:
        yield node.value.elts[-1] if isinstance(node.value, ast.Tuple) else node.value
