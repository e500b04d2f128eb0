"""The child process of one camera: ``python -m kifuwatch.live.child``, started by a station.

Orders come on standard input, the first of them which source to open; signs of life, pictures and acknowledgements go
out on standard output. It ends with the game, with the camera, or with the server, whichever ends first; whatever it
has acknowledged is in the journal by then.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import IO, Any

from kifuwatch.core.errors import KifuwatchError, OutputError, SourceError, UsageError
from kifuwatch.live.orders import Orders
from kifuwatch.live.report import Report
from kifuwatch.live.setup import without_secrets
from kifuwatch.live.wire import Mailbox, read_messages

ENDED, LOST, REFUSED, FAILED = 0, 5, 6, 1
"""How it ends: the game is over, the camera is lost, it may not record, something else went wrong."""


def main(run: Callable[[dict[str, Any], Orders, Report], int] | None = None) -> int:
    """Do what the first order says. ``run`` stands in for the whole of it in tests."""
    out, orders_in = _own_streams()
    mailbox = Mailbox(out)
    report, orders = Report(mailbox), Orders()
    first = next(read_messages(orders_in), None)
    if first is None:
        return ENDED
    orders.obey(orders_in)
    status = FAILED
    try:
        status = (run or _run)(dict(first.body), orders, report)
    except KifuwatchError as error:
        report.say(error=_one_line(error))
        status = LOST if isinstance(error, SourceError) else REFUSED if _final(error) else FAILED
    except Exception as error:  # whatever it is: the server has to know, and starts another one
        report.say(error=f"{type(error).__name__}: {_one_line(error)}")
        raise
    finally:
        report.send("end", {"status": status})
        mailbox.close()
    return status


def _own_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Standard output for messages alone: what a library prints goes to standard error."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return out, sys.stdin.buffer


def _run(first: dict[str, Any], orders: Orders, report: Report) -> int:
    # Loaded only here: the server sees signs of life while the libraries for pictures are read in, and a camera is
    # opened meanwhile, which takes as long.
    from kifuwatch.live.sources import OpenedAhead, is_clip, open_live

    source = str(first["source"])
    opened = open_live if is_clip(source) else OpenedAhead(source, report.connecting)
    from kifuwatch.live.shift import Shift

    return Shift(first, orders, report, opened).run()


def _final(error: KifuwatchError) -> bool:
    """Whether trying again would end the same way."""
    return isinstance(error, OutputError | UsageError)


def _one_line(error: Exception) -> str:
    return without_secrets(" ".join(str(error).split()))


if __name__ == "__main__":
    code = main()
    # Threads of drivers may hang for ever: nothing of theirs is waited for.
    sys.stderr.flush()
    os._exit(code)
