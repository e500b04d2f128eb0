"""The two networks, as they are trained (PyTorch, extra ``[train]``); at run time they are ONNX files read by
``cv2.dnn``.

Both use plain convolutions, batch normalisation (folded on export) and ReLU, nothing that a reader of ONNX could miss.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional

CLOSE_UP_CHANNELS = 9  # empty, black, white, covered, is a point, line offset x y, stone offset x y
LARGE = 64  # weights; smaller tensors (biases) stay as they are
FINDER_CHANNELS = 6  # point, board, corner, offset x y, log pitch


def _block(inputs: int, outputs: int, kernel: int, stride: int) -> nn.Sequential:
    padding = (kernel - stride + 1) // 2 if stride > 1 else kernel // 2
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
    )


class CloseUpNet(nn.Module):
    """Straightened board (b, 3, 16 n, 16 n) in 0..1 to one vector of CLOSE_UP_CHANNELS logits a cell (b, c, n, n).

    Kernels of four with stride two keep each output centred on its cell.
    """

    def __init__(self, width: int = 24) -> None:
        super().__init__()
        a, b, c, d = width, round(width * 4 / 3), round(width * 7 / 3), round(width * 10 / 3)
        self.stem = nn.Sequential(
            _block(3, a, 4, 2), _block(a, b, 4, 2), _block(b, b, 3, 1), _block(b, c, 4, 2), _block(c, c, 3, 1)
        )
        self.down = _block(c, d, 4, 2)
        self.one, self.two = _block(d, d, 3, 1), _block(d, d, 3, 1)
        self.head = nn.Conv2d(d, CLOSE_UP_CHANNELS, 1)

    def forward(self, image: Tensor) -> Tensor:
        """Logits and offsets per cell."""
        x = self.down(self.stem(image - 0.5))
        x = x + self.one(x)
        x = x + self.two(x)
        out: Tensor = self.head(x)
        return out


class FinderNet(nn.Module):
    """Picture (b, 3, h, w) in 0..1, h and w multiples of 32, to FINDER_CHANNELS maps at a quarter of the size."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        a, b, c, d, e = width, width * 2, width * 3, width * 4, width * 6
        self.s4 = nn.Sequential(_block(3, a, 4, 2), _block(a, b, 4, 2), _block(b, b, 3, 1))
        self.s8 = nn.Sequential(_block(b, c, 4, 2), _block(c, c, 3, 1))
        self.s16 = nn.Sequential(_block(c, d, 4, 2), _block(d, d, 3, 1))
        self.s32 = nn.Sequential(_block(d, e, 4, 2), _block(e, e, 3, 1), _block(e, e, 3, 1))
        self.up16, self.up8, self.up4 = _block(e, d, 1, 1), _block(d, c, 1, 1), _block(c, b, 1, 1)
        self.mix16, self.mix8, self.mix4 = _block(d, d, 3, 1), _block(c, c, 3, 1), _block(b, b, 3, 1)
        self.head = nn.Sequential(_block(b, b, 3, 1), nn.Conv2d(b, FINDER_CHANNELS, 1))

    def forward(self, image: Tensor) -> Tensor:
        """Logits and regressions per quarter-size pixel."""
        x4 = self.s4(image - 0.5)
        x8 = self.s8(x4)
        x16 = self.s16(x8)
        x32 = self.s32(x16)
        y16 = self.mix16(x16 + functional.interpolate(self.up16(x32), scale_factor=2.0, mode="nearest"))
        y8 = self.mix8(x8 + functional.interpolate(self.up8(y16), scale_factor=2.0, mode="nearest"))
        y4 = self.mix4(x4 + functional.interpolate(self.up4(y8), scale_factor=2.0, mode="nearest"))
        out: Tensor = self.head(y4)
        return out


def export(net: nn.Module, example: Tensor, path: Path) -> None:
    """Write a network as ONNX with sizes left open, so that ``cv2.dnn`` runs it on any; its weights take two bytes
    each."""
    net.eval()
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        net,
        (example,),
        str(path),
        input_names=["image"],
        output_names=["maps"],
        opset_version=13,
        dynamo=False,
        dynamic_axes={"image": {0: "n", 2: "h", 3: "w"}, "maps": {0: "n", 2: "h4", 3: "w4"}},
    )
    _halve(path)


def _halve(path: Path) -> None:
    """Keep large weights as float16, each with a Cast to float32: half the file, computed as before."""
    model = onnx.load(path)
    graph = model.graph
    kept, casts = [], []
    for weights in graph.initializer:
        values = onnx.numpy_helper.to_array(weights)
        if values.dtype != np.float32 or values.size < LARGE:
            kept.append(weights)
            continue
        name = f"{weights.name}.half"
        kept.append(onnx.numpy_helper.from_array(values.astype(np.float16), name))
        casts.append(onnx.helper.make_node("Cast", [name], [weights.name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(kept)
    graph.node.extend(nodes)
    onnx.save(model, path)
