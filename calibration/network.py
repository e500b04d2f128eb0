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
        # OpenCV 5 has two engines. The older one, all that OpenCV 4 has, is faster for these networks; the network has
        # to be read from a file, for with a buffer the engine that is asked for is not heeded.
        engine = (cv2.dnn.ENGINE_CLASSIC,) if hasattr(cv2.dnn, "ENGINE_CLASSIC") else ()
        with resources.as_file(resources.files(__package__) / "weights") as shipped:
            path = name if Path(name).suffix == ".onnx" else str(shipped / f"{name}.onnx")
            self._net = cv2.dnn.readNetFromONNX(path, *engine)

    def __call__(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Maps (channels, h / stride, w / stride) of a BGR picture (h, w, 3)."""
        self._net.setInput(cv2.dnn.blobFromImage(image, 1 / 255))
        return np.asarray(self._net.forward()[0], dtype=np.float32)


def sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probability of a logit, safe for any size."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * logits)), dtype=np.float32)
