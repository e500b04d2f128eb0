"""What holds for all tests: no property is judged by the clock, on however busy a machine."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("kifuwatch", deadline=None)
settings.load_profile("kifuwatch")
