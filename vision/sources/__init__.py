"""Where frames come from: video files, folders of pictures, cameras at the machine and in the network.

>>> from kifuwatch.vision.sources import open_source
>>> with open_source("game.mp4") as source:           # doctest: +SKIP
...     for frame in source.frames(at_most_fps=5):
...         print(frame.time, frame.image.shape)
"""

from kifuwatch.vision.sources.base import Frame, FrameSource
from kifuwatch.vision.sources.live import Patience
from kifuwatch.vision.sources.opening import files_read, open_source

__all__ = ["Frame", "FrameSource", "Patience", "files_read", "open_source"]
