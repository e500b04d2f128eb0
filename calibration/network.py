"""Run a network that ships with kifuwatch, through OpenCV's own ``dnn``: no other run-time is needed."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Number = TypeVar("Number", np.uint8, np.float32)


class Network:
    """A convolutional network: pictures in, maps out."""

    def __init__(self, name: str, folder: Path | None = None) -> None:
        """Load ``<name>.onnx`` of this package's weights, or of a folder."""
        self._net = _loaded(name, folder)

    def __call__(self, image: NDArray[np.uint8]) -> Floats:
        """Maps (channels, h / stride, w / stride) of a BGR picture (h, w, 3)."""
        self._net.setInput(cv2.dnn.blobFromImage(image, 1 / 255))
        return np.asarray(self._net.forward()[0], dtype=np.float32)


class NetworkInParts:
    """A network whose maps get smaller between its parts: squares of 2 x 2 are laid side by side as channels.

    ``cv2.dnn`` takes as long for such a step as for all the rest, numpy next to nothing.
    """

    def __init__(self, name: str, parts: int, folder: Path | None = None) -> None:
        """Load ``<name>-1.onnx`` and so on of this package's weights, or of a folder."""
        self._nets = [_loaded(f"{name}-{number}", folder) for number in range(1, parts + 1)]

    def __call__(self, planes: Floats) -> Floats:
        """Maps (channels, h / 2 ** (parts - 1), w / 2 ** (parts - 1)) of planes (channels, h, w)."""
        maps = planes
        for number, net in enumerate(self._nets):
            net.setInput((side_by_side(maps, 2) if number else maps)[None])
            maps = np.asarray(net.forward()[0], dtype=np.float32)
        return maps


def side_by_side(maps: NDArray[Number], step: int) -> NDArray[Number]:
    """Maps (c, h, w) as (c * step * step, h / step, w / step): the pixels of each square as channels, row by row."""
    channels, height, width = maps.shape
    squares = maps.reshape(channels, height // step, step, width // step, step).transpose(0, 2, 4, 1, 3)
    return np.ascontiguousarray(squares).reshape(channels * step * step, height // step, width // step)


def _loaded(name: str, folder: Path | None) -> cv2.dnn.Net:
    # OpenCV 5 has two engines. The older one, all that OpenCV 4 has, takes two thirds of the time for these networks;
    # it has to be read from a file, for with a buffer the engine that is asked for is not heeded.
    engine = (cv2.dnn.ENGINE_CLASSIC,) if hasattr(cv2.dnn, "ENGINE_CLASSIC") else ()
    with resources.as_file(resources.files(__package__) / "weights") as shipped:
        return cv2.dnn.readNetFromONNX(str((folder or shipped) / f"{name}.onnx"), *engine)


def sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probability of a logit, safe for any size."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * logits)), dtype=np.float32)
