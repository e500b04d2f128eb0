"""What ``calibrate`` says of a view: the verdict, the measures, and what to change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kifuwatch.cli.session import Session

if TYPE_CHECKING:
    from kifuwatch.calibration.quality import Finding, ViewQuality
    from kifuwatch.core.points import Point

MOST_REGIONS = 4


def show_view(session: Session, view: ViewQuality) -> None:
    """Print the verdict, the measures and one line for each thing to change."""
    verdicts = {
        "good": session.text("view.good"),
        "usable": session.text("view.usable"),
        "poor": session.text("view.poor"),
    }
    session.show(verdicts[view.verdict.value])
    session.show(
        session.text(
            "view.measures",
            least=f"{view.step_least:.0f}",
            most=f"{view.step_most:.0f}",
            elevation=round(view.elevation),
            distance=f"{view.distance / 1000:.1f}",
            sure=f"{view.sure:.1%}",
        )
    )
    for finding in view.findings:
        session.show("  " + advice(session, finding))


def warn_of_view(session: Session, view: ViewQuality) -> None:
    """One line on standard error where moves will be misread; a hand that is over the board now does not count."""
    poor = [finding for finding in view.findings if finding.verdict.value == "poor" and finding.name != "covered"]
    if poor:
        session.warn(session.text("view.warning", advice=" ".join(advice(session, finding) for finding in poor)))


def advice(session: Session, finding: Finding) -> str:
    """One sentence: what is wrong with the view, and what to do."""
    value = finding.value
    sentences = {
        "far": lambda: session.text("view.far", pixels=f"{value:.0f}"),
        "low": lambda: session.text("view.low", degrees=round(value)),
        "near": lambda: session.text("view.near", times=f"{value:.1f}"),
        "edge": lambda: session.text("view.edge"),
        "glare": lambda: session.text("view.glare", points=places(finding.points), count=len(finding.points)),
        "shadow": lambda: session.text("view.shadow", points=places(finding.points), count=len(finding.points)),
        "blur": lambda: session.text("view.blur", width=f"{value:.2f}"),
        "faint": lambda: session.text("view.faint", contrast=f"{value:.0%}"),
        "dark": lambda: session.text("view.dark", level=round(value)),
        "bright": lambda: session.text("view.bright", share=f"{value:.0%}"),
        "noise": lambda: session.text("view.noise", level=round(value)),
        "covered": lambda: session.text("view.covered", points=places(finding.points), count=len(finding.points)),
        "unsure": lambda: session.text("view.unsure", points=places(finding.points), count=len(finding.points)),
    }
    return sentences[finding.name]()


def places(points: Sequence[Point]) -> str:
    """Points as a player says them, neighbours together: ``K10–M12, Q4``; of many the largest groups."""
    from kifuwatch.calibration.quality import regions

    boxes = regions(tuple(points))
    words = [str(low) if low == high else f"{low}–{high}" for low, high in boxes[:MOST_REGIONS]]
    return ", ".join(words) + (" …" if len(boxes) > MOST_REGIONS else "")
