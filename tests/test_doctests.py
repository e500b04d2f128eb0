"""The examples in the documentation are run, on photographs that are rendered for them."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

from kifuwatch.core.points import Layout, Point
from tests.material import take, take_all

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("kifuwatch", "vision", "calibration", "datasets")

EMPTY = Layout.empty(9)
FIRST = EMPTY.replaced({Point.parse("E5"): "X"})
SECOND = FIRST.replaced({Point.parse("G7"): "O"})
POSITION = SECOND.replaced({Point.parse("C3"): "X"})


def modules_with_examples() -> list[str]:
    names = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if ">>> " in path.read_text(encoding="utf-8"):
                parts = path.relative_to(ROOT).with_suffix("").parts
                names.append(".".join([*(["kifuwatch"] if folder != "kifuwatch" else []), *parts]))
    return [name.removesuffix(".__init__") for name in names]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What the examples call ``photo`` and ``folder``."""
    place = tmp_path_factory.mktemp("material")
    return {
        "photo": take(place / "photo.jpg", POSITION),
        "folder": take_all(place / "folder", [EMPTY, FIRST, SECOND]),
    }


@pytest.mark.parametrize("module", modules_with_examples())
def test_examples_do_what_they_show(module: str, names: dict[str, object]) -> None:
    loaded = importlib.import_module(module)
    result = doctest.testmod(loaded, extraglobs=names, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_two_functions_have_examples() -> None:
    assert {"kifuwatch", "kifuwatch.api"} <= set(modules_with_examples())
