"""Disturb pictures while training: light, colour, sharpness, noise, compression."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Rng = np.random.Generator


def degrade(image: Pixels, rng: Rng, reach: float = 1.0) -> Pixels:
    """A worse picture of the same thing; ``reach`` scales blur with the size of what is seen."""
    if rng.random() < 0.3:
        image = _coarse(image, rng)
    if rng.random() < 0.35:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.3, 1.4) * reach)), dtype=np.uint8)
    if rng.random() < 0.06:
        image = _shake(image, rng, reach)
    values = _tone((image / np.float32(255)).astype(np.float32), rng)
    if rng.random() < 0.4:
        height, width = values.shape[:2]
        grain = rng.standard_normal((height, width, 1 if rng.random() < 0.3 else 3), dtype=np.float32)
        if rng.random() < 0.3:
            grain = cv2.GaussianBlur(grain, (0, 0), 0.7).reshape(height, width, -1) * 1.6
        values = values + grain * rng.uniform(0.005, 0.07)
    out = np.clip(values * 255 + 0.5, 0, 255).astype(np.uint8)
    if rng.random() < 0.25:
        coded = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(20, 90))])[1]
        out = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), dtype=np.uint8)
    return np.ascontiguousarray(out)


def _coarse(image: Pixels, rng: Rng) -> Pixels:
    height, width = image.shape[:2]
    factor = rng.uniform(0.42, 0.95)
    small = cv2.resize(
        image, (max(8, round(width * factor)), max(8, round(height * factor))), interpolation=cv2.INTER_AREA
    )
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def _shake(image: Pixels, rng: Rng, reach: float) -> Pixels:
    length = int(rng.integers(3, 6 + round(3 * reach)))
    kernel = np.zeros((length, length), np.float32)
    angle = rng.uniform(0, np.pi)
    middle = (length - 1) / 2
    a = (round(middle - middle * np.cos(angle)), round(middle - middle * np.sin(angle)))
    b = (round(middle + middle * np.cos(angle)), round(middle + middle * np.sin(angle)))
    cv2.line(kernel, a, b, 1.0, 1)
    return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), dtype=np.uint8)


def _tone(values: NDArray[np.float32], rng: Rng) -> NDArray[np.float32]:
    height, width = values.shape[:2]
    gain = np.exp(rng.normal(0, 0.2)) * np.exp(rng.normal(0, 0.07, 3))
    if rng.random() < 0.25:  # coloured lamps, and white balance gone wrong
        gain = gain * rng.uniform(0.15, 1.0, 3)
    values = values * gain.astype(np.float32)
    if rng.random() < 0.35:
        gy, gx = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
        angle = rng.uniform(0, 6.28)
        # The light falls off to one side; where two lamps differ, it changes its colour as well.
        fall = rng.uniform(0, 0.45) if rng.random() < 0.7 else rng.uniform(-0.5, 0.5, 3)
        across = (gx * np.cos(angle) + gy * np.sin(angle))[..., None]
        values = values * (1 + np.float32(fall) * across).astype(np.float32)
    if rng.random() < 0.5:
        values = np.clip(values, 0, 1.5) ** np.float32(np.exp(rng.normal(0, 0.22)))
    if rng.random() < 0.5:
        values = (values - 0.5) * np.float32(rng.uniform(0.6, 1.3)) + np.float32(0.5 + rng.normal(0, 0.06))
    if rng.random() < 0.08:
        grey = values.mean(axis=2, keepdims=True)
        values = grey + (values - grey) * np.float32(rng.uniform(0, 0.6))
    return np.asarray(values, dtype=np.float32)
