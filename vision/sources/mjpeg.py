"""Cameras that send JPEG after JPEG over HTTP (``multipart/x-mixed-replace``), read without FFmpeg.

FFmpeg gives the upper half of a picture whose lower half got lost as a good frame; here such a part is found
by its missing end, counted and left out.
"""

from __future__ import annotations

import base64
import http.client
import re
import socket
import ssl
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kifuwatch.core.errors import SourceError
from kifuwatch.vision.images import decode_image
from kifuwatch.vision.sources.live import Feed

_PIECE = 1 << 16
_LARGEST_PART = 32 << 20
_LENGTH = re.compile(rb"^content-length:\s*(\d+)\s*$", re.IGNORECASE | re.MULTILINE)


class PartReader:
    """Cuts a multipart stream into parts. ``read`` gives the next bytes, or none at the end.

    A part ends where its ``Content-Length`` says or at the next delimiter, whichever comes first: a part that
    was cut off does not take the one behind it along.
    """

    def __init__(self, read: Any, boundary: bytes) -> None:
        # Some cameras announce the boundary with its leading hyphens, some without.
        self._delimiter = b"--" + boundary.lstrip(b"-")
        self._read = read
        self._buffer = bytearray()

    def next_part(self) -> bytes:
        """The body of the next part. Raises EOFError at the end, ValueError when it is too large to be a
        picture."""
        start = self._find(self._delimiter, 0) + len(self._delimiter)
        body = self._find(b"\r\n\r\n", start) + 4
        length = _LENGTH.search(bytes(self._buffer[start:body].replace(b"\r", b"")))
        end = self._end_of(body, int(length[1]) if length else None)
        part = bytes(self._buffer[body:end])
        # A length that is a few bytes too large reaches into the next delimiter, which is still needed.
        del self._buffer[: max(body, end - len(self._delimiter) - 2)]
        return part

    def _end_of(self, body: int, length: int | None) -> int:
        if length is None:
            return self._find(b"\r\n" + self._delimiter, body)
        if length > _LARGEST_PART:
            raise ValueError(f"sends a part of {length} bytes")
        while len(self._buffer) < body + length:
            self._more()
        early = self._buffer.find(b"\r\n" + self._delimiter, body, body + length)
        return early if early >= 0 else body + length

    def _find(self, wanted: bytes, start: int) -> int:
        while (at := self._buffer.find(wanted, start)) < 0:
            start = max(start, len(self._buffer) - len(wanted) + 1)
            self._more()
        return at

    def _more(self) -> None:
        if len(self._buffer) > 2 * _LARGEST_PART:
            raise ValueError("sends something that never ends")
        piece = self._read(_PIECE)
        if not piece:
            raise EOFError
        self._buffer += piece


class MjpegFeed(Feed):
    """One connection to an HTTP camera. ``timeout`` seconds without a byte end it."""

    def __init__(self, url: str, timeout: float) -> None:
        self._timeout = timeout
        self._response = _connect(url, timeout)
        self._socket = _socket_of(self._response)
        kind = self._response.headers.get_content_type()
        boundary = self._response.headers.get_param("boundary")
        if not kind.startswith("multipart/") or not isinstance(boundary, str) or not boundary.strip("-"):
            self.close()
            raise SourceError(f"the address sends {kind}, not MJPEG (multipart/x-mixed-replace)")
        self._parts = PartReader(self._response.read1, boundary.encode("latin-1"))
        self._part = b""

    def grab(self) -> None:
        """Wait for the next part."""
        try:
            self._part = self._parts.next_part()
        except EOFError:
            raise SourceError("the camera has ended the stream") from None
        except TimeoutError:
            raise SourceError(f"the camera sent nothing for {self._timeout:g} s") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise SourceError(f"the connection broke: {_reason(error)}") from None

    def retrieve(self) -> NDArray[np.uint8] | None:
        """Decode the part; None when it is cut off or damaged."""
        try:
            return decode_image(self._part)
        except ValueError:
            return None

    def close(self) -> None:
        """End the connection."""
        self._response.close()

    def interrupt(self) -> None:
        """Wake a reader that waits for bytes."""
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                return  # it is closed already


def _connect(url: str, timeout: float) -> http.client.HTTPResponse:
    address, headers = _split_password(url)
    # Of the usual handlers only those of HTTP: no proxy file, no ftp:, no file: behind a redirection.
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(context=ssl.create_default_context()),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    try:
        response = opener.open(urllib.request.Request(address, headers=headers), timeout=timeout)
    except urllib.error.HTTPError as error:
        error.close()
        raise SourceError(f"the camera answers {error.code} {error.reason}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise SourceError(f"the address cannot be reached: {_reason(error)}") from None
    if not isinstance(response, http.client.HTTPResponse):  # no handler took it: a redirection to another protocol
        raise SourceError("the address leads away from HTTP")
    return response


def _split_password(url: str) -> tuple[str, dict[str, str]]:
    """The address without user and password, and the header that carries them."""
    parts = urllib.parse.urlsplit(url)
    if parts.username is None:
        return url, {}
    name, _, host = parts.netloc.rpartition("@")
    pair = urllib.parse.unquote(name) if ":" in name else urllib.parse.unquote(name) + ":"
    token = base64.b64encode(pair.encode()).decode()
    return urllib.parse.urlunsplit(parts._replace(netloc=host)), {"Authorization": f"Basic {token}"}


def _socket_of(response: http.client.HTTPResponse) -> socket.socket | None:
    """The socket under a response, by way of its file; None where this Python keeps it elsewhere."""
    held = getattr(getattr(response.fp, "raw", None), "_sock", None)
    return held if isinstance(held, socket.socket) else None


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.URLError) and isinstance(error.reason, Exception):
        error = error.reason
    if isinstance(error, TimeoutError):
        return "no answer in time"
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return (text or type(error).__name__).lower()
