"""From light to picture: lens, sensor, white balance, tone, encoder."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.datasets.scene import CameraEffects


def apply_effects(linear: NDArray[np.float32], effects: CameraEffects, rng: np.random.Generator) -> NDArray[np.uint8]:
    """The 8-bit BGR picture (h, w, 3) that a camera makes of a linear one."""
    height, width = linear.shape[:2]
    gy, gx = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    ramp = 0.5 + 0.5 * np.clip(gx * np.cos(effects.lamp_angle) + gy * np.sin(effects.lamp_angle), -1, 1)
    lamp = 1 + (np.array(effects.lamp, np.float32) - 1) * ramp[..., None]
    fall = 1 - effects.vignette * (gx**2 + gy**2)[..., None] / 2
    image = linear * lamp * fall * np.array(effects.cast, np.float32) * effects.exposure
    if effects.blur > 0.15:
        image = cv2.GaussianBlur(image, (0, 0), effects.blur)
    if max(map(abs, effects.motion)) > 0.7:
        image = cv2.filter2D(image, -1, _streak(effects.motion))
    if effects.noise > 0:
        grains = rng.standard_normal(image.shape).astype(np.float32)
        image = image + grains * effects.noise * np.sqrt(0.02 + np.clip(image, 0, 1)) * 0.3
    image = np.clip(image, 0, None)
    image = np.where(image > 0.8, 0.8 + 0.2 * np.tanh((image - 0.8) / 0.3), image)  # highlights roll off
    tone = np.clip(image, 0, 1) ** (1 / effects.gamma)
    tone = np.clip(0.5 + (tone - 0.5) * effects.contrast, 0, 1)
    if effects.saturation != 1:
        grey = tone.mean(axis=2, keepdims=True)
        tone = np.clip(grey + (tone - grey) * effects.saturation, 0, 1)
    if effects.sharpen > 0:
        tone = np.clip(tone + effects.sharpen * (tone - cv2.GaussianBlur(tone, (0, 0), 1.2)), 0, 1)
    picture: NDArray[np.uint8] = np.round(tone * 255).astype(np.uint8)
    if effects.video > 0:
        picture = as_video(picture, effects.video)
    if effects.jpeg:
        coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, effects.jpeg])[1]
        decoded = cv2.imdecode(coded, cv2.IMREAD_COLOR)
        assert decoded is not None
        picture = np.asarray(decoded).astype(np.uint8)
    return picture


def as_video(picture: NDArray[np.uint8], coarse: float) -> NDArray[np.uint8]:
    """The picture (h, w, 3) as a frame of a film coded with few bits: ``coarse`` 0..1.

    Blocks of 8 x 8 are coded by their cosine transform with one step for all frequencies and a dead zone, colour at
    half the size, and the seams between blocks are smoothed, as H.264 and its kin do.
    """
    height, width = picture.shape[:2]
    wide, high = -(-width // 16) * 16, -(-height // 16) * 16
    padded = cv2.copyMakeBorder(picture, 0, high - height, 0, wide - width, cv2.BORDER_REPLICATE)
    planes = cv2.cvtColor(padded, cv2.COLOR_BGR2YCrCb).astype(np.float32)
    step = np.float32(8 + 52 * coarse)
    luma = _coded(np.ascontiguousarray(planes[..., 0]), step)
    colours = cv2.resize(planes[..., 1:], (wide // 2, high // 2), interpolation=cv2.INTER_AREA)
    coded = [_coded(np.ascontiguousarray(colours[..., i]), step) for i in range(2)]
    back = [luma, *(cv2.resize(plane, (wide, high), interpolation=cv2.INTER_LINEAR) for plane in coded)]
    whole = np.clip(np.dstack(back) + 0.5, 0, 255).astype(np.uint8)[:height, :width]
    return np.asarray(cv2.cvtColor(whole, cv2.COLOR_YCrCb2BGR), dtype=np.uint8)


def _coded(plane: NDArray[np.float32], step: np.float32) -> NDArray[np.float32]:
    """A plane (h, w) after the transform, its quantisation with a dead zone, and the smoothing of seams."""
    order = np.arange(8)
    basis = np.cos(np.pi / 8 * (order[None, :] + 0.5) * order[:, None]) * np.where(order == 0, 0.5**0.5, 1)[:, None] / 2
    cosine = basis.astype(np.float32)
    height, width = plane.shape
    blocks = plane.reshape(height // 8, 8, width // 8, 8).transpose(0, 2, 1, 3)
    waves = cosine @ blocks @ cosine.T
    kept = np.sign(waves) * np.floor(np.abs(waves) / step + np.float32(1 / 3))
    kept[..., 0, 0] = np.round(waves[..., 0, 0] / step)
    flat: NDArray[np.float32] = (cosine.T @ (kept * step) @ cosine).transpose(0, 2, 1, 3).reshape(height, width)
    seams = np.zeros((height, width), np.bool_)
    for side in (0, 7):
        seams[side::8, :] = True
        seams[:, side::8] = True
    smooth = cv2.GaussianBlur(flat, (3, 3), 0)
    weak = np.abs(flat - smooth) < step / 3  # a strong step is a real edge
    return np.asarray(np.where(seams & weak, smooth, flat), dtype=np.float32)


def _streak(motion: tuple[float, float]) -> NDArray[np.float32]:
    length = int(np.ceil(max(map(abs, motion)))) | 1
    kernel = np.zeros((length + 2, length + 2), np.float32)
    middle = (length + 2) // 2
    dx, dy = motion[0] / 2, motion[1] / 2
    cv2.line(
        kernel, (round(middle - dx), round(middle - dy)), (round(middle + dx), round(middle + dy)), 1.0, 1, cv2.LINE_AA
    )
    even: NDArray[np.float32] = kernel / kernel.sum()
    return even


def bend(image: NDArray[np.float32], pose: BoardPose) -> NDArray[np.float32]:
    """The picture (h, w, 3) with the lens distortion of ``pose``, from one without."""
    if pose.k1 == 0 and pose.k2 == 0:
        return image
    height, width = image.shape[:2]
    step = 8  # distortion is smooth: a coarse map, refined between
    xs, ys = np.arange(0, width + step, step), np.arange(0, height + step, step)
    gx, gy = np.meshgrid(xs, ys)
    straight = (
        pose.straighten(np.column_stack([gx.ravel(), gy.ravel()]).astype(float))
        .reshape(*gx.shape, 2)
        .astype(np.float32)
    )
    full = cv2.resize(straight, (straight.shape[1] * step, straight.shape[0] * step), interpolation=cv2.INTER_LINEAR)
    shift = (step - 1) // 2  # resize places samples at cell centres
    full = full[shift : shift + height, shift : shift + width]
    bent = cv2.remap(image, full[..., 0], full[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(bent, dtype=np.float32)
