"""What the server says of a game, as JSON: the public form, without what is held back, and the rows of the hall."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kifuwatch.arbiter.clock import ClockState
from kifuwatch.arbiter.clock.time_control import SECOND
from kifuwatch.arbiter.desk_state import DeskState, Phase
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.live.story import Step, Story
from kifuwatch.record.clock_journal import clock_json

Json = dict[str, Any]
SETUP_NAMES = {"X": "B", "O": "W", ".": "E"}


def to_bytes(record: Any) -> bytes:
    """JSON without line breaks, in UTF-8."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def empty_state(board: str) -> Json:
    """A board on which no game is recorded."""
    return {"board": board, "game_id": None, "size": None, "moves": [], "position": None, "revision": 0}


def public_state(board: str, game_id: str | None, story: Story, hold_back: int = 0, now: float | None = None) -> Json:
    """A game for everybody, without its last ``hold_back`` moves, unless it is over. ``now``: for its clock, in seconds
    as ``t`` in the rows.

    What only the arbiter may know (alerts, warnings, a sealed move) is not in it.
    """
    state = story.state
    over = state.phase is Phase.OVER
    hold_back = 0 if over else hold_back
    steps = shown_steps(story, hold_back)
    moves = [_step(step) for step in steps]
    layout, to_play = (steps[-1].board, steps[-1].to_play) if steps else (story.start, state.to_play)
    taken: Mapping[Colour, int] = steps[-1].taken if steps else {Colour.BLACK: 0, Colour.WHITE: 0}
    phase = state.phase.value if hold_back == 0 else Phase.PLAYING.value
    if not steps and story.steps:
        to_play = next((step.entry.colour for step in story.steps if step.entry.is_move), to_play)
    return {
        "board": board,
        "game_id": game_id,
        **_head(story),
        "position": layout.rows,
        "start": _start(story.start),
        "moves": moves,
        "captures": {colour.value: count for colour, count in taken.items()},
        "to_play": to_play.value,
        "phase": phase,
        "recorded": story.recorded,
        "result": _result(story) if over else None,
        "last": _last(steps),
        "clock": clock_state(state.clock, now) if hold_back == 0 else None,
        "revision": state.revision,
    }


def shown_steps(story: Story, hold_back: int) -> tuple[Step, ...]:
    """The line without its last moves, unless the game is over."""
    if hold_back == 0 or story.state.phase is Phase.OVER:
        return story.steps
    return story.up_to(max(0, story.moves - hold_back))


def public_record(story: Story, hold_back: int = 0) -> DeskState:
    """The record for everybody: what stands, without what is held back, without warnings and what was noted."""
    steps, over = shown_steps(story, hold_back), story.state.phase is Phase.OVER
    entries = tuple(replace(step.entry, notes=[]) for step in steps)
    return replace(story.state, entries=entries, ledger=(), alerts=(), ending=story.state.ending if over else None)


def _head(story: Story) -> Json:
    state, info = story.state, story.info
    ranks = state.ranks
    return {
        "size": state.size,
        "rules": state.code.name,
        "rules_title": {"en": state.code.title_en, "zh": state.code.title_zh},
        "komi": state.komi,
        "handicap": state.handicap,
        "players": {
            "black": {"name": state.players[0], "rank": ranks[0]},
            "white": {"name": state.players[1], "rank": ranks[1]},
        },
        "event": state.event,
        "round": state.round,
        "date": state.date,
        "time": str(info.get("time", "")),
    }


def _start(layout: Layout) -> Json:
    return {colour.value: names(layout.points(colour.cell)) for colour in Colour}


def _step(step: Step) -> Json:
    entry = step.entry
    if entry.setup is not None:
        cells: dict[str, list[str]] = {name: [] for name in SETUP_NAMES.values()}
        for point, cell in sorted(entry.setup.items()):
            cells[SETUP_NAMES[cell]].append(str(point))
        return {"n": step.number, "setup": cells, "to_play": step.to_play.value}
    told: Json = {
        "n": step.number,
        "color": entry.colour.value,
        "at": str(entry.point) if entry.point else "pass",
        "captures": names(step.captured),
        "t": _rounded(step.t),
        "thinking": _rounded(step.thinking),
        "inferred": entry.inferred,
        "provisional": False,
    }
    return told | ({"faults": list(step.faults)} if step.faults else {})


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 2)


def names(points: list[Point] | tuple[Point, ...]) -> list[str]:
    """Points as players write them."""
    return [str(point) for point in points]


def _last(steps: tuple[Step, ...]) -> str | None:
    last = next((step.entry for step in reversed(steps) if step.entry.is_move), None)
    return str(last.point) if last is not None and last.point is not None else None


def _result(story: Story) -> Json | None:
    ending = story.state.ending
    return None if ending is None else {"sgf": ending.sgf, "en": ending.en, "zh": ending.zh}


def clock_state(clock: ClockState | None, now: float | None) -> Json | None:
    """What a clock shows at ``now`` (seconds as ``t`` in the rows; None: at its last row): the time left before
    something changes, main time or, when that is used up, the period. ``calls``: what is to be called out soon."""
    if clock is None:
        return None
    at = clock.t if now is None else max(clock.t, round(now * SECOND))
    left = clock.at(at)
    told: Json = {"t": at / SECOND, "control": {"en": clock.control.en, "zh": clock.control.zh}, "paused": clock.paused}
    told["running"] = clock.running.value if clock.running and not clock.paused else None
    for colour, name in ((Colour.BLACK, "black"), (Colour.WHITE, "white")):
        has = left[colour]
        told[f"{name}_ms"] = has.period if has.in_overtime else has.main
        told[f"{name}_periods"] = has.periods
        told[f"{name}_overtime"] = has.in_overtime
        told[f"{name}_moves"] = has.moves
    return told | {"calls": clock_json(clock, at / SECOND)["calls"]}


def change_of(before: Json, after: Json) -> Json | None:
    """What has changed, for who has the state before: all but the moves, and the moves from ``moves_from`` on (a place
    in the list, counted from 0). None for another game."""
    if before["game_id"] != after["game_id"] or after["game_id"] is None:
        return None
    old, new = before["moves"], after["moves"]
    same = next((place for place, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    return {**after, "moves_from": same, "moves": new[same:]}


def brief(full: Mapping[str, Any]) -> Json:
    """One board as the hall shows it, from its public state."""
    players = full.get("players", {"black": {"name": "", "rank": ""}, "white": {"name": "", "rank": ""}})
    return {
        "board": full["board"],
        "game_id": full["game_id"],
        "black": players["black"]["name"],
        "white": players["white"]["name"],
        "black_rank": players["black"]["rank"],
        "white_rank": players["white"]["rank"],
        "event": full.get("event", ""),
        "round": full.get("round", ""),
        "size": full["size"],
        "moves": next((move["n"] for move in reversed(full["moves"])), 0),
        "to_play": full.get("to_play"),
        "phase": full.get("phase"),
        "result": full.get("result"),
        "position": full["position"],
        "last": full.get("last"),
        "revision": full["revision"],
    }
