"""The wheel: what a stranger gets who installs kifuwatch."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import kifuwatch

ROOT = Path(__file__).resolve().parent.parent
LARGEST_DEMO_CLIP = 4 * 1024 * 1024


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the source, without any network."""
    copy = tmp_path_factory.mktemp("source")
    leave_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in ("kifuwatch", "vision", "calibration", "datasets"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=leave_out)
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, copy / file)
    out = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(copy)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_only_kifuwatch(names: set[str]) -> None:
    top = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert top == {"kifuwatch"}


def test_the_wheel_holds_every_module(names: set[str]) -> None:
    expected = {str(p.relative_to(ROOT)) for p in (ROOT / "kifuwatch").rglob("*.py")}
    for folder in ("vision", "calibration", "datasets"):
        expected |= {"kifuwatch/" + str(p.relative_to(ROOT)) for p in (ROOT / folder).rglob("*.py")}
    assert expected - names == set()


def test_the_wheel_holds_the_data_that_the_modules_read(names: set[str]) -> None:
    """Whatever lies beside the modules and is no source: weights, rule codes, texts, the demo clip, the type mark."""
    beside = [p for p in (ROOT / "kifuwatch").rglob("*") if p.is_file()]
    data = {str(p.relative_to(ROOT)) for p in beside if p.suffix != ".py" and "__pycache__" not in p.parts}
    for folder in ("vision", "calibration"):
        data |= {"kifuwatch/" + str(p.relative_to(ROOT)) for p in (ROOT / folder).glob("weights/*")}
    assert "kifuwatch/py.typed" in data
    assert data - names == set()


def test_the_wheel_brings_the_command_and_its_licence(wheel: Path, names: set[str]) -> None:
    info = next(name.split("/")[0] for name in names if ".dist-info/" in name)
    with zipfile.ZipFile(wheel) as archive:
        assert "kifuwatch = kifuwatch.cli.main:main" in archive.read(f"{info}/entry_points.txt").decode()
        assert f"Version: {kifuwatch.__version__}" in archive.read(f"{info}/METADATA").decode()
    assert f"{info}/licenses/LICENSE" in names


def test_the_wheel_runs_where_the_source_is_not(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--target",
        str(target),
        str(wheel),
    ]
    subprocess.run(pip, check=True, capture_output=True, timeout=120)
    script = "import kifuwatch.vision.images, kifuwatch.datasets.labelled; print(kifuwatch.__file__)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == str(target / "kifuwatch" / "__init__.py")


def test_the_demo_clip_is_small() -> None:
    (clip,) = (ROOT / "kifuwatch" / "demo").glob("*.mp4")
    assert 0 < clip.stat().st_size <= LARGEST_DEMO_CLIP
