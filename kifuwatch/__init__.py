"""kifuwatch: a camera looks at a Go board and writes the game record.

>>> import kifuwatch
>>> reading = kifuwatch.read(photo)
>>> recording = kifuwatch.record(folder)

Picture and model libraries are loaded when they are first needed.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kifuwatch.core.errors import (
    FileFormatError,
    ImageError,
    InputError,
    KifuwatchError,
    NoBoardError,
    OutputError,
    SourceError,
    UsageError,
)

if TYPE_CHECKING:
    from kifuwatch.api import read, record

__version__ = "0.1.0"
__all__ = [
    "FileFormatError",
    "ImageError",
    "InputError",
    "KifuwatchError",
    "NoBoardError",
    "OutputError",
    "SourceError",
    "UsageError",
    "__version__",
    "read",
    "record",
]


class _Package(ModuleType):
    """The package as a module whose ``read`` and ``record`` are functions that load their libraries late.

    ``kifuwatch.record`` is the name of a function and of the package that holds the writers. When a package is
    imported, Python binds it as an attribute of the one above; here that would hide the function. So the attribute
    is a property: it always gives the function, and ``from kifuwatch.record import ...`` finds the package as ever.
    """

    @property
    def read(self) -> Any:
        """:func:`kifuwatch.api.read`."""
        from kifuwatch import api

        return api.read

    @property
    def record(self) -> Any:
        """:func:`kifuwatch.api.record`."""
        from kifuwatch import api

        return api.record

    @record.setter
    def record(self, package: ModuleType) -> None:
        """What the import system binds here is found under its own name."""


sys.modules[__name__].__class__ = _Package
