"""Run a network that ships with kifuwatch, through OpenCV's own ``dnn``: no other run-time is needed."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray


class Network:
    """A convolutional network: pictures in, maps out."""

    def __init__(self, name: str) -> None:
        """Load ``weights/<name>.onnx`` of this package, or the file at that path."""
        path = Path(name)
        data = (
            path.read_bytes()
            if path.suffix == ".onnx"
            else (resources.files(__package__) / "weights" / f"{name}.onnx").read_bytes()
        )
        self._net = cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8))

    def __call__(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Maps (channels, h / stride, w / stride) of a BGR picture (h, w, 3)."""
        self._net.setInput(cv2.dnn.blobFromImage(image, 1 / 255))
        return np.asarray(self._net.forward()[0], dtype=np.float32)


def sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probability of a logit, safe for any size."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * logits)), dtype=np.float32)
