"""Path-trace a :class:`~kifuwatch.datasets.photoreal_scene.PhotoScene` with Mitsuba 3: a picture near a photograph.

Stones are solids that mirror lamps and windows, light bounces, shadows touch what casts them. Truth comes from the
same :class:`~kifuwatch.calibration.pose.BoardPose` as everywhere; what hides a point is found by casting rays. Needs
the extra ``kifuwatch[render]``; with libLLVM on the machine Mitsuba compiles, without it it takes about three times
as long.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.errors import UsageError
from kifuwatch.datasets.effects import apply_effects
from kifuwatch.datasets.photoreal_bodies import Bodies, Group, bodies_of
from kifuwatch.datasets.photoreal_props import Material, Part
from kifuwatch.datasets.photoreal_room import room_picture
from kifuwatch.datasets.photoreal_scene import PhotoScene
from kifuwatch.datasets.render import Rendered

Image = NDArray[np.float32]
Floats = NDArray[np.float64]

MIRROR_Y = np.diag([1.0, -1.0, 1.0, 1.0])
"""From the board's world (Y downwards in its text, a left-handed one) to the renderer's."""
SAMPLES, DEPTH = 12, 4
"""Paths for each pixel, and how often light bounces."""
PASS = 16
"""Paths for each pixel in one go: what is traced at once must fit into memory."""
BEYOND = 0.35
"""A lens that bends needs a wider picture: by at most this share on each side."""


def tracer() -> Any:
    """The module ``mitsuba`` with its fastest variant chosen, on one thread.

    Raises UsageError when it is not installed.
    """
    try:
        mitsuba = importlib.import_module("mitsuba")
    except ImportError:
        raise UsageError(
            "photoreal scenes need Mitsuba 3: install the extra, pip install 'kifuwatch[render]'"
        ) from None
    if mitsuba.variant() is None:
        for variant in ("llvm_ad_rgb", "scalar_rgb"):
            try:
                mitsuba.set_variant(variant)
                mitsuba.load_dict({"type": "sphere"})
                break
            except (ImportError, RuntimeError, AttributeError):
                continue
        importlib.import_module("drjit").set_thread_count(1)  # sums in one order: the same scene is the same picture
    return mitsuba


def is_fast() -> bool:
    """Whether the tracer compiles (libLLVM was found)."""
    return str(tracer().variant()).startswith("llvm")


def render_photo(photo: PhotoScene, samples: int = SAMPLES) -> Rendered:
    """The picture of a scene with its truth. The same scene and ``samples`` give the same picture.

    Raises UsageError when Mitsuba is not installed.
    """
    scene = photo.scene
    bodies, covered = _without_walls(photo, bodies_of(photo))
    linear = trace(photo, bodies, samples)
    rng = np.random.default_rng([scene.seed, 5])
    balanced = _automatic(linear, photo)
    picture = apply_effects(balanced, scene.effects, rng)
    return Rendered(picture, scene, covered)


MOST_HIDDEN = {"thing": 0.03, "player": 0.0, "blind": 0.0, "head": 0.4, "hand": 0.45}
HIDDEN_IN_ALL = {"club": 0.15, "lamps": 0.15, "any": 0.5}
"""The share of the board that something of each kind may hide, and all together in each kind of scene; it does
without what would hide more."""


def _without_walls(photo: PhotoScene, bodies: Bodies) -> tuple[Bodies, NDArray[np.float32]]:
    """The bodies without those that stand between camera and board, and what the others cover (n, n)."""
    pose, covered = photo.scene.pose, np.zeros((photo.scene.pose.size,) * 2, np.float32)
    kept: list[Group] = []
    for group in bodies.groups:
        hides = covered_by(pose, group.parts)
        both = np.maximum(covered, hides)
        if hides.mean() <= MOST_HIDDEN[group.kind] and both.mean() <= HIDDEN_IN_ALL[photo.kind]:
            kept.append(group)
            covered = both
    return replace(bodies, groups=kept), covered


def trace(photo: PhotoScene, bodies: Bodies, samples: int) -> Image:
    """Light (h, w, 3), linear BGR, at each pixel of the scene's picture, its lens included."""
    mi = tracer()
    pose = photo.scene.pose
    pad = _padding(pose)
    width, height = pose.image_size[0] + 2 * pad[0], pose.image_size[1] + 2 * pad[1]
    description: dict[str, Any] = {"type": "scene", "integrator": {"type": "path", "max_depth": DEPTH}}
    description["sensor"] = sensor_of(mi, pose, pad)
    description |= load_lights(mi, photo)
    for i, body in enumerate(bodies.everything):
        description[f"body{i}"] = load_shape(mi, body, f"body{i}")
    world = mi.load_dict(description)
    total = np.zeros((height, width, 3), np.float32)
    rounds = max(1, round(samples / PASS))
    for i in range(rounds):
        seed = (photo.scene.seed * 977 + i) % 2**31
        total += np.array(mi.render(world, spp=min(samples, PASS), seed=seed), dtype=np.float32) / np.float32(rounds)
    surfaces = mi.load_dict({"type": "aov", "aovs": "albedo:albedo"})
    albedo = np.array(mi.render(world, integrator=surfaces, spp=4, seed=photo.scene.seed % 2**31), dtype=np.float32)
    smooth = denoised(total[..., ::-1], albedo[..., ::-1])
    return _through_lens(smooth, pose, pad)


def denoised(light: Image, albedo: Image) -> Image:
    """Less of the grain that few paths leave (C. Tomasi and R. Manduchi, Bilateral filtering, 1998).

    What is smoothed is light over albedo, in logarithms: print and grain stay, and so do the edges of hard shadows.
    """
    base = np.maximum(albedo, 0.06)
    level = np.log(np.ascontiguousarray(light / base) + np.float32(0.02))
    level = cv2.medianBlur(level, 3)  # sparks of stray paths
    for width in (0.6, 0.35):
        level = cv2.bilateralFilter(level, 9, width, 2.5)
    return np.maximum((np.exp(level) - np.float32(0.02)) * base, 0)


def _padding(pose: BoardPose) -> tuple[int, int]:
    """Pixels by which the undistorted picture must be wider on each side for the lens to be filled."""
    width, height = pose.image_size
    if pose.k1 == 0 and pose.k2 == 0:
        return 0, 0
    xs, ys = np.linspace(0, width - 1, 9), np.linspace(0, height - 1, 9)
    edge = np.vstack([np.column_stack([xs, np.full(9, y)]) for y in (0, height - 1)])
    edge = np.vstack([edge, *(np.column_stack([np.full(9, x), ys]) for x in (0, width - 1))])
    straight = pose.straighten(edge)
    over = np.maximum(-straight.min(axis=0), straight.max(axis=0) - [width - 1, height - 1])
    wide, high = (int(np.clip(np.ceil(o) + 2, 0, BEYOND * side)) for o, side in zip(over, (width, height), strict=True))
    return wide, high


def _through_lens(straight: Image, pose: BoardPose, pad: tuple[int, int]) -> Image:
    """The picture that a bending lens makes of a straight one that is wider by ``pad``."""
    if pose.k1 == 0 and pose.k2 == 0:
        return straight
    width, height = pose.image_size
    gx, gy = np.meshgrid(np.arange(width, dtype=float), np.arange(height, dtype=float))
    places = pose.straighten(np.column_stack([gx.ravel(), gy.ravel()])) + pad
    x, y = (places[:, i].reshape(height, width).astype(np.float32) for i in (0, 1))
    bent = cv2.remap(straight, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(bent, dtype=np.float32)


def camera_of(pose: BoardPose) -> tuple[Floats, Floats, Floats]:
    """The calibration (3, 3), turn (3, 3: right, down, ahead) and centre (3,) of the camera, in the renderer's world.

    From the RQ decomposition of the projection (Hartley and Zisserman, 6.2.4).
    """
    projection = pose.projection @ MIRROR_Y
    matrix = projection[:, :3]
    if np.linalg.det(matrix) < 0:
        projection, matrix = -projection, -matrix
    flip = np.eye(3)[::-1]
    q, r = np.linalg.qr((flip @ matrix).T)
    calibration, turn = flip @ r.T @ flip, flip @ q.T
    signs = np.diag(np.sign(np.diag(calibration)))
    calibration, turn = calibration @ signs, signs @ turn
    centre = -np.linalg.solve(matrix, projection[:, 3])
    middle = np.array([pose.spec.across, -pose.spec.along, 0.0]) * (pose.size - 1) / 2
    if turn[2] @ (middle - centre) < 0:
        raise UsageError("this pose sees the board from behind")
    return calibration / calibration[2, 2], turn, np.asarray(centre, dtype=float)


def sensor_of(mi: Any, pose: BoardPose, pad: tuple[int, int]) -> dict[str, Any]:
    """The camera of a pose as the renderer's own, its picture wider by ``pad`` pixels on each side."""
    calibration, turn, centre = camera_of(pose)
    width, height = pose.image_size[0] + 2 * pad[0], pose.image_size[1] + 2 * pad[1]
    to_world = np.eye(4)
    to_world[:3] = np.column_stack([-turn[0], -turn[1], turn[2], centre])
    middle = calibration[0, 2] + pad[0] + 0.5, calibration[1, 2] + pad[1] + 0.5
    return {
        "type": "perspective",
        "fov_axis": "x",
        "fov": float(2 * np.degrees(np.arctan(width / 2 / calibration[0, 0]))),
        "principal_point_offset_x": float(0.5 - middle[0] / width),
        "principal_point_offset_y": float(0.5 - middle[1] / height),
        "near_clip": 10.0,
        "far_clip": 20000.0,
        "to_world": mi.ScalarTransform4f(to_world),
        "film": {
            "type": "hdrfilm",
            "width": width,
            "height": height,
            "rfilter": {"type": "box"},
            "pixel_format": "rgb",
        },
        "sampler": {"type": "independent"},
    }


def _rgb(colour: Any) -> list[float]:
    return [float(c) for c in colour[::-1]]


def _bitmap(mi: Any, texture: Image, wrap: str = "repeat") -> dict[str, Any]:
    pixels = np.ascontiguousarray(texture[..., ::-1], dtype=np.float32)
    return {"type": "bitmap", "bitmap": mi.Bitmap(pixels), "raw": True, "wrap_mode": wrap}


def _surface(mi: Any, material: Material) -> dict[str, Any]:
    colour = material.colour
    texture = _bitmap(mi, colour if isinstance(colour, np.ndarray) else np.array(colour, np.float32).reshape(1, 1, 3))
    if material.gloss < 0.02:
        return {"type": "twosided", "nested": {"type": "diffuse", "reflectance": texture}}
    return {
        "type": "twosided",
        "nested": {
            "type": "roughplastic",
            "distribution": "ggx",
            "alpha": max(material.roughness, 0.008),
            "specular_reflectance": {"type": "rgb", "value": float(material.gloss)},
            "diffuse_reflectance": texture,
        },
    }


def load_shape(mi: Any, part: Part, name: str) -> Any:
    """A part as the renderer's own."""
    mesh, material = part.mesh, part.material
    properties = mi.Properties()
    properties["mesh_bsdf"] = mi.load_dict(_surface(mi, material))
    shape = mi.Mesh(name, len(mesh.vertices), len(mesh.faces), properties, mesh.smooth, True)
    parameters = mi.traverse(shape)
    parameters["vertex_positions"] = np.ascontiguousarray((mesh.vertices * [1, -1, 1]).ravel(), dtype=np.float32)
    parameters["faces"] = np.ascontiguousarray(mesh.faces[:, ::-1].ravel(), dtype=np.uint32)
    uv = mesh.uv * [1, -1] + [0, 1]  # the renderer counts v from the bottom of a picture
    parameters["vertex_texcoords"] = np.ascontiguousarray(uv.ravel(), dtype=np.float32)
    if mesh.smooth:
        normals = mesh.normals() * [1, -1, 1]
        parameters["vertex_normals"] = np.ascontiguousarray(normals.ravel(), dtype=np.float32)
    parameters.update()
    return shape


def load_lights(mi: Any, photo: PhotoScene) -> dict[str, Any]:
    """The room as a picture of all directions, lamps as balls of light, the sun; each as strong as the rig says."""
    rig, transform = photo.rig, mi.ScalarTransform4f
    room = room_picture(rig.room)
    elevation = (0.5 - (np.arange(len(room)) + 0.5) / len(room)) * np.pi
    weight = (np.clip(np.sin(elevation), 0, None) * np.cos(elevation))[:, None]
    from_above = float((room.mean(axis=2) * weight).mean() * 2 * np.pi**2)  # irradiance of a level surface
    pixels = np.ascontiguousarray(room[..., ::-1] * (rig.sky / max(from_above, 1e-6)))
    upright = transform().rotate([1, 0, 0], 90)
    lights: dict[str, Any] = {"room": {"type": "envmap", "bitmap": mi.Bitmap(pixels), "to_world": upright}}
    spec = photo.scene.pose.spec
    middle = np.array([spec.across, spec.along, 0.0]) * (spec.size - 1) / 2
    for i, lamp in enumerate(rig.lamps):
        away = np.array(lamp.place) - middle
        distance = float(np.linalg.norm(away))
        strength = distance**3 / (np.pi * lamp.radius**2 * away[2])
        x, y, height = lamp.place
        lights[f"lamp{i}"] = {
            "type": "sphere",
            "center": [x, -y, height],
            "radius": lamp.radius,
            "emitter": {"type": "area", "radiance": {"type": "rgb", "value": _rgb(np.array(lamp.colour) * strength)}},
        }
    if rig.sun is not None:
        (x, y, height), colour = rig.sun
        value = {"type": "rgb", "value": _rgb(np.array(colour) / max(height, 0.2))}
        lights["sun"] = {"type": "directional", "direction": [-x, y, -height], "irradiance": value}
    return lights


RING = [(0.0, 0.0)] + [(r * np.cos(a), r * np.sin(a)) for r in (0.2, 0.4) for a in np.arange(0, 6.28, np.pi / 3)]
"""Places (in pitches) round a point that are asked whether they can be seen."""
RING_HEIGHT = 3.0
"""Millimetres above the board at which they are."""


def covered_by(pose: BoardPose, bodies: list[Part]) -> NDArray[np.float32]:
    """How much of a stone's disc at each point (n, n) these bodies hide from the camera, 0..1.

    Raises UsageError when Mitsuba is not installed.
    """
    size = pose.size
    if not bodies:
        return np.zeros((size, size), np.float32)
    mi = tracer()
    grey = Material((0.5, 0.5, 0.5))
    shapes = {f"body{i}": load_shape(mi, Part(body.mesh, grey), f"body{i}") for i, body in enumerate(bodies)}
    world = mi.load_dict({"type": "scene", **shapes})
    line, col = np.mgrid[0:size, 0:size]
    grid = np.column_stack([col.ravel(), line.ravel()])
    spots = (grid[:, None, :] + np.array(RING)[None]).reshape(-1, 2)
    scale = [pose.spec.across, -pose.spec.along]
    ends = np.column_stack([spots * scale, np.full(len(spots), RING_HEIGHT)])
    eye = camera_of(pose)[2]
    hidden = _blocked(mi, world, eye, ends)
    shares: NDArray[np.float32] = hidden.reshape(size, size, len(RING)).mean(axis=2).astype(np.float32)
    return shares


def _blocked(mi: Any, world: Any, eye: Floats, ends: Floats) -> NDArray[np.bool_]:
    """Whether something stands between the eye and each of the places (n, 3)."""
    rays = ends - eye
    lengths = np.linalg.norm(rays, axis=1)
    rays = rays / lengths[:, None]
    if mi.variant().startswith("scalar"):
        one = [world.ray_test(mi.Ray3f(eye, ray, length, 0.0, [])) for ray, length in zip(rays, lengths, strict=True)]
        return np.array(one, dtype=bool)
    ray = mi.Ray3f(mi.Point3f(*eye.tolist()), mi.Vector3f(rays.T.astype(np.float32)))
    ray.maxt = mi.Float(lengths.astype(np.float32))
    return np.array(world.ray_test(ray), dtype=bool)


def _automatic(linear: Image, photo: PhotoScene) -> Image:
    """What a camera's automatic makes of the light: its exposure, and the white that it takes for white."""
    mean = np.clip(linear, 0, np.percentile(linear, 97)).reshape(-1, 3).mean(axis=0) + 1e-6
    balance = (mean.mean() / mean) ** photo.adapts
    image = linear * np.minimum(balance, 4.0).astype(np.float32)
    dim = {"dusk": 0.55, "party": 0.8, "lamp": 0.85}.get(photo.rig.mood, 1.0)
    level = float(np.clip(image, 0, np.percentile(image, 97)).mean())
    return np.asarray(image * np.float32(0.24 * dim / max(level, 1e-6)), dtype=np.float32)
