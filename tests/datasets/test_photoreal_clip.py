"""Path-traced clips: the stage shows what lies there, and only what changed is traced again."""

from __future__ import annotations

import importlib.util
from dataclasses import replace

import numpy as np
import pytest

from kifuwatch.core.errors import FileFormatError, UsageError
from kifuwatch.core.times import FrameTime
from kifuwatch.datasets.clip_frames import Studio
from kifuwatch.datasets.clip_look import ClipLook
from kifuwatch.datasets.clip_script import ClipScript, parse_script
from kifuwatch.datasets.clip_setting import look_of
from kifuwatch.datasets.photoreal_scene import clip_photo
from kifuwatch.datasets.scenarios.traced_games import ANGLES, MOODS, traced_games

with_tracer = pytest.mark.skipif(
    importlib.util.find_spec("mitsuba") is None,
    reason="Mitsuba 3 is not installed: pip install 'kifuwatch[render]' to test path-traced clips",
)


def script(**look: object) -> ClipScript:
    return parse_script(
        {
            "id": "two-stones",
            "size": 9,
            "fps": 8,
            "width": 200,
            "height": 150,
            "dur": 6.0,
            "look": {"seed": 3, "elevation": 70, "traced": "day", **look},
            "setup": {"B": [], "W": []},
            "events": [
                {"t": 1.0, "do": "place", "color": "B", "at": "C3"},
                {"t": 3.0, "do": "place", "color": "W", "at": "G7"},
            ],
            "expect": {"moves": [["B", "C3"], ["W", "G7"]], "alerts": []},
        }
    )


def shown(studio: Studio, look: ClipLook, seconds: float) -> dict[str, float]:
    """How bright it is at the two points and at one where nothing happens."""
    picture, _ = studio.picture(FrameTime.of_seconds(seconds))
    places = {"C3": (2, 6), "G7": (6, 2), "E5": (4, 4)}
    spots = {name: look.scene.pose.project(np.array([place]), 4.0)[0] for name, place in places.items()}
    return {
        name: float(picture[round(y) - 1 : round(y) + 2, round(x) - 1 : round(x) + 2].mean())
        for name, (x, y) in spots.items()
    }


@with_tracer
def test_stones_come_where_they_are_put_and_nothing_else_changes() -> None:
    play = script()
    look = look_of(play)
    look = replace(look, grain=0.0)
    studio = Studio(play, 0, look)
    empty, one, two = (shown(studio, look, t) for t in (0.0, 2.4, 5.5))
    assert one["C3"] < 0.6 * empty["C3"], "a black stone"
    assert two["G7"] > one["G7"] + 10, "a white stone"
    assert two["E5"] == pytest.approx(empty["E5"], abs=3.0)
    assert two["C3"] == pytest.approx(one["C3"], abs=12.0)


def test_a_light_that_there_is_not_is_one_sentence() -> None:
    play = script(traced="moonlight")
    with pytest.raises(UsageError, match="there is no light 'moonlight': choose from day, club"):
        clip_photo(look_of(play).scene, "moonlight")
    with pytest.raises(FileFormatError, match="traced"):
        look_of(script(traced=7))


def test_the_games_to_be_traced() -> None:
    games = [teller.scenario() for teller in traced_games()]
    assert len(games) == len(ANGLES) * len(MOODS)
    moves = [game["expect"] for game in games]
    assert sum(len(each["moves"]) for each in moves if isinstance(each, dict)) >= 400
    assert not any(each["alerts"] for each in moves if isinstance(each, dict))
