"""Incidents of camera, board and light: what happens to the view rather than to the stones."""

from __future__ import annotations

from kifuwatch.datasets.scenarios.story import Story
from kifuwatch.datasets.scenarios.teller import Teller

GROUP = "incidents"
FIRST_SHOT = 100


def _on(number: int, name: str, title: str, wild: bool = False) -> Story:
    return Story.on(f"incident-{name}", title, GROUP, number, wild=wild)


def board_pushed(number: int) -> Teller:
    """The board is pushed a little."""
    story = _on(number, "board-pushed", "The board is pushed a centimetre; the game goes on")
    story.go(3)
    story.teller.expect_notice("board-moved", story.teller.do("shift-board"))
    story.teller.wait(4.0)
    story.go(6)
    return story.teller


def camera_bumped(number: int) -> Teller:
    """Somebody bumps into the camera."""
    story = _on(number, "camera-bumped", "The camera is bumped and looks a little elsewhere; the game goes on")
    story.go(3)
    story.teller.expect_notice("board-moved", story.teller.do("bump-camera"))
    story.teller.wait(4.0)
    story.go(6)
    return story.teller


def view_blocked(number: int) -> Teller:
    """Somebody leans over half of the board for long, and two moves are made behind him."""
    story = _on(number, "view-blocked", "Somebody leans over half of the board for 14 seconds; two moves behind him")
    story.go(2)
    teller = story.teller
    begin = teller.cover(0.5, 14.0, 1 if number % 2 else -1)
    teller.wait(3.0)
    story.go(2)
    teller.t = begin + 16.0
    teller.expect("view-blocked", begin + 10.0)
    story.go(4)
    return teller


def light_changed(number: int, gain: float = 0.38, over: float = 0.4) -> Teller:
    """The light goes out, all but a little."""
    name, title = ("lamp-off", "A lamp goes out") if gain < 1 else ("lamp-on", "A lamp goes on")
    story = _on(number, name, f"{title} at once; the game goes on")
    story.go(3)
    teller = story.teller
    teller.expect_notice("light-changed", teller.do("light", gain=gain, over=over))
    teller.wait(3.0)
    story.go(5)
    return teller


def lamp_on(number: int) -> Teller:
    """The light becomes much stronger."""
    return light_changed(number, gain=1.7)


def board_lost(number: int) -> Teller:
    """The camera is turned away and comes back."""
    story = _on(number, "board-lost", "The camera is turned away for twelve seconds and comes back")
    story.go(3)
    teller = story.teller
    teller.expect("board-lost", teller.do("turn-camera", **{"for": 12.0}))
    teller.wait(16.0)
    story.go(5)
    return teller
