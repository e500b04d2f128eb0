"""The game record: SGF and the stream of events."""

from kifuwatch.record.events_log import EventsLog, event_line
from kifuwatch.record.files import check_writable, write_whole
from kifuwatch.record.lines import GameRecord
from kifuwatch.record.sgf import GameInfo, SgfFile, to_sgf
from kifuwatch.record.times import TimesFile, times_path, to_times

__all__ = [
    "EventsLog",
    "GameInfo",
    "GameRecord",
    "SgfFile",
    "TimesFile",
    "check_writable",
    "event_line",
    "times_path",
    "to_sgf",
    "to_times",
    "write_whole",
]
