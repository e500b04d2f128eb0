"""Evidence of incidents: scripts of a board of nine lines, a hand as a grey block, and what is kept of them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from kifuwatch.arbiter import Alert, AlertTable
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.errors import ImageError, OutputError, UsageError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.evidence import EvidenceKeeper, move_picture, parse_bytes, read_clip
from kifuwatch.evidence.looks import MARGIN, PITCH, Looks, look_at, straightened
from kifuwatch.evidence.shelf import LAST, Shelf, alert_files
from kifuwatch.reconstruct import Boards, Incident, Move, Retract
from kifuwatch.vision.observation import CELLS, Observation
from kifuwatch.vision.sources import Frame
from kifuwatch.watch import View

STEP, EDGE = 40, 60
SIDE = 8 * STEP + 2 * EDGE
CORNERS = ((EDGE, EDGE), (SIDE - EDGE, EDGE), (SIDE - EDGE, SIDE - EDGE), (EDGE, SIDE - EDGE))
POSE = BoardPose.from_corners(CORNERS, BoardSpec(9), (SIDE, SIDE))
WOOD, HAND = (90, 170, 220), (128, 128, 128)
INK = {"X": (20, 20, 20), "O": (240, 240, 240)}
TABLE = AlertTable.load()
E5, G3 = Point.parse("E5"), Point.parse("G3")


def board(**stones: str) -> Layout:
    return Layout.empty(9).replaced({Point.parse(at): cell for at, cell in stones.items()})


def view(t: float, layout: Layout, hand: str = "") -> View:
    """What a camera straight above sees, with a hand over a point and its neighbours."""
    image = np.full((SIDE, SIDE, 3), WOOD, np.uint8)
    covered = np.zeros((9, 9), np.bool_)
    for index, cell in enumerate(layout.cells):
        if cell in INK:
            line, col = divmod(index, 9)
            cv2.circle(image, (EDGE + col * STEP, EDGE + line * STEP), 18, INK[cell], -1)
    if hand:
        point = Point.parse(hand)
        line, col = 8 - point.row, point.col
        covered[max(line - 1, 0) : line + 2, max(col - 1, 0) : col + 2] = True
        low, high = (EDGE + (col - 1.5) * STEP, EDGE + (line - 1.5) * STEP), (EDGE + (col + 1.5) * STEP, 9999)
        cv2.rectangle(image, (int(low[0]), int(low[1])), (int(high[0]), int(high[1])), HAND, -1)
    cells = np.array([CELLS.index(cell) for cell in layout.cells]).reshape(9, 9)
    probabilities = np.eye(3, dtype=np.float32)[cells]
    blank = np.zeros((9, 9, 2), np.float32)
    time = FrameTime.of_seconds(t)
    return View(Frame(0, time, image), POSE, Observation(time, probabilities, covered, blank, covered.copy()))


def takeback(t: float, seen: float) -> Alert:
    boards = Boards(board(E5="X"), board(E5="X"), board(G3="X"))
    return TABLE.alert(Incident(t, seen, "takeback", (E5, G3), 1, boards=boards))


def play_takeback(keeper: EvidenceKeeper, linger: bool = False) -> None:
    """A stone lies on E5 from second 2 on, is in the hand from 5 to 6, and lies on G3; the alert comes at 7."""
    for tenth in range(120):
        t = tenth / 10
        layout = board() if t < 2 else board(E5="X") if t < 6 else board(G3="X")
        lingers = linger and t < 9
        hand = "E5" if 1.5 <= t < 2 or 5 <= t < 6 else "G3" if 6 <= t < 6.5 or (lingers and t >= 6) else ""
        now = view(t, layout, hand)
        keeper.look(now)
        if t == 7.0:
            keeper.keep(keeper.named(takeback(6.5, 7.0)), now)
    keeper.close()


def colour_at(path: Path, point: Point) -> str:
    """What a kept picture shows on a point: ``.``, ``X``, ``O`` or ``hand``."""
    picture = cv2.imread(str(path))
    assert picture is not None
    x, y = (round((MARGIN + place) * PITCH) for place in (point.col, 8 - point.row))
    seen = picture[y, x].astype(int)
    known = {".": WOOD, "hand": HAND, **INK}
    return min(known, key=lambda name: int(np.abs(seen - known[name]).sum()))


def shown(folder: Path, moment: str) -> list[str]:
    return [colour_at(folder / f"alert-001-takeback-{moment}.jpg", point) for point in (E5, G3)]


def test_the_board_before_during_and_after_a_takeback(tmp_path: Path) -> None:
    play_takeback(EvidenceKeeper(tmp_path / "evidence"))
    assert shown(tmp_path / "evidence", "before") == ["X", "."]
    assert "hand" in shown(tmp_path / "evidence", "during")
    assert shown(tmp_path / "evidence", "after") == [".", "X"]


def test_what_comes_after_is_waited_for_and_the_alert_is_not(tmp_path: Path) -> None:
    keeper = EvidenceKeeper(tmp_path)
    at_once: list[str] = []

    class Listening(EvidenceKeeper):
        def keep(self, happening: object, now: View) -> None:
            super().keep(happening, now)  # type: ignore[arg-type]
            at_once.extend(path.name for path in tmp_path.iterdir())

    keeper = Listening(tmp_path)
    play_takeback(keeper, linger=True)
    assert set(at_once) >= {f"alert-001-takeback-{moment}.jpg" for moment in ("before", "during", "after")}
    assert shown(tmp_path, "after") == [".", "X"], "the hand stayed until second 9"


def test_the_film_shows_it_from_before_until_after(tmp_path: Path) -> None:
    play_takeback(EvidenceKeeper(tmp_path))
    pictures = list(read_clip(tmp_path / "alert-001-takeback.mkv"))
    assert 3 * 6 <= len(pictures) <= 3 * 8, "three pictures a second, from second 3 to second 10"
    at = [tuple(round((MARGIN + place) * PITCH) for place in (8 - point.row, point.col)) for point in (E5, G3)]
    assert pictures[0][at[0]].mean() < 80, "black on E5"
    assert pictures[-1][at[1]].mean() < 80, "black on G3"


@pytest.mark.parametrize("share", [0.9, 0.6, 0.3])
def test_a_film_that_a_crash_cut_off_shows_what_there_is(tmp_path: Path, share: float) -> None:
    play_takeback(EvidenceKeeper(tmp_path))
    whole = tmp_path / "alert-001-takeback.mkv"
    count = sum(1 for _ in read_clip(whole))
    data = whole.read_bytes()
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(data[: int(len(data) * share)])
    assert sum(1 for _ in read_clip(cut)) >= (share - 0.2) * count


def test_a_film_of_which_nothing_was_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "cut.mkv").write_bytes(b"")
    with pytest.raises(ImageError, match="is no film, or cut off before its first picture"):
        list(read_clip(tmp_path / "cut.mkv"))


def test_an_alert_names_its_pictures_among_its_evidence(tmp_path: Path) -> None:
    keeper = EvidenceKeeper(tmp_path, alerts=4)
    first, second = keeper.named(takeback(1, 2)), keeper.named(takeback(3, 4))
    assert first.evidence[-4:] == alert_files(5, "takeback", film=True)
    assert "alert-006-takeback-during.jpg" in second.evidence
    notice = TABLE.alert(Incident(1, 2, "light-changed", (), 1, "info"))
    assert not any(name.endswith(".mkv") for name in keeper.named(notice).evidence), "notices have no film"


def test_photographs_make_no_film(tmp_path: Path) -> None:
    play_takeback(EvidenceKeeper(tmp_path, films=False))
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".jpg"] * 3


def test_every_move_has_a_picture_until_it_is_taken_back(tmp_path: Path) -> None:
    keeper = EvidenceKeeper(tmp_path)
    for number in (1, 2, 3):
        now = view(float(number), board(E5="X"))
        keeper.look(now)
        keeper.keep(Move(number, number, number, Colour.BLACK, E5), now)
    assert colour_at(tmp_path / move_picture(1), E5) == "X"
    hand = view(3.2, board(E5="X"), "E5")
    keeper.look(hand)
    keeper.keep(Move(3, 3, 4, Colour.BLACK, E5), hand)
    assert colour_at(tmp_path / move_picture(4), E5) == "X", "the look before shows the stone, this one a hand"
    keeper.keep(Retract(4, 4, 2, "taken back"), now)
    assert [path.name for path in tmp_path.iterdir()] == ["move-001.jpg"]


def test_the_oldest_evidence_goes_first_and_that_of_the_last_alerts_stays(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, limit=10_000)
    shelf.put(move_picture(1), bytes(1000))
    for number in range(1, 6):
        for name in alert_files(number, "takeback", film=False):
            shelf.put(name, bytes(1000))
    (tmp_path / "board.jpg").write_bytes(bytes(50_000))  # not evidence: not touched, and not counted
    shelf.tidy()
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert "board.jpg" in kept
    assert move_picture(1) not in kept
    assert not any(name.startswith("alert-001") for name in kept)
    assert sum(name.startswith(("alert-003", "alert-004", "alert-005")) for name in kept) == 3 * LAST
    Shelf(tmp_path, limit=0).tidy()
    assert sum(name.startswith("alert-") for name in (path.name for path in tmp_path.iterdir())) == 3 * LAST


def test_the_evidence_of_another_game_is_replaced_and_that_of_the_same_one_is_not(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    for name in (*alert_files(40, "takeback", film=True), move_picture(300)):
        shelf.put(name, b"old")
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match="holds pictures of another recording: choose another folder"):
        shelf.check_free(force=False)
    shelf.check_free(force=True)
    play_takeback(EvidenceKeeper(tmp_path, alerts=40))
    assert {"move-300.jpg", "alert-041-takeback-before.jpg"} <= set(shelf.names())
    play_takeback(EvidenceKeeper(tmp_path))
    assert shelf.names() == sorted(alert_files(1, "takeback", film=True))
    assert (tmp_path / "notes.txt").exists()


def test_looks_are_kept_while_something_changes_and_within_a_bound() -> None:
    calm, busy = Looks(), Looks()
    for tenth in range(100):
        calm.take(view(tenth / 10, board()))
        busy.take(view(tenth / 10, board(), "E5"))
    assert len(calm) == 2, "ten seconds without any change: the first look, and one after five seconds"
    assert 25 <= len(busy) <= 31, "three a second at most"
    small = Looks(most_bytes=3 * len(look_at(view(0, board())).jpeg))
    for second in range(20):
        small.add(look_at(view(float(second), board())))
    assert (len(small), next(iter(small)).t) == (3, 17.0)
    assert small.bytes <= 3 * len(look_at(view(0, board())).jpeg) + 2000


def test_a_board_is_straightened_with_its_text_upright() -> None:
    turned = straightened(view(0, board(A9="X")).frame.image, POSE.turned(1))
    assert turned.shape == (2 * round((8 + 2 * MARGIN) * PITCH / 2),) * 2 + (3,)
    right, top = round((MARGIN + 8) * PITCH), round(MARGIN * PITCH)
    assert turned[top, right].mean() < 80, "what was at the upper left is at the upper right, turned clockwise"


def test_a_full_disk_ends_the_evidence_and_not_the_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = EvidenceKeeper(tmp_path)

    def full(shelf: Shelf, name: str, content: bytes) -> None:
        raise OutputError(f"cannot write {name}: no space left on device")

    monkeypatch.setattr(Shelf, "put", full)
    play_takeback(keeper)
    assert keeper.fault == "cannot write alert-001-takeback-before.jpg: no space left on device"


def test_a_file_in_place_of_the_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "pictures").write_bytes(b"")
    with pytest.raises(OutputError, match="it is a file, not a folder"):
        EvidenceKeeper(tmp_path / "pictures")


@pytest.mark.parametrize("text", ["lots", "-1", "5 apples", ""])
def test_a_size_that_is_none(text: str) -> None:
    with pytest.raises(UsageError, match="is no size: write 500MB or 2GB"):
        parse_bytes(text)
