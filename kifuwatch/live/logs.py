"""What the server writes down of itself: a sentence a line for people, or one JSON object a line for machines."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import IO, Any

ROOTS = ("kifuwatch", "uvicorn")
OURS = ("ASGI callable returned without completing response", "Cancel %s running task")
_KNOWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message", "taskName"}


class JsonLines(logging.Formatter):
    """One JSON object a line: ``time``, ``level``, ``logger``, ``message``, and whatever else was said. Line breaks in
    what others have chosen cannot make a line of their own."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {key: value for key, value in vars(record).items() if key not in _KNOWN}
        if record.exc_info and record.exc_info[1] is not None:
            line["trace"] = "".join(traceback.format_exception(record.exc_info[1]))
        return json.dumps(line, ensure_ascii=False, default=str)


class Sentences(logging.Formatter):
    """``kifuwatch: message (board 1: error)`` on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        more = ", ".join(str(value) for key, value in vars(record).items() if key not in _KNOWN)
        text = f"kifuwatch: {record.getMessage()}" + (f" ({more})" if more else "")
        return " ".join(text.split())


def _worth_it(record: logging.LogRecord) -> bool:
    """Without what uvicorn says of pages that were dropped, or that still listened when all ended: we say it."""
    return record.name != "uvicorn.error" or not str(record.msg).startswith(OURS)


def set_up(as_json: bool, stream: IO[str] | None = None) -> logging.Handler:
    """Write to ``stream`` (by default standard error): as JSON everything from INFO on, else what is wrong."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.addFilter(_worth_it)
    handler.setFormatter(JsonLines() if as_json else Sentences())
    for name in ROOTS:
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.setLevel(logging.INFO if as_json else logging.WARNING)
        logger.propagate = False
    return handler
