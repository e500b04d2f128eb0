"""Path-traced scenes: the picture shows what the truth says, and the same seed makes the same picture."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Layout
from kifuwatch.datasets.effects import as_video
from kifuwatch.datasets.make_scenes import load, store
from kifuwatch.datasets.photoreal import camera_of, covered_by, render_photo, trace, tracer
from kifuwatch.datasets.photoreal_bodies import bodies_of
from kifuwatch.datasets.photoreal_light import Rig
from kifuwatch.datasets.photoreal_mesh import Limb, body, many_stones, stone_profile
from kifuwatch.datasets.photoreal_people import Person, parts_of_person
from kifuwatch.datasets.photoreal_props import THINGS, StoneKind, Thing, parts_of
from kifuwatch.datasets.photoreal_room import Room
from kifuwatch.datasets.photoreal_scene import KINDS, PhotoScene, photo_scene
from kifuwatch.datasets.random_scenes import place_camera
from kifuwatch.datasets.scene import CameraEffects
from tests.material import photograph

traced = pytest.mark.skipif(
    importlib.util.find_spec("mitsuba") is None,
    reason="Mitsuba 3 is not installed: pip install 'kifuwatch[render]' to test the path tracer",
)

SMALL = (120, 96)
FIVE = BoardSpec(5, 22.0, 23.5, 21.0, 9.0, 16.0, "five")

GAME = Layout.from_rows(
    [
        "....O",
        ".X...",
        "..X..",
        ".O...",
        "X...O",
    ]
)


def camera(elevation: float, k1: float = 0.0, size: tuple[int, int] = SMALL, far: float = 1.0) -> BoardPose:
    """A camera that looks at the middle of a board of five lines from in front, a little from the left."""
    middle = np.array([FIVE.across, FIVE.along]) * 2
    angles = np.radians(elevation), -0.2, 0.04
    return place_camera(FIVE, size, far * size[0], angles, 200.0 * far, middle, (1.5, -2.0), k1)


def plain_photo(pose: BoardPose, layout: Layout) -> PhotoScene:
    """A white board with black lines under an even sky, and nothing else in the room."""
    scene = photograph(layout)
    look = replace(scene.board, kind="plain", colour=(0.8, 0.8, 0.8), grain=0.0, star_radius=0.0, line_width=2.0)
    look = replace(look, gloss=0.0, thickness=12.0)
    room = Room(1, (0.5, 0.5, 0.5), (0.7, 0.7, 0.7), (0.3, 0.3, 0.3), ())
    scene = replace(scene, pose=pose, board=look, effects=CameraEffects(), offsets=np.zeros((pose.size, pose.size, 2)))
    rig = Rig("club", room, 1.0, (), None, ())
    return PhotoScene(scene, "club", rig, 0.3, 0.0, (400.0, 400.0), 700.0, (), ())


def darkness(photo: PhotoScene, samples: int = 16) -> NDArray[np.float64]:
    """How much darker than the board each pixel (h, w) is, 0..1."""
    grey = trace(photo, bodies_of(photo), samples).mean(axis=2).astype(float)
    return np.asarray(np.clip(1 - grey / np.percentile(grey, 90), 0, 1), dtype=float)


def centre_of(dark: NDArray[np.float64], near: NDArray[np.float64], reach: float) -> NDArray[np.float64]:
    """The middle (2,) of what is dark round a pixel."""
    gy, gx = np.mgrid[0 : dark.shape[0], 0 : dark.shape[1]]
    weight = np.where(np.hypot(gx - near[0], gy - near[1]) < reach, np.clip(dark - 0.15, 0, None), 0)
    return np.array([(weight * gx).sum() / weight.sum(), (weight * gy).sum() / weight.sum()])


@traced
@pytest.mark.parametrize(("elevation", "k1"), [(88.0, 0.0), (55.0, 0.0), (60.0, -0.15)])
def test_line_crossings_are_seen_where_the_pose_projects_them(elevation: float, k1: float) -> None:
    pose = camera(elevation, k1)
    dark = darkness(plain_photo(pose, Layout.empty(5)))
    inner = [(col, line) for col in (1, 2, 3) for line in (1, 2, 3)]
    spots = pose.project(inner)
    off = [np.hypot(*(centre_of(dark, spot, 0.42 * pose.pitch) - spot)) for spot in spots]
    assert max(off) < 0.7, off


@traced
def test_stones_stand_where_their_offsets_say() -> None:
    """Black stones on a board without lines, seen from above: their middles are at half their thickness."""
    pose = camera(80.0)
    layout = Layout.from_rows([".....", ".X...", ".....", "...X.", "....."])
    photo = plain_photo(pose, layout)
    offsets = np.zeros((5, 5, 2))
    offsets[1, 1], offsets[3, 3] = (0.3, 0.2), (-0.25, 0.1)
    board = replace(photo.scene.board, line_strength=0.0)
    photo = replace(photo, scene=replace(photo.scene, offsets=offsets, board=board))
    dark = darkness(photo)
    for place in ((1.3, 0.8), (2.75, 2.9)):
        spot = pose.project([place], FIVE.stone_thickness / 2)[0]
        assert np.hypot(*(centre_of(dark, spot, 0.6 * pose.pitch) - spot)) < 1.0


@traced
def test_the_camera_is_the_pose_taken_apart() -> None:
    pose = camera(40.0)
    calibration, turn, centre = camera_of(pose)
    world = np.array([[10.0, -30.0, 4.0], [60.0, -80.0, 0.0]])  # the renderer's Y runs upwards
    seen = (world - centre) @ turn.T @ calibration.T
    lattice = world[:, :2] * [1, -1] / [FIVE.across, FIVE.along]
    assert np.allclose(seen[:, :2] / seen[:, 2:], pose.project(lattice, world[:, 2]), atol=1e-6)
    assert calibration[0, 0] == pytest.approx(pose.focal)
    assert abs(np.linalg.det(turn)) == pytest.approx(1.0)


def shadow_of(
    parts_vertices: list[tuple[NDArray[np.float64], NDArray[np.int64]]], pose: BoardPose
) -> NDArray[np.uint8]:
    """The silhouette (h, w) of meshes, drawn triangle by triangle."""
    mask = np.zeros((pose.image_size[1], pose.image_size[0]), np.uint8)
    for vertices, faces in parts_vertices:
        lattice = vertices[:, :2] / [pose.spec.across, pose.spec.along]
        pixels = np.round(pose.project(lattice, vertices[:, 2])).astype(np.int32)
        for face in faces:
            cv2.fillConvexPoly(mask, pixels[face], 1)
    return mask


@traced
def test_a_hand_covers_the_points_behind_its_silhouette() -> None:
    pose = camera(70.0, size=(360, 288), far=5.0)
    hand = Person("hand", (14.0, 60.0, 8.0), -np.pi / 2, (0.4, 0.5, 0.7), (0.3, 0.2, 0.2), (0.1, 0.1, 0.1), 3)
    parts = parts_of_person(hand)
    covered = covered_by(pose, parts)
    mask = shadow_of([(part.mesh.vertices, part.mesh.faces) for part in parts], pose)
    deep, wide = (cv2.erode(mask, np.ones((25, 25))), cv2.dilate(mask, np.ones((61, 61))))
    line, col = np.mgrid[0:5, 0:5]
    x, y = np.round(pose.project(np.column_stack([col.ravel(), line.ravel()]), 3.0)).astype(int).T
    under, far = deep[y, x].reshape(5, 5) > 0, wide[y, x].reshape(5, 5) == 0
    assert under.sum() >= 2
    assert far.sum() >= 3
    assert np.all(covered[under] > 0.9)
    assert not covered[far].any()


@traced
def test_a_seed_is_a_picture_that_can_be_stored(tmp_path: Path) -> None:
    one = render_photo(photo_scene(11, "any", SMALL), samples=2)
    again = render_photo(photo_scene(11, "any", SMALL), samples=2)
    assert np.array_equal(one.image, again.image)
    assert one.image.std() > 5
    store(one, tmp_path, 11)
    stored = load(tmp_path / "000011.json")
    assert stored.layout == one.scene.layout
    assert stored.pose.to_json() == one.scene.pose.to_json()
    assert np.abs(stored.covered - one.covered).max() < 0.01
    assert np.abs(stored.offsets - one.scene.offsets).max() < 0.001


def test_without_mitsuba_one_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> ModuleType:
        raise ImportError(name)

    monkeypatch.setattr("importlib.import_module", nothing)
    with pytest.raises(UsageError, match=r"pip install 'kifuwatch\[render\]'"):
        tracer()


def test_a_scene_is_decided_by_its_seed() -> None:
    def drawn(seed: int) -> tuple[object, ...]:
        photo = photo_scene(seed)
        scene = photo.scene
        return scene.layout, scene.pose.to_json(), scene.board, scene.effects, photo.rig, photo.things, photo.people

    assert drawn(4) == drawn(4)
    assert drawn(4) != drawn(5)


@pytest.mark.parametrize("kind", ["club", "lamps"])
def test_held_out_kinds_show_boards_that_a_person_reads(kind: str) -> None:
    for seed in range(40):
        photo = photo_scene(seed, kind)
        pose, (black, white) = photo.scene.pose, (photo.scene.black, photo.scene.white)
        assert pose.pitch >= 12
        assert pose.elevation >= 30
        assert np.all(pose.corners > 0)
        assert np.all(pose.corners < np.array(pose.image_size))
        assert float(white.albedo @ photo.rig.total) > 3.5 * float(black.albedo @ photo.rig.total)
        assert (photo.rig.mood == "party") == (kind == "lamps")


def test_any_scenes_come_from_low_cameras_more_often_than_not_from_above() -> None:
    elevations = np.array([photo_scene(seed).scene.pose.elevation for seed in range(150)])
    assert elevations.min() > 19
    assert 0.3 < np.mean(elevations < 40) < 0.6
    assert np.mean(elevations > 65) > 0.1


def test_an_unknown_kind_is_named_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match=f"'moon'.*{', '.join(KINDS)}"):
        photo_scene(1, "moon")


@pytest.mark.parametrize("flat", [False, True])
def test_stones_have_their_true_measures(flat: bool) -> None:
    profile = stone_profile(11.0, 9.2, flat)
    mesh = many_stones(profile, np.zeros((1, 3)), np.array([0.3]), np.zeros(1), np.ones(1))
    size = np.ptp(mesh.vertices, axis=0)
    assert size == pytest.approx([22.0, 22.0, 9.2], rel=0.01)
    assert mesh.vertices[:, 2].min() == pytest.approx(0, abs=1e-9)
    wide_at = mesh.vertices[np.hypot(*mesh.vertices[:, :2].T) > 10.99][:, 2]
    assert wide_at == pytest.approx(9.2 * (0.3 if flat else 0.5), abs=0.01)


def test_a_body_is_a_closed_surface_of_the_right_size() -> None:
    """The volume inside a ball of 30 mm, by the divergence theorem, and every edge between two triangles."""
    mesh = body([Limb((5, 0, 0), (5, 0, 0), 30, 30)], 2, 3.0)
    a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
    volume = abs(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6
    assert volume == pytest.approx(4 / 3 * np.pi * 30**3, rel=0.03)
    edges = np.sort(np.vstack([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]]), axis=1)
    assert np.all(np.unique(edges, axis=0, return_counts=True)[1] == 2)


@pytest.mark.parametrize("kind", THINGS)
def test_every_thing_stands_on_the_table(kind: str) -> None:
    scene = photo_scene(3).scene
    stones = StoneKind(scene.black, scene.white, scene.pose.spec, 3)
    for seed in range(3):
        parts = parts_of(Thing(kind, (0.0, 0.0), 0.0, seed, 6, "O"), stones)
        heights = np.concatenate([part.mesh.vertices[:, 2] for part in parts])
        assert -2 < heights.min() < 3
        assert 0 < heights.max() < 260


def test_a_coarse_video_loses_detail_but_not_light() -> None:
    rng = np.random.default_rng(2)
    picture = np.clip(128 + 40 * rng.standard_normal((50, 70, 3)), 0, 255).astype(np.uint8)
    fine, coarse = as_video(picture, 0.1), as_video(picture, 1.0)
    loss = [float(np.abs(coded.astype(int) - picture).mean()) for coded in (fine, coarse)]
    assert loss[0] < loss[1]
    assert coarse.shape == picture.shape
    assert float(coarse.mean()) == pytest.approx(float(picture.mean()), abs=3)
