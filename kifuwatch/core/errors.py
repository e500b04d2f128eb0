"""Every exception that kifuwatch raises on purpose, as one tree.

    KifuwatchError                 exit status 1
      UsageError                   2   the request itself is wrong (an option, a point, a size)
      NoBoardError                 3   there is no board in the picture, or none that can be trusted
      InputError                   4   something that was given cannot be read
        ImageError                 4   not a picture, empty, truncated, too large
        SourceError                5   a video, folder, camera or address that gives no frames
        FileFormatError            4   a profile, scenario, manifest or record that is not in its format
      OutputError                  6   a file cannot be written, or would be overwritten
      IllegalMove                  1   a move that the rules forbid (``kifuwatch.rules``)

Each message is one English sentence that says what is wrong and where; ``faults.toml`` holds it in Chinese, see
:mod:`kifuwatch.core.chinese`. The command line prints it on standard error and ends with ``exit_status``.
"""

from __future__ import annotations

from typing import ClassVar


class KifuwatchError(Exception):
    """The root: one sentence for a person, and the exit status of a command that ends with it."""

    exit_status: ClassVar[int] = 1


class UsageError(KifuwatchError):
    """The request itself is wrong."""

    exit_status = 2


class NoBoardError(KifuwatchError):
    """No board was found, or none that can be trusted."""

    exit_status = 3


class InputError(KifuwatchError):
    """Something that was given cannot be read."""

    exit_status = 4


class ImageError(InputError):
    """A file that is not a readable picture."""


class SourceError(InputError):
    """A video, folder, camera or address that gives no frames."""

    exit_status = 5


class FileFormatError(InputError):
    """A data file that is not in the format it should be in."""


class OutputError(KifuwatchError):
    """A file that cannot be written, or that would be overwritten."""

    exit_status = 6


class IllegalMove(KifuwatchError):
    """A move that the rules in force forbid."""
