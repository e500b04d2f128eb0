"""The quality report in plain words, in the sentences of ``calibrate``."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from kifuwatch.calibration.quality import Finding, ViewQuality, regions

MOST_REGIONS = 4


@cache
def _catalogue() -> dict[str, Any]:
    return tomllib.loads(files("kifuwatch").joinpath("cli", "texts.toml").read_text(encoding="utf-8"))


def sentences(view: ViewQuality) -> dict[str, list[str]]:
    """The verdict and one sentence for each thing to change, the worst first, by language."""
    return {
        language: [table["view"][view.verdict.value], *(_advice(table["view"], each) for each in view.findings)]
        for language, table in _catalogue().items()
        if "view" in table
    }


def _advice(words: dict[str, str], finding: Finding) -> str:
    value = finding.value
    return words[finding.name].format(
        pixels=f"{value:.0f}",
        degrees=round(value),
        times=f"{value:.1f}",
        points=_places(finding),
        count=len(finding.points),
        width=f"{value:.2f}",
        contrast=f"{value:.0%}",
        share=f"{value:.0%}",
        level=round(value),
    )


def _places(finding: Finding) -> str:
    boxes = regions(finding.points)
    words = [str(low) if low == high else f"{low}–{high}" for low, high in boxes[:MOST_REGIONS]]
    return ", ".join(words) + (" …" if len(boxes) > MOST_REGIONS else "")
