"""Who may import whom, how long a file may be, what a package says it offers: read from the source itself."""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LONGEST_FILE = 500

# The one place that says who may import whom. A room is a package below kifuwatch, or a module at its top.
# ``kifuwatch``: the rooms (or single modules of one) that it may import; ``outside``: the packages beside the
# standard library that it may import.
PIXELS = {"numpy", "cv2"}
FLOW = {"core", "rules", "calibration", "vision", "reconstruct", "arbiter", "record"}


@dataclass(frozen=True)
class Allowed:
    """What one room may import."""

    kifuwatch: set[str]
    outside: set[str]


MAY_IMPORT = {
    "core": Allowed(set(), set()),
    "rules": Allowed({"core"}, set()),
    "calibration": Allowed({"core"}, PIXELS | {"scipy"}),
    "vision": Allowed({"core", "calibration"}, PIXELS | {"scipy", "sklearn"}),
    "reconstruct": Allowed({"core", "rules", "vision.observation"}, {"numpy"}),
    "arbiter": Allowed({"core", "rules", "reconstruct"}, set()),
    "record": Allowed({"core", "rules", "reconstruct", "arbiter"}, {"sgfmill"}),
    "live": Allowed(
        FLOW | {"overlay", "watch", "film", "recorder", "keepers", "evidence", "api"},
        PIXELS | {"fastapi", "starlette", "uvicorn", "pydantic", "anyio", "prometheus_client", "websockets"},
    ),
    "overlay": Allowed({"core", "calibration", "vision"}, PIXELS),
    "watch": Allowed({"core", "calibration", "vision"}, {"numpy"}),
    "film": Allowed({"core", "calibration", "vision", "watch"}, {"numpy"}),
    "recorder": Allowed(FLOW | {"watch"}, set()),
    "keepers": Allowed(FLOW | {"overlay", "watch", "recorder"}, set()),
    "evidence": Allowed(FLOW | {"watch", "recorder"}, PIXELS),
    "api": Allowed(FLOW | {"overlay", "watch", "film", "recorder", "keepers", "evidence"}, {"numpy"}),
    "__init__": Allowed({"core", "api"}, set()),
    "__main__": Allowed({"cli"}, set()),
    "cli": Allowed(
        FLOW | {"__init__", "live", "overlay", "watch", "recorder", "evidence", "api", "datasets"},
        PIXELS | {"typer", "rich", "click"},
    ),
    "datasets": Allowed(
        FLOW | {"live", "overlay", "watch", "recorder", "api"},
        PIXELS | {"sklearn", "rich", "sgfmill", "torch", "onnx", "onnxscript", "scipy", "matplotlib"},
    ),
}
# Imported only inside a function, so that the command line starts fast and installs without them can run.
ONLY_LAZILY = {("cli", "datasets"), ("cli", "cv2"), ("cli", "numpy")}


def source_files() -> list[Path]:
    folders = ("kifuwatch", "vision", "calibration", "datasets", "tests")
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def module_name(path: Path) -> str:
    """The name under which a file is imported: ``vision/x.py`` is ``kifuwatch.vision.x``."""
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    if parts[0] != "kifuwatch":
        parts.insert(0, "kifuwatch")
    return ".".join(parts)


def room_of(module: str) -> str:
    """``kifuwatch.vision.stones`` belongs to ``vision``; what lies at the top is a room of its own."""
    return [*module.split("."), "__init__"][1]


@dataclass(frozen=True)
class Import:
    """One name that a file imports, and whether that happens only when a function runs."""

    name: str
    line: int
    lazy: bool


def imports_of(tree: ast.AST, module: str, lazy: bool = False) -> Iterator[Import]:
    """Every import of a file; those for type checking only count too: they are knowledge of another room."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*module.split(".")[: -node.level], *([base] if base else [])])
            yield from (Import(f"{base}.{alias.name}", node.lineno, lazy) for alias in node.names)
        else:
            inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or is_type_checking(node)
            yield from imports_of(node, module, inside)


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def fault(module: str, found: Import) -> str | None:
    """One sentence if this import is not allowed."""
    room, where = room_of(module), f"{module}:{found.line}"
    allowed = MAY_IMPORT[room]
    target, _, rest = found.name.partition(".")
    if target == "kifuwatch":
        target = room_of(found.name)
        known = {target, f"{target}.{rest.split('.')[1] if '.' in rest else ''}"}
        if target != room and not known & allowed.kifuwatch:
            return f"{where} imports {found.name}, but {room} may import only {sorted(allowed.kifuwatch)}"
    elif target in {"vision", "calibration", "datasets"}:
        return f"{where} imports {found.name}: write kifuwatch.{found.name}"
    elif target not in sys.stdlib_module_names and target not in allowed.outside:
        return f"{where} imports {target}, but {room} may import only {sorted(allowed.outside)}"
    if (room, target) in ONLY_LAZILY and not found.lazy:
        return f"{where} imports {target} when it is loaded: import it inside the function that needs it"
    return None


def faults_of(path: Path) -> list[str]:
    module = module_name(path)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [found for each in imports_of(tree, module) if (found := fault(module, each))]


PRODUCT = [path for path in source_files() if path.relative_to(ROOT).parts[0] != "tests"]


@pytest.mark.parametrize("path", PRODUCT, ids=module_name)
def test_a_room_imports_only_what_the_table_allows(path: Path) -> None:
    assert faults_of(path) == []


@pytest.mark.parametrize(
    ("module", "code"),
    [
        ("kifuwatch.core.points", "from kifuwatch.rules import position"),
        ("kifuwatch.rules.position", "import numpy as np"),
        ("kifuwatch.rules.position", "def f():\n    import cv2"),
        ("kifuwatch.calibration.finder", "from kifuwatch.vision.images import load_image"),
        ("kifuwatch.calibration.finder", "from ..vision import images"),
        ("kifuwatch.vision.stones", "import kifuwatch.reconstruct"),
        ("kifuwatch.vision.stones", "from kifuwatch import datasets"),
        ("kifuwatch.vision.stones", "import vision.images"),
        ("kifuwatch.reconstruct.story", "from kifuwatch.vision.stones import StoneReader"),
        ("kifuwatch.record.sgf", "if TYPE_CHECKING:\n    from kifuwatch.cli import main"),
        ("kifuwatch.cli.evaluate", "from kifuwatch.datasets.evaluate import evaluate"),
        ("kifuwatch.cli.read", "import cv2"),
        ("kifuwatch.vision.net", "import torch"),
    ],
)
def test_the_table_notices_what_it_forbids(module: str, code: str) -> None:
    found = list(imports_of(ast.parse(code), module))
    assert any(fault(module, each) for each in found), f"{code!r} in {module} went unnoticed"


@pytest.mark.parametrize(
    ("module", "code"),
    [
        ("kifuwatch.reconstruct.story", "from kifuwatch.vision.observation import Observation"),
        ("kifuwatch.cli.evaluate", "def run():\n    from kifuwatch.datasets.evaluate import evaluate"),
        ("kifuwatch.vision.stones", "from kifuwatch.calibration.pose import BoardPose"),
        ("kifuwatch.rules.position", "from kifuwatch.core.points import Point"),
    ],
)
def test_the_table_lets_through_what_it_allows(module: str, code: str) -> None:
    assert [fault(module, each) for each in imports_of(ast.parse(code), module)] == [None]


def test_every_room_is_in_the_table() -> None:
    assert {room_of(module_name(path)) for path in PRODUCT} <= set(MAY_IMPORT)


@pytest.mark.parametrize("path", source_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_longer_than_a_person_reads(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_FILE, f"{path.relative_to(ROOT)} has {lines} lines: at most {LONGEST_FILE}, split it"


@pytest.mark.parametrize("folder", ["vision", "calibration", "datasets"])
def test_a_bare_import_of_a_top_level_folder_fails_with_a_sentence(folder: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import {folder}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert f"write 'from kifuwatch.{folder} import" in done.stderr


def packages_with_all() -> list[str]:
    return [
        module_name(path).removesuffix(".__init__")
        for path in PRODUCT
        if "__all__" in path.read_text(encoding="utf-8") and "torch" not in path.read_text(encoding="utf-8")
    ]


@pytest.mark.parametrize("name", packages_with_all())
def test_everything_a_module_offers_is_there_and_named_once(name: str) -> None:
    module = importlib.import_module(name)
    offered = list(module.__all__)
    assert len(set(offered)) == len(offered), f"{name}.__all__ names something twice"
    assert [each for each in offered if not hasattr(module, each)] == []
    assert [each for each in offered if each.startswith("_") and each != "__version__"] == []
