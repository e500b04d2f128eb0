"""The two networks, as they are trained (PyTorch, extra ``[train]``); at run time they are ONNX files read by
``cv2.dnn``.

Both use plain convolutions, batch normalisation (folded on export) and ReLU, nothing that a reader of ONNX could miss.
"""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional

PLANES = 24  # of a close-up: light and, at half the resolution, colour (calibration/closeup.py)
CLOSE_UP_CHANNELS = 9  # empty, black, white, covered, is a point, line offset x y, stone offset x y
SHARPER = 1.4  # what is misread counts more while training, which leaves the network too modest by so much
LARGE = 64  # weights; smaller tensors (biases) stay as they are
FINDER_CHANNELS = 6  # point, board, corner, offset x y, log pitch


def _block(inputs: int, outputs: int, kernel: int, stride: int) -> nn.Sequential:
    padding = (kernel - stride + 1) // 2 if stride > 1 else kernel // 2
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
    )


class _Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.block = _block(width, width, 3, 1)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = x + self.block(x)
        return out


class CloseUpNet(nn.Module):
    """Planes of a straightened board (b, 24, 4 n, 4 n) in 0..1 to one vector of CLOSE_UP_CHANNELS logits a cell
    (b, c, n, n).

    Only convolutions of 3 x 3 with stride 1, which a processor does three times as fast as strided ones. The picture
    gets smaller between the three parts, where squares of 2 x 2 pixels are laid side by side as channels: the centre
    of each output stays that of its cell, and nothing is lost.
    """

    def __init__(self, width: int = 24) -> None:
        super().__init__()
        a, b, c = width, width * 2, width * 4
        self.parts = nn.ModuleList(
            (
                nn.Sequential(_block(PLANES, a, 3, 1), _block(a, a, 3, 1)),
                nn.Sequential(_block(4 * a, b, 3, 1), _Residual(b)),
                nn.Sequential(_block(4 * b, c, 3, 1), _Residual(c), _Residual(c), nn.Conv2d(c, CLOSE_UP_CHANNELS, 1)),
            )
        )
        self.beside = nn.PixelUnshuffle(2)

    def forward(self, planes: Tensor) -> Tensor:
        """Logits and offsets per cell."""
        x = self.parts[0](planes - 0.5)
        x = self.parts[1](self.beside(x))
        out: Tensor = self.parts[2](self.beside(x))
        return out

    def export(self, folder: Path, name: str) -> None:
        """Write the parts as ``name-1.onnx``, ``name-2.onnx``, ``name-3.onnx``; the first takes planes in 0..1, the
        last is as sure of what lies on a point as it should be."""
        x = torch.zeros(1, PLANES, 96, 96)
        for number, part in enumerate((_Centred(self.parts[0]), self.parts[1], _sharper(self.parts[2])), 1):
            export(part, x, folder / f"{name}-{number}.onnx")
            x = self.beside(part(x)).detach() if number < len(self.parts) else x


def _sharper(last: nn.Module) -> nn.Module:
    """A copy of the last part, its logits of empty, black, white and covered SHARPER times as large."""
    last = copy.deepcopy(last)
    head = last[-1]  # type: ignore[index]
    with torch.no_grad():
        head.weight[:4] *= SHARPER
        head.bias[:4] *= SHARPER
    return last


class _Centred(nn.Module):
    """A network whose input is 0..1, with the middle at nought."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.net(x - 0.5)
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

    def export(self, folder: Path, name: str) -> None:
        """Write it as ``name.onnx``."""
        export(self, torch.zeros(1, 3, 512, 384), folder / f"{name}.onnx")


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
